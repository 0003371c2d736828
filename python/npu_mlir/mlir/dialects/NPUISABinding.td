// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_NPUISABINDING_TD
#define PYTHON_NPUISABINDING_TD

include "dialects/NPUISA/IR/NPUISA.td"

#endif // PYTHON_NPUISABINDING_TD
