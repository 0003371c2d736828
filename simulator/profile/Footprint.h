// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes an executed instruction touched.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROFILE_FOOTPRINT_H
#define NPU_SIMULATOR_PROFILE_FOOTPRINT_H

#include "simulator/core/Verifier.h"
#include "simulator/profile/Timeline.h"

namespace npuhw {

/// The smallest range around the bytes of one access.
struct TouchedRange {
  Space space = Space::Sram;
  uint32_t region = 0; ///< Of DRAM.
  int64_t begin = 0;
  int64_t end = 0;
  bool reads = false;
  bool writes = false;

  bool overlaps(const TouchedRange &o) const {
    return space == o.space && (space != Space::Dram || region == o.region) && begin < o.end && o.begin < end;
  }
};

/// Ranges of the events of one run; keeps what it learns of an instruction.
class Footprint {
public:
  Footprint(const Program &program, const Timeline &timeline)
      : program(program), timeline(timeline), accesses(program.code.size()), known(program.code.size()) {}

  std::vector<TouchedRange> of(const TimelineEvent &event);

  /// Whether `later` reads what `earlier` writes. If not, it waits for the place
  /// of its own results.
  bool passesData(const TimelineEvent &earlier, const TimelineEvent &later);

private:
  const Program &program;
  const Timeline &timeline;
  std::vector<std::vector<Access>> accesses;
  std::vector<bool> known;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_PROFILE_FOOTPRINT_H
