// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_ANALYSIS_RACECHECK_H
#define PASSES_ANALYSIS_RACECHECK_H

#include "dialects/NPU/IR/NPU.h"

namespace mlir::npu {

/// Runs the tasks of a scheduled program through logical clocks, one component a queue, and reports the first two tasks of different
/// queues that touch the same bytes, one of them writing, although no tokens order them. It shares nothing with npu-schedule
/// but the addresses. Loops are cut to two rounds of their rings and the rest of a round, which meets every combination of slots.
LogicalResult checkRaces(ProgramOp program);

} // namespace mlir::npu

#endif // PASSES_ANALYSIS_RACECHECK_H
