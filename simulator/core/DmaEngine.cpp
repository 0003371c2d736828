// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/DmaEngine.h"

#include "simulator/core/Indices.h"
#include "simulator/core/Walk.h"

#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// Runs of a size known at compile time, each read before it is written: programs that let source and
/// destination overlap are wrong, but defined here.
template <size_t bytes> void copyRuns(const Walk &walk, uint8_t *dst, const uint8_t *src) {
  forEachLine(walk.shape, walk.dst, walk.src,
              [&](int64_t d, int64_t s, int64_t count, int64_t dstStride, int64_t srcStride) {
                for (int64_t i = 0; i < count; ++i) {
                  uint8_t run[bytes];
                  std::memcpy(run, src + s + i * srcStride, bytes);
                  std::memcpy(dst + d + i * dstStride, run, bytes);
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
