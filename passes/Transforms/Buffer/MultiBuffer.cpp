// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Buffer/Passes.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/Target/Target.h"
#include "passes/Analysis/Storage.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::npu {
#define GEN_PASS_DEF_MULTIBUFFERPASS
#include "passes/Transforms/Buffer/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npu-multi-buffer"

using namespace mlir;
using namespace mlir::npu;

/// The type that a view gets when its source has type `source`; null for an op that takes any memref.
static MemRefType getViewType(Operation *op, MemRefType source) {
  return llvm::TypeSwitch<Operation *, MemRefType>(op)
      .Case([&](memref::SubViewOp view) {
        return memref::SubViewOp::inferRankReducedResultType(view.getType().getShape(), source, view.getMixedOffsets(),
                                                             view.getMixedSizes(), view.getMixedStrides());
      })
      .Case([&](memref::ExpandShapeOp view) {
        FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
            source, view.getResultType().getShape(), view.getReassociationIndices());
        return succeeded(type) ? *type : MemRefType();
      })
      .Case([&](memref::CollapseShapeOp view) {
        return memref::CollapseShapeOp::computeCollapsedType(source, view.getReassociationIndices());
      })
      .Default(MemRefType());
}

/// Gives the views of a memref the types that follow from its own.
static void updateViewTypes(Value memref) {
  for (Operation *user : memref.getUsers()) {
    MemRefType type = getViewType(user, cast<MemRefType>(memref.getType()));
    if (type && type != user->getResult(0).getType()) {
      user->getResult(0).setType(type);
      updateViewTypes(user->getResult(0));
    }
  }
}

namespace {
struct MultiBufferPass : npu::impl::MultiBufferPassBase<MultiBufferPass> {
  using MultiBufferPassBase::MultiBufferPassBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (depth < 1) {
      program.emitError() << "expected option 'depth' to be at least 1, but found " << int64_t(depth);
      return signalPassFailure();
    }
    SmallVector<Storage> storage = collectStorage(program);
    if (failed(checkLoops(storage))) {
      return signalPassFailure();
    }
    chooseDepths(program, storage);
    for (Space space : {Space::Sram, Space::Acc}) {
      fitDepths(program, storage, space);
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    for (Storage &entry : storage) {
      if (auto alloc = dyn_cast<memref::AllocOp>(entry.op)) {
        rewrite(builder, alloc, entry);
      }
    }
    // Only now: one of them may be the op that the builder inserts in front of.
    for (const Storage &entry : storage) {
      if (isa<memref::AllocOp>(entry.op)) {
        entry.op->erase();
      }
    }
  }

private:
  LogicalResult checkLoops(ArrayRef<Storage> storage) {
    for (const Storage &entry : storage) {
      scf::ForOp loop = entry.loop;
      if (loop && !getTripCount(loop)) {
        InFlightDiagnostic diagnostic = loop.emitError()
                                        << "expected a loop of constant bounds around an allocation";
        diagnostic.attachNote(entry.op->getLoc()) << "the allocation is here";
        return failure();
      }
    }
    return success();
  }

  /// The slots that the rings of a loop shall have.
  int64_t getWantedDepth(scf::ForOp loop) const {
    auto own = loop->getAttrOfType<IntegerAttr>(NPUDialect::kDepthAttrName);
    return std::min<int64_t>(own ? own.getInt() : int64_t(depth), *getTripCount(loop));
  }

  void chooseDepths(ProgramOp program, MutableArrayRef<Storage> storage) {
    llvm::DenseMap<Operation *, llvm::SmallSet<Queue, 4>> queues;
    program.walk([&](Operation *op) {
      if (!isDeviceOp(op)) {
        return;
      }
      for (const Access &access : getAccesses(op)) {
        if (Operation *root = access.root.getDefiningOp()) {
          queues[root].insert(chooseQueue(op));
        }
      }
    });
    for (Storage &entry : storage) {
      if (isa<memref::AllocOp>(entry.op) && entry.loop && queues[entry.op].size() > 1) {
        entry.depth = getWantedDepth(entry.loop);
      }
    }
  }

  /// Takes slots away until the memory holds everything. A program that does not fit with one slot each is left to
  /// npu-plan-memory, which reports it.
  void fitDepths(ProgramOp program, MutableArrayRef<Storage> storage, Space space) {
    int64_t capacity = *getCapacity(program, space), alignment = getTarget(program).alignmentBytes;
    while (true) {
      computeLifetimes(program, storage, Lifetime::Uses);
      int64_t bytes = packStorage(storage, space, alignment);
      if (bytes <= capacity) {
        return;
      }
      Storage *largest = nullptr;
      auto consider = [&](Storage &entry) {
        if (entry.space == space && entry.depth > 1 && isa<memref::AllocOp>(entry.op) &&
            (!largest || entry.slotBytes > largest->slotBytes)) {
          largest = &entry;
        }
      };
      for (Storage *entry : getStorageAtPeak(storage, space)) {
        consider(*entry);
      }
      if (!largest) { // the peak has no ring, but gaps between others may be what is too large
        llvm::for_each(storage, consider);
      }
      if (!largest) {
        return;
      }
      LDBG() << "depth " << largest->depth << " of " << largest->slotBytes << " bytes does not fit: " << bytes << " of "
             << capacity << " bytes";
      if (reduced.insert(largest->op).second) {
        ++numReduced;
        largest->op->emitRemark() << "buffer of " << largest->slotBytes << " bytes gets fewer than "
                                  << getWantedDepth(largest->loop)
                                  << " slots: the program would need " << bytes << " of " << capacity << " bytes of "
                                  << stringifySpace(space);
      }
      --largest->depth;
    }
  }

  void rewrite(OpBuilder &builder, memref::AllocOp alloc, const Storage &entry) {
    MemRefType type = alloc.getType();
    if (!entry.loop) {
      auto buffer = BufferOp::create(builder, alloc.getLoc(), type, IntegerAttr());
      alloc.replaceAllUsesWith(buffer.getResult());
      ++numBuffers;
      return;
    }
    SmallVector<int64_t> shape{entry.depth};
    llvm::append_range(shape, type.getShape());
    auto ringType = MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
    auto ring = RingOp::create(builder, alloc.getLoc(), ringType, IntegerAttr());
    OpBuilder atAlloc(alloc);
    scf::ForOp loop = entry.loop;
    auto slot = RingSlotOp::create(atAlloc, alloc.getLoc(), RingSlotOp::slotType(ringType), ring.getResult(),
                                   loop.getInductionVar(),
                                   atAlloc.getI64IntegerAttr(*getConstantIntValue(loop.getStep())));
    alloc.replaceAllUsesWith(slot.getResult());
    updateViewTypes(slot.getResult());
    ++numRings;
  }

  llvm::SmallPtrSet<Operation *, 8> reduced;
};
} // namespace
