// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Buffer/Passes.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/Target/Target.h"
#include "passes/Analysis/RaceCheck.h"
#include "passes/Analysis/Storage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::npu {
#define GEN_PASS_DEF_VERIFYBUFFERSPASS
#include "passes/Transforms/Buffer/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npu-verify-buffers"

using namespace mlir;
using namespace mlir::npu;

static LogicalResult verifyLoop(scf::ForOp loop) {
  std::optional<int64_t> trips = getTripCount(loop);
  if (!trips || *trips < 1) {
    return loop.emitError() << "expected a loop of constant bounds with at least one iteration";
  }
  for (Value value : loop.getInitArgs()) {
    if (!isa<TokenType>(value.getType())) {
      return loop.emitError() << "expected a loop that carries tokens only, but found " << value.getType();
    }
  }
  return success();
}

/// The ops that stand outside of tasks.
static LogicalResult verifyOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor)) {
    return op->emitError() << "expected no tensors after bufferization, but '" << op->getName() << "' has one";
  }
  if (isDeviceOp(op)) {
    if (!isa<TaskOp>(op->getParentOp())) {
      return op->emitError() << "expected '" << op->getName() << "' inside an 'npu.task'";
    }
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return verifyLoop(loop);
  }
  bool known = isa<BufferOp, ReadyOp, ReturnOp, RingOp, RingSlotOp, TaskOp, WaitOp, scf::YieldOp, affine::AffineApplyOp,
                   memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(op) ||
               isa<arith::ArithDialect>(op->getDialect());
  if (!known) {
    return op->emitError() << "expected storage, tasks, loops, views and index arithmetic, but found '" << op->getName()
                           << "'";
  }
  return success();
}

static LogicalResult verifyStorage(ProgramOp program) {
  int64_t alignment = getTarget(program).alignmentBytes;
  SmallVector<Storage> storage = collectStorage(program);
  for (const Storage &entry : storage) {
    auto offset = entry.op->getAttrOfType<IntegerAttr>("offset");
    if (!offset) {
      return entry.op->emitError() << "expected an offset for '" << entry.op->getName()
                                   << "', but found none: npu-plan-memory sets it";
    }
    int64_t begin = offset.getInt(), end = begin + entry.getBytes();
    if (begin % alignment != 0) {
      return entry.op->emitError() << "expected an offset that is a multiple of " << alignment << ", but found " << begin;
    }
    std::optional<int64_t> capacity = getCapacity(program, entry.space);
    if (capacity && end > *capacity) {
      return entry.op->emitError() << "expected storage inside the " << *capacity << " bytes of "
                                   << stringifySpace(entry.space) << ", but it ends at " << end;
    }
  }
  return success();
}

namespace {
struct VerifyBuffersPass : npu::impl::VerifyBuffersPassBase<VerifyBuffersPass> {
  using VerifyBuffersPassBase::VerifyBuffersPassBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    WalkResult result = program.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
      if (failed(verifyOp(op))) {
        return WalkResult::interrupt();
      }
      return isDeviceOp(op) ? WalkResult::skip() : WalkResult::advance(); // bodies of npu ops are scalar programs
    });
    if (result.wasInterrupted() || failed(verifyStorage(program)) || (checkRaces && failed(npu::checkRaces(program)))) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
