// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time: the control unit, the queues, the semaphores and the DRAM bus.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_EVENTLOOP_H
#define NPU_SIMULATOR_CORE_EVENTLOOP_H

#include "simulator/core/InstructionCost.h"
#include "simulator/core/Observer.h"
#include "simulator/core/Report.h"

#include <functional>

namespace npuhw {

struct EventLoopOptions {
  uint64_t perturbSeed = 0;     ///< Not 0: random delays, for finding missing waits.
  uint64_t maxInstructions = 0; ///< Executed ones; 0 is no limit.
  uint64_t maxCycles = 0;       ///< 0 is no limit.
  bool trace = false;
  /// Skip iterations of loops that have become periodic; the report is the same, but `execute` is not called for them.
  /// Neither with perturbSeed nor with trace.
  bool extrapolate = false;
  /// Called at every moment, if set; false ends the run with the error kStoppedByObserver. Not with extrapolate.
  std::function<bool(const Moment &, const ScheduleView &)> observe;
};

/// Called for each instruction of a queue at the moment of its completion, in
/// the order of simulated time, with the counters of the enclosing loops
/// (outermost first). An answer that is not empty ends the run.
using ExecuteFn = std::function<std::string(uint32_t instruction, const std::vector<int64_t> &counters)>;

/// Runs a verified program to its end. Fills the timing part of the report;
/// an Error explains an overflow of a semaphore, a deadlock, a limit or what
/// `execute` answered.
Result<Report> runEventLoop(const Program &program, const std::vector<InstructionCost> &costs,
                            const EventLoopOptions &options, const ExecuteFn &execute);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_EVENTLOOP_H
