// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run measured.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_REPORT_H
#define NPU_SIMULATOR_CORE_REPORT_H

#include "simulator/program/Program.h"

#include <memory>

namespace npuhw {

struct ProgramProfile; // simulator/profile/Attribution.h

struct QueueReport {
  uint64_t instructions = 0;
  uint64_t busyCycles = 0;
  uint64_t waitSemaphoreCycles = 0; ///< An instruction stood at the head and waited.
  uint64_t waitDispatchCycles = 0;  ///< The queue was empty.
  uint64_t bandwidthCycles = 0;     ///< Part of busy: longer because two queues shared the DRAM bus.
  /// Semaphore and cycles waited for it; an instruction with two waits counts
  /// for the first.
  std::vector<std::pair<unsigned, uint64_t>> waitedFor;
};

struct SourceReport {
  std::string name; ///< "" for instructions without a source node.
  uint64_t instructions = 0;
  uint64_t macs = 0;
  uint64_t cycles[kNumQueues] = {}; ///< Busy cycles on each queue.
  uint64_t firstCycle = 0;
  uint64_t lastCycle = 0;
};

/// An executed instruction on the time axis.
struct TraceEvent {
  uint32_t instruction = 0;
  Queue queue = Queue::Control;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t waited = 0; ///< Cycles at the head of the queue before the start.
  uint64_t dispatched = 0;
};

struct MarkEvent {
  uint32_t id = 0;
  uint64_t cycle = 0;
};

struct Report {
  std::string program;
  std::string target;
  std::string targetHash;
  uint64_t clockMHz = 1;

  uint64_t cycles = 0;
  uint64_t instructions = 0; ///< Executed, control included.
  uint64_t extrapolatedIterations = 0; ///< Of loops, counted without being executed; part of all other numbers.
  QueueReport queues[kNumQueues];
  uint64_t dispatchQueueFullCycles = 0; ///< The control unit waited for room in a queue.
  uint64_t dispatchFenceCycles = 0;

  uint64_t dramReadBytes = 0;  ///< Asked for by the program.
  uint64_t dramWriteBytes = 0;
  uint64_t dramBusBytes = 0;   ///< Moved, bursts included.
  uint64_t sramBytesMoved = 0;
  uint64_t sramHighWater = 0;
  uint64_t sramSize = 0;
  uint64_t accHighWater = 0;
  uint64_t accSize = 0;

  uint64_t macs[4] = {}; ///< By MacType.
  uint64_t vectorOps = 0;
  double utilization = 0;         ///< Of the matrix array over the whole run, 0 to 1.
  double rooflineCycles = 0;      ///< The larger of ideal matrix and ideal DRAM time.
  double rooflineUtilization = 0; ///< rooflineCycles / cycles.
  double energyPicojoules = 0;

  std::vector<SourceReport> sources;
  std::vector<MarkEvent> marks;
  std::vector<std::pair<unsigned, unsigned>> semaphoresLeft; ///< Not zero at the end.
  std::vector<TraceEvent> trace;                             ///< If asked for.
  std::shared_ptr<const ProgramProfile> profile;             ///< If asked for.
  bool perturbed = false;
};

/// One JSON object; keys are stable (docs/program-format.md lists them).
std::string toJSON(const Report &report);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_REPORT_H
