// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How memory and bandwidth were used over time.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROFILE_OCCUPANCY_H
#define NPU_SIMULATOR_PROFILE_OCCUPANCY_H

#include "simulator/core/InstructionCost.h"
#include "simulator/profile/Timeline.h"

namespace npuhw {

/// A value from `cycle` on.
struct Step {
  uint64_t cycle = 0;
  double value = 0;
};

/// Bytes of SRAM that hold something which is still to be read, or which is
/// being written: from the start of the instruction that writes a byte to the
/// end of the last one that reads it.
std::vector<Step> liveSramBytes(const Program &program, const Timeline &timeline);

/// Bytes per cycle that a queue moves to and from DRAM, each transfer spread
/// over its duration.
std::vector<Step> dramBytesPerCycle(const Timeline &timeline, const std::vector<InstructionCost> &costs, Queue queue);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROFILE_OCCUPANCY_H
