// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/MatrixEngine.h"

#include "simulator/core/Walk.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// What the activations of the rows at hand may take of the first cache.
constexpr int64_t kRowBytes = 16 << 10;

/// Rows that are handled together: of 96, 48, 24 and 12 those that fit; blocks of six divide them all.
int groupOf(int most, int64_t bytesOfRow) {
  int group = most;
  while (group > 12 && group * bytesOfRow > kRowBytes) {
    group /= 2;
  }
  return group;
}

/// The offsets of the rows, one after the other in lexicographic order.
class RowWalk {
public:
  explicit RowWalk(const MmExec &inst) : inst(inst), rank(static_cast<int>(inst.rows.size())) {
    for (int64_t extent : inst.rows) {
      left *= extent;
    }
  }
  int64_t left = 1; ///< Rows that have not been taken.
  int64_t src() const { return static_cast<int64_t>(a); }
  int64_t acc() const { return static_cast<int64_t>(b); }

  /// Rows that follow in the last dimension, at constant distances.
  int64_t run() const { return rank > 0 ? inst.rows[rank - 1] - index[rank - 1] : 1; }
  int64_t srcStride() const { return rank > 0 ? inst.rowStrides[rank - 1] : 0; }
  int64_t accStride() const { return rank > 0 ? inst.accStrides[rank - 1] : 0; }

  /// Takes `count` rows, at most run().
  void advance(int64_t count) {
    left -= count;
    for (int d = rank - 1; d >= 0; --d, count = 1) {
      a += static_cast<uint64_t>(inst.rowStrides[d]) * static_cast<uint64_t>(count);
      b += static_cast<uint64_t>(inst.accStrides[d]) * static_cast<uint64_t>(count);
      index[d] += count;
      if (index[d] < inst.rows[d]) {
        return;
      }
      a -= static_cast<uint64_t>(inst.rowStrides[d]) * static_cast<uint64_t>(inst.rows[d]);
      b -= static_cast<uint64_t>(inst.accStrides[d]) * static_cast<uint64_t>(inst.rows[d]);
      index[d] = 0;
    }
  }

private:
  const MmExec &inst;
  int rank;
  int64_t index[kMaxRank] = {};
  uint64_t a = 0; ///< Unsigned: the stride of an extent of 1 may be anything, and is taken back.
  uint64_t b = 0;
};

/// Whether no two rows share a sum, so that they may be computed side by side.
bool sumsAreApart(const MmExec &inst) {
  uint64_t extents[kMaxRank];
  uint64_t strides[kMaxRank];
  int rank = 0;
  for (size_t d = 0; d < inst.rows.size(); ++d) {
    if (inst.rows[d] > 1) {
      extents[rank] = static_cast<uint64_t>(inst.rows[d]);
      strides[rank++] = static_cast<uint64_t>(std::abs(inst.accStrides[d]));
    }
  }
  // From the innermost stride out, each has to pass all that lies within it.
  uint64_t span = uint64_t(inst.n) * 4;
  for (int done = 0; done < rank; ++done) {
    int next = done;
    for (int d = done + 1; d < rank; ++d) {
      next = strides[d] < strides[next] ? d : next;
    }
    std::swap(strides[done], strides[next]);
    std::swap(extents[done], extents[next]);
    if (strides[done] < span) {
      return false;
    }
    span += strides[done] * (extents[done] - 1);
  }
  return true;
}

std::string findUnwritten(const MmExec &inst, const Place &src, const Place &acc) {
  unsigned bytes = dtypeBytes(inst.dtype);
  for (RowWalk walk(inst); walk.left > 0; walk.advance(1)) {
    for (int kk = 0; kk < inst.k; ++kk) {
      if (!wasWritten(src.at(walk.src() + kk * inst.kStride), bytes)) {
        return kUnwritten;
      }
    }
    if (!wasWritten(acc.at(walk.acc()), uint64_t(inst.n) * 4)) {
      return "accumulates onto sums that nobody has written";
    }
  }
  return "";
}

/// `count` elements at a distance of `stride`, side by side.
void gather(uint8_t *out, const uint8_t *in, int count, int64_t stride, unsigned bytes) {
  if (bytes == 4) {
    for (int i = 0; i < count; ++i) {
      std::memcpy(out + size_t(i) * 4, in + i * stride, 4);
    }
  } else if (bytes == 2) {
    for (int i = 0; i < count; ++i) {
      std::memcpy(out + size_t(i) * 2, in + i * stride, 2);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      out[i] = in[i * stride];
    }
  }
}

/// The byte of a weight and, for a packed one, the bit in it where the weight begins.
int64_t weightByte(const MmLoadW &inst, int kk, int j, int &bit) {
  int64_t distance = kk * inst.kStride + j * inst.nStride;
  bool packed = isPacked(inst.dtype);
  bit = packed ? static_cast<int>(distance & 1) * 4 : 0;
  return packed ? distance >> 1 : distance;
}

/// Packed weights as bytes, row after row.
void unpack(uint8_t *out, const MmLoadW &inst, const uint8_t *src) {
  uint8_t sign = isUnsigned(inst.dtype) ? 0 : 8;
  for (int kk = 0; kk < inst.k; ++kk) {
    for (int j = 0; j < inst.n; ++j) {
      int bit;
      int64_t at = weightByte(inst, kk, j, bit);
      uint8_t value = src[at] >> bit & 15;
      *out++ = static_cast<uint8_t>((value ^ sign) - sign);
    }
  }
}

} // namespace

bool npuhw::macTypeOf(DType dtype, MacType &type) {
  switch (dtype) {
  case DType::I8:
  case DType::U8:
  case DType::I4:
  case DType::U4:
    type = MacType::I8;
    return true;
  case DType::F16:
    type = MacType::F16;
    return true;
  case DType::BF16:
    type = MacType::BF16;
    return true;
  case DType::F32:
    type = MacType::F32;
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

void MatrixEngine::packFloats(const MmLoadW &inst, const uint8_t *src) {
  const FloatTileKernel &tile = table.floatTile;
  int padded = (n + tile.vector - 1) / tile.vector * tile.vector;
  panels.reserve(uint64_t(padded) * k * sizeof(float));
  unsigned bytes = dtypeBytes(dtype);
  scratch.resize(size_t(n) * (bytes + sizeof(float)) + sizeof(float));
  auto *row = reinterpret_cast<float *>(scratch.data());
  uint8_t *side = scratch.data() + size_t(n) * sizeof(float);
  auto *out = reinterpret_cast<float *>(panels.data());
  for (int kk = 0; kk < k; ++kk) {
    const uint8_t *in = src + kk * inst.kStride;
    if (inst.nStride != static_cast<int64_t>(bytes)) {
      gather(side, in, n, inst.nStride, bytes);
      in = side;
    }
    table.load(dtype)(reinterpret_cast<uint32_t *>(row), in, n);
    for (int column = 0; column < n; column += tile.columns) {
      int columns = std::min(tile.columns, n - column);
      int width = std::min(tile.columns, padded - column);
      float *to = out + size_t(column) * k + size_t(kk) * width;
      std::memcpy(to, row + column, sizeof(float) * static_cast<size_t>(columns));
      std::fill(to + columns, to + width, 0.0f);
    }
  }
}

void MatrixEngine::packInts(const MmLoadW &inst, const uint8_t *src) {
  const IntTileKernel &tile = table.intTile;
  int padded = (n + tile.vector - 1) / tile.vector * tile.vector;
  panels.reserve(uint64_t(padded) * paddedK() * tile.elementBytes);
  int64_t pitch = inst.kStride;
  if (isPacked(dtype)) {
    scratch.resize(size_t(k) * n);
    unpack(scratch.data(), inst, src);
    src = scratch.data();
    pitch = n;
  } else if (inst.nStride != 1) {
    scratch.resize(size_t(k) * n);
    for (int kk = 0; kk < k; ++kk) {
      gather(scratch.data() + size_t(kk) * n, src + kk * inst.kStride, n, inst.nStride, 1);
    }
    src = scratch.data();
    pitch = n;
  }
  tile.packWeights(panels.data(), src, pitch, k, n, !isUnsigned(dtype));
  weightZero = inst.zeroPoint - (tile.bytes && isUnsigned(dtype) ? 128 : 0);
  columnsSummed = false;
  columnTerm.assign(padded, 0);
}

std::string MatrixEngine::loadWeights(const MmLoadW &inst, const Place &src) {
  dtype = inst.dtype;
  k = inst.k;
  n = inst.n;
  loaded = true;
  if (src.written) {
    for (int kk = 0; kk < k; ++kk) {
      for (int j = 0; j < n; ++j) {
        int bit;
        if (!wasWritten(src.at(weightByte(inst, kk, j, bit)), dtypeBytes(dtype))) {
          return kUnwritten;
        }
      }
    }
  }
  if (isFloat(dtype)) {
    packFloats(inst, src.data);
  } else {
    packInts(inst, src.data);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void MatrixEngine::multiplyFloats(const MmExec &inst, int rows) {
  const FloatTileKernel &tile = table.floatTile;
  bool direct = inst.dtype == DType::F32 && inst.kStride == 4;
  unsigned bytes = dtypeBytes(inst.dtype);
  auto *values = reinterpret_cast<float *>(packed.data());
  for (int r = 0; r < rows; ++r) {
    floatSums[r] = reinterpret_cast<float *>(sums[r]);
    if (direct) {
      floatRows[r] = reinterpret_cast<const float *>(rowData[r]);
      continue;
    }
    const uint8_t *in = rowData[r];
    if (inst.kStride != static_cast<int64_t>(bytes)) {
      gather(scratch.data(), in, k, inst.kStride, bytes);
      in = scratch.data();
    }
    float *row = values + size_t(r) * k;
    table.load(inst.dtype)(reinterpret_cast<uint32_t *>(row), in, k);
    floatRows[r] = row;
  }
  for (int column = 0; column < n; column += tile.columns) {
    tile.run(floatSums, floatRows, reinterpret_cast<const float *>(panels.data()) + size_t(column) * k, rows, k,
             column, std::min(tile.columns, n - column));
  }
}

/// With the sums of the packed values a and w, of zero points za and zw:
/// sum((a - za) * (w - zw)) = sum(a * w) - za * sum(w) - zw * sum(a) + k * za * zw, all modulo 2^32.
void MatrixEngine::prepareColumns(int32_t activationZero) {
  auto za = static_cast<uint32_t>(activationZero);
  uint32_t both = static_cast<uint32_t>(k) * za * static_cast<uint32_t>(weightZero);
  if (za != 0 && !columnsSummed) {
    columnSums.resize(columnTerm.size());
    table.intTile.sumColumns(columnSums.data(), panels.data(), k, n);
    columnsSummed = true;
  }
  for (size_t j = 0; j < columnTerm.size(); ++j) {
    columnTerm[j] = za != 0 ? static_cast<int32_t>(both - za * static_cast<uint32_t>(columnSums[j])) : 0;
  }
}

void MatrixEngine::multiplyInts(const MmExec &inst, int rows) {
  const IntTileKernel &tile = table.intTile;
  bool isSigned = !isUnsigned(inst.dtype);
  if (tile.bytes && !isSigned && inst.kStride == 1 && k == paddedK()) {
    for (int r = 0; r < rows; ++r) {
      intRows[r] = rowData[r];
    }
  } else {
    tile.packRows(packed.data(), rowData, rows, k, inst.kStride, isSigned);
    for (int r = 0; r < rows; ++r) {
      intRows[r] = packed.data() + size_t(r) * paddedK() * tile.elementBytes;
    }
  }
  if (weightZero != 0) {
    tile.sumRows(rowTerm, rowData, rows, k, inst.kStride, isSigned);
    for (int r = 0; r < rows; ++r) {
      rowTerm[r] = static_cast<int32_t>(0u - static_cast<uint32_t>(weightZero) * static_cast<uint32_t>(rowTerm[r]));
    }
  } else {
    std::fill_n(rowTerm, rows, 0);
  }
  for (int column = 0; column < n; column += tile.columns) {
    tile.run(sums, intRows, panels.data() + size_t(column) * paddedK() * tile.elementBytes, columnTerm.data(), rowTerm,
             rows, paddedK() / tile.group, column, std::min(tile.columns, n - column));
  }
}

std::string MatrixEngine::execute(const MmExec &inst, const Place &src, const Place &acc) {
  if (!loaded) {
    return "no weights have been loaded";
  }
  bool floating = isFloat(dtype);
  bool sameKind = inst.dtype == dtype || (!isFloat(inst.dtype) && !floating);
  if (!sameKind || inst.k != k || inst.n != n) {
    return std::string("expected weights of type '") + spell(inst.dtype) + "', k " + std::to_string(inst.k) +
           " and n " + std::to_string(inst.n) + ", but the array holds '" + spell(dtype) + "', k " +
           std::to_string(k) + " and n " + std::to_string(n);
  }
  if (src.written || acc.written) {
    std::string fault = findUnwritten(inst, src, acc);
    if (!fault.empty()) {
      return fault;
    }
  }
  int64_t bytesOfRow = floating ? int64_t(k) * 4 : int64_t(paddedK()) * table.intTile.elementBytes;
  int group = sumsAreApart(inst) ? groupOf(kMostRows, bytesOfRow) : 1;
  packed.reserve(static_cast<uint64_t>(group) * bytesOfRow);
  if (floating) {
    scratch.resize(std::max(scratch.size(), size_t(k) * sizeof(float)));
  } else {
    bool shifted = table.intTile.bytes && !isUnsigned(inst.dtype);
    prepareColumns(inst.zeroPoint + (shifted ? 128 : 0));
  }
  for (RowWalk walk(inst); walk.left > 0;) {
    int rows = 0;
    while (rows < group && walk.left > 0) {
      auto count = static_cast<int>(std::min<int64_t>(group - rows, walk.run()));
      for (int i = 0; i < count; ++i) {
        rowData[rows + i] = moved(src.data, walk.src() + i * walk.srcStride());
        sums[rows + i] = reinterpret_cast<int32_t *>(moved(acc.data, walk.acc() + i * walk.accStride()));
      }
      rows += count;
      walk.advance(count);
    }
    if (floating) {
      multiplyFloats(inst, rows);
    } else {
      multiplyInts(inst, rows);
    }
  }
  return "";
}

std::string MatrixEngine::clear(const MmClear &inst, const Place &acc) {
  Walk walk = simplifyWalk(inst.shape, inst.strides, inst.strides, 4);
  forEachIndex(walk.shape, walk.dst, walk.dst, [&](int64_t offset, int64_t) {
    std::memset(acc.data + offset, 0, walk.runBytes);
    markWritten(acc.at(offset), walk.runBytes);
  });
  return "";
}
