// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::npu {
#define GEN_PASS_DEF_VERIFYLINALGPASS
#include "passes/Transforms/Linalg/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// Beyond this element counts overflow in upstream's folders, and index spaces in instructions.
static constexpr int64_t kMaxElements = int64_t(1) << 33;

static LogicalResult verifySize(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasStaticShape()) {
    return success();
  }
  int64_t count = 1;
  for (int64_t extent : type.getShape()) {
    if (llvm::MulOverflow(count, extent, count) || count > kMaxElements) {
      return emitError(value.getLoc()) << "expected at most " << kMaxElements << " elements in a value, but found "
                                       << type;
    }
  }
  return success();
}

/// Memory comes into being later: here everything is a value.
static LogicalResult verifyKind(Value value) {
  if (isa<BaseMemRefType, UnrankedTensorType>(value.getType())) {
    return emitError(value.getLoc()) << "expected tensors of known rank at the linalg level, but found "
                                     << value.getType() << "; a module that is bufferized enters the pipeline later";
  }
  return success();
}

/// What a caller hands over or gets back needs a size: buffers for it are made before the run.
static LogicalResult verifySignature(func::FuncOp function) {
  bool hasFault = false;
  auto check = [&](TypeRange types, StringRef what) {
    for (auto [index, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if ((tensor && tensor.hasStaticShape()) || type.isIntOrIndexOrFloat() || isa<BaseMemRefType>(type)) {
        continue; // Of memory verifyKind() tells.
      }
      function.emitError() << "expected a tensor of static shape or a scalar as " << what << " " << index << " of '"
                           << function.getSymName() << "', but found " << type
                           << "; bind dynamic dimensions before this level";
      hasFault = true;
    }
  };
  check(function.getArgumentTypes(), "argument");
  check(function.getResultTypes(), "result");
  return failure(hasFault);
}

namespace {
struct VerifyLinalgPass : npu::impl::VerifyLinalgPassBase<VerifyLinalgPass> {
  using VerifyLinalgPassBase::VerifyLinalgPassBase;

  void runOnOperation() override {
    bool hasFault = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      hasFault |= failed(verifySignature(function));
    }
    auto check = [&](Value value) { hasFault |= failed(verifyKind(value)) || failed(verifySize(value)); };
    getOperation().walk([&](Block *block) {
      llvm::for_each(block->getArguments(), check);
      for (Operation &op : *block) {
        llvm::for_each(op.getResults(), check);
      }
    });
    if (hasFault) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
