// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Passes.h"

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::npu {
#define GEN_PASS_DEF_PREPARELINALGPASS
#include "passes/Transforms/Linalg/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {

class PrepareLinalg : public mlir::npu::impl::PrepareLinalgPassBase<PrepareLinalg> {
public:
  using PrepareLinalgPassBase::PrepareLinalgPassBase;
  void runOnOperation() override;

private:
  LogicalResult prepare(func::FuncOp function);
  unsigned dropAsserts(func::FuncOp function);
};

/// Named elementwise ops, broadcasts and reductions become generics; contractions, convolutions, pooling, fills and
/// transpositions keep their names, by which the other patterns know them.
class GeneralizeSimpleOps : public OpInterfaceRewritePattern<linalg::LinalgOp> {
public:
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp, linalg::CopyOp>(op) ||
        !op.hasPureTensorSemantics() ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(true); }) ||
        linalg::isaContractionOpInterface(op) || linalg::isaConvolutionOpInterface(op) ||
        isa<linalg::QuantizedMatmulOp, linalg::QuantizedBatchMatmulOp>(op)) {
      return rewriter.notifyMatchFailure(op, "keeps its name");
    }
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

/// Ops that know what they consist of, such as linalg.softmax.
class DecomposeAggregates : public OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
public:
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op, PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (failed(parts)) {
      return rewriter.notifyMatchFailure(op, "does not decompose");
    }
    rewriter.replaceOp(op, *parts);
    return success();
  }
};

} // namespace

/// Assertions guard indices and shapes; shapes are static here, and a gather checks its indices itself.
unsigned PrepareLinalg::dropAsserts(func::FuncOp function) {
  SmallVector<cf::AssertOp> asserts;
  function.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts) {
    op.erase();
  }
  return asserts.size();
}

static constexpr int64_t kMaxRewrites = 1 << 20;

LogicalResult PrepareLinalg::prepare(func::FuncOp function) {
  MLIRContext *context = &getContext();
  IRRewriter rewriter(context);
  TargetDesc target = getTarget(function);
  auto apply = [&](function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(context);
    populate(patterns);
    // Patterns that undo each other shall end as an error, not hang.
    return applyPatternsGreedily(function, std::move(patterns),
                                 GreedyRewriteConfig().setMaxIterations(30).setMaxNumRewrites(kMaxRewrites));
  };
  auto populateReshapes = [&](RewritePatternSet &patterns) {
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    linalg::populateSwapExtractSliceWithFillPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
  };

  numAsserts += dropAsserts(function);
  numNarrowed += narrowF64(function, rewriter);
  numNarrowed += widenBits(function, rewriter);

  // Bodies and names.
  if (failed(apply([&](RewritePatternSet &patterns) {
        linalg::populateElementwiseToLinalgConversionPatterns(patterns);
        patterns.add<DecomposeAggregates, GeneralizeSimpleOps>(context);
        populateNegativePadPatterns(patterns);
        populateBodyPatterns(patterns);
        populateNarrowingPatterns(patterns);
        populateMathAlgebraicSimplificationPatterns(patterns);
        math::populateExpansionPatterns(patterns, {"tan", "clampf"});
        populateMathPatterns(patterns);
        arith::populateCeilFloorDivExpandOpsPatterns(patterns);
      }))) {
    return failure();
  }
  // Layout, transpositions and fusion feed each other.
  if (failed(apply([&](RewritePatternSet &patterns) {
        populateLayoutPatterns(patterns);
        populateTransposePatterns(patterns);
        populateUnitMapPatterns(patterns);
        populateFusionPatterns(patterns, target);
        populateConstantPatterns(patterns);
        populateReshapes(patterns);
      }))) {
    return failure();
  }
  // What is left of transpositions and reshapes.
  LogicalResult result = apply([&](RewritePatternSet &patterns) {
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    populateHoistTransposePatterns(patterns);
    populateUnitTransposePatterns(patterns);
    populateUnitReshapePatterns(patterns);
    populateBodyPatterns(patterns);
    populateConstantPatterns(patterns);
    populateReshapes(patterns);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  });
  // Two convolutions of one input have transposed it twice.
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  return result;
}

void PrepareLinalg::runOnOperation() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!function.isExternal() && failed(prepare(function))) {
      function.emitError() << "the rewrites of '" << function.getName() << "' did not come to an end";
      return signalPassFailure();
    }
  }
}
