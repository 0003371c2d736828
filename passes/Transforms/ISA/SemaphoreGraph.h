// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dependences between the instructions of one block, and which of them imply which.

#ifndef PASSES_TRANSFORMS_ISA_SEMAPHOREGRAPH_H
#define PASSES_TRANSFORMS_ISA_SEMAPHOREGRAPH_H

#include "dialects/NPUISA/IR/NPUISA.h"

namespace mlir::npuisa {

/// `consumer` of iteration i starts after `producer` of iteration i - distance. Both stand in the same block, in
/// different queues.
struct Dependence {
  Operation *producer = nullptr;
  Operation *consumer = nullptr;
  unsigned distance = 0;

  Queue producerQueue() const { return *getQueue(producer); }
  Queue consumerQueue() const { return *getQueue(consumer); }
};

/// Drops dependences that others between the same two queues imply, and orders the rest by consumer. Of what is left
/// at one distance, producers and consumers are in the same order, as counting requires.
SmallVector<Dependence> reduceDependences(ArrayRef<Dependence> dependences);

} // namespace mlir::npuisa

#endif // PASSES_TRANSFORMS_ISA_SEMAPHOREGRAPH_H
