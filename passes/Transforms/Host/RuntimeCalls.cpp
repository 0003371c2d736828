// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::npu;

Value host::createStringAddress(ModuleOp module, OpBuilder &builder, Location loc, StringRef text) {
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto candidate : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<StringAttr>(candidate.getValueOrNull());
    if (value && value.getValue() == bytes) {
      global = candidate;
      break;
    }
    ++count;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string name = ("npu_string_" + Twine(count)).str();
    while (module.lookupSymbol(name)) {
      name += "_";
    }
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    builder.getStringAttr(bytes));
  }
  Value address = LLVM::AddressOfOp::create(builder, loc, global);
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
}

void host::createRuntimeCall(ModuleOp module, OpBuilder &builder, Location loc, StringRef callee,
                             ValueRange arguments) {
  auto function = module.lookupSymbol<func::FuncOp>(callee);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = func::FuncOp::create(builder, loc, callee, builder.getFunctionType(arguments.getTypes(), {}));
    function.setPrivate();
  }
  func::CallOp::create(builder, loc, function, arguments);
}
