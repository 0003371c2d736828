// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Hyperbolic functions and their inverses in functions that the vector engine has. The textbook forms, which upstream's
// expansion uses, cancel near zero and overflow long before their result does.

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::npu;

namespace {

/// Scalar arithmetic in f32.
class Floats {
public:
  Floats(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(float value) const {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
  }
  Value add(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) const { return arith::DivFOp::create(builder, loc, a, b); }
  Value abs(Value a) const { return math::AbsFOp::create(builder, loc, a); }
  Value exp(Value a) const { return math::ExpOp::create(builder, loc, a); }
  Value log(Value a) const { return math::LogOp::create(builder, loc, a); }
  Value sqrt(Value a) const { return math::SqrtOp::create(builder, loc, a); }
  Value withSign(Value magnitude, Value sign) const { return math::CopySignOp::create(builder, loc, magnitude, sign); }
  Value less(Value a, Value b) const {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  Value logOnePlus(Value a) const { return math::Log1pOp::create(builder, loc, a); }
  Value expMinusOne(Value a) const { return math::ExpM1Op::create(builder, loc, a); }

  /// exp(a) / 2 and exp(-a) / 2 for a >= 0: the square of exp(a / 2) overflows only where the result does.
  std::pair<Value, Value> halfExponentials(Value a) const {
    Value root = exp(mul(a, constant(0.5f)));
    return {mul(mul(constant(0.5f), root), root), div(div(constant(0.5f), root), root)};
  }

private:
  OpBuilder &builder;
  Location loc;
};

Value expand(const Floats &f, math::CoshOp, Value x) {
  auto [grows, falls] = f.halfExponentials(f.abs(x));
  return f.add(grows, falls);
}

Value expand(const Floats &f, math::SinhOp, Value x) {
  Value a = f.abs(x);
  auto [grows, falls] = f.halfExponentials(a);
  // Below 1 that difference cancels: (e + e / (e + 1)) / 2 for e = exp(a) - 1 (Abramowitz and Stegun 4.5.1, rearranged).
  Value e = f.expMinusOne(a);
  Value small = f.mul(f.constant(0.5f), f.add(e, f.div(e, f.add(e, f.constant(1)))));
  return f.withSign(f.select(f.less(a, f.constant(1)), small, f.sub(grows, falls)), x);
}

/// From here on log(2 a) is asinh(a) and acosh(a) to the last bit, and the square of `a` needs care no more.
constexpr float kLarge = 4096;
constexpr float kLog2 = 0.693147180559945309417f;

/// asinh(a) = log(1 + a + a^2 / (1 + sqrt(1 + a^2))) for a >= 0 (Abramowitz and Stegun 4.6.20, rearranged).
Value expand(const Floats &f, math::AsinhOp, Value x) {
  Value a = f.abs(x), one = f.constant(1);
  Value square = f.mul(a, a);
  Value small = f.logOnePlus(f.add(a, f.div(square, f.add(one, f.sqrt(f.add(one, square))))));
  Value large = f.add(f.log(a), f.constant(kLog2));
  return f.withSign(f.select(f.less(a, f.constant(kLarge)), small, large), x);
}

/// acosh(x) = log(1 + t + sqrt(t (t + 2))) for t = x - 1 >= 0 (Abramowitz and Stegun 4.6.21, rearranged).
Value expand(const Floats &f, math::AcoshOp, Value x) {
  Value t = f.sub(x, f.constant(1));
  Value small = f.logOnePlus(f.add(t, f.sqrt(f.mul(t, f.add(t, f.constant(2))))));
  Value large = f.add(f.log(x), f.constant(kLog2));
  Value inside = f.select(f.less(x, f.constant(kLarge)), small, large);
  return f.select(f.less(x, f.constant(1)), f.constant(NAN), inside);
}

/// atanh(a) = log(1 + 2 a / (1 - a)) / 2 for 0 <= a <= 1 (Abramowitz and Stegun 4.6.22, rearranged).
Value expand(const Floats &f, math::AtanhOp, Value x) {
  Value a = f.abs(x);
  Value ratio = f.div(f.mul(f.constant(2), a), f.sub(f.constant(1), a));
  return f.withSign(f.mul(f.constant(0.5f), f.logOnePlus(ratio)), x);
}

/// The function in f32; f16 and bf16 go through it and are rounded once, f64 is the host's.
template <typename OpTy>
class Expand : public OpRewritePattern<OpTy> {
public:
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 32) {
      return rewriter.notifyMatchFailure(op, "not a scalar that f32 holds");
    }
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    Value x = op.getOperand();
    if (type != f32) {
      x = arith::ExtFOp::create(rewriter, loc, f32, x);
    }
    Value result = expand(Floats(rewriter, loc), op, x);
    if (type != f32) {
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void npu::populateMathPatterns(RewritePatternSet &patterns) {
  patterns.add<Expand<math::AcoshOp>, Expand<math::AsinhOp>, Expand<math::AtanhOp>, Expand<math::CoshOp>,
               Expand<math::SinhOp>>(patterns.getContext());
}
