// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops for x86 processors with AVX2 and FMA, and for those that have
// products of bytes (AVX-VNNI) too. Kernels.cpp checks for them before it hands
// these tables out.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && defined(__GNUC__)

// Everything from the standard library comes before the target changes, so that
// no inline function shared with other files is compiled for it.
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <immintrin.h>

#include "simulator/core/Kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#include "simulator/numerics/Transcendental.h"

#define NPU_KERNELS_NAMESPACE avx2
namespace npuhw::avx2 {
#include "simulator/core/Transpose.inc"
} // namespace npuhw::avx2
#include "simulator/core/Kernels.inc"
#include "simulator/core/KernelsTile.inc"

namespace npuhw::avx2 {

struct Floats {
  static constexpr int kLanes = 8;
  static constexpr int kVectors = 2;
  static constexpr int kRows = 6;

  using Float = __m256;
  NPU_TILE_INLINE Float load(const float *p) { return _mm256_loadu_ps(p); }
  NPU_TILE_INLINE void store(float *p, Float a) { _mm256_storeu_ps(p, a); }
  NPU_TILE_INLINE Float spread(const float *p) { return _mm256_broadcast_ss(p); }
  NPU_TILE_INLINE Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
};

struct Ints {
  static constexpr int kLanes = 8;
  static constexpr int kVectors = 2;
  static constexpr int kRows = 6;

  using Int = __m256i;
  NPU_TILE_INLINE Int zero() { return _mm256_setzero_si256(); }
  NPU_TILE_INLINE Int load(const void *p) { return _mm256_loadu_si256(static_cast<const Int *>(p)); }
  NPU_TILE_INLINE void store(int32_t *p, Int a) { _mm256_storeu_si256(reinterpret_cast<Int *>(p), a); }
  NPU_TILE_INLINE Int spread(int32_t value) { return _mm256_set1_epi32(value); }
  NPU_TILE_INLINE Int add(Int a, Int b) { return _mm256_add_epi32(a, b); }
  NPU_TILE_INLINE Int spreadGroup(const void *p) {
    int32_t value;
    __builtin_memcpy(&value, p, 4);
    return spread(value);
  }
};

// The products are written out: of the intrinsics GCC 12 makes loops that keep
// the sums in memory.

/// Products of pairs of 16-bit integers.
struct Pairs : Ints {
  using Packed = int16_t;
  static constexpr int kGroup = 2;
  NPU_TILE_INLINE Int dot(Int sum, Int a, Int w) {
    Int product;
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "=&x"(product) : "x"(a), "x"(w));
    return sum;
  }
};

/// Products of groups of four bytes, unsigned ones with signed ones; their sums wrap and never saturate.
struct Quads : Ints {
  using Packed = int8_t;
  static constexpr int kGroup = 4;
  NPU_TILE_INLINE Int dot(Int sum, Int a, Int w) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(w));
    return sum;
  }
};

extern const KernelTable kTable;
const KernelTable kTable = {"avx2", findLane, findWide, findLoad, findStore, roundTo, fill, transpose,
                            floatTileKernel<Floats>(), intTileKernel<Pairs>()};

extern const KernelTable kByteTable;
const KernelTable kByteTable = {"avx2-vnni", findLane, findWide, findLoad, findStore, roundTo, fill, transpose,
                                floatTileKernel<Floats>(), intTileKernel<Quads>()};

} // namespace npuhw::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
