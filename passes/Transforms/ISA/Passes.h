// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_ISA_PASSES_H
#define PASSES_TRANSFORMS_ISA_PASSES_H

#include "dialects/NPUISA/IR/NPUISA.h"

#include "mlir/Pass/Pass.h"

namespace mlir::npu {

#define GEN_PASS_DECL
#include "passes/Transforms/ISA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Transforms/ISA/Passes.h.inc"

} // namespace mlir::npu

#endif // PASSES_TRANSFORMS_ISA_PASSES_H
