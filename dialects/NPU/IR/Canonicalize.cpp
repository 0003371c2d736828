// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Canonicalization: ops that move nothing, or nowhere, disappear.

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

namespace {
/// A copy of a value onto itself does nothing.
struct EraseSelfCopy : OpRewritePattern<CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CopyOp op, PatternRewriter &rewriter) const override {
    if (op.getSource() != op.getInit()) {
      return rewriter.notifyMatchFailure(op, "source and init differ");
    }
    if (op.getNumResults() == 0) {
      rewriter.eraseOp(op);
    } else {
      rewriter.replaceOp(op, op.getSource());
    }
    return success();
  }
};
} // namespace

void CopyOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<EraseSelfCopy>(context);
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

namespace {
/// A transpose of a tensor that moves no dimension is its source.
struct EraseIdentityTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (op.getNumResults() == 0 || !isIdentityPermutation(op.getPermutation())) {
      return rewriter.notifyMatchFailure(op, "not a tensor, or dimensions move");
    }
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
};

/// The transpose of a transposed tensor is one transpose.
struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto first = op.getSource().getDefiningOp<TransposeOp>();
    if (op.getNumResults() == 0 || !first) {
      return rewriter.notifyMatchFailure(op, "the source is not a transposed tensor");
    }
    // Dimension d of the result is dimension permutation[d] of the middle, which is its image in the source.
    SmallVector<int64_t> composed = applyPermutation(first.getPermutation(), op.getPermutation());
    auto transpose = TransposeOp::create(rewriter, rewriter.getFusedLoc({first.getLoc(), op.getLoc()}),
                                         op.getResultTypes(), first.getSource(), op.getInit(), composed);
    rewriter.replaceOp(op, transpose);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<EraseIdentityTranspose, ComposeTransposes>(context);
}

//===----------------------------------------------------------------------===//
// GenericOp
//===----------------------------------------------------------------------===//

namespace {
/// A generic on tensors that yields its input element by element, unchanged, is that input.
struct EraseIdentityGeneric : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1 || !op.isElementwise()) {
      return rewriter.notifyMatchFailure(op, "not one elementwise result");
    }
    Block &body = op.getBody().front();
    auto argument = dyn_cast<BlockArgument>(cast<YieldOp>(body.getTerminator()).getValues().front());
    if (!argument || argument.getArgNumber() >= op.getInputs().size()) {
      return rewriter.notifyMatchFailure(op, "the body does not yield an input");
    }
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    Value input = op.getInputs()[argument.getArgNumber()];
    if (maps[argument.getArgNumber()] != maps.back() || input.getType() != op.getResult(0).getType()) {
      return rewriter.notifyMatchFailure(op, "input and result differ in indexing map or type");
    }
    rewriter.replaceOp(op, input);
    return success();
  }
};
} // namespace

void GenericOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<EraseIdentityGeneric>(context);
}
