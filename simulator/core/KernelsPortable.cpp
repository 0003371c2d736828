// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops for any processor.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Kernels.h"
#include "simulator/numerics/Transcendental.h"

#define NPU_KERNELS_NAMESPACE portable
#include "simulator/core/Kernels.inc"
#include "simulator/core/KernelsTile.inc"

namespace npuhw::portable {

constexpr int kLanes = 8;

struct Floats {
  static constexpr int kLanes = portable::kLanes;
  static constexpr int kVectors = 1;
  static constexpr int kRows = 2;

  struct Float {
    float v[kLanes];
  };
  NPU_TILE_INLINE Float load(const float *p) {
    Float r;
    __builtin_memcpy(&r, p, sizeof(r));
    return r;
  }
  NPU_TILE_INLINE void store(float *p, const Float &a) { __builtin_memcpy(p, &a, sizeof(a)); }
  NPU_TILE_INLINE Float spread(const float *p) {
    Float r;
    for (float &lane : r.v) {
      lane = *p;
    }
    return r;
  }
  NPU_TILE_INLINE Float fma(const Float &a, const Float &b, const Float &c) {
    Float r;
    for (int i = 0; i < kLanes; ++i) {
      r.v[i] = numerics::fma(a.v[i], b.v[i], c.v[i]);
    }
    return r;
  }
};

/// Products of pairs of 16-bit integers.
struct Pairs {
  static constexpr int kLanes = portable::kLanes;
  static constexpr int kVectors = 1;
  static constexpr int kRows = 2;
  static constexpr int kGroup = 2;
  using Packed = int16_t;

  // Unsigned arithmetic wraps.
  struct Int {
    uint32_t v[kLanes];
  };
  NPU_TILE_INLINE Int zero() { return Int{}; }
  NPU_TILE_INLINE Int load(const void *p) {
    Int r;
    __builtin_memcpy(&r, p, sizeof(r));
    return r;
  }
  NPU_TILE_INLINE void store(int32_t *p, const Int &a) { __builtin_memcpy(p, &a, sizeof(a)); }
  NPU_TILE_INLINE Int spread(int32_t value) {
    Int r;
    for (uint32_t &lane : r.v) {
      lane = static_cast<uint32_t>(value);
    }
    return r;
  }
  NPU_TILE_INLINE Int add(const Int &a, const Int &b) {
    Int r;
    for (int i = 0; i < kLanes; ++i) {
      r.v[i] = a.v[i] + b.v[i];
    }
    return r;
  }
  NPU_TILE_INLINE Int spreadGroup(const void *p) {
    int32_t value;
    __builtin_memcpy(&value, p, 4);
    return spread(value);
  }
  /// Which of a pair is the low half does not matter: it is the same on both sides.
  NPU_TILE_INLINE Int dot(const Int &sum, const Int &a, const Int &w) {
    Int r;
    for (int i = 0; i < kLanes; ++i) {
      r.v[i] = sum.v[i] + static_cast<uint32_t>(low(a.v[i]) * low(w.v[i]) + high(a.v[i]) * high(w.v[i]));
    }
    return r;
  }

private:
  NPU_TILE_INLINE int32_t low(uint32_t pair) { return static_cast<int16_t>(pair); }
  NPU_TILE_INLINE int32_t high(uint32_t pair) { return static_cast<int16_t>(pair >> 16); }
};

extern const KernelTable kTable;
const KernelTable kTable = {"portable", findLane, findWide, findLoad, findStore, roundTo, fill, transpose,
                            floatTileKernel<Floats>(), intTileKernel<Pairs>()};

} // namespace npuhw::portable
