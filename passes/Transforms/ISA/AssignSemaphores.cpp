// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/InstructionFields.h"
#include "dialects/Target/Target.h"
#include "passes/Transforms/ISA/Passes.h"
#include "passes/Transforms/ISA/SemaphoreGraph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::npu {
#define GEN_PASS_DEF_ASSIGNSEMAPHORESPASS
#include "passes/Transforms/ISA/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npuisa-assign-semaphores"

using namespace mlir;
using namespace mlir::npuisa;

namespace {

/// What a semaphore counts: dependences from one queue to another, at one loop depth and distance (0: not carried).
struct SemaphoreKey {
  Queue producer;
  Queue consumer;
  unsigned depth;
  unsigned distance;

  bool operator==(const SemaphoreKey &o) const {
    return producer == o.producer && consumer == o.consumer && depth == o.depth && distance == o.distance;
  }
};

/// Semaphores to wait for and to signal at one instruction, with counts.
struct SyncLists {
  SmallVector<std::pair<unsigned, unsigned>> waits;
  SmallVector<std::pair<unsigned, unsigned>> signals;
};

void addCount(SmallVectorImpl<std::pair<unsigned, unsigned>> &list, unsigned semaphore, unsigned count) {
  for (auto &[known, total] : list) {
    if (known == semaphore) {
      total += count;
      return;
    }
  }
  list.emplace_back(semaphore, count);
}

/// Replaces the tokens of one program.
class Assignment {
public:
  Assignment(ProgramOp program, npuhw::TargetDesc target)
      : program(program), builder(program.getContext()), target(std::move(target)) {}

  LogicalResult run() {
    if (failed(processBlock(program.getBody().front(), 0))) {
      return failure();
    }
    if (keys.size() > target.numSemaphores) {
      return program.emitError() << "program '" << program.getSymName() << "' needs " << keys.size()
                                 << " semaphores (one for each pair of queues, loop depth and distance), but the target "
                                    "has "
                                 << target.numSemaphores << " ('num_semaphores')";
    }
    for (auto &[op, lists] : syncs) {
      attach(op, lists);
    }
    removeTokens();
    return success();
  }

  unsigned getNumSemaphores() const { return keys.size(); }
  unsigned numDependences = 0;
  unsigned numImplied = 0;
  unsigned numSyncs = 0;

private:
  ProgramOp program;
  OpBuilder builder;
  npuhw::TargetDesc target;
  SmallVector<SemaphoreKey> keys;
  llvm::MapVector<Operation *, SyncLists> syncs;
  /// The sync behind a loop that stands for what a queue did inside.
  DenseMap<std::pair<Operation *, unsigned>, Operation *> loopEnds;

  unsigned getSemaphore(SemaphoreKey key) {
    auto it = llvm::find(keys, key);
    if (it == keys.end()) {
      LDBG() << "semaphore " << keys.size() << ": " << stringifyQueue(key.producer) << " to "
             << stringifyQueue(key.consumer) << " at depth " << key.depth << ", distance " << key.distance;
      keys.push_back(key);
      return keys.size() - 1;
    }
    return it - keys.begin();
  }

  Operation *createSync(Location loc, Queue queue, ValueRange after = {}) {
    ++numSyncs;
    npuhw::Sync sync;
    sync.queue = static_cast<npuhw::Queue>(queue);
    return createInstruction(builder, loc, sync, {}, after);
  }

  //===--------------------------------------------------------------------===//
  // Dependences
  //===--------------------------------------------------------------------===//

  /// Inner loops first: what they need from outside becomes a sync in front of them, which the block around them sees.
  LogicalResult processBlock(Block &block, unsigned depth) {
    for (LoopOp loop : llvm::make_early_inc_range(block.getOps<LoopOp>())) {
      if (failed(processBlock(loop.getBody().front(), depth + 1))) {
        return failure();
      }
    }
    SmallVector<Dependence> dependences;
    SmallVector<Operation *> instructions;
    for (Operation &op : block) {
      if (isInstruction(&op)) {
        instructions.push_back(&op);
      }
    }
    for (Operation *op : instructions) {
      for (Value token : op->getOperands()) {
        collect(token, op, dependences);
      }
    }
    SmallVector<Dependence> kept = reduceDependences(dependences);
    numDependences += kept.size();
    numImplied += dependences.size() - kept.size();
    DenseMap<unsigned, unsigned> carried;
    for (const Dependence &dependence : kept) {
      unsigned semaphore = getSemaphore(
          {dependence.producerQueue(), dependence.consumerQueue(), depth, dependence.distance});
      addCount(syncs[dependence.producer].signals, semaphore, 1);
      addCount(syncs[dependence.consumer].waits, semaphore, 1);
      if (dependence.distance != 0) {
        carried[semaphore] += dependence.distance;
      }
    }
    return success(carried.empty() || succeeded(addCredits(cast<LoopOp>(block.getParentOp()), carried)));
  }

  /// What is waited for over the first iterations is there before the loop, and what nobody waits for in the last ones
  /// is taken away after it.
  LogicalResult addCredits(LoopOp loop, const DenseMap<unsigned, unsigned> &carried) {
    SmallVector<std::pair<unsigned, unsigned>> sorted(carried.begin(), carried.end());
    llvm::sort(sorted);
    for (auto [semaphore, credits] : sorted) {
      const SemaphoreKey &key = keys[semaphore];
      if (credits > target.maxSemaphoreCount || credits > UINT8_MAX) {
        return loop.emitError() << "expected at most "
                                << std::min<uint64_t>(target.maxSemaphoreCount, UINT8_MAX)
                                << " dependences in flight ('max_semaphore_count'), but queue '"
                                << stringifyQueue(key.consumer) << "' may run " << credits << " ahead of '"
                                << stringifyQueue(key.producer) << "'";
      }
      builder.setInsertionPoint(loop);
      addCount(syncs[createSync(loop.getLoc(), key.producer)].signals, semaphore, credits);
      builder.setInsertionPointAfter(loop);
      addCount(syncs[createSync(loop.getLoc(), key.consumer)].waits, semaphore, credits);
    }
    return success();
  }

  void addDependence(Operation *producer, Operation *consumer, unsigned distance,
                     SmallVectorImpl<Dependence> &dependences) {
    // One queue is in order by itself.
    if (getQueue(producer) != getQueue(consumer)) {
      dependences.push_back({producer, consumer, distance});
    }
  }

  /// Adds the dependences that `consumer` has by waiting for a token.
  void collect(Value token, Operation *consumer, SmallVectorImpl<Dependence> &dependences) {
    Block *block = consumer->getBlock();
    if (token.getParentBlock() != block) {
      hoist(token, consumer);
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(token)) {
      collectCarried(argument, consumer, dependences);
      return;
    }
    Operation *producer = token.getDefiningOp();
    if (isInstruction(producer)) {
      addDependence(producer, consumer, 0, dependences);
    } else if (auto loop = dyn_cast<LoopOp>(producer)) {
      auto result = cast<OpResult>(token);
      for (Operation *end : getLoopEnds(loop, result.getResultNumber())) {
        addDependence(end, consumer, 0, dependences);
      }
      for (Value init : getSurvivingInits(loop, result.getResultNumber())) {
        collect(init, consumer, dependences);
      }
    }
  }

  /// Makes a consumer in a loop wait in front of the loop.
  void hoist(Value token, Operation *consumer) {
    auto loop = cast<LoopOp>(consumer->getParentOp());
    builder.setInsertionPoint(loop);
    createSync(consumer->getLoc(), *getQueue(consumer), token);
  }

  /// Follows a carried token back to the instruction that made it, through as many iterations as it takes.
  void collectCarried(BlockArgument argument, Operation *consumer, SmallVectorImpl<Dependence> &dependences) {
    auto loop = cast<LoopOp>(argument.getOwner()->getParentOp());
    llvm::SmallBitVector seen(loop.getInits().size());
    Value token = argument;
    for (unsigned distance = 1;; ++distance) {
      unsigned position = cast<BlockArgument>(token).getArgNumber();
      if (seen.test(position)) {
        return;
      }
      seen.set(position);
      Value init = loop.getInits()[position];
      if (!isa_and_nonnull<ReadyOp>(init.getDefiningOp())) {
        hoist(init, consumer);
      }
      token = getYielded(loop, position);
      if (token.getParentBlock() != argument.getOwner()) {
        if (!isa_and_nonnull<ReadyOp>(token.getDefiningOp())) {
          hoist(token, consumer);
        }
        return;
      }
      if (isa<BlockArgument>(token)) {
        continue;
      }
      Operation *producer = token.getDefiningOp();
      if (isInstruction(producer)) {
        addDependence(producer, consumer, distance, dependences);
      } else if (auto inner = dyn_cast<LoopOp>(producer)) {
        unsigned number = cast<OpResult>(token).getResultNumber();
        for (Operation *end : getLoopEnds(inner, number)) {
          addDependence(end, consumer, distance, dependences);
        }
      }
      return;
    }
  }

  static Value getYielded(LoopOp loop, unsigned position) {
    return cast<YieldOp>(loop.getBody().front().back()).getTokens()[position];
  }

  /// The queues whose instructions inside of a loop make its result.
  static void collectQueues(LoopOp loop, unsigned position, SmallVectorImpl<Queue> &queues) {
    llvm::SmallBitVector seen(loop.getInits().size());
    while (!seen.test(position)) {
      seen.set(position);
      Value token = getYielded(loop, position);
      if (auto argument = dyn_cast<BlockArgument>(token)) {
        if (argument.getOwner() != &loop.getBody().front()) {
          return;
        }
        position = argument.getArgNumber();
        continue;
      }
      Operation *producer = token.getDefiningOp();
      if (auto inner = dyn_cast<LoopOp>(producer)) {
        collectQueues(inner, cast<OpResult>(token).getResultNumber(), queues);
      } else if (isInstruction(producer) && !llvm::is_contained(queues, *getQueue(producer))) {
        queues.push_back(*getQueue(producer));
      }
      return;
    }
  }

  /// The syncs behind a loop that complete after the instructions inside which make a result.
  SmallVector<Operation *> getLoopEnds(LoopOp loop, unsigned position) {
    SmallVector<Queue> queues;
    collectQueues(loop, position, queues);
    SmallVector<Operation *> ends;
    for (Queue queue : queues) {
      Operation *&end = loopEnds[{loop, static_cast<unsigned>(queue)}];
      if (!end) {
        builder.setInsertionPointAfter(loop);
        end = createSync(loop.getLoc(), queue);
      }
      ends.push_back(end);
    }
    return ends;
  }

  /// Initial tokens that a result may still be: a chain longer than the loop has iterations.
  static SmallVector<Value> getSurvivingInits(LoopOp loop, unsigned position) {
    SmallVector<Value> inits;
    llvm::SmallBitVector seen(loop.getInits().size());
    for (uint64_t iteration = 1; !seen.test(position); ++iteration) {
      seen.set(position);
      auto argument = dyn_cast<BlockArgument>(getYielded(loop, position));
      if (!argument || argument.getOwner() != &loop.getBody().front()) {
        break;
      }
      position = argument.getArgNumber();
      Value init = loop.getInits()[position];
      if (iteration >= loop.getCount() && !isa_and_nonnull<ReadyOp>(init.getDefiningOp())) {
        inits.push_back(init);
      }
    }
    return inits;
  }

  //===--------------------------------------------------------------------===//
  // Rewriting
  //===--------------------------------------------------------------------===//

  /// Takes up to the number of semaphores that an instruction holds from the front of a list.
  static SmallVector<npuhw::SyncRef> take(SmallVectorImpl<std::pair<unsigned, unsigned>> &list) {
    SmallVector<npuhw::SyncRef> result;
    for (auto [semaphore, count] : ArrayRef(list).take_front(npuhw::kMaxSyncs)) {
      result.push_back({static_cast<uint8_t>(semaphore), static_cast<uint8_t>(count)});
    }
    list.erase(list.begin(), list.begin() + result.size());
    return result;
  }

  /// Writes the semaphores of an instruction. What it cannot hold is waited for by syncs before it and signalled by
  /// syncs after it, in the same queue.
  void attach(Operation *op, SyncLists &lists) {
    for (auto *list : {&lists.waits, &lists.signals}) {
      llvm::sort(*list);
      // One for each dependence, of which the implied ones are gone, or the credits of one loop.
      assert(llvm::all_of(*list, [](auto entry) { return entry.second <= UINT8_MAX; }));
    }
    Queue queue = *getQueue(op);
    setSyncs(op, kWaitsAttrName, take(lists.waits));
    setSyncs(op, kSignalsAttrName, take(lists.signals));
    builder.setInsertionPoint(op);
    while (!lists.waits.empty()) {
      setSyncs(createSync(op->getLoc(), queue), kWaitsAttrName, take(lists.waits));
    }
    builder.setInsertionPointAfter(op);
    while (!lists.signals.empty()) {
      setSyncs(createSync(op->getLoc(), queue), kSignalsAttrName, take(lists.signals));
    }
  }

  void removeTokens() {
    SmallVector<Operation *> instructions, loops, ready;
    program.walk([&](Operation *op) {
      if (isa<LoopOp>(op)) {
        loops.push_back(op);
      } else if (isa<ReadyOp>(op)) {
        ready.push_back(op);
      } else if (isInstruction(op)) {
        instructions.push_back(op);
      }
    });
    for (Operation *op : instructions) {
      op->setOperands({});
    }
    for (Operation *op : loops) {
      op->setOperands({});
      Block &body = cast<LoopOp>(op).getBody().front();
      body.back().setOperands({});
      body.eraseArguments(0, body.getNumArguments());
    }
    for (Operation *op : instructions) {
      if (isa<SyncOp>(op) && getSyncs(op, kWaitsAttrName).empty() && getSyncs(op, kSignalsAttrName).empty()) {
        op->erase();
      } else {
        dropResults(op);
      }
    }
    for (Operation *op : loops) {
      dropResults(op);
    }
    for (Operation *op : ready) {
      op->erase();
    }
  }

  void dropResults(Operation *op) {
    if (op->getNumResults() == 0) {
      return;
    }
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions()) {
      state.addRegion()->takeBody(region);
    }
    builder.setInsertionPoint(op);
    builder.create(state);
    op->erase();
  }
};

struct AssignSemaphoresPass final : npu::impl::AssignSemaphoresPassBase<AssignSemaphoresPass> {
  using AssignSemaphoresPassBase::AssignSemaphoresPassBase;

  void runOnOperation() override {
    Assignment assignment(getOperation(), npu::getTarget(getOperation()));
    if (failed(assignment.run())) {
      return signalPassFailure();
    }
    numSemaphores += assignment.getNumSemaphores();
    numDependences += assignment.numDependences;
    numImplied += assignment.numImplied;
    numSyncs += assignment.numSyncs;
  }
};

} // namespace
