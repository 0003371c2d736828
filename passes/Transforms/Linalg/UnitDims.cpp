// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extents of 1 in the operands of linalg.generic: maps that pin them and reshapes that only add or drop them.

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::npu;

/// Drops the dimensions of extent 1 that the map addresses by the constant 0.
static Value dropPinned(PatternRewriter &rewriter, Location loc, Value value, AffineMap &map) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  for (auto [extent, expr] : llvm::zip(type.getShape(), map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || extent != 1) {
      shape.push_back(extent);
      exprs.push_back(expr);
    }
  }
  auto target = RankedTensorType::get(shape, type.getElementType());
  auto groups = target == type ? std::nullopt : getReassociationIndicesForReshape(type, target);
  if (!groups) {
    return {};
  }
  map = AffineMap::get(map.getNumDims(), 0, exprs, rewriter.getContext());
  return tensor::CollapseShapeOp::create(rewriter, loc, target, value, *groups);
}

/// Replaces a generic by one on operands of lower rank; the results get their rank back.
static void replaceWithDropped(linalg::GenericOp op, ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                               ArrayRef<utils::IteratorType> iterators, PatternRewriter &rewriter) {
  ArrayRef<Value> inits = operands.drop_front(op.getNumDpsInputs());
  auto dropped = linalg::GenericOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(inits)),
                                           operands.take_front(op.getNumDpsInputs()), inits, maps, iterators);
  rewriter.inlineRegionBefore(op.getRegion(), dropped.getRegion(), dropped.getRegion().end());
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip(dropped.getResults(), op.getResults())) {
    auto from = cast<RankedTensorType>(result.getType()), to = cast<RankedTensorType>(old.getType());
    results.push_back(from == to ? Value(result)
                                 : tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to, result,
                                                                 *getReassociationIndicesForReshape(from, to))
                                       .getResult());
  }
  rewriter.replaceOp(op, results);
}

namespace {

/// `(i, j) -> (i, 0)` on tensor<4x1xf32> becomes `(i, j) -> (i)` on tensor<4xf32>, for inputs and inits.
class DropPinnedDims : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape()) {
      return rewriter.notifyMatchFailure(op, "not on static tensors");
    }
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> operands;
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<RankedTensorType>(value.getType())) {
        if (Value dropped = dropPinned(rewriter, op.getLoc(), value, maps[operand.getOperandNumber()])) {
          value = dropped;
          changed = true;
        }
      }
      operands.push_back(value);
    }
    if (!changed) {
      return rewriter.notifyMatchFailure(op, "no map pins a dimension");
    }
    replaceWithDropped(op, operands, maps, op.getIteratorTypesArray(), rewriter);
    return success();
  }
};

/// A parallel loop of extent 1 that no computed input walks goes, so that the result has the rank of its inputs: what
/// follows a matrix product in a batch of 1 may then become its epilogue.
class DropUnitLoop : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape() || op.hasIndexSemantics()) {
      return rewriter.notifyMatchFailure(op, "not on static tensors, or knows its position");
    }
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
      if (extent == 1 && op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel && isOnlyPadding(op, loop)) {
        return drop(op, loop, rewriter);
      }
    }
    return rewriter.notifyMatchFailure(op, "no loop of extent 1 that may go");
  }

private:
  /// Whether some op computes an input, and none that is computed so walks the loop.
  static bool isOnlyPadding(linalg::GenericOp op, unsigned loop) {
    bool hasComputed = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isa_and_present<linalg::LinalgOp, tensor::PadOp>(operand->get().getDefiningOp())) {
        continue;
      }
      if (op.getMatchingIndexingMap(operand).isFunctionOfDim(loop)) {
        return false;
      }
      hasComputed = true;
    }
    return hasComputed;
  }

  static LogicalResult drop(linalg::GenericOp op, unsigned loop, PatternRewriter &rewriter) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> operands;
    // The loop as a constant is a pinned dimension; then the other loops move up.
    SmallVector<AffineExpr> loops;
    for (unsigned dim = 0, next = 0; dim < op.getNumLoops(); ++dim) {
      loops.push_back(dim == loop ? rewriter.getAffineConstantExpr(0) : rewriter.getAffineDimExpr(next++));
    }
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap &map = maps[operand.getOperandNumber()];
      bool walks = map.isFunctionOfDim(loop);
      map = map.replaceDimsAndSymbols(loops, {}, op.getNumLoops() - 1, 0);
      Value value = operand.get();
      if (walks) {
        value = dropPinned(rewriter, op.getLoc(), value, map);
        if (!value) {
          return failure();
        }
      }
      operands.push_back(value);
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    iterators.erase(iterators.begin() + loop);
    replaceWithDropped(op, operands, maps, iterators, rewriter);
    return success();
  }
};

/// Reads the source of a reshape that only adds or drops extents of 1.
class AbsorbUnitReshape : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape()) {
      return rewriter.notifyMatchFailure(op, "not on static tensors");
    }
    for (OpOperand *operand : op.getDpsInputOperands()) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      Value source;
      AffineMap map = maps[operand->getOperandNumber()];
      SmallVector<AffineExpr> exprs;
      if (auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>()) {
        source = expand.getSrc();
        for (const ReassociationIndices &group : expand.getReassociationIndices()) {
          appendWide(expand.getResultType(), group, map, exprs);
        }
      } else if (auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>()) {
        source = collapse.getSrc();
        for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices())) {
          spread(collapse.getSrcType(), group, map.getResult(dim), exprs);
        }
      }
      if (!source || exprs.size() != static_cast<size_t>(cast<RankedTensorType>(source.getType()).getRank())) {
        continue;
      }
      maps[operand->getOperandNumber()] = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
      if (!inversePermutation(concatAffineMaps(maps, op.getContext()))) {
        continue; // The loops would have no extents any more.
      }
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(source);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no input is reshaped by extents of 1");
  }

private:
  /// Of a group of the expanded tensor, the one expression that addresses it in the source; none if two are wide.
  static void appendWide(RankedTensorType type, ReassociationIndicesRef group, AffineMap map,
                         SmallVectorImpl<AffineExpr> &exprs) {
    AffineExpr wide;
    for (int64_t dim : group) {
      if (type.getDimSize(dim) != 1) {
        if (wide) {
          return;
        }
        wide = map.getResult(dim);
      }
    }
    exprs.push_back(wide ? wide : getAffineConstantExpr(0, map.getContext()));
  }

  /// The expressions of a group of the source, of which the collapsed tensor keeps one; none if two are wide.
  static void spread(RankedTensorType type, ReassociationIndicesRef group, AffineExpr expr,
                     SmallVectorImpl<AffineExpr> &exprs) {
    if (llvm::count_if(group, [&](int64_t dim) { return type.getDimSize(dim) != 1; }) > 1) {
      return;
    }
    bool isUsed = false;
    for (int64_t dim : group) {
      bool isWide = type.getDimSize(dim) != 1;
      exprs.push_back(isWide ? expr : getAffineConstantExpr(0, expr.getContext()));
      isUsed |= isWide;
    }
    if (!isUsed) {
      exprs.back() = expr; // All extents are 1: one of them keeps the loop.
    }
  }
};

} // namespace

void npu::populateUnitMapPatterns(RewritePatternSet &patterns) { patterns.add<DropPinnedDims>(patterns.getContext()); }

void npu::populateUnitReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<AbsorbUnitReshape, DropUnitLoop>(patterns.getContext());
}
