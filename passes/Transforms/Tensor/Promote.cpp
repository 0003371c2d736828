// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "passes/Transforms/Tensor/KernelInfo.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "npu-promote"

namespace mlir::npu {
#define GEN_PASS_DEF_PROMOTEPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// Whether two offsets are the same number: the same value, or the same affine map of the same values.
static bool isSameOffset(OpFoldResult a, OpFoldResult b) {
  if (a == b) {
    return true;
  }
  auto first = dyn_cast<Value>(a), second = dyn_cast<Value>(b);
  if (!first || !second) {
    return false;
  }
  auto firstApply = first.getDefiningOp<affine::AffineApplyOp>();
  auto secondApply = second.getDefiningOp<affine::AffineApplyOp>();
  return firstApply && secondApply && firstApply.getMap() == secondApply.getMap() &&
         llvm::equal(firstApply.getOperands(), secondApply.getOperands());
}

/// Whether two DRAM tensors are the same value: equal slices of one tensor count as one.
static bool isSameTensor(Value a, Value b) {
  if (a == b) {
    return true;
  }
  auto first = a.getDefiningOp<tensor::ExtractSliceOp>(), second = b.getDefiningOp<tensor::ExtractSliceOp>();
  return first && second && first.getSource() == second.getSource() && first.getType() == second.getType() &&
         llvm::equal(first.getMixedOffsets(), second.getMixedOffsets(), isSameOffset);
}

/// The ops inside the body of `loop` that `value` is computed by, if the loop does not change it: slices, offsets and
/// constants. Failure if the loop's iterations see different values.
static LogicalResult collectInvariant(Value value, scf::ForOp loop, SetVector<Operation *> &ops) {
  if (loop.isDefinedOutsideOfLoop(value)) {
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isa<affine::AffineApplyOp, arith::ConstantOp, tensor::ExtractSliceOp>(op)) {
    return failure();
  }
  for (Value operand : op->getOperands()) {
    if (failed(collectInvariant(operand, loop, ops))) {
      return failure();
    }
  }
  ops.insert(op);
  return success();
}

static Value createEmpty(OpBuilder &builder, Location loc, Type type, Space space) {
  auto shaped = withSpace(cast<RankedTensorType>(type), space);
  return tensor::EmptyOp::create(builder, loc, shaped.getShape(), shaped.getElementType(), shaped.getEncoding());
}

namespace {
struct PromotePass : npu::impl::PromotePassBase<PromotePass> {
  using PromotePassBase::PromotePassBase;

  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      promote(kernel);
      return WalkResult::skip();
    });
  }

  void promote(KernelOp kernel) {
    loads.clear();
    SmallVector<StructuredOpInterface> ops;
    kernel.walk([&](StructuredOpInterface op) { ops.push_back(op); });
    for (StructuredOpInterface op : ops) {
      // Results first: what an earlier op of the kernel computed is on chip then.
      for (OpOperand &init : op.getDpsInitsMutable()) {
        if (getSpace(init.get().getType()) == Space::Dram) {
          promoteInit(op, init);
        }
      }
      for (OpOperand *input : op.getDpsInputOperands()) {
        if (getSpace(input->get().getType()) == Space::Dram) {
          input->set(load(op, input->get()));
        }
      }
    }
    eraseDead(kernel);
  }

  /// The on-chip copy of a DRAM tensor for `op`, loaded as far outside of the loops as its value allows.
  Value load(Operation *op, Value tensor) {
    Operation *place = op;
    while (auto loop = dyn_cast<scf::ForOp>(place->getParentOp())) {
      SetVector<Operation *> invariant;
      if (failed(collectInvariant(tensor, loop, invariant))) {
        break;
      }
      for (Operation *inside : invariant) {
        inside->moveBefore(loop);
      }
      place = loop;
    }
    for (LoadOp present : loads) {
      if (present->getBlock() == place->getBlock() && isSameTensor(present.getSource(), tensor)) {
        return present->getResult(0);
      }
    }
    if (place != op) {
      ++numHoisted;
      LDBG() << "load of " << tensor.getType() << " hoisted";
    }
    OpBuilder builder(place);
    loads.push_back(createLoad(builder, op->getLoc(), tensor));
    return loads.back()->getResult(0);
  }

  LoadOp createLoad(OpBuilder &builder, Location loc, Value tensor) {
    ++numLoads;
    Value init = createEmpty(builder, loc, tensor.getType(), Space::Sram);
    return LoadOp::create(builder, loc, init.getType(), tensor, init);
  }

  /// Gives an init, and the partial results that come from it through loops and ops, a place on chip.
  void promoteInit(StructuredOpInterface op, OpOperand &init) {
    // Where the value enters: in front of the loops that carry it from tile to tile.
    OpOperand *entry = &init;
    while (auto argument = dyn_cast<BlockArgument>(entry->get())) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop) {
        break;
      }
      entry = loop.getTiedLoopInit(argument);
    }
    OpBuilder builder(entry->getOwner());
    bool read = readsInit(op, init.getOperandNumber() - op.getNumDpsInputs());
    Value place = read ? createLoad(builder, op->getLoc(), entry->get())->getResult(0)
                       : createEmpty(builder, op->getLoc(), entry->get().getType(), Space::Sram);
    carry(*entry, place);
  }

  /// Makes a use that carries partial results take the on-chip `value`, and all that follow from it.
  void carry(OpOperand &use, Value value) {
    use.set(value);
    Value result;
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
      BlockArgument argument = loop.getTiedLoopRegionIterArg(&use);
      argument.setType(value.getType());
      for (OpOperand &inner : llvm::make_early_inc_range(argument.getUses())) {
        carry(inner, argument);
      }
      result = loop.getTiedLoopResult(&use);
    } else {
      result = cast<DestinationStyleOpInterface>(use.getOwner()).getTiedOpResult(&use);
    }
    result.setType(value.getType());
    for (OpOperand &next : llvm::make_early_inc_range(result.getUses())) {
      follow(next, result);
    }
  }

  /// What becomes of an on-chip result: it is carried on, read, or stored.
  void follow(OpOperand &use, Value result) {
    Operation *user = use.getOwner();
    if (isa<scf::YieldOp>(user)) {
      return; // the loop that carries it changes its result itself
    }
    auto structured = dyn_cast<StructuredOpInterface>(user);
    if (isa<scf::ForOp>(user) || (structured && structured.isDpsInit(&use))) {
      carry(use, result);
      return;
    }
    if (structured) {
      return; // reads it where it is
    }
    OpBuilder builder(user);
    Location loc = result.getLoc();
    Value place;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
      place = tensor::ExtractSliceOp::create(builder, loc, withSpace(insert.getSourceType(), Space::Dram),
                                             insert.getDest(), insert.getMixedOffsets(), insert.getMixedSizes(),
                                             insert.getMixedStrides());
    } else {
      place = createEmpty(builder, loc, result.getType(), Space::Dram);
    }
    ++numStores;
    use.set(StoreOp::create(builder, loc, place.getType(), result, place)->getResult(0));
  }

  /// Slices and empty tensors that stood for the on-chip ones.
  static void eraseDead(KernelOp kernel) {
    SmallVector<Operation *> candidates;
    kernel.walk([&](Operation *op) {
      if (isa<affine::AffineApplyOp, tensor::EmptyOp, tensor::ExtractSliceOp>(op)) {
        candidates.push_back(op);
      }
    });
    for (Operation *op : llvm::reverse(candidates)) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }

  SmallVector<LoadOp> loads;
};
} // namespace
