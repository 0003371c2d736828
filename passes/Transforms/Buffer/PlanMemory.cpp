// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Buffer/Passes.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/Target/Target.h"
#include "passes/Analysis/Storage.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::npu {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Transforms/Buffer/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npu-plan-memory"

using namespace mlir;
using namespace mlir::npu;

/// The source nodes of the ops that touch a storage, for messages.
static SmallVector<StringRef> getSourceNames(ProgramOp program, ArrayRef<Storage *> storage) {
  llvm::SetVector<StringRef> names;
  program.walk([&](Operation *op) {
    if (!isDeviceOp(op)) {
      return;
    }
    for (const Access &access : getAccesses(op)) {
      bool touches = llvm::any_of(storage, [&](Storage *entry) { return entry->op == access.root.getDefiningOp(); });
      if (StringRef name = getSourceName(op->getLoc()); touches && !name.empty()) {
        names.insert(name);
      }
    }
  });
  return names.takeVector();
}

static void reportOverflow(ProgramOp program, MutableArrayRef<Storage> storage, Space space, int64_t bytes,
                           int64_t capacity) {
  SmallVector<Storage *> peak = getStorageAtPeak(storage, space);
  InFlightDiagnostic diagnostic = program.emitError()
                                  << "program '" << program.getSymName() << "' needs " << bytes << " bytes of "
                                  << stringifySpace(space) << ", but target '" << getTarget(program).name << "' has "
                                  << capacity;
  SmallVector<StringRef> names = getSourceNames(program, peak);
  if (!names.empty()) {
    diagnostic << ", at source node";
    diagnostic << (names.size() > 1 ? "s " : " ");
    llvm::interleaveComma(names, diagnostic, [&](StringRef name) { diagnostic << "'" << name << "'"; });
  }
  constexpr size_t kShown = 3;
  for (Storage *entry : ArrayRef(peak).take_front(kShown)) {
    diagnostic.attachNote(entry->op->getLoc())
        << entry->getBytes() << " bytes are this buffer, " << entry->op->getResult(0).getType();
  }
  diagnostic.attachNote() << "smaller tiles that save " << bytes - capacity << " bytes here, or a target with "
                          << (space == Space::Sram ? "sram_bytes" : "acc_bytes") << " of at least " << bytes
                          << ", would fit";
}

namespace {
struct PlanMemoryPass : npu::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    SmallVector<Storage> storage = collectStorage(program);
    for (Storage &entry : storage) {
      if (!isa<BufferOp, RingOp>(entry.op)) {
        entry.op->emitError() << "expected storage to be 'npu.buffer' or 'npu.ring', but found '" << entry.op->getName()
                              << "': npu-multi-buffer runs first";
        return signalPassFailure();
      }
    }
    for (Space space : {Space::Sram, Space::Acc, Space::Dram}) {
      if (failed(plan(program, storage, space))) {
        return signalPassFailure();
      }
    }
    Builder builder(&getContext());
    for (Storage &entry : storage) {
      entry.op->setAttr("offset", builder.getI64IntegerAttr(entry.offset));
    }
  }

private:
  LogicalResult plan(ProgramOp program, MutableArrayRef<Storage> storage, Space space) {
    int64_t alignment = getTarget(program).alignmentBytes;
    std::optional<int64_t> capacity = getCapacity(program, space);
    if (capacity) {
      computeLifetimes(program, storage, Lifetime::Steps);
      int64_t bytes = packStorage(storage, space, alignment);
      if (bytes <= *capacity) {
        record(space, bytes);
        return success();
      }
    }
    computeLifetimes(program, storage, Lifetime::Uses);
    int64_t bytes = packStorage(storage, space, alignment);
    LDBG() << stringifySpace(space) << " by uses: " << bytes << " bytes";
    if (capacity && bytes > *capacity) {
      reportOverflow(program, storage, space, bytes, *capacity);
      return failure();
    }
    record(space, bytes);
    return success();
  }

  void record(Space space, int64_t bytes) {
    Statistic &statistic = space == Space::Sram ? peakSram : space == Space::Acc ? peakAcc : arenaDram;
    statistic.updateMax(bytes);
  }
};
} // namespace
