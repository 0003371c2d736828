// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Types that the device lacks: f64 becomes f32, tensors of i1 become tensors of i8, positions in i64 become i32. The
// types in the function's signature stay.

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::npu;

/// The type with another element type.
static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

static bool signatureHas(func::FuncOp function, function_ref<bool(Type)> isType) {
  FunctionType type = function.getFunctionType();
  auto matches = [&](Type part) { return isType(getElementTypeOrSelf(part)); };
  return llvm::any_of(type.getInputs(), matches) || llvm::any_of(type.getResults(), matches);
}

/// Every value inside of the function.
static void walkValues(func::FuncOp function, function_ref<void(Value)> visit) {
  function.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      visit(result);
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), visit);
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// f64 to f32
//===----------------------------------------------------------------------===//

/// A constant of f32 for one of f64; null if it holds its bytes in a form that is not read here.
static TypedAttr narrowFloats(Attribute attr, Type f32) {
  bool isInexact;
  auto narrow = [&](APFloat value) {
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &isInexact);
    return value;
  };
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    return FloatAttr::get(f32, narrow(number.getValue()));
  }
  auto dense = dyn_cast<DenseFPElementsAttr>(attr);
  return dense ? TypedAttr(dense.mapValues(f32, [&](const APFloat &value) { return narrow(value).bitcastToAPInt(); }))
               : TypedAttr();
}

/// Whether integers that f32 cannot hold are computed in f64, as integer powers are.
static bool computesIntegers(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool isExact = isa<arith::SIToFPOp, arith::UIToFPOp>(op) && op->getResult(0).getType().isF64() &&
                       op->getOperand(0).getType().getIntOrFloatBitWidth() > 24 &&
                       isa<BlockArgument>(op->getOperand(0)) && isa<linalg::GenericOp>(op->getParentOp());
        return isExact ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned npu::narrowF64(func::FuncOp function, RewriterBase &rewriter) {
  auto isF64 = [](Type type) { return type.isF64(); };
  if (signatureHas(function, isF64)) {
    return 0; // The model means f64: it stays, and runs on the host.
  }
  if (computesIntegers(function)) {
    return 0;
  }
  Type f32 = rewriter.getF32Type();
  bool known = true;
  function.walk([&](Operation *op) {
    bool touches = llvm::any_of(op->getResultTypes(), [&](Type type) { return isF64(getElementTypeOrSelf(type)); }) ||
                   llvm::any_of(op->getOperandTypes(), [&](Type type) { return isF64(getElementTypeOrSelf(type)); });
    if (!touches) {
      return;
    }
    StringRef dialect = op->getName().getDialectNamespace();
    bool isKnown = dialect == "arith" || dialect == "math" || dialect == "linalg" || dialect == "tensor";
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      isKnown = static_cast<bool>(narrowFloats(constant.getValue(), f32));
    }
    known &= isKnown && !isa<arith::BitcastOp, tensor::BitcastOp>(op);
  });
  if (!known) {
    return 0;
  }
  unsigned count = 0;
  walkValues(function, [&](Value value) {
    if (isF64(getElementTypeOrSelf(value.getType()))) {
      value.setType(withElement(value.getType(), f32));
      ++count;
    }
  });
  if (count == 0) {
    return 0;
  }
  function.walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isF64(getElementTypeOrSelf(constant.getValue().getType()))) {
        constant.setValueAttr(narrowFloats(constant.getValue(), f32));
      }
    } else if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      Type from = getElementTypeOrSelf(op->getOperand(0).getType());
      Type to = getElementTypeOrSelf(op->getResult(0).getType());
      if (from == to) {
        rewriter.replaceOp(op, op->getOperand(0));
      }
    }
  });
  return count;
}

//===----------------------------------------------------------------------===//
// Tensors of i1 to tensors of i8
//===----------------------------------------------------------------------===//

/// An elementwise generic that casts between i1 and i8: the border to the function's signature.
static Value castTensor(OpBuilder &builder, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, init.getType(), value, init, maps, iterators,
                                   [&](OpBuilder &body, Location bodyLoc, ValueRange values) {
                                     Value result =
                                         element.isInteger(1)
                                             ? arith::TruncIOp::create(body, bodyLoc, element, values[0]).getResult()
                                             : arith::ExtUIOp::create(body, bodyLoc, element, values[0]).getResult();
                                     linalg::YieldOp::create(body, bodyLoc, result);
                                   })
      .getResult(0);
}

/// Inside of the body i1 stays: arguments are truncated where they come in, results extended where they leave.
static void adaptBody(linalg::GenericOp generic, RewriterBase &rewriter) {
  Block *body = generic.getBlock();
  Type i1 = rewriter.getI1Type(), i8 = rewriter.getI8Type();
  rewriter.setInsertionPointToStart(body);
  for (BlockArgument argument : body->getArguments()) {
    if (argument.getType().isInteger(1)) {
      argument.setType(i8);
      if (!argument.use_empty()) {
        auto bit = arith::TruncIOp::create(rewriter, argument.getLoc(), i1, argument);
        argument.replaceAllUsesExcept(bit, bit);
      }
    }
  }
  Operation *yield = body->getTerminator();
  rewriter.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands()) {
    if (operand.get().getType().isInteger(1)) {
      operand.set(arith::ExtUIOp::create(rewriter, yield->getLoc(), i8, operand.get()));
    }
  }
}

static bool isBitTensor(Type type) { return isa<RankedTensorType>(type) && getElementTypeOrSelf(type).isInteger(1); }

unsigned npu::widenBits(func::FuncOp function, RewriterBase &rewriter) {
  // Only ops whose types can change together with their neighbours'.
  bool known = true;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (!llvm::any_of(op->getOperandTypes(), isBitTensor) && !llvm::any_of(op->getResultTypes(), isBitTensor)) {
      return;
    }
    ops.push_back(op);
    known &= isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp, linalg::BroadcastOp, tensor::EmptyOp,
                 tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
                 tensor::ConcatOp, arith::ConstantOp, func::ReturnOp>(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    known &= !generic || generic.getRegion().getOps<tensor::ExtractOp>().empty();
    auto constant = dyn_cast<arith::ConstantOp>(op);
    known &= !constant || isa<DenseIntElementsAttr>(constant.getValue());
  });
  if (!known) {
    return 0;
  }
  Type i8 = rewriter.getI8Type();
  unsigned count = 0;
  // The border: arguments and results keep their type, also where an argument is a result.
  Block &entry = function.getBody().front();
  Operation *terminator = entry.getTerminator();
  SmallVector<OpOperand *> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (isBitTensor(operand.get().getType())) {
      returned.push_back(&operand);
    }
  }
  for (BlockArgument argument : entry.getArguments()) {
    if (isBitTensor(argument.getType()) && !argument.use_empty()) {
      rewriter.setInsertionPointToStart(&entry);
      Value wide = castTensor(rewriter, argument.getLoc(), argument, i8);
      argument.replaceAllUsesExcept(wide, wide.getDefiningOp());
    }
  }
  for (Operation *op : ops) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      adaptBody(generic, rewriter);
    } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      rewriter.setInsertionPoint(fill);
      Value bit = fill.getInputs()[0];
      fill->setOperand(0, arith::ExtUIOp::create(rewriter, fill.getLoc(), i8, bit));
      fill.getBlock()->getArgument(0).setType(i8);
      fill.getBlock()->getArgument(1).setType(i8);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto bits = cast<DenseIntElementsAttr>(constant.getValue());
      constant.setValueAttr(bits.mapValues(i8, [](const APInt &value) { return value.zext(8); }));
    } else if (isa<linalg::TransposeOp, linalg::BroadcastOp>(op)) {
      for (BlockArgument argument : op->getRegion(0).getArguments()) {
        argument.setType(i8);
      }
    }
    for (Value result : op->getResults()) {
      if (isBitTensor(result.getType())) {
        result.setType(withElement(result.getType(), i8));
        ++count;
      }
    }
  }
  for (OpOperand *operand : returned) {
    rewriter.setInsertionPoint(terminator);
    operand->set(castTensor(rewriter, terminator->getLoc(), operand->get(), rewriter.getI1Type()));
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Positions in i64 to i32
//===----------------------------------------------------------------------===//

namespace {

/// The values that an integer in a body can have.
struct Interval {
  int64_t low, high;
};

} // namespace

static bool fits(Interval range) { return range.low >= INT32_MIN && range.high <= INT32_MAX; }

/// The range of a wide integer whose every step fits in i32; none if that cannot be shown.
static std::optional<Interval> getInterval(Value value, linalg::LinalgOp op, unsigned depth = 0) {
  if (depth > 16) {
    return std::nullopt;
  }
  Operation *def = value.getDefiningOp();
  if (!def) {
    return std::nullopt;
  }
  auto of = [&](unsigned index) { return getInterval(def->getOperand(index), op, depth + 1); };
  auto checked = [](Interval range) { return fits(range) ? std::optional(range) : std::nullopt; };
  if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    return number && number.getValue().isSignedIntN(32)
               ? std::optional(Interval{number.getValue().getSExtValue(), number.getValue().getSExtValue()})
               : std::nullopt;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    return checked({0, op.getStaticLoopRanges()[index.getDim()] - 1});
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(def)) {
    std::optional<Interval> source = of(0);
    bool isNarrow = def->getOperand(0).getType().isInteger(32);
    return source || !isNarrow ? source : Interval{INT32_MIN, INT32_MAX};
  }
  if (isa<arith::SelectOp>(def)) {
    std::optional<Interval> a = of(1), b = of(2);
    return a && b ? std::optional(Interval{std::min(a->low, b->low), std::max(a->high, b->high)}) : std::nullopt;
  }
  if (def->getNumOperands() != 2) {
    return std::nullopt;
  }
  std::optional<Interval> a = of(0), b = of(1);
  if (!a || !b) {
    return std::nullopt;
  }
  if (isa<arith::AddIOp>(def)) {
    return checked({a->low + b->low, a->high + b->high});
  }
  if (isa<arith::SubIOp>(def)) {
    return checked({a->low - b->high, a->high - b->low});
  }
  if (isa<arith::MulIOp>(def)) {
    auto products = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
    return checked({std::min(products), std::max(products)});
  }
  if (isa<arith::MinSIOp>(def)) {
    return Interval{std::min(a->low, b->low), std::min(a->high, b->high)};
  }
  if (isa<arith::MaxSIOp>(def)) {
    return Interval{std::max(a->low, b->low), std::max(a->high, b->high)};
  }
  if (isa<arith::DivSIOp>(def) && b->low > 0) {
    return Interval{std::min<int64_t>(a->low, 0), std::max<int64_t>(a->high, 0)};
  }
  if (isa<arith::RemSIOp>(def) && b->low > 0) {
    return Interval{a->low < 0 ? 1 - b->high : 0, b->high - 1};
  }
  return std::nullopt;
}

namespace {

/// Computes positions in i32: an op on i64 or index in a body whose operands and result provably fit.
class NarrowPositions : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.hasDynamicShape() || !op.getRegion().getOps<tensor::ExtractOp>().empty()) {
      return rewriter.notifyMatchFailure(op, "dynamic, or positions of a table");
    }
    bool changed = false;
    for (Operation &inner : llvm::make_early_inc_range(op.getBlock()->without_terminator())) {
      changed |= narrow(&inner, op, rewriter);
    }
    return success(changed);
  }

private:
  static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

  /// The value as i32; the casts that this makes fold with those of the ops in front.
  static Value toI32(Value value, PatternRewriter &rewriter) {
    Type i32 = rewriter.getI32Type();
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      int64_t number = cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue();
      return arith::ConstantOp::create(rewriter, value.getLoc(), rewriter.getI32IntegerAttr(number));
    }
    if (Operation *def = value.getDefiningOp(); def && isa<arith::IndexCastOp, arith::ExtSIOp>(def)) {
      if (def->getOperand(0).getType() == i32) {
        return def->getOperand(0);
      }
      if (isWide(def->getOperand(0).getType())) {
        return toI32(def->getOperand(0), rewriter);
      }
    }
    if (value.getType().isIndex()) {
      return arith::IndexCastOp::create(rewriter, value.getLoc(), i32, value);
    }
    return arith::TruncIOp::create(rewriter, value.getLoc(), i32, value);
  }

  /// The i32 value as its old type again.
  static Value fromI32(Value value, Type type, PatternRewriter &rewriter) {
    return type.isIndex() ? arith::IndexCastOp::create(rewriter, value.getLoc(), type, value).getResult()
                          : arith::ExtSIOp::create(rewriter, value.getLoc(), type, value).getResult();
  }

  static bool narrow(Operation *inner, linalg::GenericOp op, PatternRewriter &rewriter) {
    bool isCompare = isa<arith::CmpIOp>(inner), isToFloat = isa<arith::SIToFPOp>(inner);
    bool isArithmetic = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp, arith::MaxSIOp, arith::DivSIOp,
                            arith::RemSIOp, arith::SelectOp>(inner);
    if (!isCompare && !isToFloat && !isArithmetic) {
      if (auto trunc = dyn_cast<arith::TruncIOp>(inner); trunc && trunc.getType().isInteger(32)) {
        if (trunc.getIn().getType().isInteger(64) && getInterval(trunc.getIn(), op) && !isa<BlockArgument>(trunc.getIn())) {
          rewriter.setInsertionPoint(trunc);
          Value narrow = toI32(trunc.getIn(), rewriter);
          if (narrow.getDefiningOp<arith::TruncIOp>()) {
            return false;
          }
          rewriter.replaceOp(trunc, narrow);
          return true;
        }
      }
      return false;
    }
    SmallVector<unsigned> wideOperands;
    for (auto [index, operand] : llvm::enumerate(inner->getOperands())) {
      if (isWide(operand.getType())) {
        if (!getInterval(operand, op)) {
          return false;
        }
        wideOperands.push_back(index);
      }
    }
    bool hasWideResult = isWide(inner->getResult(0).getType());
    if (wideOperands.empty() || (hasWideResult && !getInterval(inner->getResult(0), op)) ||
        (isCompare && cast<arith::CmpIOp>(inner).getPredicate() >= arith::CmpIPredicate::ult)) {
      return false;
    }
    rewriter.setInsertionPoint(inner);
    SmallVector<Value> operands = llvm::to_vector(inner->getOperands());
    for (unsigned index : wideOperands) {
      operands[index] = toI32(operands[index], rewriter);
    }
    OperationState state(inner->getLoc(), inner->getName(), operands,
                         hasWideResult ? rewriter.getI32Type() : inner->getResult(0).getType(), inner->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(inner, hasWideResult ? fromI32(result, inner->getResult(0).getType(), rewriter) : result);
    return true;
  }
};

} // namespace

void npu::populateNarrowingPatterns(RewritePatternSet &patterns) { patterns.add<NarrowPositions>(patterns.getContext()); }
