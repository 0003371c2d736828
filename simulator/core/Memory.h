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

/// Bytes on a cache line boundary.
class AlignedBytes {
public:
  /// Makes room for this many bytes; what they hold is undefined.
  void reserve(uint64_t size) {
    if (size > capacity) {
      capacity = 0;
      bytes.reset();
      bytes.reset(new (std::align_val_t(kAlignment)) uint8_t[size]);
      capacity = size;
    }
  }
  /// The same, all zero. Memory of an earlier run is used again: fresh pages cost more than clearing.
  void reset(uint64_t size) {
    reserve(size);
    if (size != 0) {
      __builtin_memset(bytes.get(), 0, size);
    }
  }
  uint8_t *data() const { return bytes.get(); }

private:
  static constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(uint8_t *p) const { ::operator delete[](p, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<uint8_t[], Free> bytes;
  uint64_t capacity = 0;
};

/// One memory: SRAM, the accumulator or a DRAM region.
struct Memory {
  Place base;
  uint64_t size = 0;
  AlignedBytes storage;      ///< Unused where the bytes are the caller's.
  AlignedBytes writtenFlags; ///< Unused unless writes are tracked.

  /// Takes bytes of its own, zero at first.
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

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_MEMORY_H
