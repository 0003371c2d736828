// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/Accesses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::npu;

Value npu::getStorageRoot(Value memref, RingSlotOp *slot) {
  while (Operation *op = memref.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view) {
      break;
    }
    if (auto ringSlot = dyn_cast<RingSlotOp>(op); ringSlot && slot) {
      *slot = ringSlot;
    }
    memref = view.getViewSource();
  }
  return memref;
}

SmallVector<Access> npu::getAccesses(Operation *op) {
  SmallVector<Access> accesses;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return accesses;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (bool writes : {false, true}) {
    for (MemoryEffects::EffectInstance &effect : effects) {
      bool matches = writes ? isa<MemoryEffects::Write>(effect.getEffect()) : isa<MemoryEffects::Read>(effect.getEffect());
      if (Value value = effect.getValue(); matches && value) {
        RingSlotOp slot;
        Value root = getStorageRoot(value, &slot);
        accesses.push_back({root, slot, writes});
      }
    }
  }
  return accesses;
}

bool npu::isDeviceOp(Operation *op) {
  return isa<CopyOp, GatherOp, LoadOp, PadOp, StoreOp, TransposeOp>(op) || isa<StructuredOpInterface>(op);
}

Queue npu::chooseQueue(Operation *op) {
  if (auto structured = dyn_cast<StructuredOpInterface>(op)) {
    return structured.getQueue();
  }
  if (isa<GatherOp, LoadOp>(op)) {
    return Queue::LD;
  }
  Value init = cast<DestinationStyleOpInterface>(op).getDpsInits().front();
  return getSpace(init.getType()) == Space::Dram ? Queue::ST : Queue::LD;
}

std::optional<int64_t> npu::getTripCount(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step < 1) {
    return std::nullopt;
  }
  return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
}
