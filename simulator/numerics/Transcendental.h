// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transcendental functions of the vector engine. Each one is a fixed
// sequence of IEEE binary32 operations; docs/numerics.md writes the same
// sequences as numbered steps, and the reference lowering follows that page.
// The order and the kind of every operation below is part of the definition:
// build with -ffp-contract=off, and never with -ffast-math.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_NUMERICS_TRANSCENDENTAL_H
#define NPU_SIMULATOR_NUMERICS_TRANSCENDENTAL_H

#include <cstdint>

// Always inlined, so that a caller compiled for a wider vector unit
// gets its own vectorised copy.
#define NPU_NUM_INLINE static inline __attribute__((always_inline))

namespace npuhw {
namespace numerics {

NPU_NUM_INLINE float fromBits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

NPU_NUM_INLINE uint32_t toBits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

NPU_NUM_INLINE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

NPU_NUM_INLINE float absolute(float x) {
  return fromBits(toBits(x) & 0x7fffffffu);
}

NPU_NUM_INLINE float quietNaN() { return fromBits(0x7fc00000u); }
NPU_NUM_INLINE float infinity() { return fromBits(0x7f800000u); }

/// Adding and subtracting this rounds |x| < 2^22 to an integer, ties to even;
/// the low bits of the sum are then that integer.
constexpr float kRoundMagic = 0x1.8p+23f;
constexpr uint32_t kRoundMagicBits = 0x4b400000u;
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2Hi = 0x1.62e43p-1f;
constexpr float kLn2Lo = -0x1.05c61p-29f;

/// 2^k for -126 <= k <= 127.
NPU_NUM_INLINE float powerOfTwo(int32_t k) {
  return fromBits(static_cast<uint32_t>(k + 127) << 23);
}

/// p * 2^k in two exact-or-final multiplications, so that a subnormal result
/// is rounded once. Needs -252 <= k <= 254.
NPU_NUM_INLINE float scaleByPowerOfTwo(float p, int32_t k) {
  int32_t first = k >> 1;
  int32_t second = k - first;
  float scaled = p * powerOfTwo(first);
  return scaled * powerOfTwo(second);
}

/// The part shared by exp, tanh and erf: x must be in [-105, 89] and not NaN.
NPU_NUM_INLINE float expCore(float x) {
  float t = fma(x, kLog2E, kRoundMagic);
  int32_t k = static_cast<int32_t>(toBits(t) - kRoundMagicBits);
  float kf = t - kRoundMagic;
  float r = fma(kf, -kLn2Hi, x);
  r = fma(kf, -kLn2Lo, r);
  float q = 0x1.a254fap-13f;
  q = fma(q, r, 0x1.6d4ccap-10f);
  q = fma(q, r, 0x1.110ffcp-7f);
  q = fma(q, r, 0x1.5554e8p-5f);
  q = fma(q, r, 0x1.555556p-3f);
  q = fma(q, r, 0.5f);
  float r2 = r * r;
  float p = fma(q, r2, r);
  p = p + 1.0f;
  return scaleByPowerOfTwo(p, k);
}

NPU_NUM_INLINE float exp(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -105.0f ? -105.0f : c;
  float y = expCore(c);
  return x != x ? quietNaN() : y;
}

/// 2^(hi + lo); |hi| <= 250, |lo| a few ulp of hi.
NPU_NUM_INLINE float exp2Core(float hi, float lo) {
  float t = hi + kRoundMagic;
  int32_t k = static_cast<int32_t>(toBits(t) - kRoundMagicBits);
  float kf = t - kRoundMagic;
  float r = hi - kf;
  r = r + lo;
  float q = 0x1.ec596cp-17f;
  q = fma(q, r, 0x1.440c5ep-13f);
  q = fma(q, r, 0x1.5d9cd2p-10f);
  q = fma(q, r, 0x1.3b2a5ep-7f);
  q = fma(q, r, 0x1.c6b074p-5f);
  q = fma(q, r, 0x1.ebfbep-3f);
  q = fma(q, r, 0x1.62e43p-1f);
  float p = fma(q, r, 1.0f);
  return scaleByPowerOfTwo(p, k);
}

NPU_NUM_INLINE float exp2(float x) {
  float c = x > 129.0f ? 129.0f : x;
  c = c < -151.0f ? -151.0f : c;
  float y = exp2Core(c, 0.0f);
  return x != x ? quietNaN() : y;
}

NPU_NUM_INLINE float expm1(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -18.0f ? -18.0f : c;
  float t = fma(c, kLog2E, kRoundMagic);
  int32_t k = static_cast<int32_t>(toBits(t) - kRoundMagicBits);
  float kf = t - kRoundMagic;
  float r = fma(kf, -kLn2Hi, c);
  r = fma(kf, -kLn2Lo, r);
  float q = 0x1.a242f6p-13f;
  q = fma(q, r, 0x1.6d3c8cp-10f);
  q = fma(q, r, 0x1.111004p-7f);
  q = fma(q, r, 0x1.5554f6p-5f);
  q = fma(q, r, 0x1.555556p-3f);
  q = fma(q, r, 0.5f);
  float r2 = r * r;
  float p = fma(q, r2, r);
  float s = powerOfTwo(k - 1);
  float u = s - 0.5f;
  float y = fma(p, s, u);
  y = y * 2.0f;
  y = absolute(x) < 0x1p-25f ? x : y;
  return x != x ? quietNaN() : y;
}

/// Splits a positive finite non-zero x into m * 2^e, m in [sqrt(1/2), sqrt(2)).
struct Decomposed {
  float m;
  int32_t e;
};

NPU_NUM_INLINE Decomposed decompose(float x) {
  bool tiny = x < 0x1p-126f;
  float scaled = x * 0x1p+23f;
  float n = tiny ? scaled : x;
  int32_t bias = tiny ? 23 : 0;
  int32_t i = static_cast<int32_t>(toBits(n) - 0x3f3504f3u);
  int32_t e = (i >> 23) - bias;
  float m = fromBits((static_cast<uint32_t>(i) & 0x007fffffu) + 0x3f3504f3u);
  return {m, e};
}

/// The polynomial P of log(1 + f) = f - f^2/2 + f^3 P(f).
NPU_NUM_INLINE float logPolynomial(float f) {
  float p = 0x1.1b437ap-4f;
  p = fma(p, f, -0x1.e2e484p-4f);
  p = fma(p, f, 0x1.e64d7p-4f);
  p = fma(p, f, -0x1.fb43dep-4f);
  p = fma(p, f, 0x1.233306p-3f);
  p = fma(p, f, -0x1.5562ep-3f);
  p = fma(p, f, 0x1.99a542p-3f);
  p = fma(p, f, -0x1.ffffeep-3f);
  p = fma(p, f, 0x1.555546p-2f);
  return p;
}

NPU_NUM_INLINE float log(float x) {
  Decomposed d = decompose(x);
  float ef = static_cast<float>(d.e);
  float f = d.m - 1.0f;
  float f2 = f * f;
  float p = logPolynomial(f);
  float f3 = f2 * f;
  float y = f3 * p;
  y = fma(ef, kLn2Lo, y);
  y = fma(f2, -0.5f, y);
  y = f + y;
  y = fma(ef, kLn2Hi, y);
  y = x == infinity() ? infinity() : y;
  y = x == 0.0f ? -infinity() : y;
  y = x < 0.0f ? quietNaN() : y;
  return x != x ? quietNaN() : y;
}

NPU_NUM_INLINE float log1p(float x) {
  float u = 1.0f + x;
  float below = x - (u - 1.0f);
  float above = 1.0f - (u - x);
  float c = u >= 2.0f ? above : below;
  c = c / u;
  Decomposed d = decompose(u);
  float ef = static_cast<float>(d.e);
  bool direct = d.e == 0;
  float f = direct ? x : d.m - 1.0f;
  c = direct ? 0.0f : c;
  float f2 = f * f;
  float p = logPolynomial(f);
  float f3 = f2 * f;
  float y = f3 * p;
  c = fma(ef, kLn2Lo, c);
  y = y + c;
  y = fma(f2, -0.5f, y);
  y = f + y;
  y = fma(ef, kLn2Hi, y);
  y = absolute(x) < 0x1p-25f ? x : y;
  y = x == infinity() ? infinity() : y;
  y = x == -1.0f ? -infinity() : y;
  y = x < -1.0f ? quietNaN() : y;
  return x != x ? quietNaN() : y;
}

NPU_NUM_INLINE float rsqrt(float x) {
  float s = __builtin_sqrtf(x);
  float y = 1.0f / s;
  y = x < 0.0f ? quietNaN() : y;
  return x != x ? quietNaN() : y;
}

NPU_NUM_INLINE float tanh(float x) {
  float a = absolute(x);
  float z = a * a;
  float p = 0x1.1ace3ep-9f;
  p = fma(p, z, -0x1.0c895ep-7f);
  p = fma(p, z, 0x1.63ad18p-6f);
  p = fma(p, z, -0x1.b9f22p-5f);
  p = fma(p, z, 0x1.11107cp-3f);
  p = fma(p, z, -0x1.555554p-2f);
  float az = a * z;
  float small = fma(az, p, a);
  float c = a < 10.0f ? a : 10.0f;
  float e = expCore(c + c);
  float large = 1.0f - 2.0f / (e + 1.0f);
  float y = a < 0.625f ? small : large;
  y = fromBits(toBits(y) | (toBits(x) & 0x80000000u));
  return x != x ? quietNaN() : y;
}

NPU_NUM_INLINE float erf(float x) {
  float a = absolute(x);
  float z = a * a;
  float p = 0x1.4c344ep-14f;
  p = fma(p, z, -0x1.a50b0ep-11f);
  p = fma(p, z, 0x1.542e1p-8f);
  p = fma(p, z, -0x1.b7fe9p-6f);
  p = fma(p, z, 0x1.ce2d5p-4f);
  p = fma(p, z, -0x1.81274p-2f);
  p = fma(p, z, 0x1.06eba8p-3f);
  float small = fma(a, p, a);
  float c = a < 4.0f ? a : 4.0f;
  float q = 0x1.5d5be2p-16f;
  q = fma(q, c, -0x1.c44c0cp-12f);
  q = fma(q, c, 0x1.105f2ep-8f);
  q = fma(q, c, -0x1.9aea1ep-6f);
  q = fma(q, c, 0x1.bb44dap-4f);
  q = fma(q, c, 0x1.444d26p-1f);
  q = fma(q, c, 0x1.212626p+0f);
  q = fma(q, c, -0x1.62d95p-13f);
  float e = expCore(-q);
  float large = 1.0f - e;
  float y = a < 0.9375f ? small : large;
  y = fromBits(toBits(y) | (toBits(x) & 0x80000000u));
  return x != x ? quietNaN() : y;
}

/// The argument reduction shared by sin and cos: r = x - k * pi/2, and k mod 4.
struct Quadrant {
  float r;
  int32_t q;
};

NPU_NUM_INLINE Quadrant reducePiOver2(float x) {
  float t = fma(x, 0x1.45f306p-1f, kRoundMagic);
  int32_t q = static_cast<int32_t>(toBits(t)) & 3;
  float kf = t - kRoundMagic;
  float r = fma(kf, -0x1.921fb6p+0f, x);
  r = fma(kf, 0x1.777a5cp-25f, r);
  r = fma(kf, 0x1.ee59dap-50f, r);
  return {r, q};
}

NPU_NUM_INLINE float sinPolynomial(float r) {
  float z = r * r;
  float s = 0x1.72d246p-19f;
  s = fma(s, z, -0x1.a0377ap-13f);
  s = fma(s, z, 0x1.111158p-7f);
  s = fma(s, z, -0x1.555556p-3f);
  float rz = r * z;
  return fma(rz, s, r);
}

NPU_NUM_INLINE float cosPolynomial(float r) {
  float z = r * r;
  float c = -0x1.2bc91ap-22f;
  c = fma(c, z, 0x1.a04836p-16f);
  c = fma(c, z, -0x1.6c1736p-10f);
  c = fma(c, z, 0x1.555556p-5f);
  c = fma(c, z, -0.5f);
  return fma(c, z, 1.0f);
}

/// Beyond this magnitude sin and cos are outside their domain and give NaN.
constexpr float kTrigLimit = 0x1p+22f;

NPU_NUM_INLINE float sin(float x) {
  Quadrant d = reducePiOver2(x);
  float s = sinPolynomial(d.r);
  float c = cosPolynomial(d.r);
  float y = (d.q & 1) != 0 ? c : s;
  y = fromBits(toBits(y) ^ (static_cast<uint32_t>(d.q & 2) << 30));
  float a = absolute(x);
  y = a < 0x1p-12f ? x : y;
  return a <= kTrigLimit ? y : quietNaN();
}

NPU_NUM_INLINE float cos(float x) {
  Quadrant d = reducePiOver2(x);
  float s = sinPolynomial(d.r);
  float c = cosPolynomial(d.r);
  float y = (d.q & 1) != 0 ? s : c;
  y = fromBits(toBits(y) ^ (static_cast<uint32_t>((d.q + 1) & 2) << 30));
  return absolute(x) <= kTrigLimit ? y : quietNaN();
}

/// |x|^y for the general case, in about 31 bits of log2 precision.
NPU_NUM_INLINE float powCore(float a, float y) {
  Decomposed d = decompose(a);
  float ef = static_cast<float>(d.e);
  float f = d.m - 1.0f;
  float den = d.m + 1.0f;
  float denLo = d.m - (den - 1.0f);
  float q = f / den;
  float t = fma(-q, den, f);
  t = fma(-q, denLo, t);
  float qLo = t / den;
  float z = q * q;
  float p = 0x1.aa2d8p-2f;
  p = fma(p, z, 0x1.3dcf5cp-2f);
  p = fma(p, z, 0x1.a657ep-2f);
  p = fma(p, z, 0x1.277676p-1f);
  p = fma(p, z, 0x1.ec709ep-1f);
  float h = q * 0x1.715476p+1f;
  float l = fma(q, 0x1.715476p+1f, -h);
  l = fma(q, 0x1.4ae0cp-25f, l);
  l = fma(qLo, 0x1.715476p+1f, l);
  float qz = q * z;
  l = fma(qz, p, l);
  float s = ef + h;
  float sLo = h - (s - ef);
  l = l + sLo;
  float hi = s + l;
  float lo = l - (hi - s);
  float ph = y * hi;
  float pl = fma(y, hi, -ph);
  pl = fma(y, lo, pl);
  bool huge = !(absolute(ph) < 250.0f);
  float bound = ph < 0.0f ? -250.0f : 250.0f;
  ph = huge ? bound : ph;
  pl = huge ? 0.0f : pl;
  return exp2Core(ph, pl);
}

NPU_NUM_INLINE float pow(float x, float y) {
  float a = absolute(x);
  float r = powCore(a, y);
  bool yNegative = y < 0.0f;
  r = a == 0.0f ? (yNegative ? infinity() : 0.0f) : r;
  r = a == infinity() ? (yNegative ? 0.0f : infinity()) : r;
  bool grows = (a > 1.0f) == (y > 0.0f);
  float limit = grows ? infinity() : 0.0f;
  limit = a == 1.0f ? 1.0f : limit;
  r = absolute(y) == infinity() ? limit : r;
  bool isInteger = __builtin_truncf(y) == y;
  float half = y * 0.5f;
  bool isOdd = isInteger & (__builtin_truncf(half) != half);
  uint32_t sign = isOdd ? (toBits(x) & 0x80000000u) : 0u;
  r = fromBits(toBits(r) | sign);
  r = (x < 0.0f) & (a < infinity()) & !isInteger ? quietNaN() : r;
  r = (x != x) | (y != y) ? quietNaN() : r;
  return (y == 0.0f) | (x == 1.0f) ? 1.0f : r;
}

} // namespace numerics
} // namespace npuhw

#endif // NPU_SIMULATOR_NUMERICS_TRANSCENDENTAL_H
