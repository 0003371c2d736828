// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Passes.h"

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::npu {
#define GEN_PASS_DEF_SPLITNEGATIVEPADSPASS
#include "passes/Transforms/Linalg/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {

class SplitNegativePad : public OpRewritePattern<tensor::PadOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> lows = op.getStaticLow(), highs = op.getStaticHigh();
    if (!op.getLow().empty() || !op.getHigh().empty() || !op.getSourceType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "an amount or an extent is known only at run time");
    }
    auto isNegative = [](int64_t amount) { return amount < 0; };
    if (llvm::none_of(lows, isNegative) && llvm::none_of(highs, isNegative)) {
      return rewriter.notifyMatchFailure(op, "nothing is cut off");
    }
    SmallVector<OpFoldResult> offsets, sizes, newLows, newHighs;
    for (auto [extent, low, high] : llvm::zip_equal(op.getSourceType().getShape(), lows, highs)) {
      // The source lies at [low, low + extent) of the result; what the result has of it is kept.
      int64_t result = low + extent + high;
      int64_t begin = std::clamp<int64_t>(low, 0, result);
      int64_t end = std::clamp<int64_t>(low + extent, begin, result);
      offsets.push_back(rewriter.getIndexAttr(begin == end ? 0 : begin - low));
      sizes.push_back(rewriter.getIndexAttr(end - begin));
      newLows.push_back(rewriter.getIndexAttr(begin));
      newHighs.push_back(rewriter.getIndexAttr(result - end));
    }
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    Value kept = tensor::ExtractSliceOp::create(rewriter, op.getLoc(), op.getSource(), offsets, sizes, strides);
    if (kept.getType() == op.getType() && !op.getNofold()) {
      rewriter.replaceOp(op, kept);
      return success();
    }
    auto padded = tensor::PadOp::create(rewriter, op.getLoc(), op.getType(), kept, newLows, newHighs, op.getNofold());
    // The region sees positions in the result, which are what they were.
    rewriter.inlineRegionBefore(op.getRegion(), padded.getRegion(), padded.getRegion().end());
    rewriter.replaceOp(op, padded);
    return success();
  }
};

struct SplitNegativePadsPass : npu::impl::SplitNegativePadsPassBase<SplitNegativePadsPass> {
  using SplitNegativePadsPassBase::SplitNegativePadsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateNegativePadPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace

void npu::populateNegativePadPatterns(RewritePatternSet &patterns) { patterns.add<SplitNegativePad>(patterns.getContext()); }
