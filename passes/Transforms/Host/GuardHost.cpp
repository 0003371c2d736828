// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/Passes.h"

#include "dialects/NPU/IR/SourceName.h"
#include "passes/Conversion/NPUToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::npu {
#define GEN_PASS_DEF_NPUGUARDHOSTPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// Whether an index is below `size` by what is known here.
static bool isInRange(Value index, int64_t size) {
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    return *constant >= 0 && *constant < size;
  }
  auto position = index.getDefiningOp<linalg::IndexOp>();
  auto loops = position ? dyn_cast<linalg::LinalgOp>(position->getParentOp()) : linalg::LinalgOp();
  if (loops) {
    int64_t extent = loops.getStaticLoopRanges()[position.getDim()];
    return !ShapedType::isDynamic(extent) && extent <= size;
  }
  // An index that an assertion of its own guards already.
  return llvm::any_of(index.getUsers(), [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult || compare.getLhs() != index) {
      return false;
    }
    std::optional<int64_t> limit = getConstantIntValue(compare.getRhs());
    return limit && *limit <= size && llvm::any_of(compare->getUsers(), llvm::IsaPred<cf::AssertOp>);
  });
}

namespace {
struct NPUGuardHost : npu::impl::NPUGuardHostPassBase<NPUGuardHost> {
  void runOnOperation() final {
    SmallVector<Operation *> integers;
    SmallVector<tensor::ExtractOp> extracts;
    getOperation().walk([&](Operation *op) {
      if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
        extracts.push_back(extract);
      } else if (op->getNumResults() == 1 && isa<IntegerType>(op->getResult(0).getType()) && !isDefined(op)) {
        integers.push_back(op);
      }
    });
    for (Operation *op : integers) {
      OpBuilder builder(op);
      if (Value defined = buildDefinedInteger(builder, op)) {
        op->replaceAllUsesWith(ValueRange(defined));
        op->erase();
        ++numIntegers;
      }
    }
    llvm::for_each(extracts, [&](tensor::ExtractOp extract) { guardIndices(extract); });
  }

  /// Whether a constant operand leaves nothing open: a divisor that is neither 0 nor -1, a shift below the width.
  static bool isDefined(Operation *op) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::ShRUIOp>(op)) {
      return false;
    }
    std::optional<int64_t> constant = getConstantIntValue(op->getOperand(1));
    if (!constant) {
      return false;
    }
    bool isShift = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
    int64_t width = op->getResult(0).getType().getIntOrFloatBitWidth();
    return isShift ? *constant >= 0 && *constant < width : *constant != 0 && *constant != -1;
  }

  void guardIndices(tensor::ExtractOp extract) {
    OpBuilder builder(extract);
    Location loc = extract.getLoc();
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      int64_t size = extract.getTensor().getType().getDimSize(dim);
      if (!ShapedType::isDynamic(size) && isInRange(index, size)) {
        continue;
      }
      Value limit = tensor::getMixedSize(builder, loc, extract.getTensor(), dim).dyn_cast<Value>();
      if (!limit) {
        limit = arith::ConstantIndexOp::create(builder, loc, size);
      }
      // Unsigned: a negative index is outside, too.
      Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, limit);
      std::string message = "an index lies outside of dimension " + std::to_string(dim);
      message += ShapedType::isDynamic(size) ? "" : " of size " + std::to_string(size);
      if (StringRef source = getSourceName(loc); !source.empty()) {
        message += " (node '" + source.str() + "')";
      }
      cf::AssertOp::create(builder, loc, inside, message);
      ++numIndices;
    }
  }
};
} // namespace
