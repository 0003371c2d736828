// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/Transforms/BufferizableOpInterfaceImpl.h"

#include "dialects/NPU/IR/NPU.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;
using namespace mlir::bufferization;

/// Whether the op reads what the init holds before it writes there.
static bool readsInit(Operation *op, OpOperand &init) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<BatchMatmulOp, Conv2dOp, MatmulOp>([](auto matrix) { return matrix.getAccumulate(); })
      .Case([&](GenericOp generic) {
        return generic.readsInit(init.getOperandNumber() - generic.getInputs().size());
      })
      .Case([](DepthwiseConv2dOp) { return true; })
      .Default(false);
}

namespace {
template <typename OpTy>
struct DestinationOpModel : DstBufferizableOpInterfaceExternalModel<DestinationOpModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand) || readsInit(op, operand);
  }

  /// An elementwise op may write over an input that it addresses like its init: each element is read before it is written.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &, ArrayRef<OpOperand *> operands) const {
    auto generic = dyn_cast<GenericOp>(op);
    if (!generic || !generic.isElementwise()) {
      return false;
    }
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    return llvm::all_of(operands, [&](OpOperand *operand) {
      AffineMap map = maps[operand->getOperandNumber()];
      return map.isPermutation() && map == maps[operands.front()->getOperandNumber()];
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto destination = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> operands, inits;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<RankedTensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer)) {
          return failure();
        }
        value = *buffer;
        if (destination.isDpsInit(&operand)) {
          inits.push_back(value);
        }
      }
      operands.push_back(value);
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Operation *onBuffers = cloneWithoutRegions(rewriter, op, /*newResultTypes=*/TypeRange(), operands);
    for (auto [from, to] : llvm::zip(op->getRegions(), onBuffers->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
    }
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};
} // namespace

template <typename... Ops>
static void attachModels(MLIRContext *context) {
  (Ops::template attachInterface<DestinationOpModel<Ops>>(*context), ...);
}

void npu::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NPUDialect *) {
    attachModels<BatchMatmulOp, Conv2dOp, CopyOp, DepthwiseConv2dOp, GatherOp, GenericOp, LaunchOp, LoadOp, MatmulOp,
                 PadOp, StoreOp, TransposeOp>(context);
  });
}
