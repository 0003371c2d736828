// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_TD
#define NPU_TD

include "dialects/NPU/IR/NPUBase.td"
include "dialects/NPU/IR/NPUOps.td"

#endif // NPU_TD
