// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that generate_isa.py reads.
//
//===----------------------------------------------------------------------===//

include "dialects/NPUISA/IR/NPUISAInstructions.td"
include "dialects/NPUISA/IR/NPUISAMicroOps.td"
