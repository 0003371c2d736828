// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lifetimes of a program's storage and their packing into a memory. npu-multi-buffer asks whether a depth fits,
// npu-plan-memory takes the addresses.

#ifndef PASSES_ANALYSIS_STORAGE_H
#define PASSES_ANALYSIS_STORAGE_H

#include "passes/Analysis/Accesses.h"

namespace mlir::npu {

/// One npu.buffer, npu.ring or memref.alloc.
struct Storage {
  Operation *op;
  Space space;
  /// Bytes of one slot and number of slots (1 for a buffer).
  int64_t slotBytes;
  int64_t depth;
  /// The loop whose iterations each write it anew; null if it keeps its contents for the whole program.
  scf::ForOp loop;
  /// First and last moment, in program order, at which it holds something; first > last if nothing touches it.
  int64_t first;
  int64_t last;
  /// Byte address, set by packStorage.
  int64_t offset = -1;

  int64_t getBytes() const { return slotBytes * depth; }
  bool isAliveWith(const Storage &other) const { return first <= other.last && other.first <= last; }
};

/// How long a storage is kept from others.
enum class Lifetime {
  /// From its first to its last use: least memory.
  Uses,
  /// Over the whole step of the program (outermost loop or op) with its uses and the step after it, so that the loads of a
  /// step need not wait until the step before has left its buffers.
  Steps
};

/// The storage of a program in program order. With more than one slot, a storage lives for its whole loop.
SmallVector<Storage> collectStorage(ProgramOp program);

/// Sets `first` and `last` from the uses, the loop and the depth.
void computeLifetimes(ProgramOp program, MutableArrayRef<Storage> storage, Lifetime lifetime);

/// Gives each storage of `space` an offset, a multiple of `alignment`, such that those alive together do not overlap; the
/// largest first, each in the smallest gap that holds it. Returns the bytes needed.
int64_t packStorage(MutableArrayRef<Storage> storage, Space space, int64_t alignment);

/// Bytes of a memory of the target; nothing for DRAM, which the program's arena grows in.
std::optional<int64_t> getCapacity(Operation *op, Space space);

/// The storage alive at the moment with the most bytes in `space`, largest first.
SmallVector<Storage *> getStorageAtPeak(MutableArrayRef<Storage> storage, Space space);

} // namespace mlir::npu

#endif // PASSES_ANALYSIS_STORAGE_H
