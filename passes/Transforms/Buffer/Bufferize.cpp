// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Buffer/Passes.h"

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::npu {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "passes/Transforms/Buffer/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npu-bufferize"

using namespace mlir;
using namespace mlir::npu;

/// Gives each use of a tensor.empty an empty tensor of its own, just before the user: one shared by two tiles, or hoisted out of a
/// loop, would be one buffer that all of them wait for.
static void separateEmptyTensors(ProgramOp program) {
  SmallVector<tensor::EmptyOp> empties;
  program.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp op : empties) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses()) {
      uses.push_back(&use);
    }
    for (OpOperand *use : uses) {
      OpBuilder builder(use->getOwner());
      use->set(builder.clone(*op)->getResult(0));
    }
    op.erase();
  }
}

static bufferization::OneShotBufferizationOptions getOptions() {
  bufferization::OneShotBufferizationOptions options;
  options.bufferAlignment = 0; // npu-plan-memory aligns
  options.defaultMemorySpaceFn = [](TensorType type) -> std::optional<Attribute> {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.getEncoding() : Attribute();
  };
  return options;
}

/// Gives bodies back the constants that simplification shared or moved out of them: a body is a scalar program that stands alone.
static void sinkConstantsIntoBodies(ProgramOp program) {
  program.walk([](StructuredOpInterface op) {
    for (Region &region : op->getRegions()) {
      llvm::SmallMapVector<Operation *, SmallVector<OpOperand *, 2>, 4> uses;
      region.walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands()) {
          Operation *producer = operand.get().getDefiningOp();
          if (producer && producer->hasTrait<OpTrait::ConstantLike>() && !region.isAncestor(producer->getParentRegion())) {
            uses[producer].push_back(&operand);
          }
        }
      });
      for (auto &[producer, operands] : uses) {
        OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
        Value constant = builder.clone(*producer)->getResult(0);
        for (OpOperand *operand : operands) {
          operand->set(constant);
        }
      }
    }
  });
}

/// Replaces a copy between buffers by the npu op for the spaces of the two.
static LogicalResult lowerCopy(memref::CopyOp copy) {
  OpBuilder builder(copy);
  Space from = getSpace(copy.getSource().getType()), to = getSpace(copy.getTarget().getType());
  if (from == to && (from == Space::Dram || from == Space::Sram)) {
    CopyOp::create(builder, copy.getLoc(), TypeRange(), copy.getSource(), copy.getTarget());
  } else if (from == Space::Dram && to == Space::Sram) {
    LoadOp::create(builder, copy.getLoc(), TypeRange(), copy.getSource(), copy.getTarget());
  } else if (from == Space::Sram && to == Space::Dram) {
    StoreOp::create(builder, copy.getLoc(), TypeRange(), copy.getSource(), copy.getTarget());
  } else {
    InFlightDiagnostic diagnostic = copy.emitError()
                                    << "expected values that bufferize in place or by a copy in dram or sram, but this "
                                       "one needs a copy from "
                                    << stringifySpace(from) << " to " << stringifySpace(to);
    diagnostic.attachNote() << "use an accumulator tensor once, as the init of the next matrix op or the input of a drain";
    return failure();
  }
  copy.erase();
  return success();
}

namespace {
struct BufferizePass : npu::impl::BufferizePassBase<BufferizePass> {
  using BufferizePassBase::BufferizePassBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (failed(checkNoConstants(program)) || failed(checkOps(program))) {
      return signalPassFailure();
    }
    separateEmptyTensors(program);
    if (failed(bufferize(program)) || failed(simplify(program)) || failed(lowerCopies(program))) {
      return signalPassFailure();
    }
    sinkConstantsIntoBodies(program);
    program.walk([&](memref::AllocOp) { ++numAllocations; });
  }

private:
  LogicalResult bufferize(ProgramOp program) {
    bufferization::OneShotBufferizationOptions options = getOptions();
    IRRewriter rewriter(&getContext());
    {
      // Loops may yield new tensors during this analysis only: many of them are the empty tensors that it removes.
      bufferization::OneShotBufferizationOptions lenient = options;
      lenient.allowReturnAllocsFromLoops = true;
      bufferization::OneShotAnalysisState state(program, lenient);
      if (failed(bufferization::analyzeOp(program, state)) ||
          failed(bufferization::eliminateEmptyTensors(rewriter, program, state))) {
        return failure();
      }
    }
    bufferization::BufferizationState state;
    return bufferization::runOneShotBufferize(program, options, state);
  }

  /// Loops stop carrying the memrefs that they do not change; then equal views meet, and copies onto themselves vanish.
  LogicalResult simplify(ProgramOp program) {
    OpPassManager manager(ProgramOp::getOperationName());
    for (unsigned round = 0; round < 2; ++round) {
      manager.addPass(createCanonicalizerPass());
      manager.addPass(createCSEPass());
    }
    manager.addPass(createCanonicalizerPass());
    return runPipeline(manager, program);
  }

  LogicalResult lowerCopies(ProgramOp program) {
    SmallVector<memref::CopyOp> copies;
    program.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    numCopies += copies.size();
    return failure(llvm::any_of(copies, [](memref::CopyOp copy) { return failed(lowerCopy(copy)); }));
  }

  /// A constant tensor would become a global of the module, which a program cannot address.
  LogicalResult checkNoConstants(ProgramOp program) {
    WalkResult result = program.walk([](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() && isa<TensorType>(op->getResult(0).getType())) {
        op->emitError() << "expected constants to be arguments of the program, but found a constant tensor in its body";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkOps(ProgramOp program) {
    bufferization::OneShotBufferizationOptions options = getOptions();
    WalkResult result = program.walk([&](Operation *op) {
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      bool hasTensors = llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor);
      if (hasTensors && !options.dynCastBufferizableOp(op)) {
        op->emitError() << "expected ops on tensors that can work on buffers, but found '" << op->getName()
                        << "'; 'npu-verify-tensor' checks what a program may hold";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
