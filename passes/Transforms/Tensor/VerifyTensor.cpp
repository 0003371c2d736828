// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::npu {
#define GEN_PASS_DEF_VERIFYTENSORPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

static bool isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
             tensor::InsertSliceOp>(op);
}

/// A loop of constant bounds that starts at 0, as hardware loops do.
static LogicalResult verifyLoop(scf::ForOp loop) {
  for (auto [what, bound] : {std::pair("lower bound", loop.getLowerBound()), std::pair("upper bound", loop.getUpperBound()),
                             std::pair("step", loop.getStep())}) {
    if (!getConstantIntValue(bound)) {
      return loop.emitError() << "expected a loop in a program to have a constant " << what
                              << ": its trip count is part of the instruction";
    }
  }
  if (int64_t lower = *getConstantIntValue(loop.getLowerBound()); lower != 0) {
    return loop.emitError() << "expected a loop in a program to start at 0, but it starts at " << lower;
  }
  return success();
}

/// Compute ops read and write on-chip memory; a contraction leaves its sums in the accumulator.
static LogicalResult verifySpaces(StructuredOpInterface op) {
  bool isContraction = op.getQueue() == Queue::MM;
  for (OpOperand &operand : op->getOpOperands()) {
    Space found = getSpace(operand.get().getType());
    bool isInit = op.isDpsInit(&operand);
    bool isSums = op.getQueue() == Queue::DR && operand.getOperandNumber() == 0;
    Space expected = isSums || (isContraction && isInit) ? Space::Acc : Space::Sram;
    if (found != expected) {
      return op->emitError() << "expected " << (isInit ? "an init" : "an input") << " of '" << op->getName() << "' in "
                             << stringifySpace(expected) << ", but operand " << operand.getOperandNumber() << " is in "
                             << stringifySpace(found) << "; 'npu-promote' moves operands on chip";
    }
  }
  return success();
}

static LogicalResult verifyInProgram(Operation *op) {
  if (isa<KernelOp, HostRegionOp, LaunchOp>(op)) {
    return op->emitError() << "expected no '" << op->getName() << "' in a program";
  }
  if (auto structured = dyn_cast<StructuredOpInterface>(op)) {
    return verifySpaces(structured);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return verifyLoop(loop);
  }
  bool isIndex = isa<affine::AffineApplyOp>(op) || (isa<arith::ConstantOp>(op) && op->getResult(0).getType().isIndex());
  bool isBoundary = isa<bufferization::ToTensorOp, bufferization::MaterializeInDestinationOp>(op);
  if (isa<CopyOp, GatherOp, LoadOp, PadOp, StoreOp, TransposeOp, ReturnOp, scf::YieldOp>(op) || isView(op) || isIndex ||
      isBoundary) {
    return success();
  }
  return op->emitError() << "expected only npu ops, views, loops and argument accesses in a program, but found '"
                         << op->getName() << "'";
}

static LogicalResult verifyInFunction(Operation *op) {
  if (isa<func::ReturnOp, HostRegionOp, LaunchOp, arith::ConstantOp>(op) || isView(op)) {
    return success();
  }
  if (isa_and_nonnull<NPUDialect>(op->getDialect())) {
    return op->emitError() << "expected '" << op->getName()
                           << "' to be inside of an npu.program; 'npu-outline-programs' moves it there";
  }
  return op->emitError() << "expected only launches, host regions and views in a function, but found '" << op->getName()
                         << "'; work of the host belongs into an npu.host_region with its reason";
}

namespace {
struct VerifyTensorPass : npu::impl::VerifyTensorPassBase<VerifyTensorPass> {
  using VerifyTensorPassBase::VerifyTensorPassBase;

  void runOnOperation() override {
    bool hasFault = false;
    for (Operation &top : *getOperation().getBody()) {
      if (auto program = dyn_cast<ProgramOp>(top)) {
        program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          hasFault |= failed(verifyInProgram(op));
          // The scalar ops of a body are checked by the op itself; what may not be here at all is reported once.
          return isa<StructuredOpInterface, KernelOp, HostRegionOp>(op) ? WalkResult::skip() : WalkResult::advance();
        });
      } else if (auto func = dyn_cast<func::FuncOp>(top)) {
        func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          hasFault |= failed(verifyInFunction(op));
          return isa<HostRegionOp>(op) ? WalkResult::skip() : WalkResult::advance();
        });
      }
    }
    if (hasFault) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
