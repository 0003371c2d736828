// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::npu {
#define GEN_PASS_DEF_NPUVERIFYHOSTPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {
struct NPUVerifyHost : npu::impl::NPUVerifyHostPassBase<NPUVerifyHost> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    WalkResult result = module.walk([&](Operation *op) {
      if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) || op == module) {
        return WalkResult::advance();
      }
      InFlightDiagnostic diagnostic = op->emitError()
                                      << "expected only ops of LLVM in host code, but found '" << op->getName() << "'";
      if (op->getNumOperands() != 0) {
        diagnostic << " on " << op->getOperandTypes();
      }
      if (op->getNumResults() != 0) {
        diagnostic << " with results " << op->getResultTypes();
      }
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted()) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
