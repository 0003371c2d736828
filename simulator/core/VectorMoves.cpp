// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/VectorMoves.h"

#include "simulator/core/Indices.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// Walks an index space in lexicographic order with the offsets of three operands.
class ThreeWalk {
public:
  using Strides = const std::vector<int64_t> *;

  /// Over the first `rank` dimensions of `shape`.
  ThreeWalk(const std::vector<int64_t> &shape, size_t rank, Strides a, Strides b, Strides c)
      : shape(shape), rank(rank), strides{a, b, c} {
    for (size_t d = 0; d < rank; ++d) {
      points *= shape[d];
    }
  }
  int64_t points = 1;
  int64_t offset(unsigned operand) const { return static_cast<int64_t>(offsets[operand]); }

  void advance() {
    for (size_t d = rank; d-- > 0;) {
      bool wraps = ++index[d] == shape[d];
      for (unsigned k = 0; k < 3; ++k) {
        // Unsigned: the stride of an extent of 1 may be anything, and is taken back.
        auto stride = static_cast<uint64_t>((*strides[k])[d]);
        offsets[k] += wraps ? stride - stride * static_cast<uint64_t>(shape[d]) : stride;
      }
      if (!wraps) {
        return;
      }
      index[d] = 0;
    }
  }

private:
  const std::vector<int64_t> &shape;
  size_t rank;
  Strides strides[3];
  int64_t index[kMaxRank] = {};
  uint64_t offsets[3] = {};
};

/// A number that orders as the element does: `lane` is its register form.
uint32_t sortKey(DType dtype, uint32_t lane) {
  if (isFloat(dtype)) {
    uint32_t magnitude = lane & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      return 0xffffffffu;
    }
    bool negative = lane >> 31 != 0 && magnitude != 0;
    return negative ? ~lane : magnitude | 0x80000000u;
  }
  if (isUnsigned(dtype)) {
    // Registers are sign-extended, which keeps the order of unsigned values of one width.
    return lane;
  }
  return lane ^ 0x80000000u;
}

} // namespace

std::string npuhw::vectorGather(const VGather &inst, const Place &dst, const Place &table, const Place &indices) {
  ThreeWalk walk(inst.shape, inst.shape.size(), &inst.dstStrides, &inst.tableStrides, &inst.indexStrides);
  for (int64_t point = 0; point < walk.points; ++point, walk.advance()) {
    int64_t index;
    std::string fault = readIndex(indices.at(walk.offset(2)), inst.indexDtype, point, inst.tableRows, index);
    if (!fault.empty()) {
      return fault;
    }
    Place from = table.at(walk.offset(1) + index * inst.tableStride);
    Place to = dst.at(walk.offset(0));
    if (!wasWritten(from, inst.elementBytes)) {
      return "element " + std::to_string(index) + " at position " + std::to_string(point) + " " + kUnwritten;
    }
    std::memmove(to.data, from.data, inst.elementBytes);
    markWritten(to, inst.elementBytes);
  }
  return "";
}

std::string npuhw::vectorSort(const VSort &inst, const KernelTable &kernels, const Place &dst, const Place &indices,
                              const Place &src) {
  ThreeWalk rows(inst.shape, inst.shape.size() - 1, &inst.dstStrides, &inst.indexStrides, &inst.srcStrides);
  unsigned bytes = dtypeBytes(inst.dtype);
  auto n = static_cast<size_t>(inst.shape.back());
  auto k = static_cast<size_t>(inst.k);
  if (rows.points == 0 || k == 0) {
    return "";
  }
  std::vector<uint8_t> elements(n * bytes);
  std::vector<uint32_t> lanes(n);
  std::vector<uint64_t> order(n);
  uint32_t flip = inst.descending ? 0xffffffffu : 0;
  for (int64_t row = 0; row < rows.points; ++row, rows.advance()) {
    for (size_t i = 0; i < n; ++i) {
      Place from = src.at(rows.offset(2) + static_cast<int64_t>(i) * inst.srcStrides.back());
      if (!wasWritten(from, bytes)) {
        return std::string("'src' ") + kUnwritten;
      }
      std::memcpy(elements.data() + i * bytes, from.data, bytes);
    }
    kernels.load(inst.dtype)(lanes.data(), elements.data(), static_cast<int>(n));
    // With the position below the key all elements differ, and any sort is stable.
    for (size_t i = 0; i < n; ++i) {
      order[i] = static_cast<uint64_t>(sortKey(inst.dtype, lanes[i]) ^ flip) << 32 | i;
    }
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end());
    for (size_t i = 0; i < k; ++i) {
      auto position = static_cast<uint32_t>(order[i]);
      auto step = static_cast<int64_t>(i);
      if ((inst.results & kSortValues) != 0) {
        Place to = dst.at(rows.offset(0) + step * inst.dstStrides.back());
        std::memcpy(to.data, elements.data() + size_t(position) * bytes, bytes);
        markWritten(to, bytes);
      }
      if ((inst.results & kSortIndices) != 0) {
        Place to = indices.at(rows.offset(1) + step * inst.indexStrides.back());
        std::memcpy(to.data, &position, sizeof(position));
        markWritten(to, sizeof(position));
      }
    }
  }
  return "";
}
