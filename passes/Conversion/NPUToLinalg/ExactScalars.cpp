// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar programs with every choice that arith and math leave open taken as docs/numerics.md says.

#include "passes/Conversion/NPUToLinalg/ScalarBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;

static bool isNarrowFloat(Type type) { return type.isF16() || type.isBF16(); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Integer constants and comparisons of one width.
struct Integers {
  OpBuilder &builder;
  Location loc;
  IntegerType type;

  Value constant(const APInt &value) const {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }
  Value zero() const { return constant(APInt::getZero(type.getWidth())); }
  Value one() const { return constant(APInt(type.getWidth(), 1)); }
  Value allOnes() const { return constant(APInt::getAllOnes(type.getWidth())); }
  Value minimum() const { return constant(APInt::getSignedMinValue(type.getWidth())); }
  Value equal(Value a, Value b) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
};
} // namespace

/// Division and remainder: by zero, and of the most negative value by -1.
template <typename OpTy>
static Value guardDivision(OpBuilder &builder, OpTy op, bool isSigned, bool isRemainder) {
  Integers ints{builder, op.getLoc(), cast<IntegerType>(op.getType())};
  Value a = op.getLhs(), b = op.getRhs();
  Value byZero = ints.equal(b, ints.zero());
  Value overflow;
  Value guard = byZero;
  if (isSigned) {
    Value wraps = ints.equal(a, ints.minimum()), byMinusOne = ints.equal(b, ints.allOnes());
    overflow = arith::AndIOp::create(builder, op.getLoc(), wraps, byMinusOne);
    guard = arith::OrIOp::create(builder, op.getLoc(), byZero, overflow);
  }
  Value result = OpTy::create(builder, op.getLoc(), a, ints.select(guard, ints.one(), b));
  if (isSigned) {
    result = ints.select(overflow, isRemainder ? ints.zero() : ints.minimum(), result);
  }
  return ints.select(byZero, isRemainder ? a : ints.allOnes(), result);
}

/// Shifts by the width or more.
template <typename OpTy>
static Value guardShift(OpBuilder &builder, OpTy op, bool isArithmetic) {
  Integers ints{builder, op.getLoc(), cast<IntegerType>(op.getType())};
  unsigned width = ints.type.getWidth();
  Value amount = op.getRhs();
  Value last = ints.constant(APInt(width, width - 1));
  Value tooFar = arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::ugt, amount, last);
  Value shifted = OpTy::create(builder, op.getLoc(), op.getLhs(), ints.select(tooFar, last, amount));
  // An arithmetic shift by width - 1 leaves the sign everywhere already.
  return isArithmetic ? shifted : ints.select(tooFar, ints.zero(), shifted);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Float to integer: towards zero, saturating, NaN gives 0.
static Value saturatingCast(OpBuilder &builder, Operation *op, Value x, bool isSigned) {
  Location loc = op->getLoc();
  auto type = cast<IntegerType>(op->getResult(0).getType());
  unsigned width = type.getWidth();
  if (isNarrowFloat(x.getType())) {
    x = arith::ExtFOp::create(builder, loc, builder.getF32Type(), x);
  }
  auto floatType = cast<FloatType>(x.getType());
  auto power = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(floatType, value));
  };
  Integers ints{builder, loc, type};
  // The bounds are powers of two (or zero), exact in every float type; inside of them the conversion is defined.
  double high = std::ldexp(1.0, isSigned ? width - 1 : width);
  Value low = power(isSigned ? -high : 0.0);
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, x, power(high));
  Value below = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, x, low);
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  // The conversion of a value outside would be undefined even where its result is not taken.
  Value outside = arith::OrIOp::create(builder, loc, arith::OrIOp::create(builder, loc, above, below), isNaN);
  Value inside = arith::SelectOp::create(builder, loc, outside, power(0.0), x);
  Value result = isSigned ? Value(arith::FPToSIOp::create(builder, loc, type, inside))
                          : Value(arith::FPToUIOp::create(builder, loc, type, inside));
  APInt maximum = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  APInt minimum = isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  result = ints.select(above, ints.constant(maximum), result);
  return ints.select(below, ints.constant(minimum), result);
}

/// Integer to f16 or bf16: rounded to f32 first.
template <typename OpTy>
static Value twoStepCast(OpBuilder &builder, OpTy op) {
  if (!isNarrowFloat(op.getType())) {
    return {};
  }
  Value wide = OpTy::create(builder, op.getLoc(), builder.getF32Type(), op.getIn());
  return arith::TruncFOp::create(builder, op.getLoc(), op.getType(), wide);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// LLVM does not order zeros in maxnum and minnum.
template <typename MaximumOp, typename OpTy>
static Value numberOf(OpBuilder &builder, OpTy op) {
  Location loc = op.getLoc();
  Value a = op.getLhs(), b = op.getRhs();
  auto isNaN = [&](Value x) { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x); };
  Value both = MaximumOp::create(builder, loc, a, b);
  Value right = arith::SelectOp::create(builder, loc, isNaN(b), a, both);
  return arith::SelectOp::create(builder, loc, isNaN(a), b, right);
}

/// Whether the op rounds, so that its form on f16 and bf16 is that on f32 and one more rounding.
static bool roundsOnce(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op) ||
         (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::CopySignOp>(op));
}

/// The op on f32 operands, rounded to its own type; null if it is not one on f16 or bf16.
static Operation *widenNarrow(OpBuilder &builder, Operation *op) {
  if (op->getNumResults() != 1 || !isNarrowFloat(op->getResult(0).getType()) || !roundsOnce(op) ||
      !llvm::all_of(op->getOperandTypes(), isNarrowFloat)) {
    return nullptr;
  }
  SmallVector<Value> wide;
  for (Value operand : op->getOperands()) {
    wide.push_back(arith::ExtFOp::create(builder, op->getLoc(), builder.getF32Type(), operand));
  }
  OperationState state(op->getLoc(), op->getName(), wide, builder.getF32Type(), op->getAttrs());
  Operation *result = builder.create(state);
  Value rounded = arith::TruncFOp::create(builder, op->getLoc(), op->getResult(0).getType(), result->getResult(0));
  op->replaceAllUsesWith(ValueRange(rounded));
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Value npu::buildDefinedInteger(OpBuilder &builder, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::DivSIOp>([&](auto o) { return guardDivision(builder, o, true, false); })
      .Case<arith::DivUIOp>([&](auto o) { return guardDivision(builder, o, false, false); })
      .Case<arith::RemSIOp>([&](auto o) { return guardDivision(builder, o, true, true); })
      .Case<arith::RemUIOp>([&](auto o) { return guardDivision(builder, o, false, true); })
      .Case<arith::ShLIOp, arith::ShRUIOp>([&](auto o) { return guardShift(builder, o, false); })
      .Case<arith::ShRSIOp>([&](auto o) { return guardShift(builder, o, true); })
      .Case<arith::FPToSIOp>([&](auto o) { return saturatingCast(builder, o, o.getIn(), true); })
      .Case<arith::FPToUIOp>([&](auto o) { return saturatingCast(builder, o, o.getIn(), false); })
      .Default([](Operation *) { return Value(); });
}

/// The exact form of an op; null where the op is exact as it stands.
static Value exactForm(OpBuilder &builder, Operation *op) {
  if (Value defined = buildDefinedInteger(builder, op)) {
    return defined;
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto o) { return twoStepCast(builder, o); })
      .Case<arith::MaxNumFOp>([&](auto o) { return numberOf<arith::MaximumFOp>(builder, o); })
      .Case<arith::MinNumFOp>([&](auto o) { return numberOf<arith::MinimumFOp>(builder, o); })
      .Default([&](Operation *o) {
        bool onF32 = llvm::all_of(o->getOperandTypes(), [](Type type) { return type.isF32(); });
        return onF32 ? buildTranscendental(builder, o, o->getOperands()) : Value();
      });
}

void npu::makeExact(Block &program) {
  SmallVector<Operation *> ops;
  for (Operation &op : program.without_terminator()) {
    ops.push_back(&op);
  }
  for (Operation *op : ops) {
    OpBuilder builder(op);
    if (Operation *wide = widenNarrow(builder, op)) {
      op->erase();
      op = wide;
      builder.setInsertionPoint(op);
    }
    if (Value exact = exactForm(builder, op)) {
      op->replaceAllUsesWith(ValueRange(exact));
      op->erase();
    }
  }
}
