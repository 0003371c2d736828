// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/RaceCheck.h"

#include "dialects/Target/Target.h"
#include "passes/Analysis/Accesses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace mlir::npu;

namespace {
constexpr unsigned kQueues = 5;

/// For each queue, how many of its tasks have surely ended.
using Clock = std::array<int64_t, kQueues>;

/// The last task of a queue that touched a range in a way.
struct Record {
  int64_t begin;
  int64_t end;
  bool isWrite;
  unsigned queue;
  int64_t number;
  Operation *op;
};

class RaceChecker {
public:
  LogicalResult run(ProgramOp program) {
    program.walk([&](RingSlotOp slot) {
      int64_t depth = cast<MemRefType>(slot.getRing().getType()).getDimSize(0);
      int64_t &round = rounds.try_emplace(slot.getIndex(), 1).first->second;
      round = std::lcm(round, depth);
    });
    return runBlock(program.getBody().front());
  }

private:
  LogicalResult runBlock(Block &block);
  LogicalResult runLoop(scf::ForOp loop);
  LogicalResult runTask(TaskOp task);
  LogicalResult check(Operation *op, const Access &access, unsigned queue, const Clock &started);

  void waitFor(unsigned queue, ValueRange waits) {
    for (Value token : waits) {
      const Clock &clock = tokens[token];
      for (unsigned i = 0; i < kQueues; ++i) {
        known[queue][i] = std::max(known[queue][i], clock[i]);
      }
    }
  }

  /// What has ended before the next task of a queue starts.
  std::array<Clock, kQueues> known = {};
  llvm::DenseMap<Value, Clock> tokens;
  /// Values of induction variables, and after how many iterations their rings are where they were.
  llvm::DenseMap<Value, int64_t> indices;
  llvm::DenseMap<Value, int64_t> rounds;
  /// By argument, or by space for storage with an address.
  llvm::DenseMap<std::pair<void *, unsigned>, SmallVector<Record, 0>> records;
};
} // namespace

LogicalResult RaceChecker::check(Operation *op, const Access &access, unsigned queue, const Clock &started) {
  auto type = cast<MemRefType>(access.root.getType());
  int64_t begin = 0, bytes = getSizeBytes(type);
  void *root = access.root.getAsOpaquePointer();
  if (auto buffer = access.root.getDefiningOp<BufferOp>(); buffer && buffer.getOffset()) {
    begin = *buffer.getOffset();
    root = nullptr;
  } else if (auto ring = access.root.getDefiningOp<RingOp>(); ring && ring.getOffset()) {
    begin = *ring.getOffset();
    root = nullptr;
    if (RingSlotOp slot = access.slot) {
      bytes /= type.getDimSize(0);
      int64_t step = slot.getStep();
      begin += bytes * (indices.lookup(slot.getIndex()) / step % type.getDimSize(0));
    }
  }
  SmallVector<Record, 0> &history = records[{root, static_cast<unsigned>(getSpace(type))}];
  for (const Record &record : history) {
    bool meets = begin < record.end && record.begin < begin + bytes && (access.isWrite || record.isWrite);
    if (meets && record.queue != queue && started[record.queue] < record.number) {
      InFlightDiagnostic diagnostic = op->emitError()
                                      << "expected an order between tasks of queues "
                                      << stringifyQueue(static_cast<Queue>(record.queue)) << " and "
                                      << stringifyQueue(static_cast<Queue>(queue)) << " that touch bytes "
                                      << std::max(begin, record.begin) << " to "
                                      << std::min(begin + bytes, record.end) << " of "
                                      << stringifySpace(getSpace(type)) << ", but no token orders them";
      diagnostic.attachNote(record.op->getLoc()) << "the other task " << (record.isWrite ? "writes" : "reads") << " here";
      return failure();
    }
  }
  // Whoever conflicts with a write that covers a record is ordered after the record by way of the write.
  llvm::erase_if(history, [&](const Record &record) {
    bool covered = begin <= record.begin && record.end <= begin + bytes;
    return covered && (access.isWrite || (!record.isWrite && record.queue == queue));
  });
  history.push_back({begin, begin + bytes, access.isWrite, queue, started[queue] + 1, op});
  return success();
}

LogicalResult RaceChecker::runTask(TaskOp task) {
  auto queue = static_cast<unsigned>(task.getQueue());
  waitFor(queue, task.getWaits());
  Operation *op = task.getOperationInside();
  for (const Access &access : getAccesses(op)) {
    if (failed(check(op, access, queue, known[queue]))) {
      return failure();
    }
  }
  ++known[queue][queue];
  tokens[task.getToken()] = known[queue];
  return success();
}

LogicalResult RaceChecker::runLoop(scf::ForOp loop) {
  Value index = loop.getInductionVar();
  int64_t trips = *getTripCount(loop), round = rounds.try_emplace(index, 1).first->second;
  int64_t lower = *getConstantIntValue(loop.getLowerBound()), step = *getConstantIntValue(loop.getStep());
  trips = std::min(trips, 2 * round + trips % round);
  auto assign = [&](ValueRange to, ValueRange from) {
    SmallVector<Clock> clocks;
    for (Value value : from) {
      clocks.push_back(tokens[value]);
    }
    for (auto [value, clock] : llvm::zip(to, clocks)) {
      tokens[value] = clock;
    }
  };
  assign(loop.getRegionIterArgs(), loop.getInitArgs());
  for (int64_t i = 0; i < trips; ++i) {
    indices[index] = lower + i * step;
    if (failed(runBlock(*loop.getBody()))) {
      return failure();
    }
    assign(loop.getRegionIterArgs(), loop.getYieldedValues());
  }
  assign(loop.getResults(), loop.getRegionIterArgs());
  return success();
}

LogicalResult RaceChecker::runBlock(Block &block) {
  for (Operation &op : block) {
    if (auto task = dyn_cast<TaskOp>(op)) {
      if (failed(runTask(task))) {
        return failure();
      }
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(runLoop(loop))) {
        return failure();
      }
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      waitFor(static_cast<unsigned>(wait.getQueue()), wait.getTokens());
    } else if (auto ready = dyn_cast<ReadyOp>(op)) {
      tokens[ready.getToken()] = {};
    }
  }
  return success();
}

LogicalResult npu::checkRaces(ProgramOp program) { return RaceChecker().run(program); }
