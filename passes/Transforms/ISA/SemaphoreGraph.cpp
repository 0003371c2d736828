// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/ISA/SemaphoreGraph.h"

using namespace mlir;
using namespace mlir::npuisa;

static bool isNotAfter(Operation *a, Operation *b) { return a == b || a->isBeforeInBlock(b); }

static bool areEqual(const Dependence &a, const Dependence &b) {
  return a.producer == b.producer && a.consumer == b.consumer && a.distance == b.distance;
}

/// Queues are in order: a consumer is covered by an earlier one of its queue (of this iteration or the one before) that
/// waits for the same or a later instruction of the producer's queue.
static bool implies(const Dependence &by, const Dependence &what) {
  if (by.producerQueue() != what.producerQueue() || by.consumerQueue() != what.consumerQueue()) {
    return false;
  }
  unsigned distance = by.distance + (isNotAfter(by.consumer, what.consumer) ? 0 : 1);
  return distance < what.distance || (distance == what.distance && isNotAfter(what.producer, by.producer));
}

SmallVector<Dependence> npuisa::reduceDependences(ArrayRef<Dependence> dependences) {
  SmallVector<Dependence> distinct;
  for (const Dependence &dependence : dependences) {
    if (llvm::none_of(distinct, [&](const Dependence &other) { return areEqual(other, dependence); })) {
      distinct.push_back(dependence);
    }
  }
  SmallVector<Dependence> kept;
  for (const Dependence &dependence : distinct) {
    bool implied = llvm::any_of(distinct, [&](const Dependence &other) {
      return !areEqual(other, dependence) && implies(other, dependence);
    });
    if (!implied) {
      kept.push_back(dependence);
    }
  }
  llvm::stable_sort(kept, [](const Dependence &a, const Dependence &b) {
    return a.consumer != b.consumer && a.consumer->isBeforeInBlock(b.consumer);
  });
  return kept;
}
