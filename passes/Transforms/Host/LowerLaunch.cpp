// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToLinalg/LaunchToCall.h"
#include "passes/Transforms/Host/Passes.h"
#include "passes/Transforms/Host/RuntimeCalls.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#define DEBUG_TYPE "npu-lower-launch"

namespace mlir::npu {
#define GEN_PASS_DEF_NPULOWERLAUNCHPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// The function that stands for a program: it hands the addresses and sizes of its arguments to the runtime.
static void createTrampoline(ModuleOp module, OpBuilder &builder, Location loc, StringRef name, FunctionType type) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, loc, name, type);
  function.setPrivate();
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  int64_t count = type.getNumInputs();
  auto listType = MemRefType::get({std::max<int64_t>(2 * count, 1)}, builder.getI64Type());
  Value list = memref::AllocaOp::create(builder, loc, listType);
  auto addressOf = [&](Value memref) -> Value {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  };
  auto store = [&](Value value, int64_t at) {
    memref::StoreOp::create(builder, loc, value, list, Value(arith::ConstantIndexOp::create(builder, loc, at)));
  };
  for (int64_t i = 0; i < count; ++i) {
    Value argument = block->getArgument(i);
    store(addressOf(argument), 2 * i);
    int64_t bytes = getSizeBytes(cast<ShapedType>(argument.getType()));
    store(arith::ConstantIntOp::create(builder, loc, bytes, 64), 2 * i + 1);
  }
  Value programName = host::createStringAddress(module, builder, loc, name);
  Value number = arith::ConstantIntOp::create(builder, loc, count, 64);
  host::createRuntimeCall(module, builder, loc, host::kLaunch, {programName, addressOf(list), number});
  func::ReturnOp::create(builder, loc);
}

namespace {
class NPULowerLaunch : public npu::impl::NPULowerLaunchPassBase<NPULowerLaunch> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    SmallVector<LaunchOp> launches;
    module.walk([&](LaunchOp op) { launches.push_back(op); });
    // Device programs of either dialect: the runtime has them in their binary form.
    for (Operation &op : llvm::make_early_inc_range(module.getBody()->getOperations())) {
      StringRef name = op.getName().getStringRef();
      if (name == "npu.program" || name == "npuisa.program") {
        op.erase();
      }
    }
    for (LaunchOp launch : launches) {
      OpBuilder builder(launch);
      func::CallOp call = replaceLaunchByCall(builder, launch);
      if (!module.lookupSymbol(call.getCallee())) {
        createTrampoline(module, builder, call.getLoc(), call.getCallee(), call.getCalleeType());
      }
      ++numLaunches;
    }
    SmallVector<HostRegionOp> regions;
    module.walk([&](HostRegionOp op) { regions.push_back(op); });
    for (HostRegionOp region : regions) {
      IRRewriter rewriter(region);
      inlineRegionOp(rewriter, region, {});
    }
    WalkResult left = module.walk<WalkOrder::PreOrder>([](Operation *op) {
      if (!isa_and_nonnull<NPUDialect>(op->getDialect())) {
        return WalkResult::advance();
      }
      op->emitError() << "expected only launches and host regions of the npu dialect in host code, but found '"
                      << op->getName() << "'; 'npu-lower-reference' takes the others to the host too";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted()) {
      signalPassFailure();
    }
  }
};
} // namespace
