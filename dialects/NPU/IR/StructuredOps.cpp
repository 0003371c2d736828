// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all structured ops share: the boxes that their maps address, and their tiles.

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::npu;

SmallVector<int64_t> npu::computeOperandBoxSizes(AffineMap map, ArrayRef<int64_t> sizes) {
  // The last point of the tile minus its first, through the linear part of the map, plus one.
  SmallVector<int64_t> first(map.getNumDims(), 0), last;
  for (int64_t size : sizes) {
    last.push_back(size > 0 ? size - 1 : 0);
  }
  SmallVector<int64_t> boxSizes;
  bool empty = llvm::is_contained(sizes, 0);
  for (auto [resultIndex, low, high] : llvm::enumerate(map.compose(first), map.compose(last))) {
    int64_t size = high - low + 1;
    if (empty) {
      // An empty tile addresses nothing, but only through the dimensions that are empty.
      for (unsigned dim = 0; dim < sizes.size(); ++dim) {
        if (sizes[dim] == 0 && map.getResult(resultIndex).isFunctionOfDim(dim)) {
          size = 0;
        }
      }
    }
    boxSizes.push_back(size);
  }
  return boxSizes;
}

void npu::computeOperandBox(OpBuilder &builder, Location loc, AffineMap map, ArrayRef<OpFoldResult> offsets,
                            ArrayRef<int64_t> sizes, SmallVectorImpl<OpFoldResult> &boxOffsets,
                            SmallVectorImpl<int64_t> &boxSizes) {
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    boxOffsets.push_back(affine::makeComposedFoldedAffineApply(builder, loc, map.getSubMap({i}), offsets));
  }
  llvm::append_range(boxSizes, computeOperandBoxSizes(map, sizes));
}

Operation *npu::createStructuredTile(Operation *op, OpBuilder &builder, ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<int64_t> sizes, ValueRange inits) {
  auto structured = cast<StructuredOpInterface>(op);
  SmallVector<AffineMap> maps = structured.getIndexingMapsArray();
  SmallVector<Value> operands;
  int64_t numInputs = op->getNumOperands() - inits.size();
  for (int64_t i = 0; i < numInputs; ++i) {
    Value operand = op->getOperand(i);
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<OpFoldResult> boxOffsets;
    SmallVector<int64_t> boxSizes;
    computeOperandBox(builder, op->getLoc(), maps[i], offsets, sizes, boxOffsets, boxSizes);
    bool whole = llvm::equal(boxSizes, type.getShape()) &&
                 llvm::all_of(boxOffsets, [](OpFoldResult offset) { return isConstantIntValue(offset, 0); });
    if (whole) {
      operands.push_back(operand);
      continue;
    }
    SmallVector<OpFoldResult> sizeAttrs = getAsIndexOpFoldResult(builder.getContext(), boxSizes);
    SmallVector<OpFoldResult> strides(boxSizes.size(), builder.getIndexAttr(1));
    auto tileType = RankedTensorType::get(boxSizes, type.getElementType(), type.getEncoding());
    operands.push_back(
        tensor::ExtractSliceOp::create(builder, op->getLoc(), tileType, operand, boxOffsets, sizeAttrs, strides));
  }
  llvm::append_range(operands, inits);

  SmallVector<Type> resultTypes;
  if (op->getNumResults() > 0) {
    llvm::append_range(resultTypes, inits.getTypes());
  }
  Operation *tile = clone(builder, op, resultTypes, operands);
  cast<StructuredOpInterface>(tile).setTileExtents(sizes);
  // Positions inside the tile are relative to it: add where the tile begins.
  tile->walk([&](IndexOp index) {
    OpFoldResult offset = offsets[index.getDim()];
    if (isConstantIntValue(offset, 0)) {
      return;
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(tile);
    OpFoldResult previous = index.getOffset() ? OpFoldResult(index.getOffset()) : builder.getIndexAttr(0);
    AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
    OpFoldResult sum = affine::makeComposedFoldedAffineApply(builder, op->getLoc(), AffineMap::get(2, 0, d0 + d1),
                                                             {previous, offset});
    index.getOffsetMutable().assign(getValueOrCreateConstantIndexOp(builder, op->getLoc(), sum));
  });
  return tile;
}
