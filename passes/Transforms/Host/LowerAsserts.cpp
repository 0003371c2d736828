// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/Passes.h"
#include "passes/Transforms/Host/RuntimeCalls.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#define DEBUG_TYPE "npu-lower-asserts"

namespace mlir::npu {
#define GEN_PASS_DEF_NPULOWERASSERTSPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {
class NPULowerAsserts : public npu::impl::NPULowerAssertsPassBase<NPULowerAsserts> {
  void runOnOperation() final {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    for (cf::AssertOp op : asserts) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value failed = arith::XOrIOp::create(builder, loc, op.getArg(), yes);
      auto branch = scf::IfOp::create(builder, loc, failed, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value message = host::createStringAddress(getOperation(), builder, loc, op.getMsg());
      host::createRuntimeCall(getOperation(), builder, loc, host::kFail, message);
      op.erase();
      ++numAsserts;
    }
  }
};
} // namespace
