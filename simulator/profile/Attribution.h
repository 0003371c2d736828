// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of a run went: every cycle is charged to one source node and
// one cause, along the chain of instructions that determined the end.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROFILE_ATTRIBUTION_H
#define NPU_SIMULATOR_PROFILE_ATTRIBUTION_H

#include "simulator/core/InstructionCost.h"
#include "simulator/profile/Timeline.h"

namespace npuhw {

enum class Cause : uint8_t {
  Work,            ///< An engine at its peak.
  TileEdge,        ///< Cells or lanes that a ragged tile leaves idle.
  PipelineFill,    ///< Filling and emptying the array, loading weights.
  Setup,           ///< Decoding and address setup of an instruction.
  OnChipPort,      ///< The on-chip memory takes longer than the engine.
  DramLatency,     ///< Waiting for the first byte.
  DramTransfer,    ///< Bytes over the bandwidth of the DRAM.
  SharedBandwidth, ///< Longer because two queues shared that bandwidth.
  Signal,          ///< From completion to the moment another queue sees it.
  Dispatch,        ///< The control unit.
  Delay,           ///< Random delays of a perturbed run.
};

constexpr unsigned kNumCauses = 11;

/// The name of a cause in reports, for example "tile_edge".
const char *spell(Cause cause);

/// Cycles that an instruction of a queue stood at the head and waited, by what
/// it waited for.
struct Stalls {
  uint64_t data = 0;   ///< For values that another queue produces.
  uint64_t buffer = 0; ///< For another queue to be done with the place of the results.
};

/// What one source node cost.
struct NodeProfile {
  std::string name; ///< "" for instructions without a source node.
  uint64_t instructions = 0;
  uint64_t cycles = 0; ///< Of the critical chain; these add up to the total.
  uint64_t causes[kNumCauses] = {};
  uint64_t busy[kNumQueues] = {};
  Stalls stalls;
  uint64_t macs = 0;
  uint64_t vectorOps = 0;
  uint64_t dramBytes = 0;
  uint64_t sramBytes = 0;
  double utilization = 0; ///< Ideal cycles of its multiply-accumulates over `cycles`; may exceed 1 behind other work.
  double energyPicojoules = 0;
};

struct QueueProfile {
  uint64_t causes[kNumCauses] = {}; ///< Of its busy cycles.
  Stalls stalls;
};

struct ProgramProfile {
  std::vector<NodeProfile> nodes; ///< In order of their first instruction.
  uint64_t causes[kNumCauses] = {};
  QueueProfile queues[kNumQueues];
};

ProgramProfile attributeCycles(const Program &program, const std::vector<InstructionCost> &costs,
                               const Report &report, const Timeline &timeline);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROFILE_ATTRIBUTION_H
