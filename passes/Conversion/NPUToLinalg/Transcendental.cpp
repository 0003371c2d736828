// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of docs/numerics.md as IEEE operations. Written from that page and not from the simulator: the two
// check each other. Names follow the page.

#include "passes/Conversion/NPUToLinalg/ScalarBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;

namespace {

constexpr float kMagic = 0x1.8p+23f;
constexpr int32_t kMagicBits = 0x4b400000;
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e43p-1f;
constexpr float kLn2Low = -0x1.05c61p-29f;

/// x = m * 2^e.
struct Decomposed {
  Value m, e;
};

/// x = k * pi/2 + r; q = k mod 4.
struct Reduced {
  Value r, q;
};

class Functions : public ScalarBuilder {
public:
  using ScalarBuilder::ScalarBuilder;

  Value exp(Value x) {
    Value y = expCore(clamp(x, -105.0f, 89.0f));
    return select(isNaN(x), nan(), y);
  }

  Value exp2(Value x) {
    Value y = exp2Core(clamp(x, -151.0f, 129.0f), real(0.0f));
    return select(isNaN(x), nan(), y);
  }

  Value expm1(Value x) {
    Value c = clamp(x, -18.0f, 89.0f);
    Value t = fma(c, real(kLog2E), kMagic);
    Value k = addInt(bits(t), -kMagicBits);
    Value kf = sub(t, real(kMagic));
    Value r = fma(kf, -0x1.62e43p-1f, c);
    r = fma(kf, 0x1.05c61p-29f, r);
    Value q = horner(r, {0x1.a242f6p-13f, 0x1.6d3c8cp-10f, 0x1.111004p-7f, 0x1.5554f6p-5f, 0x1.555556p-3f, 0.5f});
    Value p = fma(q, mul(r, r), r);
    Value s = fromBits(shiftLeft(addInt(k, 126), 23));
    Value y = fma(p, s, sub(s, real(0.5f)));
    y = mul(y, real(2.0f));
    y = select(less(abs(x), real(0x1p-25f)), x, y);
    return select(isNaN(x), nan(), y);
  }

  Value log(Value x) {
    auto [m, e] = decompose(x);
    Value ef = toFloat(e);
    Value f = sub(m, real(1.0f));
    Value f2 = mul(f, f);
    Value p = logPolynomial(f);
    Value y = mul(mul(f2, f), p);
    y = fma(ef, kLn2Low, y);
    y = fma(f2, -0.5f, y);
    y = add(f, y);
    y = fma(ef, kLn2High, y);
    y = select(equal(x, infinity()), infinity(), y);
    y = select(equal(x, real(0.0f)), minusInfinity(), y);
    y = select(less(x, real(0.0f)), nan(), y);
    return select(isNaN(x), nan(), y);
  }

  Value log1p(Value x) {
    Value one = real(1.0f);
    Value u = add(one, x);
    Value c1 = sub(x, sub(u, one));
    Value c2 = sub(one, sub(u, x));
    Value c = select(greaterEqual(u, real(2.0f)), c2, c1);
    c = div(c, u);
    auto [m, e] = decompose(u);
    Value ef = toFloat(e);
    Value direct = equalInt(e, integer(0));
    Value f = select(direct, x, sub(m, one));
    c = select(direct, real(0.0f), c);
    Value f2 = mul(f, f);
    Value p = logPolynomial(f);
    Value y = mul(mul(f2, f), p);
    c = fma(ef, kLn2Low, c);
    y = add(y, c);
    y = fma(f2, -0.5f, y);
    y = add(f, y);
    y = fma(ef, kLn2High, y);
    y = select(less(abs(x), real(0x1p-25f)), x, y);
    y = select(equal(x, infinity()), infinity(), y);
    y = select(equal(x, real(-1.0f)), minusInfinity(), y);
    y = select(less(x, real(-1.0f)), nan(), y);
    return select(isNaN(x), nan(), y);
  }

  Value rsqrt(Value x) {
    Value y = div(real(1.0f), sqrt(x));
    y = select(less(x, real(0.0f)), nan(), y);
    return select(isNaN(x), nan(), y);
  }

  Value tanh(Value x) {
    Value a = abs(x);
    Value z = mul(a, a);
    Value p = horner(z, {0x1.1ace3ep-9f, -0x1.0c895ep-7f, 0x1.63ad18p-6f, -0x1.b9f22p-5f, 0x1.11107cp-3f,
                         -0x1.555554p-2f});
    Value small = fma(mul(a, z), p, a);
    Value c = select(less(a, real(10.0f)), a, real(10.0f));
    Value d = add(expCore(add(c, c)), real(1.0f));
    d = div(real(2.0f), d);
    Value large = sub(real(1.0f), d);
    Value y = select(less(a, real(0.625f)), small, large);
    return select(isNaN(x), nan(), withSignOf(y, x));
  }

  Value erf(Value x) {
    Value a = abs(x);
    Value z = mul(a, a);
    Value p = horner(z, {0x1.4c344ep-14f, -0x1.a50b0ep-11f, 0x1.542e1p-8f, -0x1.b7fe9p-6f, 0x1.ce2d5p-4f,
                         -0x1.81274p-2f, 0x1.06eba8p-3f});
    Value small = fma(a, p, a);
    Value c = select(less(a, real(4.0f)), a, real(4.0f));
    Value q = horner(c, {0x1.5d5be2p-16f, -0x1.c44c0cp-12f, 0x1.105f2ep-8f, -0x1.9aea1ep-6f, 0x1.bb44dap-4f,
                         0x1.444d26p-1f, 0x1.212626p+0f, -0x1.62d95p-13f});
    Value large = sub(real(1.0f), expCore(neg(q)));
    Value y = select(less(a, real(0.9375f)), small, large);
    return select(isNaN(x), nan(), withSignOf(y, x));
  }

  Value sin(Value x) {
    auto [r, q] = reduce(x);
    Value s = sinPolynomial(r), c = cosPolynomial(r);
    Value y = select(notZero(andInt(q, 1)), c, s);
    y = fromBits(xorInt(bits(y), shiftLeft(andInt(q, 2), 30)));
    y = select(less(abs(x), real(0x1p-12f)), x, y);
    return select(lessEqual(abs(x), real(0x1p+22f)), y, nan());
  }

  Value cos(Value x) {
    auto [r, q] = reduce(x);
    Value s = sinPolynomial(r), c = cosPolynomial(r);
    Value y = select(notZero(andInt(q, 1)), s, c);
    y = fromBits(xorInt(bits(y), shiftLeft(andInt(addInt(q, 1), 2), 30)));
    return select(lessEqual(abs(x), real(0x1p+22f)), y, nan());
  }

  Value pow(Value x, Value y) {
    Value zero = real(0.0f), one = real(1.0f);
    Value a = abs(x);
    Value r = powCore(a, y);
    Value negative = less(y, zero);
    r = select(equal(a, zero), select(negative, infinity(), zero), r);
    r = select(equal(a, infinity()), select(negative, zero, infinity()), r);
    Value grows = negation(xorInt(greater(a, one), greater(y, zero)));
    Value limit = select(grows, infinity(), zero);
    limit = select(equal(a, one), one, limit);
    r = select(equal(abs(y), infinity()), limit, r);
    Value integral = equal(truncate(y), y);
    Value half = mul(y, real(0.5f));
    Value odd = both(integral, notEqual(truncate(half), half));
    Value sign = select(odd, andInt(bits(x), INT32_MIN), integer(0));
    r = fromBits(orInt(bits(r), sign));
    Value invalid = both(both(less(x, zero), less(a, infinity())), negation(integral));
    r = select(invalid, nan(), r);
    r = select(either(isNaN(x), isNaN(y)), nan(), r);
    return select(either(equal(y, zero), equal(x, one)), one, r);
  }

private:
  Value clamp(Value x, float low, float high) {
    Value c = select(greater(x, real(high)), real(high), x);
    return select(less(c, real(low)), real(low), c);
  }

  Value withSignOf(Value y, Value x) { return fromBits(orInt(bits(y), andInt(bits(x), INT32_MIN))); }

  /// p * 2^k in two steps, so that a subnormal result is rounded once.
  Value scale(Value p, Value k) {
    Value k1 = shiftRight(k, 1);
    Value k2 = subInt(k, k1);
    Value s1 = fromBits(shiftLeft(addInt(k1, 127), 23));
    Value s2 = fromBits(shiftLeft(addInt(k2, 127), 23));
    return mul(mul(p, s1), s2);
  }

  Value expCore(Value x) {
    Value t = fma(x, real(kLog2E), kMagic);
    Value k = addInt(bits(t), -kMagicBits);
    Value kf = sub(t, real(kMagic));
    Value r = fma(kf, -0x1.62e43p-1f, x);
    r = fma(kf, 0x1.05c61p-29f, r);
    Value q = horner(r, {0x1.a254fap-13f, 0x1.6d4ccap-10f, 0x1.110ffcp-7f, 0x1.5554e8p-5f, 0x1.555556p-3f, 0.5f});
    Value p = fma(q, mul(r, r), r);
    return scale(add(p, real(1.0f)), k);
  }

  Value exp2Core(Value high, Value low) {
    Value t = add(high, real(kMagic));
    Value k = addInt(bits(t), -kMagicBits);
    Value kf = sub(t, real(kMagic));
    Value r = add(sub(high, kf), low);
    Value q = horner(r, {0x1.ec596cp-17f, 0x1.440c5ep-13f, 0x1.5d9cd2p-10f, 0x1.3b2a5ep-7f, 0x1.c6b074p-5f,
                         0x1.ebfbep-3f, 0x1.62e43p-1f});
    return scale(fma(q, r, 1.0f), k);
  }

  Decomposed decompose(Value x) {
    Value tiny = less(x, real(0x1p-126f));
    Value n = select(tiny, mul(x, real(0x1p+23f)), x);
    Value bias = select(tiny, integer(23), integer(0));
    Value i = addInt(bits(n), -0x3f3504f3);
    Value e = subInt(shiftRight(i, 23), bias);
    Value m = fromBits(addInt(andInt(i, 0x007fffff), 0x3f3504f3));
    return {m, e};
  }

  Value logPolynomial(Value f) {
    return horner(f, {0x1.1b437ap-4f, -0x1.e2e484p-4f, 0x1.e64d7p-4f, -0x1.fb43dep-4f, 0x1.233306p-3f, -0x1.5562ep-3f,
                      0x1.99a542p-3f, -0x1.ffffeep-3f, 0x1.555546p-2f});
  }

  Reduced reduce(Value x) {
    Value t = fma(x, real(0x1.45f306p-1f), kMagic);
    Value q = andInt(bits(t), 3);
    Value kf = sub(t, real(kMagic));
    Value r = fma(kf, -0x1.921fb6p+0f, x);
    r = fma(kf, 0x1.777a5cp-25f, r);
    r = fma(kf, 0x1.ee59dap-50f, r);
    return {r, q};
  }

  Value sinPolynomial(Value r) {
    Value z = mul(r, r);
    Value s = horner(z, {0x1.72d246p-19f, -0x1.a0377ap-13f, 0x1.111158p-7f, -0x1.555556p-3f});
    return fma(mul(r, z), s, r);
  }

  Value cosPolynomial(Value r) {
    Value z = mul(r, r);
    return horner(z, {-0x1.2bc91ap-22f, 0x1.a04836p-16f, -0x1.6c1736p-10f, 0x1.555556p-5f, -0.5f, 1.0f});
  }

  Value powCore(Value a, Value y) {
    auto [m, e] = decompose(a);
    Value ef = toFloat(e);
    Value one = real(1.0f);
    Value f = sub(m, one);
    Value d = add(m, one);
    Value dl = sub(m, sub(d, one));
    Value q = div(f, d);
    Value minusQ = neg(q);
    Value t = fma(minusQ, d, f);
    t = fma(minusQ, dl, t);
    Value ql = div(t, d);
    Value z = mul(q, q);
    Value p = horner(z, {0x1.aa2d8p-2f, 0x1.3dcf5cp-2f, 0x1.a657ep-2f, 0x1.277676p-1f, 0x1.ec709ep-1f});
    Value scaleValue = real(0x1.715476p+1f);
    Value h = mul(q, scaleValue);
    Value l = fma(q, scaleValue, neg(h));
    l = fma(q, 0x1.4ae0cp-25f, l);
    l = fma(ql, scaleValue, l);
    l = fma(mul(q, z), p, l);
    Value s = add(ef, h);
    Value sl = sub(h, sub(s, ef));
    l = add(l, sl);
    Value hi = add(s, l);
    Value lo = sub(l, sub(hi, s));
    Value ph = mul(y, hi);
    Value pl = fma(y, hi, neg(ph));
    pl = fma(y, lo, pl);
    Value huge = negation(less(abs(ph), real(250.0f)));
    Value bound = select(less(ph, real(0.0f)), real(-250.0f), real(250.0f));
    ph = select(huge, bound, ph);
    pl = select(huge, real(0.0f), pl);
    return exp2Core(ph, pl);
  }
};

} // namespace

Value npu::buildTranscendental(OpBuilder &builder, Operation *op, ValueRange operands) {
  Functions functions(builder, op->getLoc());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return functions.exp(operands[0]); })
      .Case<math::Exp2Op>([&](auto) { return functions.exp2(operands[0]); })
      .Case<math::ExpM1Op>([&](auto) { return functions.expm1(operands[0]); })
      .Case<math::LogOp>([&](auto) { return functions.log(operands[0]); })
      .Case<math::Log1pOp>([&](auto) { return functions.log1p(operands[0]); })
      .Case<math::RsqrtOp>([&](auto) { return functions.rsqrt(operands[0]); })
      .Case<math::TanhOp>([&](auto) { return functions.tanh(operands[0]); })
      .Case<math::ErfOp>([&](auto) { return functions.erf(operands[0]); })
      .Case<math::SinOp>([&](auto) { return functions.sin(operands[0]); })
      .Case<math::CosOp>([&](auto) { return functions.cos(operands[0]); })
      .Case<math::PowFOp>([&](auto) { return functions.pow(operands[0], operands[1]); })
      .Default([](Operation *) { return Value(); });
}
