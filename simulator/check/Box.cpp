// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Box.h"

#include <algorithm>
#include <numeric>

using namespace npuhw;

Box Box::make(int64_t offset, int64_t run, const std::vector<Dim> &dims) {
  Box box;
  box.low = offset;
  box.run = run;
  std::vector<Dim> sorted;
  for (const Dim &dim : dims) {
    if (dim.count <= 1 || dim.stride == 0) {
      continue;
    }
    if (dim.stride < 0) {
      box.low += dim.stride * (dim.count - 1);
    }
    sorted.push_back({std::abs(dim.stride), dim.count});
  }
  std::sort(sorted.begin(), sorted.end(), [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  for (const Dim &dim : sorted) {
    if (box.dims.empty() && dim.stride <= box.run) {
      box.run += dim.stride * (dim.count - 1);
      continue;
    }
    if (!box.dims.empty()) {
      // In units of the stride below, which the progression continues without a gap.
      Dim &below = box.dims.back();
      if (dim.stride % below.stride == 0 && dim.stride / below.stride <= below.count) {
        below.count += dim.stride / below.stride * (dim.count - 1);
        continue;
      }
    }
    box.dims.push_back(dim);
  }
  std::reverse(box.dims.begin(), box.dims.end());
  box.high = box.low + box.run;
  for (const Dim &dim : box.dims) {
    box.high += dim.stride * (dim.count - 1);
  }
  return box;
}

Box Box::repeat(int64_t stride, int64_t count) const {
  std::vector<Dim> all = dims;
  all.push_back({stride, count});
  return make(low, run, all);
}

namespace {

/// Part of a box: the dimensions from `first` on, at a place.
struct Part {
  const Box *box;
  size_t first;
  int64_t begin;
  int64_t end; ///< Of the hull.

  bool isRun() const { return first == box->dims.size(); }
  const Box::Dim &dim() const { return box->dims[first]; }
  Part at(int64_t index) const {
    int64_t from = begin + index * dim().stride;
    return {box, first + 1, from, end - (dim().count - 1 - index) * dim().stride};
  }
};

/// Whether the two lie in different residues: all outer strides are multiples of g, and what is inside them takes up
/// places that differ modulo g.
bool separate(const Part &a, const Part &b) {
  int64_t gcdA = 0;
  int64_t widthA = a.end - a.begin;
  for (size_t i = a.first; i <= a.box->dims.size(); ++i) {
    int64_t g = gcdA;
    int64_t widthB = b.end - b.begin;
    for (size_t j = b.first; j <= b.box->dims.size(); ++j) {
      if (g != 0 && widthA <= g && widthB <= g) {
        int64_t distance = ((b.begin - a.begin) % g + g) % g;
        if (distance >= widthA && distance + widthB <= g) {
          return true;
        }
      }
      if (j < b.box->dims.size()) {
        g = std::gcd(g, b.box->dims[j].stride);
        widthB -= b.box->dims[j].stride * (b.box->dims[j].count - 1);
      }
    }
    if (i < a.box->dims.size()) {
      gcdA = std::gcd(gcdA, a.box->dims[i].stride);
      widthA -= a.box->dims[i].stride * (a.box->dims[i].count - 1);
    }
  }
  return false;
}

constexpr int kMostSteps = 1 << 14;

std::optional<ByteRange> meet(const Part &a, const Part &b, int &steps) {
  ByteRange common(std::max(a.begin, b.begin), std::min(a.end, b.end));
  if (common.first >= common.second) {
    return std::nullopt;
  }
  if ((a.isRun() && b.isRun()) || ++steps > kMostSteps) {
    return common;
  }
  if (separate(a, b)) {
    return std::nullopt;
  }
  // Cut the one with the larger steps, and look only where the other one is.
  bool cutA = !a.isRun() && (b.isRun() || a.dim().stride >= b.dim().stride);
  const Part &cut = cutA ? a : b;
  const Part &other = cutA ? b : a;
  int64_t stride = cut.dim().stride;
  int64_t width = cut.end - cut.begin - stride * (cut.dim().count - 1);
  // Index i takes up begin + i * stride + [0, width).
  int64_t first = other.begin - width - cut.begin < 0 ? 0 : (other.begin - width - cut.begin) / stride + 1;
  int64_t last = std::min(cut.dim().count - 1, (other.end - 1 - cut.begin) / stride);
  for (int64_t i = first; i <= last; ++i) {
    if (std::optional<ByteRange> found = meet(cut.at(i), other, steps)) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<ByteRange> npuhw::meet(const Box &a, int64_t moveA, const Box &b, int64_t moveB) {
  int steps = 0;
  return ::meet(Part{&a, 0, a.low + moveA, a.high + moveA}, Part{&b, 0, b.low + moveB, b.high + moveB}, steps);
}
