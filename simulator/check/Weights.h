// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which weights the matrix array holds.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_WEIGHTS_H
#define NPU_SIMULATOR_CHECK_WEIGHTS_H

#include "simulator/check/Checker.h"
#include "simulator/check/Footprints.h"

namespace npuhw {

/// The first mm_exec whose type, k or n is not that of the weights that were loaded before it.
std::optional<Violation> findWrongWeights(const Footprints &footprints);

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_WEIGHTS_H
