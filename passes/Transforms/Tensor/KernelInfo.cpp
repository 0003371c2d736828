// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/KernelInfo.h"

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

bool npu::isContraction(Operation *op) { return isa<BatchMatmulOp, Conv2dOp, MatmulOp>(op); }

bool npu::readsInit(StructuredOpInterface op, unsigned index) {
  if (auto generic = dyn_cast<GenericOp>(op.getOperation())) {
    return generic.readsInit(index);
  }
  // A contraction reads its init when it continues a sum; a depthwise convolution always adds to it.
  return isContraction(op) ? op->hasAttr("accumulate") : true;
}

bool npu::isFill(Operation *op) {
  auto generic = dyn_cast_or_null<GenericOp>(op);
  return generic && generic.getInputs().empty() && generic.getInits().size() == 1 && generic.isElementwise() &&
         !generic.readsInit(0) && generic.getIndexingMapsArray().front().isIdentity();
}

FailureOr<KernelOps> npu::getKernelOps(KernelOp kernel) {
  SmallVector<StructuredOpInterface> ops(kernel.getBody().front().getOps<StructuredOpInterface>());
  if (ops.size() == 2 && isContraction(ops[0])) {
    auto drain = dyn_cast<GenericOp>(ops[1].getOperation());
    if (drain && drain.getQueue() == Queue::DR && drain.getInputs().front() == ops[0]->getResult(0)) {
      return KernelOps{ops[0], drain, {GenericOp()}};
    }
    return failure();
  }
  if (ops.empty() || isContraction(ops.back())) {
    return failure();
  }
  KernelOps result{ops.back(), GenericOp(), {}};
  size_t numFills = 0;
  for (Value init : result.root.getDpsInits()) {
    bool filled = isFill(init.getDefiningOp());
    result.fills.push_back(filled ? init.getDefiningOp<GenericOp>() : GenericOp());
    numFills += filled;
  }
  // Every op but the root is the fill of one init.
  if (numFills + 1 != ops.size()) {
    return failure();
  }
  return result;
}

std::string npu::findTileFault(StructuredOpInterface op, ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> extents = op.getIterationExtents();
  if (tiles.size() != extents.size()) {
    return "expected " + std::to_string(extents.size()) + " tile sizes, but found " + std::to_string(tiles.size());
  }
  int64_t outer = -1;
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type != IteratorType::reduction || extents[dim] <= 1) {
      continue;
    }
    bool cut = tiles[dim] != 0 && tiles[dim] < extents[dim];
    if (cut && outer >= 0) {
      return "expected reduction dimension " + std::to_string(outer) + " to have tile size 1, since dimension " +
             std::to_string(dim) + " inside of it is cut and the order of the reduction must not change";
    }
    if (!cut || tiles[dim] != 1) {
      outer = dim;
    }
  }
  return "";
}
