// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of bytes in the form that accesses have: products of arithmetic
// progressions.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_BOX_H
#define NPU_SIMULATOR_CHECK_BOX_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace npuhw {

/// The bytes low + sum(i_d * stride_d) + [0, run) for 0 <= i_d < count_d, in
/// its one normal form: strides are positive and fall, progressions that
/// continue or overlap one another are joined.
struct Box {
  struct Dim {
    int64_t stride;
    int64_t count;

    bool operator==(const Dim &o) const { return stride == o.stride && count == o.count; }
  };
  int64_t low = 0;  ///< The first byte.
  int64_t high = 0; ///< Past the last byte.
  int64_t run = 0;
  std::vector<Dim> dims;

  /// `strides` may be negative or 0, `counts` are not below 1.
  static Box make(int64_t offset, int64_t run, const std::vector<Dim> &dims);

  /// The box together with its copies at stride, 2 * stride, ... (`count` in all).
  Box repeat(int64_t stride, int64_t count) const;

  bool isContiguous() const { return dims.empty(); }
};

using ByteRange = std::pair<int64_t, int64_t>;

/// Bytes that `a` moved by `moveA` and `b` moved by `moveB` share: one such
/// range, or nothing if they share none. Exact up to a budget of steps, past
/// which it says that they meet.
std::optional<ByteRange> meet(const Box &a, int64_t moveA, const Box &b, int64_t moveB);

/// Calls fn(begin, end) for each contiguous run in order of the dimensions; it
/// returns false to stop. Returns whether it was not stopped.
template <class Fn> bool forEachRun(const Box &box, int64_t move, Fn &&fn) {
  std::vector<int64_t> index(box.dims.size());
  int64_t at = box.low + move;
  while (true) {
    if (!fn(at, at + box.run)) {
      return false;
    }
    size_t d = box.dims.size();
    while (d > 0) {
      --d;
      at += box.dims[d].stride;
      if (++index[d] < box.dims[d].count) {
        break;
      }
      at -= box.dims[d].stride * box.dims[d].count;
      index[d] = 0;
      if (d == 0) {
        return true;
      }
    }
    if (box.dims.empty()) {
      return true;
    }
  }
}

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_BOX_H
