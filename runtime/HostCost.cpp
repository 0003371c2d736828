// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/HostCost.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/SourceName.h"
#include "dialects/Target/Target.h"
#include "machine/CostModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::npu;

static uint64_t numElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 1;
}

static uint64_t countOps(Operation *op);

static uint64_t countOps(Region &region) {
  uint64_t count = 0;
  for (Block &block : region) {
    for (Operation &op : block.without_terminator()) {
      count += countOps(&op);
    }
  }
  return count;
}

/// Scalar operations of one execution of the op. A loop of unknown length counts once.
static uint64_t countOps(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    uint64_t points = 1;
    for (int64_t extent : linalgOp.getStaticLoopRanges()) {
      points *= ShapedType::isDynamic(extent) ? 1 : extent;
    }
    // An empty body still moves an element.
    return points * std::max<uint64_t>(1, countOps(op->getRegion(0)));
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    return (trips ? trips->getZExtValue() : 1) * countOps(loop.getRegion());
  }
  if (isa<tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp, tensor::ConcatOp, tensor::GatherOp,
          tensor::GenerateOp>(op)) {
    return numElements(op->getResult(0).getType());
  }
  if (isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>()) {
    return 0;
  }
  uint64_t count = op->getNumRegions() == 0 ? 1 : 0;
  for (Region &region : op->getRegions()) {
    count += countOps(region);
  }
  return count;
}

/// Bytes of the tensors that the region takes from outside or gives back. Constants lie on both sides.
static uint64_t countTransferBytes(HostRegionOp region) {
  uint64_t bytes = 0;
  auto add = [&](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && shaped.hasStaticShape() && shaped.getElementType().isIntOrFloat()) {
      bytes += getSizeBytes(shaped);
    }
  };
  llvm::SmallDenseSet<Value> seen;
  region.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      bool outside = !region.getBody().isAncestor(operand.getParentRegion());
      bool constant = operand.getDefiningOp() && operand.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
      if (outside && !constant && seen.insert(operand).second) {
        add(operand.getType());
      }
    }
  });
  llvm::for_each(region.getResultTypes(), add);
  return bytes;
}

std::vector<HostWork> npu::measureHostWork(ModuleOp module) {
  TargetDesc target = getTarget(module);
  std::vector<HostWork> works;
  module.walk([&](HostRegionOp region) {
    HostWork work;
    work.name = llvm::join(getSourceNames(region.getLoc()), ", ");
    work.reason = region.getReason().str();
    work.scalarOps = countOps(region.getBody());
    work.transferBytes = countTransferBytes(region);
    work.cycles = npuhw::hostCycles(target, work.scalarOps, work.transferBytes);
    works.push_back(std::move(work));
  });
  return works;
}
