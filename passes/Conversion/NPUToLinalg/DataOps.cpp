// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data ops.

#include "passes/Conversion/NPUToLinalg/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::npu;

LogicalResult npu::lowerMove(RewriterBase &rewriter, Operation *op) {
  auto copy = linalg::CopyOp::create(rewriter, op->getLoc(), op->getOperand(0), op->getOperand(1));
  rewriter.replaceOp(op, copy.getResults());
  return success();
}

LogicalResult npu::lowerPad(RewriterBase &rewriter, PadOp op) {
  Location loc = op.getLoc();
  Value border = arith::ConstantOp::create(rewriter, loc, op.getValue());
  auto fill = linalg::FillOp::create(rewriter, loc, border, op.getInit());
  Builder attributes(op.getContext());
  SmallVector<OpFoldResult> offsets = getAsIndexOpFoldResult(op.getContext(), op.getLow());
  auto sourceType = cast<ShapedType>(op.getSource().getType());
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(op.getContext(), sourceType.getShape());
  SmallVector<OpFoldResult> strides(sizes.size(), attributes.getIndexAttr(1));
  if (fill.getNumResults() == 1) {
    Value result = tensor::InsertSliceOp::create(rewriter, loc, op.getSource(), fill.getResult(0), offsets, sizes,
                                                 strides);
    rewriter.replaceOp(op, result);
    return success();
  }
  Value box = memref::SubViewOp::create(rewriter, loc, op.getInit(), offsets, sizes, strides);
  linalg::CopyOp::create(rewriter, loc, op.getSource(), box);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult npu::lowerTranspose(RewriterBase &rewriter, TransposeOp op) {
  auto transpose = linalg::TransposeOp::create(rewriter, op.getLoc(), op.getSource(), op.getInit(),
                                               op.getPermutation());
  rewriter.replaceOp(op, transpose->getResults());
  return success();
}

LogicalResult npu::lowerGather(RewriterBase &rewriter, GatherOp op) {
  Location loc = op.getLoc();
  Value table = op.getTable(), init = op.getInit();
  bool tensor = isa<RankedTensorType>(init.getType());
  int64_t rows = cast<ShapedType>(table.getType()).getDimSize(0);
  AffineExpr row = rewriter.getAffineDimExpr(0);
  SmallVector<AffineMap> maps = {AffineMap::get(2, 0, {row}, op.getContext()), rewriter.getMultiDimIdentityMap(2)};
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, tensor ? TypeRange(init.getType()) : TypeRange(), op.getIndices(), init, maps, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
        Value index = arith::IndexCastOp::create(body, bodyLoc, body.getIndexType(), arguments[0]);
        // Unsigned: a negative index is outside, too.
        Value inside = arith::CmpIOp::create(body, bodyLoc, arith::CmpIPredicate::ult, index,
                                             arith::ConstantIndexOp::create(body, bodyLoc, rows));
        cf::AssertOp::create(body, bodyLoc, inside,
                             "npu.gather: an index lies outside of the table of " + std::to_string(rows) + " rows");
        Value column = linalg::IndexOp::create(body, bodyLoc, 1);
        Value element = tensor ? Value(tensor::ExtractOp::create(body, bodyLoc, table, ValueRange{index, column}))
                               : Value(memref::LoadOp::create(body, bodyLoc, table, ValueRange{index, column}));
        linalg::YieldOp::create(body, bodyLoc, element);
      });
  rewriter.replaceOp(op, generic.getResults());
  return success();
}
