// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// Scalar operations in the notation of docs/numerics.md.

#ifndef PASSES_CONVERSION_NPUTOLINALG_SCALARBUILDER_H
#define PASSES_CONVERSION_NPUTOLINALG_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace mlir::npu {

/// Builds single operations on f32, i32 and i1 values; each method is one line of the page.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value real(float value) {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
  }
  Value integer(int32_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  Value infinity() { return realBits(0x7f800000); }
  Value minusInfinity() { return realBits(0xff800000); }
  Value nan() { return realBits(0x7fc00000); }

  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
  Value fma(Value a, float b, Value c) { return fma(a, real(b), c); }
  Value fma(Value a, Value b, float c) { return fma(a, b, real(c)); }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
  Value sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
  Value truncate(Value a) { return math::TruncOp::create(builder, loc, a); }

  Value bits(Value a) { return arith::BitcastOp::create(builder, loc, builder.getI32Type(), a); }
  Value fromBits(Value a) { return arith::BitcastOp::create(builder, loc, builder.getF32Type(), a); }
  Value toFloat(Value a) { return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), a); }
  Value addInt(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value addInt(Value a, int32_t b) { return addInt(a, integer(b)); }
  Value subInt(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value andInt(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value andInt(Value a, int32_t b) { return andInt(a, integer(b)); }
  Value orInt(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }
  Value xorInt(Value a, Value b) { return arith::XOrIOp::create(builder, loc, a, b); }
  Value shiftLeft(Value a, int32_t n) { return arith::ShLIOp::create(builder, loc, a, integer(n)); }
  Value shiftRight(Value a, int32_t n) { return arith::ShRSIOp::create(builder, loc, a, integer(n)); }

  Value less(Value a, Value b) { return compare(arith::CmpFPredicate::OLT, a, b); }
  Value lessEqual(Value a, Value b) { return compare(arith::CmpFPredicate::OLE, a, b); }
  Value greater(Value a, Value b) { return compare(arith::CmpFPredicate::OGT, a, b); }
  Value greaterEqual(Value a, Value b) { return compare(arith::CmpFPredicate::OGE, a, b); }
  Value equal(Value a, Value b) { return compare(arith::CmpFPredicate::OEQ, a, b); }
  Value notEqual(Value a, Value b) { return compare(arith::CmpFPredicate::UNE, a, b); }
  Value isNaN(Value a) { return notEqual(a, a); }
  Value equalInt(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  Value notZero(Value a) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, a, integer(0));
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }
  Value negation(Value a) {
    return arith::XOrIOp::create(builder, loc, a, arith::ConstantIntOp::create(builder, loc, 1, 1));
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }

  /// first, then one fma for each further coefficient: ((first * x + c1) * x + c2) ...
  Value horner(Value x, ArrayRef<float> coefficients) {
    Value sum = real(coefficients.front());
    for (float coefficient : coefficients.drop_front()) {
      sum = fma(sum, x, coefficient);
    }
    return sum;
  }

private:
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value realBits(uint32_t bits) {
    auto value = llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits));
    return arith::ConstantOp::create(builder, loc, FloatAttr::get(builder.getF32Type(), value));
  }

  OpBuilder &builder;
  Location loc;
};

/// The function of docs/numerics.md that a math op on f32 stands for; null if the page defines none.
Value buildTranscendental(OpBuilder &builder, Operation *op, ValueRange operands);

/// Rewrites the arith and math ops of a scalar program in place so that every value is defined to the last bit
/// (docs/numerics.md): functions become their sequences, f16 and bf16 operations compute in f32 and round, and corner
/// cases that arith leaves open are guarded.
void makeExact(Block &program);

/// The result that docs/numerics.md gives to an integer division, remainder, shift or conversion from a float where LLVM
/// leaves it open (by zero, too far, out of range), in place of the op's own; null for any other op.
Value buildDefinedInteger(OpBuilder &builder, Operation *op);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTOLINALG_SCALARBUILDER_H
