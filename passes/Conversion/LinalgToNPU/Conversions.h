// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rewrites of the pass, one for each device form; each replaces its op. Private to the pass.

#ifndef PASSES_CONVERSION_LINALGTONPU_CONVERSIONS_H
#define PASSES_CONVERSION_LINALGTONPU_CONVERSIONS_H

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::npu {

void convertMatmul(RewriterBase &rewriter, linalg::LinalgOp op);
void convertConv2d(RewriterBase &rewriter, linalg::LinalgOp op);
void convertDepthwise(RewriterBase &rewriter, linalg::DepthwiseConv2DNhwcHwcOp op);
void convertGather(RewriterBase &rewriter, linalg::LinalgOp op);
void convertTranspose(RewriterBase &rewriter, linalg::TransposeOp op);
void convertCopy(RewriterBase &rewriter, linalg::CopyOp op);
void convertPad(RewriterBase &rewriter, tensor::PadOp op);
void convertGeneric(RewriterBase &rewriter, linalg::LinalgOp op);

/// A tensor.empty of the shape, without encoding.
Value createEmpty(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type elementType);

/// The value with another shape of as many elements, in the same order, by reshapes.
Value createReshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape);

/// An npu.transpose of the value, or the value if the permutation is the identity.
Value createTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_LINALGTONPU_CONVERSIONS_H
