// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memories of a running program and places in them.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_MEMORY_H
#define NPU_SIMULATOR_CORE_MEMORY_H

#include "simulator/isa/Types.h"

#include <memory>
#include <new>

namespace npuhw {

/// A caller's buffer.
struct Buffer {
  uint8_t *data = nullptr;
  uint64_t size = 0;
};

/// The byte `offset` bytes on. Of an empty access it may lie anywhere: integer
/// arithmetic makes that harmless.
inline uint8_t *moved(uint8_t *p, int64_t offset) {
  return reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(offset));
}

/// An address with its loop counters applied. `written` has a byte for each
/// byte of the memory (non-zero once it was written), or is nullptr if nobody
/// asked for it.
struct Place {
  uint8_t *data = nullptr;
  uint8_t *written = nullptr;

  Place at(int64_t offset) const { return {moved(data, offset), written ? moved(written, offset) : nullptr}; }
};

/// Bytes on a cache line boundary, zero at first.
class AlignedBytes {
public:
  void reset(uint64_t size) {
    bytes.reset(size ? new (std::align_val_t(kAlignment)) uint8_t[size]() : nullptr);
  }
  uint8_t *data() const { return bytes.get(); }

private:
  static constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(uint8_t *p) const { ::operator delete[](p, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<uint8_t[], Free> bytes;
};

/// One memory: SRAM, the accumulator or a DRAM region.
struct Memory {
  Place base;
  uint64_t size = 0;
  AlignedBytes storage;      ///< Empty where the bytes are the caller's.
  AlignedBytes writtenFlags; ///< Empty unless writes are tracked.

  /// Takes bytes of its own.
  void allocate(uint64_t bytes, bool track) {
    storage.reset(bytes);
    attach(storage.data(), bytes, track);
  }
  /// Uses bytes of somebody else.
  void attach(uint8_t *data, uint64_t bytes, bool track) {
    size = bytes;
    base.data = data;
    if (track) {
      writtenFlags.reset(bytes);
    }
    base.written = track ? writtenFlags.data() : nullptr;
  }
};

/// Whether all of these bytes were written (true if nobody tracks).
inline bool wasWritten(const Place &place, uint64_t bytes) {
  if (place.written) {
    for (uint64_t i = 0; i < bytes; ++i) {
      if (!place.written[i]) {
        return false;
      }
    }
  }
  return true;
}

inline void markWritten(const Place &place, uint64_t bytes) {
  if (place.written) {
    for (uint64_t i = 0; i < bytes; ++i) {
      place.written[i] = 1;
    }
  }
}

/// Calls fn(offsetA, offsetB) for each index of `shape` in lexicographic
/// order; the offsets are the sums of index times stride.
template <class Fn>
void forEachIndex(const std::vector<int64_t> &shape, const std::vector<int64_t> &stridesA,
                  const std::vector<int64_t> &stridesB, Fn &&fn) {
  for (int64_t extent : shape) {
    if (extent == 0) {
      return;
    }
  }
  // Unsigned: the stride of an extent of 1 may be anything, and is taken back.
  int64_t index[kMaxRank] = {};
  uint64_t a = 0;
  uint64_t b = 0;
  int rank = static_cast<int>(shape.size());
  while (true) {
    fn(static_cast<int64_t>(a), static_cast<int64_t>(b));
    int d = rank - 1;
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

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_MEMORY_H
