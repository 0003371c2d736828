// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which work of one queue must wait for work of another. Program order is the meaning of a program; what must be kept of it
// is the order of two accesses to the same bytes, one of them a write, by different queues.

#ifndef PASSES_ANALYSIS_HAZARDS_H
#define PASSES_ANALYSIS_HAZARDS_H

#include "passes/Analysis/Accesses.h"

#include <array>
#include <memory>
#include <vector>

namespace mlir::npu {

constexpr unsigned kNumQueues = 5;

/// A set of queues.
using QueueSet = std::array<bool, kNumQueues>;

/// Bytes that work of one queue touches.
struct Effect {
  /// Storage with an address: its space and byte range. Without one (program arguments, unplanned buffers): the root.
  Value root;
  Space space;
  int64_t begin;
  int64_t end;
  bool isWrite;
  /// For a slot of a ring: the loop that chooses it, and the number of slots.
  Operation *slotLoop;
  int64_t depth;
  /// The ring.
  Value ring;

  bool operator==(const Effect &other) const;
  /// Whether the order of the two matters.
  bool conflictsWith(const Effect &other) const;
};

struct Body;

/// A device op or a loop, as a member of a block.
struct Item {
  Operation *op;
  std::array<SmallVector<Effect>, kNumQueues> effects;
  /// What a loop repeats; null for a device op.
  std::unique_ptr<Body> body;

  bool runsOn(unsigned queue) const { return !effects[queue].empty(); }
};

/// All work of queue `toQueue` in item `to` waits for all work of queue `fromQueue` in item `from`, in the same iteration
/// of the block's loop (distance 0) or `distance` iterations earlier.
struct Dependence {
  unsigned from;
  unsigned fromQueue;
  unsigned to;
  unsigned toQueue;
  int64_t distance;
};

/// A block of a program: the body of a loop, or the top.
struct Body {
  /// Null at the top.
  scf::ForOp loop;
  int64_t tripCount = 1;
  std::vector<Item> items;
  /// Those of distance 0 first.
  SmallVector<Dependence> dependences;
  /// implies[q][p]: when the last work of queue q in the loop has ended, so has the last work of queue p.
  std::array<QueueSet, kNumQueues> implies = {};
  /// The carried dependences of this loop go on from its last iteration to its first one in the next iteration of the loop
  /// around it, instead of a dependence between the two runs as a whole.
  bool continues = false;

  /// The last item with work for a queue, or -1.
  int getLast(unsigned queue) const;
  /// The carried dependences, in order.
  SmallVector<Dependence> getCarried() const;
};

/// How many dependences were left out because others imply them.
struct HazardCounts {
  int64_t implied = 0;
};

/// Collects the device ops and loops of a block, then finds a minimal set of dependences for each body. Fails, with an error, on an
/// op that it does not know, on a loop without constant bounds and on one that carries values.
FailureOr<Body> analyzeHazards(Block &block, HazardCounts &counts);

} // namespace mlir::npu

#endif // PASSES_ANALYSIS_HAZARDS_H
