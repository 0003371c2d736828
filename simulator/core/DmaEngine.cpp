// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/DmaEngine.h"

#include "simulator/core/Indices.h"
#include "simulator/core/Walk.h"

#include <cstring>
#include <type_traits>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// One register.
typedef uint64_t Bytes16 __attribute__((vector_size(16)));

/// Lines of a run, some runs ahead: processors do not foresee strides of a page and more.
template <size_t bytes> void prefetchRun(const uint8_t *dst, const uint8_t *src) {
  for (size_t line = 0; line < bytes; line += 64) {
    __builtin_prefetch(src + line, 0);
    __builtin_prefetch(dst + line, 1);
  }
}

/// Up to 64 bytes go through registers at a time.
template <size_t bytes> void copyRun(uint8_t *dst, const uint8_t *src) {
  if constexpr (bytes > 64) {
    copyRun<64>(dst, src);
    copyRun<bytes - 64>(dst + 64, src + 64);
  } else {
    constexpr size_t kWord = bytes < 16 ? bytes : 16;
    using Word = std::conditional_t<bytes < 16, uint8_t[kWord], Bytes16>;
    Word words[bytes / kWord];
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes / kWord; ++i) {
      std::memcpy(&words[i], src + i * kWord, kWord);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < bytes / kWord; ++i) {
      std::memcpy(dst + i * kWord, &words[i], kWord);
    }
  }
}

/// Runs of a size known at compile time. Programs that let source and destination overlap are wrong, but what
/// they do is defined: a piece of at most 64 bytes is read before it is written.
template <size_t bytes> void copyRuns(const Walk &walk, uint8_t *dst, const uint8_t *src) {
  constexpr int64_t kAhead = 16;
  forEachLine(walk.shape, walk.dst, walk.src,
              [&](int64_t d, int64_t s, int64_t count, int64_t dstStride, int64_t srcStride) {
                for (int64_t i = 0; i < count; ++i) {
                  if (bytes >= 64) {
                    prefetchRun<bytes>(dst + d + (i + kAhead) * dstStride, src + s + (i + kAhead) * srcStride);
                  }
                  copyRun<bytes>(dst + d + i * dstStride, src + s + i * srcStride);
                }
              });
}

void copyBytes(const Walk &walk, uint8_t *dst, const uint8_t *src) {
  switch (walk.runBytes) {
  case 1:
    return copyRuns<1>(walk, dst, src);
  case 2:
    return copyRuns<2>(walk, dst, src);
  case 4:
    return copyRuns<4>(walk, dst, src);
  case 8:
    return copyRuns<8>(walk, dst, src);
  case 16:
    return copyRuns<16>(walk, dst, src);
  case 32:
    return copyRuns<32>(walk, dst, src);
  case 64:
    return copyRuns<64>(walk, dst, src);
  case 128:
    return copyRuns<128>(walk, dst, src);
  default:
    forEachIndex(walk.shape, walk.dst, walk.src,
                 [&](int64_t d, int64_t s) { std::memmove(dst + d, src + s, walk.runBytes); });
  }
}

bool isEmpty(const std::vector<int64_t> &shape) {
  for (int64_t extent : shape) {
    if (extent == 0) {
      return true;
    }
  }
  return false;
}

} // namespace

std::string npuhw::dmaCopy(const std::vector<int64_t> &shape, unsigned elementBytes, const Place &dst,
                           const std::vector<int64_t> &dstStrides, const Place &src,
                           const std::vector<int64_t> &srcStrides) {
  if (isEmpty(shape)) {
    return "";
  }
  Walk walk = simplifyWalk(shape, dstStrides, srcStrides, elementBytes);
  if (src.written || dst.written) {
    bool good = true;
    forEachIndex(walk.shape, walk.dst, walk.src, [&](int64_t d, int64_t s) {
      good &= wasWritten(src.at(s), walk.runBytes);
      markWritten(dst.at(d), walk.runBytes);
    });
    if (!good) {
      return kUnwritten;
    }
  }
  copyBytes(walk, dst.data, src.data);
  return "";
}

std::string npuhw::dmaFill(const DmaFill &inst, const Place &dst) {
  uint8_t element[8];
  for (unsigned i = 0; i < 8; ++i) {
    element[i] = static_cast<uint8_t>(inst.value >> (8 * i));
  }
  if (isEmpty(inst.shape)) {
    return "";
  }
  Walk walk = simplifyWalk(inst.shape, inst.dstStrides, inst.dstStrides, inst.elementBytes);
  std::vector<uint8_t> run(walk.runBytes);
  for (size_t i = 0; i < run.size(); ++i) {
    run[i] = element[i % inst.elementBytes];
  }
  forEachIndex(walk.shape, walk.dst, walk.dst, [&](int64_t d, int64_t) {
    std::memcpy(dst.data + d, run.data(), run.size());
    markWritten(dst.at(d), run.size());
  });
  return "";
}

std::string npuhw::dmaGather(const DmaGather &inst, const Place &dst, const Place &table, const Place &indices) {
  auto rowBytes = static_cast<uint64_t>(inst.rowBytes);
  unsigned indexBytes = dtypeBytes(inst.indexDtype);
  for (int64_t j = 0; j < inst.count; ++j) {
    int64_t index;
    std::string fault = readIndex(indices.at(j * indexBytes), inst.indexDtype, j, inst.tableRows, index);
    if (!fault.empty()) {
      return fault;
    }
    Place from = table.at(index * inst.tableStride);
    Place to = dst.at(j * inst.dstStride);
    if (!wasWritten(from, rowBytes)) {
      return "row " + std::to_string(index) + " " + kUnwritten;
    }
    std::memmove(to.data, from.data, rowBytes);
    markWritten(to, rowBytes);
  }
  return "";
}

std::string npuhw::dmaScatter(const DmaScatter &inst, const Place &table, const Place &src, const Place &indices) {
  auto rowBytes = static_cast<uint64_t>(inst.rowBytes);
  unsigned indexBytes = dtypeBytes(inst.indexDtype);
  for (int64_t j = 0; j < inst.count; ++j) {
    int64_t index;
    std::string fault = readIndex(indices.at(j * indexBytes), inst.indexDtype, j, inst.tableRows, index);
    if (!fault.empty()) {
      return fault;
    }
    Place from = src.at(j * inst.srcStride);
    Place to = table.at(index * inst.tableStride);
    if (!wasWritten(from, rowBytes)) {
      return "row " + std::to_string(j) + " of the source " + kUnwritten;
    }
    std::memmove(to.data, from.data, rowBytes);
    markWritten(to, rowBytes);
  }
  return "";
}
