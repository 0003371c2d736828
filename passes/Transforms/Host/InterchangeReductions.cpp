// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

#define DEBUG_TYPE "npu-interchange-reductions"

namespace mlir::npu {
#define GEN_PASS_DEF_NPUINTERCHANGEREDUCTIONSPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// Whether a step of `dim` moves by at most one element in memory: the dimension is absent, or it is the last index
/// with factor one.
static bool isContiguousIn(AffineMap map, unsigned dim) {
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    AffineExpr result = map.getResult(i);
    if (!result.isFunctionOfDim(dim)) {
      continue;
    }
    bool isLast = i + 1 == map.getNumResults();
    // dim itself, or a sum that holds it with factor one (a window).
    AffineExpr step = simplifyAffineExpr(
        result.replace(getAffineDimExpr(dim, map.getContext()), getAffineDimExpr(dim, map.getContext()) + 1) - result,
        map.getNumDims(), 0);
    if (!isLast || step != getAffineConstantExpr(1, map.getContext())) {
      return false;
    }
  }
  return true;
}

/// The order of loops that makes the innermost one parallel and contiguous; nothing if there is no such order or the
/// loops are that way already.
static std::optional<SmallVector<unsigned>> findOrder(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 || op.getNumParallelLoops() == 0 ||
      op.hasIndexSemantics()) {
    return std::nullopt;
  }
  unsigned numLoops = op.getNumLoops();
  if (!linalg::isReductionIterator(op.getIteratorTypesArray().back())) {
    return std::nullopt;
  }
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (output.getNumResults() == 0) {
    return std::nullopt;
  }
  auto inner = dyn_cast<AffineDimExpr>(output.getResults().back());
  if (!inner || !llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
        return isContiguousIn(map, inner.getPosition());
      })) {
    return std::nullopt;
  }
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < numLoops; ++i) {
    if (i != inner.getPosition()) {
      order.push_back(i);
    }
  }
  order.push_back(inner.getPosition());
  return order;
}

namespace {
class NPUInterchangeReductions : public npu::impl::NPUInterchangeReductionsPassBase<NPUInterchangeReductions> {
  void runOnOperation() final {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      std::optional<SmallVector<unsigned>> order = findOrder(op);
      if (!order) {
        continue;
      }
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::interchangeGenericOp(rewriter, op, *order))) {
        ++numInterchanged;
      }
    }
  }
};
} // namespace
