// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

LaneLayout::LaneLayout(DType dtype, std::vector<int64_t> laneOffsets)
    : type(dtype), bytes(dtypeBytes(dtype)), offsets(std::move(laneOffsets)), lanes(static_cast<int>(offsets.size())) {
  if (lanes == 1) {
    stride = bytes;
    return;
  }
  int length = 1;
  while (length < lanes && offsets[length] == length * offsets[1]) {
    ++length;
  }
  int64_t runPitch = length < lanes ? offsets[length] : 0;
  for (int i = 0; i < lanes; ++i) {
    if (offsets[i] != i / length * runPitch + i % length * offsets[1]) {
      return;
    }
  }
  run = length;
  stride = offsets[1];
  pitch = runPitch;
}

template <class T> void LaneLayout::gather(T *out, const uint8_t *base, int n) const {
  if (isRegular()) {
    for (int i = 0; i < n; ++i) {
      std::memcpy(out + i, base + i * stride, sizeof(T));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      std::memcpy(out + i, base + offsets[i], sizeof(T));
    }
  }
}

template <class T> void LaneLayout::scatter(uint8_t *base, const T *in, int n) const {
  for (int i = 0; i < n; ++i) {
    std::memcpy(base + offsets[i], in + i, sizeof(T));
  }
}

void LaneLayout::load(const KernelTable &table, uint32_t *values, const uint8_t *base, int n) const {
  LoadKernel convert = table.load(type);
  if (stride == bytes && run > 1) {
    for (int done = 0; done < n; done += run, base += pitch) {
      convert(values + done, base, std::min(run, n - done));
    }
    return;
  }
  if (stride == 0 && run > 1) {
    for (int done = 0; done < n; done += run, base += pitch) {
      uint32_t value;
      convert(&value, base, 1);
      table.fill(values + done, value, std::min(run, n - done));
    }
    return;
  }
  if (bytes == 4) {
    // The register form of 32-bit elements is their own.
    gather(values, base, n);
    return;
  }
  alignas(64) uint8_t side[kLanes * 2];
  if (bytes == 2) {
    gather(reinterpret_cast<uint16_t *>(side), base, n);
  } else {
    gather(side, base, n);
  }
  convert(values, side, n);
}

void LaneLayout::store(const KernelTable &table, uint8_t *base, const uint32_t *values, int n) const {
  StoreKernel convert = table.store(type);
  if (stride == bytes && run > 1) {
    for (int done = 0; done < n; done += run, base += pitch) {
      convert(base, values + done, std::min(run, n - done));
    }
    return;
  }
  if (bytes == 4) {
    scatter(base, values, n);
    return;
  }
  alignas(64) uint8_t side[kLanes * 2];
  convert(side, values, n);
  if (bytes == 2) {
    scatter(base, reinterpret_cast<const uint16_t *>(side), n);
  } else {
    scatter(base, side, n);
  }
}

void LaneLayout::loadWide(int64_t *values, const uint8_t *base, int n) const { gather(values, base, n); }

bool LaneLayout::wasWritten(const Place &base, int n) const {
  if (base.written) {
    for (int i = 0; i < n; ++i) {
      if (!npuhw::wasWritten(base.at(offsets[i]), static_cast<uint64_t>(bytes))) {
        return false;
      }
    }
  }
  return true;
}

void LaneLayout::markWritten(const Place &base, int n) const {
  if (base.written) {
    for (int i = 0; i < n; ++i) {
      npuhw::markWritten(base.at(offsets[i]), static_cast<uint64_t>(bytes));
    }
  }
}
