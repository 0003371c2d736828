// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/MatrixEngine.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// Rows that one kernel call takes.
constexpr int kRowBlock = 4;

} // namespace

bool npuhw::macTypeOf(DType dtype, MacType &type) {
  switch (dtype) {
  case DType::I8:
  case DType::U8:
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

/// Reads `count` elements into 32-bit form; unsigned ones zero-extended.
std::string MatrixEngine::readRow(const Place &src, DType type, int64_t stride, int count, uint32_t *row) {
  unsigned bytes = dtypeBytes(type);
  const uint8_t *from = src.data;
  if (stride != static_cast<int64_t>(bytes)) {
    scratch.resize(size_t(count) * bytes);
    for (int i = 0; i < count; ++i) {
      std::memcpy(scratch.data() + size_t(i) * bytes, src.data + i * stride, bytes);
    }
    from = scratch.data();
  }
  if (src.written) {
    for (int i = 0; i < count; ++i) {
      if (!wasWritten(src.at(i * stride), bytes)) {
        return kUnwritten;
      }
    }
  }
  for (int done = 0; done < count; done += kLanes) {
    int lanes = std::min(kLanes, count - done);
    table.load(type)(row + done, from + size_t(done) * bytes, lanes);
    if (isUnsigned(type)) {
      uint32_t mask = bytes == 1 ? 0xffu : 0xffffu;
      for (int i = 0; i < lanes; ++i) {
        row[done + i] &= mask;
      }
    }
  }
  return "";
}

std::string MatrixEngine::loadWeights(const MmLoadW &inst, const Place &src) {
  dtype = inst.dtype;
  k = inst.k;
  n = inst.n;
  loaded = true;
  std::vector<uint32_t> row(n);
  floats.resize(size_t(k) * n);
  ints.resize(size_t(k) * n);
  for (int kk = 0; kk < k; ++kk) {
    std::string fault = readRow(src.at(kk * inst.kStride), dtype, inst.nStride, n, row.data());
    if (!fault.empty()) {
      return fault;
    }
    if (isFloat(dtype)) {
      std::memcpy(floats.data() + size_t(kk) * n, row.data(), sizeof(float) * n);
      continue;
    }
    for (int j = 0; j < n; ++j) {
      ints[size_t(kk) * n + j] = static_cast<int32_t>(row[j] - static_cast<uint32_t>(inst.zeroPoint));
    }
  }
  return "";
}

std::string MatrixEngine::execute(const MmExec &inst, const Place &src, const Place &acc) {
  if (!loaded) {
    return "no weights have been loaded";
  }
  bool sameKind = inst.dtype == dtype || (!isFloat(inst.dtype) && !isFloat(dtype));
  if (!sameKind || inst.k != k || inst.n != n) {
    return std::string("expected weights of type '") + spell(inst.dtype) + "', k " + std::to_string(inst.k) +
           " and n " + std::to_string(inst.n) + ", but the array holds '" + spell(dtype) + "', k " +
           std::to_string(k) + " and n " + std::to_string(n);
  }
  // All rows first: the kernels want several of them at a time.
  std::vector<std::pair<int64_t, int64_t>> rows;
  forEachIndex(inst.rows, inst.rowStrides, inst.accStrides, [&](int64_t s, int64_t a) { rows.emplace_back(s, a); });
  bool floating = isFloat(dtype);
  rowFloats.resize(size_t(kRowBlock) * k);
  rowInts.resize(k);
  const uint64_t sumBytes = uint64_t(n) * 4;
  for (size_t r = 0; r < rows.size();) {
    // A block needs sums at a constant distance that do not overlap.
    int block = 1;
    int64_t pitch = r + 1 < rows.size() ? rows[r + 1].second - rows[r].second : 0;
    if (floating && r + kRowBlock <= rows.size() && pitch >= static_cast<int64_t>(sumBytes) && pitch <= INT32_MAX) {
      block = kRowBlock;
      for (int i = 1; i < kRowBlock; ++i) {
        block = rows[r + i].second - rows[r + i - 1].second == pitch ? block : 1;
      }
    }
    for (int i = 0; i < block; ++i) {
      auto *row = floating ? reinterpret_cast<uint32_t *>(rowFloats.data()) + size_t(i) * k
                           : reinterpret_cast<uint32_t *>(rowInts.data());
      std::string fault = readRow(src.at(rows[r + i].first), inst.dtype, inst.kStride, k, row);
      if (!fault.empty()) {
        return fault;
      }
      if (!wasWritten(acc.at(rows[r + i].second), sumBytes)) {
        return "accumulates onto sums that nobody has written";
      }
    }
    Place sums = acc.at(rows[r].second);
    if (!floating) {
      for (int32_t &value : rowInts) {
        value = static_cast<int32_t>(static_cast<uint32_t>(value) - static_cast<uint32_t>(inst.zeroPoint));
      }
      table.matrixRowInt(reinterpret_cast<int32_t *>(sums.data), rowInts.data(), ints.data(), k, n, n);
    } else if (block == 1) {
      table.matrixRowFloat(reinterpret_cast<float *>(sums.data), rowFloats.data(), floats.data(), k, n, n);
    } else {
      table.matrixRowsFloat(reinterpret_cast<float *>(sums.data), rowFloats.data(), floats.data(), k, n, n,
                            static_cast<int>(pitch / 4), k);
    }
    r += block;
  }
  return "";
}

std::string MatrixEngine::clear(const MmClear &inst, const Place &acc) {
  forEachIndex(inst.shape, inst.strides, inst.strides, [&](int64_t a, int64_t) {
    std::memset(acc.data + a, 0, 4);
    markWritten(acc.at(a), 4);
  });
  return "";
}
