// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// Steps that the reference lowering and the lowering of host code share.

#ifndef PASSES_CONVERSION_NPUTOLINALG_LAUNCHTOCALL_H
#define PASSES_CONVERSION_NPUTOLINALG_LAUNCHTOCALL_H

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::npu {

/// Replaces a launch by a call of the function with the program's name, which takes memrefs of identity layout: the
/// inputs, then the outputs. A launch on tensors reads views of its inputs and writes new allocations; a strided memref goes
/// through a copy.
func::CallOp replaceLaunchByCall(OpBuilder &builder, LaunchOp launch);

/// Replaces an op with one single-block region that ends in npu.yield by that block; `arguments` stand for the block's.
void inlineRegionOp(RewriterBase &rewriter, Operation *op, ValueRange arguments);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTOLINALG_LAUNCHTOCALL_H
