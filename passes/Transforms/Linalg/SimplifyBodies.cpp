// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bodies of linalg.generic: what they take from outside becomes an operand, indices of a gather are computed in i32,
// and functions that the vector engine lacks are made of those that it has.

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::npu;

/// The map that addresses the element at constant positions; null if a position is not constant or out of bounds.
static AffineMap getConstantPosition(tensor::ExtractOp extract, unsigned loops) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    std::optional<int64_t> position = getConstantIntValue(index);
    if (!position || *position < 0 || *position >= extract.getTensor().getType().getDimSize(dim)) {
      return {};
    }
    exprs.push_back(getAffineConstantExpr(*position, extract.getContext()));
  }
  return AffineMap::get(loops, 0, exprs, extract.getContext());
}

namespace {

/// An element at a fixed position, extracted in the body or in front of the op, becomes an input.
class LiftExtract : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape()) {
      return rewriter.notifyMatchFailure(op, "not on static tensors");
    }
    tensor::ExtractOp found;
    AffineMap map;
    op.getBlock()->walk([&](Operation *inner) {
      SmallVector<Operation *> candidates = {inner};
      for (Value operand : inner->getOperands()) {
        candidates.push_back(operand.getDefiningOp());
      }
      for (Operation *candidate : candidates) {
        auto extract = dyn_cast_if_present<tensor::ExtractOp>(candidate);
        if (!extract || op->isAncestor(extract.getTensor().getDefiningOp() ? extract.getTensor().getDefiningOp()
                                                                            : op->getParentOp())) {
          continue;
        }
        if (AffineMap position = getConstantPosition(extract, op.getNumLoops())) {
          found = extract;
          map = position;
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (!found) {
      return rewriter.notifyMatchFailure(op, "extracts nothing at a fixed position");
    }
    SmallVector<Value> inputs = op.getInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned position = inputs.size();
    inputs.push_back(found.getTensor());
    maps.insert(maps.begin() + position, map);
    auto lifted = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
                                            op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), lifted.getRegion(), lifted.getRegion().end());
    Block *body = lifted.getBlock();
    BlockArgument element = body->insertArgument(position, found.getType(), found.getLoc());
    rewriter.replaceUsesWithIf(found.getResult(), element,
                               [&](OpOperand &use) { return lifted->isProperAncestor(use.getOwner()); });
    if (found->use_empty()) {
      rewriter.eraseOp(found); // or it would be found again
    }
    rewriter.replaceOp(op, lifted.getResults());
    return success();
  }
};

/// An elementwise computation of i64 indices that only choose elements of tensors is done in i32: a table has less
/// than 2^31 rows.
class NarrowIndices : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
        !getElementTypeOrSelf(op.getResult(0).getType()).isInteger(64) ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0))) {
      return rewriter.notifyMatchFailure(op, "not one i64 result");
    }
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (!isNarrowable(&inner)) {
        return rewriter.notifyMatchFailure(op, "a body that needs more than 32 bits");
      }
    }
    if (!onlyChooses(op.getResult(0))) {
      return rewriter.notifyMatchFailure(op, "the result is more than an index");
    }
    Type i32 = rewriter.getI32Type();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Value init = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), i32);
    auto narrow = linalg::GenericOp::create(
        rewriter, op.getLoc(), init.getType(), op.getInputs(), init, op.getIndexingMapsArray(), op.getIteratorTypesArray(),
        [&](OpBuilder &builder, Location, ValueRange arguments) { cloneNarrow(builder, op, arguments); });
    narrowUses(op.getResult(0), narrow.getResult(0), rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool choosesElement(Operation *user) {
    return isa<arith::IndexCastOp>(user) && llvm::all_of(user->getUsers(), llvm::IsaPred<tensor::ExtractOp>);
  }

  /// Whether the elements of the tensor, also through reshapes, only choose elements of other tensors.
  static bool onlyChooses(Value value) {
    return llvm::all_of(value.getUses(), [](OpOperand &use) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(use.getOwner())) {
        return onlyChooses(use.getOwner()->getResult(0));
      }
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      return user && !user.isDpsInit(&use) && llvm::all_of(user.getMatchingBlockArgument(&use).getUsers(), choosesElement);
    });
  }

  /// Lets all users take the narrow tensor.
  static void narrowUses(Value wide, Value narrow, PatternRewriter &rewriter) {
    Type i32 = rewriter.getI32Type();
    for (OpOperand &use : llvm::make_early_inc_range(wide.getUses())) {
      Operation *owner = use.getOwner();
      if (auto user = dyn_cast<linalg::GenericOp>(owner)) {
        rewriter.modifyOpInPlace(user, [&] {
          user.getMatchingBlockArgument(&use).setType(i32);
          use.set(narrow);
        });
        continue;
      }
      rewriter.setInsertionPoint(owner);
      IRMapping mapping;
      mapping.map(wide, narrow);
      Operation *reshape = rewriter.clone(*owner, mapping);
      reshape->getResult(0).setType(cast<RankedTensorType>(owner->getResult(0).getType()).clone(i32));
      narrowUses(owner->getResult(0), reshape->getResult(0), rewriter);
      rewriter.eraseOp(owner);
    }
  }

  static bool isNarrowable(Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      return compare.getPredicate() < arith::CmpIPredicate::ult;
    }
    return isa<arith::AddIOp, arith::SubIOp, arith::SelectOp, arith::MinSIOp, arith::MaxSIOp>(op);
  }

  static void cloneNarrow(OpBuilder &builder, linalg::GenericOp op, ValueRange arguments) {
    Type i32 = builder.getI32Type();
    IRMapping mapping;
    for (auto [from, to] : llvm::zip(op.getBlock()->getArguments(), arguments)) {
      bool isWide = from.getType().isInteger(64) && to.getType() == from.getType();
      mapping.map(from, isWide ? arith::TruncIOp::create(builder, from.getLoc(), i32, to).getResult() : to);
    }
    auto lookup = [&](Value value) -> Value {
      if (mapping.contains(value) || !value.getType().isInteger(64)) {
        return mapping.lookupOrDefault(value);
      }
      return arith::TruncIOp::create(builder, value.getLoc(), i32, value); // A constant from outside.
    };
    for (Operation &inner : op.getBlock()->without_terminator()) {
      SmallVector<Value> operands = llvm::map_to_vector(inner.getOperands(), lookup);
      Type result = inner.getResult(0).getType();
      OperationState state(inner.getLoc(), inner.getName(), operands, result.isInteger(64) ? i32 : result,
                           inner.getAttrs());
      mapping.map(inner.getResult(0), builder.create(state)->getResult(0));
    }
    Operation *yield = op.getBlock()->getTerminator();
    linalg::YieldOp::create(builder, yield->getLoc(), lookup(yield->getOperand(0)));
  }
};

/// log2 and log10 by the natural logarithm.
template <typename LogOp>
class ExpandLog : public OpRewritePattern<LogOp> {
public:
  ExpandLog(MLIRContext *context, double factor) : OpRewritePattern<LogOp>(context), factor(factor) {}

  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type) {
      return rewriter.notifyMatchFailure(op, "not of a scalar");
    }
    Value scale = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getFloatAttr(type, factor));
    Value log = math::LogOp::create(rewriter, op.getLoc(), op.getOperand(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log, scale, op.getFastmath());
    return success();
  }

private:
  double factor;
};

/// The tests of floats by comparisons: x is NaN if it compares as unordered with itself.
template <typename TestOp, arith::CmpFPredicate predicate, bool againstInfinity>
class ExpandFloatTest : public OpRewritePattern<TestOp> {
public:
  using OpRewritePattern<TestOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(TestOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type) {
      return rewriter.notifyMatchFailure(op, "not of a scalar");
    }
    Value lhs = op.getOperand(), rhs = lhs;
    if (againstInfinity) {
      lhs = math::AbsFOp::create(rewriter, op.getLoc(), lhs);
      rhs = arith::ConstantOp::create(rewriter, op.getLoc(),
                                      rewriter.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
    }
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, lhs, rhs);
    return success();
  }
};

} // namespace

void npu::populateBodyPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LiftExtract, NarrowIndices, ExpandFloatTest<math::IsNaNOp, arith::CmpFPredicate::UNO, false>,
               ExpandFloatTest<math::IsInfOp, arith::CmpFPredicate::OEQ, true>,
               ExpandFloatTest<math::IsFiniteOp, arith::CmpFPredicate::OLT, true>>(context);
  patterns.add<ExpandLog<math::Log2Op>>(context, llvm::numbers::log2e);
  patterns.add<ExpandLog<math::Log10Op>>(context, llvm::numbers::log10e);
}
