// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an op on memrefs touches: the storage behind its operands, and the queue that runs it.

#ifndef PASSES_ANALYSIS_ACCESSES_H
#define PASSES_ANALYSIS_ACCESSES_H

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/SourceName.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::npu {

/// A read or a write of storage by one operand of an op.
struct Access {
  /// The program argument, npu.buffer, npu.ring or memref.alloc behind the operand.
  Value root;
  /// The slot, if the root is a ring.
  RingSlotOp slot;
  bool isWrite;
};

/// The storage that a memref is a view of; `slot` receives the ring slot on the way, if there is one.
Value getStorageRoot(Value memref, RingSlotOp *slot = nullptr);

/// The accesses of an npu op, reads before writes.
SmallVector<Access> getAccesses(Operation *op);

/// Whether the op is one that a queue runs (on tensors or memrefs).
bool isDeviceOp(Operation *op);

/// The queue that runs a device op. DMA work of either queue goes to the store queue if it writes DRAM, so that it waits for no load,
/// and to the load queue if it writes SRAM, behind the load that it continues.
Queue chooseQueue(Operation *op);

/// Iterations of a loop of constant bounds; nothing for others.
std::optional<int64_t> getTripCount(scf::ForOp loop);

} // namespace mlir::npu

#endif // PASSES_ANALYSIS_ACCESSES_H
