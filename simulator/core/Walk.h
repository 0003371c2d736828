// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strided index spaces with as few dimensions as they need.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_WALK_H
#define NPU_SIMULATOR_CORE_WALK_H

#include "simulator/isa/Types.h"

namespace npuhw {

/// Dimensions of a copy after those that continue one another were joined.
struct Walk {
  std::vector<int64_t> shape;
  std::vector<int64_t> dst;
  std::vector<int64_t> src;
  uint64_t runBytes; ///< Contiguous on both sides at each index.
};

inline Walk simplifyWalk(const std::vector<int64_t> &shape, const std::vector<int64_t> &dst,
                         const std::vector<int64_t> &src, unsigned elementBytes) {
  Walk walk{{}, {}, {}, elementBytes};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) {
      continue;
    }
    bool joins = !walk.shape.empty() && walk.dst.back() == dst[d] * shape[d] && walk.src.back() == src[d] * shape[d];
    if (joins) {
      walk.shape.back() *= shape[d];
      walk.dst.back() = dst[d];
      walk.src.back() = src[d];
    } else {
      walk.shape.push_back(shape[d]);
      walk.dst.push_back(dst[d]);
      walk.src.push_back(src[d]);
    }
  }
  auto run = static_cast<int64_t>(elementBytes);
  if (!walk.shape.empty() && walk.dst.back() == run && walk.src.back() == run) {
    walk.runBytes = static_cast<uint64_t>(walk.shape.back()) * elementBytes;
    walk.shape.pop_back();
    walk.dst.pop_back();
    walk.src.pop_back();
  }
  return walk;
}

/// Calls fn(offsetA, offsetB, count, strideA, strideB) for each line along the last dimension, in
/// lexicographic order; the offsets are sums of index times stride. A space without dimensions is a line of 1.
template <class Fn>
void forEachLine(const std::vector<int64_t> &shape, const std::vector<int64_t> &stridesA,
                 const std::vector<int64_t> &stridesB, Fn &&fn) {
  for (int64_t extent : shape) {
    if (extent == 0) {
      return;
    }
  }
  if (shape.empty()) {
    fn(int64_t(0), int64_t(0), int64_t(1), int64_t(0), int64_t(0));
    return;
  }
  // Unsigned: the stride of an extent of 1 may be anything, and is taken back.
  int64_t index[kMaxRank] = {};
  uint64_t a = 0;
  uint64_t b = 0;
  int last = static_cast<int>(shape.size()) - 1;
  while (true) {
    fn(static_cast<int64_t>(a), static_cast<int64_t>(b), shape[last], stridesA[last], stridesB[last]);
    int d = last - 1;
    for (; d >= 0; --d) {
      a += static_cast<uint64_t>(stridesA[d]);
      b += static_cast<uint64_t>(stridesB[d]);
      if (++index[d] < shape[d]) {
        break;
      }
      a -= static_cast<uint64_t>(stridesA[d]) * static_cast<uint64_t>(shape[d]);
      b -= static_cast<uint64_t>(stridesB[d]) * static_cast<uint64_t>(shape[d]);
      index[d] = 0;
    }
    if (d < 0) {
      return;
    }
  }
}

/// Calls fn(offsetA, offsetB) for each index of `shape` in lexicographic order.
template <class Fn>
void forEachIndex(const std::vector<int64_t> &shape, const std::vector<int64_t> &stridesA,
                  const std::vector<int64_t> &stridesB, Fn &&fn) {
  forEachLine(shape, stridesA, stridesB,
              [&](int64_t a, int64_t b, int64_t count, int64_t strideA, int64_t strideB) {
                for (int64_t i = 0; i < count; ++i) {
                  fn(a + i * strideA, b + i * strideB);
                }
              });
}

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_WALK_H
