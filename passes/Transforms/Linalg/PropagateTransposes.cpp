// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Patterns.h"

#include "passes/Conversion/LinalgToNPU/Contraction.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::npu;

/// Whether the op computes a tensor, as opposed to a view, an argument, a constant or a transposition.
static bool computes(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<linalg::LinalgOp, tensor::PadOp>(op) &&
         !isa<linalg::TransposeOp, linalg::FillOp, linalg::BroadcastOp>(op);
}

namespace {

/// A generic that only permutes becomes linalg.transpose, the form that all patterns look for.
class RaiseTranspose : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
        op.getNumReductionLoops() != 0 || !llvm::hasSingleElement(*op.getBlock()) ||
        op.getBlock()->getTerminator()->getOperand(0) != op.getBlock()->getArgument(0)) {
      return rewriter.notifyMatchFailure(op, "not a copy");
    }
    AffineMap in = op.getIndexingMapsArray()[0], out = op.getIndexingMapsArray()[1];
    if (!in.isPermutation() || !out.isPermutation()) {
      return rewriter.notifyMatchFailure(op, "not a permutation");
    }
    // Dimension d of the result walks loop out[d], which walks some dimension of the source.
    SmallVector<int64_t> permutation = llvm::map_to_vector(out.getResults(), [&](AffineExpr expr) {
      return static_cast<int64_t>(llvm::find(in.getResults(), expr) - in.getResults().begin());
    });
    if (isIdentityPermutation(permutation)) {
      rewriter.replaceOp(op, op.getInputs()[0]);
    } else {
      rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, op.getInputs()[0], op.getOutputs()[0], permutation);
    }
    return success();
  }
};

/// Reads the source of a transposition with a permuted map.
class AbsorbInputTranspose : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> sources;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto transpose = operand->get().getDefiningOp<linalg::TransposeOp>();
      sources.push_back(transpose ? transpose.getInput() : Value());
      if (!transpose) {
        continue;
      }
      AffineMap &map = maps[operand->getOperandNumber()];
      SmallVector<AffineExpr> exprs(map.getNumResults());
      for (auto [dim, source] : llvm::enumerate(transpose.getPermutation())) {
        exprs[source] = map.getResult(dim);
      }
      map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
    }
    if (llvm::none_of(sources, [](Value source) { return static_cast<bool>(source); })) {
      return rewriter.notifyMatchFailure(op, "no input is a transposition");
    }
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [index, source] : llvm::enumerate(sources)) {
        if (source) {
          op->setOperand(index, source);
        }
      }
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// An elementwise generic takes the order of what it reads, and a transposition follows: transpositions sink.
class SinkTranspose : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0))) {
      return rewriter.notifyMatchFailure(op, "not one elementwise result");
    }
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!out.isPermutation() || llvm::hasSingleElement(*op.getBlock())) {
      return rewriter.notifyMatchFailure(op, "not a permutation of the loops, or no computation");
    }
    // Each whole input that some op computes has a vote.
    llvm::MapVector<AffineMap, unsigned> votes;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (map.isPermutation() && computes(operand->get())) {
        ++votes[map];
      }
    }
    AffineMap best = out;
    for (auto [map, count] : votes) {
      if (count > votes.lookup(best)) {
        best = map;
      }
    }
    if (best == out) {
      return rewriter.notifyMatchFailure(op, "has the order of its inputs");
    }
    // The result in the order `best`; the loops follow it, so that its map is the identity.
    SmallVector<unsigned> loopOrder = llvm::map_to_vector(
        best.getResults(), [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> shape = llvm::map_to_vector(loopOrder, [&](unsigned loop) { return extents[loop]; });
    Value init = tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.back() = best;
    auto sunk = linalg::GenericOp::create(rewriter, loc, init.getType(), op.getInputs(), init, maps,
                                          op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), sunk.getRegion(), sunk.getRegion().end());
    Value result = sunk.getResult(0);
    SmallVector<int64_t> back = llvm::map_to_vector(out.getResults(), [&](AffineExpr expr) {
      return static_cast<int64_t>(llvm::find(best.getResults(), expr) - best.getResults().begin());
    });
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, loc, result, back));
    rewriter.setInsertionPoint(sunk);
    return linalg::interchangeGenericOp(rewriter, sunk, loopOrder);
  }
};

/// pad(transpose(x)) = transpose(pad(x)), for a constant value.
class SinkThroughPad : public OpRewritePattern<tensor::PadOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<linalg::TransposeOp>();
    Value value = op.getConstantPaddingValue();
    if (!transpose || !value || !op.getLow().empty() || !op.getHigh().empty()) {
      return rewriter.notifyMatchFailure(op, "not a constant border of a transposition");
    }
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<int64_t> inverse = invertPermutationVector(permutation);
    SmallVector<OpFoldResult> low = applyPermutation(op.getMixedLowPad(), inverse);
    SmallVector<OpFoldResult> high = applyPermutation(op.getMixedHighPad(), inverse);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto sourceType = RankedTensorType::get(applyPermutation(type.getShape(), inverse), type.getElementType());
    Value padded = tensor::PadOp::create(rewriter, op.getLoc(), sourceType, transpose.getInput(), low, high, value,
                                         op.getNofold());
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, transpose.getLoc(), padded, permutation));
    return success();
  }
};

/// collapse_shape(transpose(x)) = transpose(collapse_shape(x)), if the groups lie together in x.
class SinkThroughCollapse : public OpRewritePattern<tensor::CollapseShapeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getSrc().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || !computes(transpose.getInput())) {
      return rewriter.notifyMatchFailure(op, "not of a computed and transposed tensor");
    }
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<ReassociationIndices> groups;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      ReassociationIndices source;
      for (int64_t dim : group) {
        if (!source.empty() && permutation[dim] != source.back() + 1) {
          return rewriter.notifyMatchFailure(op, "a group is not together in the source");
        }
        source.push_back(permutation[dim]);
      }
      groups.push_back(source);
    }
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, groups.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return groups[a].front() < groups[b].front(); });
    SmallVector<ReassociationIndices> sourceGroups =
        llvm::map_to_vector(order, [&](int64_t position) { return groups[position]; });
    Value collapsed = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), transpose.getInput(), sourceGroups);
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, transpose.getLoc(), collapsed, invertPermutationVector(order)));
    return success();
  }
};

/// concat(transpose(x), transpose(y)) = transpose(concat(x, y)).
class SinkThroughConcat : public OpRewritePattern<tensor::ConcatOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> sources;
    ArrayRef<int64_t> permutation;
    for (Value input : op.getInputs()) {
      auto transpose = input.getDefiningOp<linalg::TransposeOp>();
      if (!transpose || (!permutation.empty() && transpose.getPermutation() != permutation)) {
        return rewriter.notifyMatchFailure(op, "not all inputs are transposed alike");
      }
      permutation = transpose.getPermutation();
      sources.push_back(transpose.getInput());
    }
    Value joined = tensor::ConcatOp::create(rewriter, op.getLoc(), permutation[op.getDim()], sources);
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, op.getLoc(), joined, permutation));
    return success();
  }
};

/// extract_slice(transpose(x)) = transpose(extract_slice(x)), if the slice keeps the rank.
class SinkThroughSlice : public OpRewritePattern<tensor::ExtractSliceOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || !computes(transpose.getInput()) || op.getSourceType().getRank() != op.getType().getRank()) {
      return rewriter.notifyMatchFailure(op, "not of a computed and transposed tensor");
    }
    SmallVector<int64_t> inverse = invertPermutationVector(transpose.getPermutation());
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), transpose.getInput(), applyPermutation(op.getMixedOffsets(), inverse),
        applyPermutation(op.getMixedSizes(), inverse), applyPermutation(op.getMixedStrides(), inverse));
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, transpose.getLoc(), slice, transpose.getPermutation()));
    return success();
  }
};

/// A transposition that keeps the order of all extents but 1 moves no element.
class UnitTransposeToReshape : public OpRewritePattern<linalg::TransposeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getInput().getType());
    auto target = cast<RankedTensorType>(op->getResult(0).getType());
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "not on tensors");
    }
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (source.getDimSize(dim) != 1) {
        if (dim < last) {
          return rewriter.notifyMatchFailure(op, "moves elements");
        }
        last = dim;
      }
    }
    if (source == target) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    SmallVector<int64_t> wide =
        llvm::to_vector(llvm::make_filter_range(source.getShape(), [](int64_t extent) { return extent != 1; }));
    auto narrow = RankedTensorType::get(wide, source.getElementType());
    auto collapse = getReassociationIndicesForReshape(source, narrow);
    auto expand = getReassociationIndicesForReshape(narrow, target);
    if (!collapse || !expand) {
      return rewriter.notifyMatchFailure(op, "no reshape");
    }
    Value value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), narrow, op.getInput(), *collapse);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, target, value, *expand);
    return success();
  }
};

} // namespace

void npu::populateTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseTranspose, AbsorbInputTranspose, SinkTranspose, SinkThroughPad, SinkThroughCollapse, SinkThroughConcat,
               SinkThroughSlice>(patterns.getContext());
  linalg::TransposeOp::getCanonicalizationPatterns(patterns, patterns.getContext());
}

void npu::populateUnitTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<UnitTransposeToReshape>(patterns.getContext());
}
