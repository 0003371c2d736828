// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/Storage.h"

#include "dialects/Target/Target.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::npu;

/// The loop that all slots of a ring are taken in; null if they differ or there is none.
static scf::ForOp getRingLoop(RingOp ring) {
  scf::ForOp loop;
  for (Operation *user : ring->getUsers()) {
    auto slot = dyn_cast<RingSlotOp>(user);
    auto index = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument();
    auto parent = index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()) : scf::ForOp();
    if (!parent || (loop && loop != parent)) {
      return {};
    }
    loop = parent;
  }
  return loop;
}

SmallVector<Storage> npu::collectStorage(ProgramOp program) {
  SmallVector<Storage> storage;
  program.walk([&](Operation *op) {
    if (!isa<BufferOp, RingOp, memref::AllocOp>(op)) {
      return;
    }
    auto type = cast<MemRefType>(op->getResult(0).getType());
    int64_t depth = isa<RingOp>(op) ? type.getDimSize(0) : 1;
    scf::ForOp loop;
    if (auto ring = dyn_cast<RingOp>(op)) {
      loop = getRingLoop(ring);
    } else if (isa<memref::AllocOp>(op)) {
      loop = op->getParentOfType<scf::ForOp>();
    }
    storage.push_back({op, getSpace(type), getSizeBytes(type) / depth, depth, loop, 0, -1});
  });
  return storage;
}

namespace {
/// The moments of a program: each op begins at one and ends at one, its nested ops in between.
struct Moments {
  explicit Moments(ProgramOp program) {
    int64_t moment = 0;
    program->walk([&](Operation *op, const WalkStage &stage) {
      if (stage.isBeforeAllRegions()) {
        begin[op] = moment++;
      }
      if (stage.isAfterAllRegions()) {
        end[op] = moment++;
      }
    });
  }
  llvm::DenseMap<Operation *, int64_t> begin;
  llvm::DenseMap<Operation *, int64_t> end;
};
} // namespace

/// The next op of the block that a queue runs or that holds such ops.
static Operation *nextStep(Operation *op) {
  while (op->getNextNode()) {
    op = op->getNextNode();
    if (isa<scf::ForOp>(op) || isDeviceOp(op) || isa<TaskOp>(op)) {
      break;
    }
  }
  return op;
}

void npu::computeLifetimes(ProgramOp program, MutableArrayRef<Storage> storage, Lifetime lifetime) {
  Moments moments(program);
  llvm::DenseMap<Operation *, Storage *> byOp;
  for (Storage &entry : storage) {
    entry.first = 0;
    entry.last = -1;
    byOp[entry.op] = &entry;
  }
  Block *top = &program.getBody().front();
  program.walk([&](Operation *user) {
    if (!isDeviceOp(user)) {
      return;
    }
    for (const Access &access : getAccesses(user)) {
      Operation *root = access.root.getDefiningOp();
      auto it = root ? byOp.find(root) : byOp.end();
      if (it == byOp.end()) {
        continue;
      }
      Storage &entry = *it->second;
      Operation *from, *to;
      if (lifetime == Lifetime::Steps) {
        from = top->findAncestorOpInBlock(*user);
        to = nextStep(from);
      } else if (entry.loop && entry.depth > 1) {
        from = to = entry.loop; // a slot lives on while the next iterations fill the others
      } else {
        from = to = (entry.loop ? entry.loop.getBody() : top)->findAncestorOpInBlock(*user);
      }
      bool isFirst = entry.first > entry.last;
      entry.first = isFirst ? moments.begin.at(from) : std::min(entry.first, moments.begin.at(from));
      entry.last = std::max(entry.last, moments.end.at(to));
    }
  });
}

int64_t npu::packStorage(MutableArrayRef<Storage> storage, Space space, int64_t alignment) {
  SmallVector<Storage *> order;
  for (Storage &entry : storage) {
    if (entry.space == space) {
      order.push_back(&entry);
    }
  }
  llvm::stable_sort(order, [](Storage *a, Storage *b) { return a->getBytes() > b->getBytes(); });
  SmallVector<Storage *> placed; // by offset
  int64_t peak = 0;
  for (Storage *entry : order) {
    int64_t bytes = llvm::alignTo(entry->getBytes(), alignment);
    int64_t gapBegin = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
    for (Storage *other : placed) {
      if (!entry->isAliveWith(*other)) {
        continue;
      }
      int64_t gap = other->offset - gapBegin;
      if (gap >= bytes && gap < bestGap) {
        best = gapBegin;
        bestGap = gap;
      }
      gapBegin = std::max<int64_t>(gapBegin, other->offset + llvm::alignTo(other->getBytes(), alignment));
    }
    entry->offset = best >= 0 ? best : gapBegin;
    peak = std::max(peak, entry->offset + bytes);
    placed.insert(llvm::upper_bound(placed, entry, [](Storage *a, Storage *b) { return a->offset < b->offset; }), entry);
  }
  return peak;
}

std::optional<int64_t> npu::getCapacity(Operation *op, Space space) {
  TargetDesc target = getTarget(op);
  switch (space) {
  case Space::Sram:
    return target.sramBytes;
  case Space::Acc:
    return target.accBytes;
  case Space::Dram:
  case Space::Host:
    return std::nullopt;
  }
  llvm_unreachable("all spaces are listed");
}

SmallVector<Storage *> npu::getStorageAtPeak(MutableArrayRef<Storage> storage, Space space) {
  SmallVector<Storage *> best;
  int64_t bestBytes = -1;
  for (Storage &at : storage) { // the bytes alive grow only where a lifetime begins
    if (at.space != space || at.first > at.last) {
      continue;
    }
    SmallVector<Storage *> alive;
    int64_t bytes = 0;
    for (Storage &entry : storage) {
      if (entry.space == space && entry.first <= at.first && at.first <= entry.last) {
        alive.push_back(&entry);
        bytes += entry.getBytes();
      }
    }
    if (bytes > bestBytes) {
      bestBytes = bytes;
      best = std::move(alive);
    }
  }
  llvm::stable_sort(best, [](Storage *a, Storage *b) { return a->getBytes() > b->getBytes(); });
  return best;
}
