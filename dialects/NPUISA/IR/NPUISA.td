// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPUISA_TD
#define NPUISA_TD

include "dialects/NPUISA/IR/NPUISABase.td"
include "dialects/NPUISA/IR/NPUISAInstructions.td"
include "dialects/NPUISA/IR/NPUISAOps.td"

#endif // NPUISA_TD
