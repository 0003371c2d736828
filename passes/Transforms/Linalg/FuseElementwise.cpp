// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Patterns.h"

#include "passes/Conversion/LinalgToNPU/Contraction.h"
#include "passes/Conversion/LinalgToNPU/Legality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::npu;

/// Whether the matrix engine computes the value.
static bool isMatrixResult(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && (isa<linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcHwcfQOp>(op) || matchContraction(op));
}

/// Whether the generic would become the epilogue of a contraction.
static bool isEpilogue(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return isMatrixResult(operand->get()) && operand->get().hasOneUse() &&
                  op.getMatchingIndexingMap(operand).isPermutation();
         });
}

static int64_t countPoints(linalg::LinalgOp op) {
  int64_t points = 1;
  for (int64_t extent : op.getStaticLoopRanges()) {
    points *= extent;
  }
  return points;
}

/// Whether the generic is the border between i1 in the function's signature and i8 inside: the host runs it.
static bool isBorderCast(linalg::GenericOp op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    return isa<RankedTensorType>(type) && getElementTypeOrSelf(type).isInteger(1);
  });
}

static bool hasExtract(linalg::GenericOp op) { return !op.getRegion().getOps<tensor::ExtractOp>().empty(); }

/// Whether fusing the producer of the operand into its user makes less work and no op that the device cannot run.
static bool isWorthFusing(OpOperand *operand, const TargetDesc &target) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || hasExtract(producer) || hasExtract(consumer) || producer.hasDynamicShape() ||
      consumer.hasDynamicShape()) {
    return false;
  }
  if (isBorderCast(producer) || isBorderCast(consumer)) {
    return false; // The other one would go to the host with it.
  }
  size_t operands = producer->getNumOperands() + consumer->getNumOperands() - 1;
  size_t microOps = producer.getBlock()->getOperations().size() + consumer.getBlock()->getOperations().size();
  if (operands > target.maxOperands || microOps > target.maxMicroOps) {
    return false;
  }
  if (llvm::hasSingleElement(*producer.getBlock())) {
    return true; // A broadcast: its work is only to be read.
  }
  // What the device lacks would take the other one to the host with it.
  if (judge(producer, target).form.has_value() != judge(consumer, target).form.has_value()) {
    return false;
  }
  bool onlyUser = llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; });
  if (!onlyUser || countPoints(producer) != countPoints(consumer)) {
    return false; // It would be computed more than once.
  }
  // What can be done while the accumulator drains is free there.
  return !isEpilogue(producer) || isEpilogue(consumer) || consumer.getNumReductionLoops() == 0;
}

/// Whether the reshape in front of a generic stands between it and what computes its input.
static bool isReshapeInTheWay(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return expand && isa<linalg::GenericOp>(operand->getOwner()) &&
         isa_and_present<linalg::LinalgOp>(expand.getSrc().getDefiningOp()) &&
         !expand.getSrc().getDefiningOp<linalg::TransposeOp>();
}

namespace {

/// Fuses the producer of an operand into its user. Unlike upstream's pattern it keeps the names of both: reports and
/// errors speak of source nodes.
class FuseProducer : public OpRewritePattern<linalg::GenericOp> {
public:
  FuseProducer(MLIRContext *context, const TargetDesc &target) : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(linalg::GenericOp consumer, PatternRewriter &rewriter) const override {
    for (OpOperand &operand : consumer->getOpOperands()) {
      if (!linalg::areElementwiseOpsFusable(&operand) || !isWorthFusing(&operand, target)) {
        continue;
      }
      Operation *producer = operand.get().getDefiningOp();
      Location loc = rewriter.getFusedLoc({producer->getLoc(), consumer.getLoc()});
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, &operand);
      if (failed(fused)) {
        continue;
      }
      fused->fusedOp->setLoc(loc);
      rewriter.replaceOp(consumer, llvm::map_to_vector(consumer->getResults(), [&](Value result) {
                           return fused->replacements.lookup(result);
                         }));
      return success();
    }
    return rewriter.notifyMatchFailure(consumer, "no producer that is worth it");
  }

private:
  TargetDesc target;
};

/// A contraction onto an init other than zero: the contraction from zero, and an elementwise sum that can be fused.
class SplitInit : public OpInterfaceRewritePattern<linalg::LinalgOp> {
public:
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || !isMatrixResult(op->getResult(0))) {
      return rewriter.notifyMatchFailure(op, "not a matrix op");
    }
    OpOperand *init = op.getDpsInitOperand(0);
    if (isZeroTensor(init->get())) {
      return rewriter.notifyMatchFailure(op, "starts from zero");
    }
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(init->get().getType());
    Value added = init->get();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value zeros = linalg::FillOp::create(rewriter, loc, ValueRange(zero), ValueRange(empty)).getResult(0);
    rewriter.setInsertionPointAfter(op);
    SmallVector<AffineMap> maps(3, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto sum = linalg::GenericOp::create(
        rewriter, loc, type, ValueRange{op->getResult(0), added}, ValueRange(empty), maps, iterators,
        [](OpBuilder &builder, Location bodyLoc, ValueRange values) {
          Value result = isa<FloatType>(values[0].getType())
                             ? arith::AddFOp::create(builder, bodyLoc, values[0], values[1]).getResult()
                             : arith::AddIOp::create(builder, bodyLoc, values[0], values[1]).getResult();
          linalg::YieldOp::create(builder, bodyLoc, result);
        });
    rewriter.modifyOpInPlace(op, [&] { init->set(zeros); });
    rewriter.replaceAllUsesExcept(op->getResult(0), sum.getResult(0), sum);
    return success();
  }
};

/// transpose(generic) writes in the transposed order, unless the generic is to become an epilogue. With
/// `onlyBroadcasts`, only generics that compute nothing.
class HoistTranspose : public OpRewritePattern<linalg::TransposeOp> {
public:
  HoistTranspose(MLIRContext *context, bool onlyBroadcasts)
      : OpRewritePattern(context), onlyBroadcasts(onlyBroadcasts) {}

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    auto generic = op.getInput().getDefiningOp<linalg::GenericOp>();
    if (!generic || !op.getInput().hasOneUse() || generic.getNumDpsInits() != 1 ||
        generic.getNumReductionLoops() != 0 || generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0)) ||
        hasExtract(generic) || isEpilogue(generic)) {
      return rewriter.notifyMatchFailure(op, "not of an elementwise result that may be written in another order");
    }
    if (onlyBroadcasts && !llvm::hasSingleElement(*generic.getBlock())) {
      return rewriter.notifyMatchFailure(op, "of a computation");
    }
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    AffineMap out = maps.back();
    if (!out.isPermutation()) {
      return rewriter.notifyMatchFailure(op, "of a result that is no permutation of the loops");
    }
    SmallVector<AffineExpr> exprs = applyPermutation(out.getResults(), op.getPermutation());
    maps.back() = AffineMap::get(out.getNumDims(), 0, exprs, op.getContext());
    Location loc = rewriter.getFusedLoc({generic.getLoc(), op.getLoc()});
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value init = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    auto hoisted =
        linalg::GenericOp::create(rewriter, loc, type, generic.getInputs(), init, maps, generic.getIteratorTypesArray());
    rewriter.inlineRegionBefore(generic.getRegion(), hoisted.getRegion(), hoisted.getRegion().end());
    rewriter.replaceOp(op, hoisted.getResults());
    rewriter.eraseOp(generic);
    SmallVector<unsigned> loopOrder = llvm::map_to_vector(
        exprs, [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
    rewriter.setInsertionPoint(hoisted);
    (void)linalg::interchangeGenericOp(rewriter, hoisted, loopOrder);
    return success();
  }

private:
  bool onlyBroadcasts;
};

} // namespace

void npu::populateFusionPatterns(RewritePatternSet &patterns, const TargetDesc &target) {
  // Only for the folding of fills and scalars into the ops that read them.
  linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return false; });
  patterns.add<FuseProducer>(patterns.getContext(), target);
  linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, isReshapeInTheWay);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  patterns.add<SplitInit>(patterns.getContext());
  patterns.add<HoistTranspose>(patterns.getContext(), /*onlyBroadcasts=*/true);
}

void npu::populateHoistTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<HoistTranspose>(patterns.getContext(), /*onlyBroadcasts=*/false);
}
