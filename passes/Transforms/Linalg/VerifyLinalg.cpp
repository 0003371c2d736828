// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Passes.h"

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

namespace {
struct VerifyLinalgPass : npu::impl::VerifyLinalgPassBase<VerifyLinalgPass> {
  using VerifyLinalgPassBase::VerifyLinalgPassBase;

  void runOnOperation() override {
    bool hasFault = false;
    getOperation().walk([&](Block *block) {
      for (Value argument : block->getArguments()) {
        hasFault |= failed(verifySize(argument));
      }
      for (Operation &op : *block) {
        for (Value result : op.getResults()) {
          hasFault |= failed(verifySize(result));
        }
      }
    });
    if (hasFault) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
