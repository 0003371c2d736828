// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_LINALG_PASSES_TD
#define PASSES_TRANSFORMS_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // PASSES_TRANSFORMS_LINALG_PASSES_TD
