// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Buffer/Passes.h"

#include "dialects/NPU/IR/NPU.h"
#include "passes/Analysis/Hazards.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::npu {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Transforms/Buffer/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npu-schedule"

using namespace mlir;
using namespace mlir::npu;

namespace {
/// Turns the dependences of a body and those nested in it into tasks and tokens.
class TokenBuilder {
public:
  explicit TokenBuilder(MLIRContext *context) : builder(context) {}

  /// `results` are the queues whose last token in the loop is wanted after it. `chains` are the carried tokens that the loop
  /// gets from outside, in the order of getChainWidths(). Returns the tokens that the last iteration hands on: results, then chains.
  SmallVector<Value> emit(Body &body, const QueueSet &results, ArrayRef<Value> chains);

  int64_t numTasks = 0;

private:
  /// The tokens that the items of one iteration have made, by item and queue.
  using Tokens = llvm::DenseMap<std::pair<unsigned, unsigned>, Value>;

  /// The number of tokens that a loop carries for its own dependences and those that loops inside continue through it.
  static unsigned getNumCarried(const Body &body);
  void emitTask(Item &item, Queue queue, ArrayRef<Value> waits, Tokens &tokens, unsigned index);
  /// Returns the chains of the loop at its end, if it continues them.
  SmallVector<Value> emitLoop(Item &item, unsigned index, const QueueSet &wanted, ArrayRef<SmallVector<Value>> waits,
                              ArrayRef<Value> chains, Tokens &tokens);

  OpBuilder builder;
};
} // namespace

unsigned TokenBuilder::getNumCarried(const Body &body) {
  unsigned count = 0;
  for (const Dependence &dependence : body.getCarried()) {
    count += dependence.distance;
  }
  for (const Item &item : body.items) {
    if (item.body && item.body->continues) {
      count += getNumCarried(*item.body);
    }
  }
  return count;
}

void TokenBuilder::emitTask(Item &item, Queue queue, ArrayRef<Value> waits, Tokens &tokens, unsigned index) {
  builder.setInsertionPoint(item.op);
  auto task = TaskOp::create(builder, item.op->getLoc(), queue, waits);
  Block &block = task.getBody().front();
  item.op->moveBefore(&block, block.end());
  tokens[{index, static_cast<unsigned>(queue)}] = task.getToken();
  ++numTasks;
}

SmallVector<Value> TokenBuilder::emitLoop(Item &item, unsigned index, const QueueSet &wanted,
                                          ArrayRef<SmallVector<Value>> waits, ArrayRef<Value> chains, Tokens &tokens) {
  auto loop = cast<scf::ForOp>(item.op);
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    if (!waits[queue].empty()) {
      WaitOp::create(builder, loc, static_cast<Queue>(queue), waits[queue]);
    }
  }
  unsigned numResults = llvm::count(wanted, true), numCarried = getNumCarried(*item.body);
  SmallVector<Value> inits;
  if (unsigned numReady = numResults + (item.body->continues ? 0 : numCarried)) {
    inits.assign(numReady, ReadyOp::create(builder, loc));
  }
  if (item.body->continues) {
    llvm::append_range(inits, chains);
  }
  auto newLoop = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits,
                                    nullptr, loop.getUnsignedCmp());
  newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *newBody = newLoop.getBody(), *oldBody = loop.getBody();
  if (!newBody->empty()) { // the builder ends a loop that carries nothing
    newBody->back().erase();
  }
  oldBody->back().erase();
  newBody->getOperations().splice(newBody->end(), oldBody->getOperations());
  loop.getInductionVar().replaceAllUsesWith(newLoop.getInductionVar());
  loop.erase();
  item.op = newLoop;

  SmallVector<Value> arguments(newLoop.getRegionIterArgs());
  SmallVector<Value> yielded = emit(*item.body, wanted, ArrayRef(arguments).drop_front(numResults));
  builder.setInsertionPointToEnd(newBody);
  scf::YieldOp::create(builder, loc, yielded);
  unsigned position = 0;
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    if (wanted[queue]) {
      tokens[{index, queue}] = newLoop.getResult(position++);
    }
  }
  return item.body->continues ? SmallVector<Value>(newLoop.getResults().drop_front(numResults)) : SmallVector<Value>();
}

SmallVector<Value> TokenBuilder::emit(Body &body, const QueueSet &results, ArrayRef<Value> chains) {
  SmallVector<Dependence> carried = body.getCarried();
  SmallVector<ArrayRef<Value>> ownChains;
  for (const Dependence &dependence : carried) {
    ownChains.push_back(chains.take_front(dependence.distance));
    chains = chains.drop_front(dependence.distance);
  }
  Tokens tokens;
  SmallVector<Value> continued;
  for (auto [index, item] : llvm::enumerate(body.items)) {
    QueueSet wanted = {};
    for (unsigned queue = 0; queue < kNumQueues; ++queue) {
      wanted[queue] = results[queue] && body.getLast(queue) == static_cast<int>(index);
    }
    SmallVector<SmallVector<Value>> waits(kNumQueues);
    for (const Dependence &dependence : body.dependences) {
      wanted[dependence.fromQueue] |= dependence.from == index;
      if (dependence.to == index && dependence.distance == 0) {
        waits[dependence.toQueue].push_back(tokens.at({dependence.from, dependence.fromQueue}));
      }
    }
    for (auto [dependence, chain] : llvm::zip(carried, ownChains)) {
      if (dependence.to == index) {
        waits[dependence.toQueue].push_back(chain.front());
      }
    }
    if (!item.body) {
      for (unsigned queue = 0; queue < kNumQueues; ++queue) {
        if (item.runsOn(queue)) {
          emitTask(item, static_cast<Queue>(queue), waits[queue], tokens, index);
        }
      }
      continue;
    }
    unsigned numInherited = item.body->continues ? getNumCarried(*item.body) : 0;
    llvm::append_range(continued, emitLoop(item, index, wanted, waits, chains.take_front(numInherited), tokens));
    chains = chains.drop_front(numInherited);
  }
  SmallVector<Value> handedOn;
  for (unsigned queue = 0; queue < kNumQueues; ++queue) {
    if (results[queue]) {
      handedOn.push_back(tokens.at({static_cast<unsigned>(body.getLast(queue)), queue}));
    }
  }
  for (auto [dependence, chain] : llvm::zip(carried, ownChains)) {
    llvm::append_range(handedOn, chain.drop_front());
    handedOn.push_back(tokens.at({dependence.from, dependence.fromQueue}));
  }
  llvm::append_range(handedOn, continued);
  return handedOn;
}

static void countDependences(const Body &body, int64_t &forward, int64_t &carried) {
  int64_t here = body.getCarried().size();
  carried += here;
  forward += body.dependences.size() - here;
  for (const Item &item : body.items) {
    if (item.body) {
      countDependences(*item.body, forward, carried);
    }
  }
}

namespace {
struct SchedulePass : npu::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    HazardCounts counts;
    FailureOr<Body> body = analyzeHazards(getOperation().getBody().front(), counts);
    if (failed(body)) {
      return signalPassFailure();
    }
    int64_t forward = 0, carried = 0;
    countDependences(*body, forward, carried);
    TokenBuilder tokens(&getContext());
    tokens.emit(*body, /*results=*/{}, /*chains=*/{});
    numTasks += tokens.numTasks;
    numForward += forward;
    numCarried += carried;
    numImplied += counts.implied;
  }
};
} // namespace
