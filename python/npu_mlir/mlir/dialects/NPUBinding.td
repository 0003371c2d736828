// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_NPUBINDING_TD
#define PYTHON_NPUBINDING_TD

include "dialects/NPU/IR/NPU.td"

#endif // PYTHON_NPUBINDING_TD
