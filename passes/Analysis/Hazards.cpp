// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/Hazards.h"

#include "dialects/Target/Target.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

bool Effect::operator==(const Effect &other) const {
  return root == other.root && space == other.space && begin == other.begin && end == other.end &&
         isWrite == other.isWrite && slotLoop == other.slotLoop && ring == other.ring;
}

bool Effect::conflictsWith(const Effect &other) const {
  if ((!isWrite && !other.isWrite) || root != other.root || space != other.space) {
    return false;
  }
  return begin < other.end && other.begin < end;
}

/// An access as an effect: storage with an offset by its bytes, other storage by its root and all of it.
static Effect toEffect(const Access &access) {
  auto type = cast<MemRefType>(access.root.getType());
  Effect effect{access.root, getSpace(type), 0, getSizeBytes(type), access.isWrite, nullptr, 1, Value()};
  Operation *op = access.root.getDefiningOp();
  std::optional<uint64_t> offset;
  if (auto buffer = dyn_cast_or_null<BufferOp>(op)) {
    offset = buffer.getOffset();
  } else if (auto ring = dyn_cast_or_null<RingOp>(op)) {
    offset = ring.getOffset();
    effect.ring = access.root;
    effect.depth = type.getDimSize(0);
    RingSlotOp slot = access.slot;
    if (auto index = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument()) {
      effect.slotLoop = index.getOwner()->getParentOp();
    }
  }
  if (offset) {
    effect.root = Value();
    effect.begin += *offset;
    effect.end += *offset;
  }
  return effect;
}

/// In how many iterations of `loop` two conflicting effects meet again, at the earliest.
static int64_t getDistance(const Effect &a, const Effect &b, Operation *loop) {
  bool sameRing = a.ring && a.ring == b.ring && a.slotLoop == loop && b.slotLoop == loop;
  return sameRing ? a.depth : 1;
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

static void addEffect(SmallVectorImpl<Effect> &effects, const Effect &effect) {
  if (!llvm::is_contained(effects, effect)) {
    effects.push_back(effect);
  }
}

static FailureOr<Body> collect(Block &block, scf::ForOp loop) {
  Body body;
  body.loop = loop;
  if (loop) {
    std::optional<int64_t> trips = getTripCount(loop);
    if (!trips || !loop.getInitArgs().empty()) {
      return loop.emitError() << "expected a loop of constant bounds that carries no values, but this one "
                              << (trips ? "carries values" : "has other bounds");
    }
    body.tripCount = *trips;
  }
  for (Operation &op : block.without_terminator()) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      FailureOr<Body> innerBody = collect(*inner.getBody(), inner);
      if (failed(innerBody)) {
        return failure();
      }
      Item item{&op, {}, std::make_unique<Body>(std::move(*innerBody))};
      for (const Item &nested : item.body->items) {
        for (unsigned queue = 0; queue < kNumQueues; ++queue) {
          for (const Effect &effect : nested.effects[queue]) {
            addEffect(item.effects[queue], effect);
          }
        }
      }
      body.items.push_back(std::move(item));
    } else if (isDeviceOp(&op)) {
      Item item{&op, {}, nullptr};
      for (const Access &access : getAccesses(&op)) {
        addEffect(item.effects[static_cast<unsigned>(chooseQueue(&op))], toEffect(access));
      }
      body.items.push_back(std::move(item));
    } else if (!isMemoryEffectFree(&op) && !isa<BufferOp, RingOp>(op)) {
      return op.emitError() << "expected loops, npu ops on memrefs, storage and index arithmetic in a program, but found '"
                            << op.getName() << "'";
    }
  }
  return body;
}

int Body::getLast(unsigned queue) const {
  for (int i = static_cast<int>(items.size()) - 1; i >= 0; --i) {
    if (items[i].runsOn(queue)) {
      return i;
    }
  }
  return -1;
}

SmallVector<Dependence> Body::getCarried() const {
  return llvm::to_vector(llvm::make_filter_range(dependences, [](const Dependence &d) { return d.distance > 0; }));
}

//===----------------------------------------------------------------------===//
// Dependences inside an iteration
//===----------------------------------------------------------------------===//

namespace {
/// For each queue the last item whose work on it has ended; -1 for none.
using Clock = std::array<int, kNumQueues>;
} // namespace

static void merge(Clock &into, const Clock &from) {
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    into[queue] = std::max(into[queue], from[queue]);
  }
}

static bool conflict(const Item &a, unsigned aQueue, const Item &b, unsigned bQueue) {
  return llvm::any_of(a.effects[aQueue], [&](const Effect &x) {
    return llvm::any_of(b.effects[bQueue], [&](const Effect &y) { return x.conflictsWith(y); });
  });
}

/// Walks the items in program order with, for each queue, a clock of what has ended before its next work can start. A
/// dependence is added only where the clock does not hold it yet.
static void findForward(Body &body, HazardCounts &counts) {
  Clock nothing;
  nothing.fill(-1);
  std::array<Clock, kNumQueues> known;
  known.fill(nothing);
  std::vector<std::array<Clock, kNumQueues>> completed(body.items.size()); // clock at the end of the work of an item
  for (unsigned to = 0; to < body.items.size(); ++to) {
    const Item &item = body.items[to];
    for (unsigned toQueue = 0; toQueue < kNumQueues; ++toQueue) {
      if (!item.runsOn(toQueue)) {
        continue;
      }
      SmallVector<std::pair<int, unsigned>> candidates; // item and queue
      for (unsigned queue = 0; queue < kNumQueues; ++queue) {
        for (int from = static_cast<int>(to) - 1; queue != toQueue && from > known[toQueue][queue]; --from) {
          if (conflict(body.items[from], queue, item, toQueue)) {
            candidates.push_back({from, queue});
            break;
          }
        }
      }
      // The latest first, since only a later one implies an earlier one; in one item, the one that implies the other first.
      llvm::stable_sort(candidates, [&](auto a, auto b) {
        if (a.first != b.first) {
          return a.first > b.first;
        }
        return completed[a.first][a.second][b.second] == a.first && completed[b.first][b.second][a.second] != b.first;
      });
      for (auto [from, queue] : candidates) {
        if (known[toQueue][queue] >= from) {
          ++counts.implied;
          continue;
        }
        body.dependences.push_back({static_cast<unsigned>(from), queue, to, toQueue, 0});
        merge(known[toQueue], completed[from][queue]);
      }
    }
    for (unsigned queue = 0; queue < kNumQueues; ++queue) {
      completed[to][queue] = known[queue];
      if (!item.runsOn(queue)) {
        continue;
      }
      completed[to][queue][queue] = to;
      for (unsigned other = 0; other < kNumQueues && item.body; ++other) {
        if (item.runsOn(other) && item.body->implies[queue][other]) {
          merge(completed[to][queue], known[other]);
          completed[to][queue][other] = to;
        }
      }
    }
    for (unsigned queue = 0; queue < kNumQueues; ++queue) {
      if (item.runsOn(queue)) {
        known[queue] = completed[to][queue];
      }
    }
  }
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    for (unsigned other = 0; other < kNumQueues; ++other) {
      int last = body.getLast(queue), otherLast = body.getLast(other);
      body.implies[queue][other] = last >= 0 && otherLast >= 0 && completed[last][queue][other] >= otherLast;
    }
  }
}

//===----------------------------------------------------------------------===//
// Dependences between iterations
//===----------------------------------------------------------------------===//

/// Whether the dependences of the loop `inner` at distance `distance` go on into its next run. They do if the distance divides the
/// number of iterations: then the iterations of all runs are one sequence, in which a slot returns every `distance` iterations.
static bool isOneSequence(const Body &inner, int64_t distance) { return inner.tripCount % distance == 0; }

namespace {
/// Shortest paths between starts and ends of the work of a loop body, in iterations.
class OrderGraph {
public:
  explicit OrderGraph(const Body &body) : body(body), out(body.items.size() * kNumQueues * 2) {
    for (unsigned queue = 0; queue < kNumQueues; ++queue) {
      int first = -1, last = -1;
      for (unsigned i = 0; i < body.items.size(); ++i) {
        if (!body.items[i].runsOn(queue)) {
          continue;
        }
        out[start(i, queue)].push_back({end(i, queue), 0, nullptr});
        if (last >= 0) {
          out[end(last, queue)].push_back({start(i, queue), 0, nullptr});
        }
        first = first < 0 ? i : first;
        last = i;
        for (unsigned other = 0; other < kNumQueues && body.items[i].body; ++other) {
          if (other != queue && body.items[i].body->implies[queue][other]) {
            out[end(i, other)].push_back({end(i, queue), 0, nullptr});
          }
        }
      }
      if (last >= 0) {
        out[end(last, queue)].push_back({start(first, queue), 1, nullptr});
      }
    }
    for (const Dependence &dependence : body.dependences) {
      out[end(dependence.from, dependence.fromQueue)].push_back(
          {start(dependence.to, dependence.toQueue), dependence.distance, &dependence});
    }
  }

  /// Whether the other dependences and the order of the queues imply a dependence. `removed` are out of the graph.
  bool isImplied(const Dependence &dependence, ArrayRef<const Dependence *> removed) const {
    unsigned source = end(dependence.from, dependence.fromQueue), target = start(dependence.to, dependence.toQueue);
    std::vector<int64_t> distance(out.size(), std::numeric_limits<int64_t>::max());
    using Entry = std::pair<int64_t, unsigned>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    distance[source] = 0;
    open.push({0, source});
    while (!open.empty()) {
      auto [length, node] = open.top();
      open.pop();
      if (node == target) {
        return true;
      }
      for (const Edge &edge : out[node]) {
        int64_t next = length + edge.weight;
        if (edge.dependence == &dependence || llvm::is_contained(removed, edge.dependence) ||
            next > dependence.distance || next >= distance[edge.target]) {
          continue;
        }
        distance[edge.target] = next;
        open.push({next, edge.target});
      }
    }
    return false;
  }

private:
  struct Edge {
    unsigned target;
    int64_t weight;
    const Dependence *dependence;
  };
  static unsigned start(unsigned item, unsigned queue) { return (item * kNumQueues + queue) * 2; }
  static unsigned end(unsigned item, unsigned queue) { return start(item, queue) + 1; }

  const Body &body;
  std::vector<SmallVector<Edge, 4>> out;
};
} // namespace

/// Appends a dependence unless one between the same two queues implies it; removes those that it implies.
static void addCarried(SmallVectorImpl<Dependence> &carried, const Dependence &dependence) {
  auto implies = [](const Dependence &a, const Dependence &b) {
    return a.from >= b.from && a.to <= b.to && a.distance <= b.distance;
  };
  if (llvm::any_of(carried, [&](const Dependence &other) { return implies(other, dependence); })) {
    return;
  }
  llvm::erase_if(carried, [&](const Dependence &other) { return implies(dependence, other); });
  carried.push_back(dependence);
}

/// The pairs (from, to) of items whose work on two queues must be ordered from one iteration to a later one.
static SmallVector<Dependence> findCarriedBetween(Body &body, unsigned fromQueue, unsigned toQueue, bool inLoop) {
  SmallVector<Dependence> found;
  for (unsigned from = 0; from < body.items.size(); ++from) {
    // If `to` comes after `from`, the dependence inside the iteration orders the later iterations as well.
    for (unsigned to = 0; to <= from; ++to) {
      int64_t distance = std::numeric_limits<int64_t>::max();
      for (const Effect &a : body.items[from].effects[fromQueue]) {
        for (const Effect &b : body.items[to].effects[toQueue]) {
          if (!a.conflictsWith(b)) {
            continue;
          }
          Body *inner = from == to ? body.items[from].body.get() : nullptr;
          if (inner && isOneSequence(*inner, getDistance(a, b, inner->loop))) {
            inner->continues = true;
            continue;
          }
          int64_t at = getDistance(a, b, body.loop);
          // Past the last iteration, a dependence matters if the loop around this one continues it.
          if (at < body.tripCount || (inLoop && isOneSequence(body, at))) {
            distance = std::min(distance, at);
          }
        }
      }
      if (distance != std::numeric_limits<int64_t>::max()) {
        addCarried(found, {from, fromQueue, to, toQueue, distance});
      }
    }
  }
  return found;
}

/// Adds the carried dependences that the order of the queues, those inside the iteration and each other do not imply.
static void findCarried(Body &body, bool inLoop, HazardCounts &counts) {
  size_t numForward = body.dependences.size();
  for (unsigned fromQueue = 0; fromQueue < kNumQueues; ++fromQueue) {
    for (unsigned toQueue = 0; toQueue < kNumQueues; ++toQueue) {
      if (fromQueue != toQueue) {
        llvm::append_range(body.dependences, findCarriedBetween(body, fromQueue, toQueue, inLoop));
      }
    }
  }
  OrderGraph graph(body);
  SmallVector<const Dependence *> removed;
  for (const Dependence &dependence : ArrayRef(body.dependences).drop_front(numForward)) {
    if (graph.isImplied(dependence, removed)) {
      removed.push_back(&dependence);
    }
  }
  counts.implied += removed.size();
  SmallVector<Dependence> kept;
  for (const Dependence &dependence : body.dependences) {
    if (!llvm::is_contained(removed, &dependence)) {
      kept.push_back(dependence);
    }
  }
  body.dependences = std::move(kept);
}

static void analyze(Body &body, bool inLoop, HazardCounts &counts) {
  for (Item &item : body.items) {
    if (item.body) {
      analyze(*item.body, /*inLoop=*/static_cast<bool>(body.loop), counts);
    }
  }
  findForward(body, counts);
  if (body.loop) {
    findCarried(body, inLoop, counts);
  }
}

FailureOr<Body> npu::analyzeHazards(Block &block, HazardCounts &counts) {
  FailureOr<Body> body = collect(block, scf::ForOp());
  if (succeeded(body)) {
    analyze(*body, /*inLoop=*/false, counts);
  }
  return body;
}
