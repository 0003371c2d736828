// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToLinalg/LaunchToCall.h"
#include "passes/Conversion/NPUToLinalg/Lowering.h"
#include "passes/Conversion/NPUToLinalg/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"

#define DEBUG_TYPE "convert-npu-to-linalg"

namespace mlir::npu {
#define GEN_PASS_DEF_CONVERTNPUTOLINALGPASS
#include "passes/Conversion/NPUToLinalg/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

static LogicalResult lowerOp(RewriterBase &rewriter, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MatmulOp o) { return lowerMatmul(rewriter, o); })
      .Case([&](BatchMatmulOp o) { return lowerBatchMatmul(rewriter, o); })
      .Case([&](Conv2dOp o) { return lowerConv2d(rewriter, o); })
      .Case([&](DepthwiseConv2dOp o) { return lowerDepthwiseConv2d(rewriter, o); })
      .Case([&](GenericOp o) { return lowerGeneric(rewriter, o); })
      .Case<CopyOp, LoadOp, StoreOp>([&](auto o) { return lowerMove(rewriter, o); })
      .Case([&](PadOp o) { return lowerPad(rewriter, o); })
      .Case([&](TransposeOp o) { return lowerTranspose(rewriter, o); })
      .Case([&](GatherOp o) { return lowerGather(rewriter, o); })
      .Case([&](KernelOp o) {
        inlineRegionOp(rewriter, o, o.getInputs());
        return success();
      })
      .Case([&](HostRegionOp o) {
        inlineRegionOp(rewriter, o, {});
        return success();
      })
      .Case([&](LaunchOp o) {
        replaceLaunchByCall(rewriter, o);
        return success();
      })
      .Case([&](ProgramOp o) { return lowerProgram(rewriter, o); })
      .Default([](Operation *o) {
        return o->emitError() << "'" << o->getName() << "' has no reference lowering outside of its npu.program";
      });
}

namespace {
class ConvertNPUToLinalg : public npu::impl::ConvertNPUToLinalgPassBase<ConvertNPUToLinalg> {
  void runOnOperation() final {
    dropMemorySpaces(getOperation());
    // Ops inside of a scalar program, a task or storage belong to the op that holds them.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<NPUDialect>(op->getDialect()) &&
          !isa<IndexOp, YieldOp, TaskOp, WaitOp, ReadyOp, BufferOp, RingOp, RingSlotOp, ReturnOp>(op)) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(lowerOp(rewriter, op))) {
        return signalPassFailure();
      }
      ++numOps;
    }
  }
};
} // namespace
