// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Host/Passes.h"

#define DEBUG_TYPE "npu-widen-sub-bytes"

namespace mlir::npu {
#define GEN_PASS_DEF_NPUWIDENSUBBYTESPASS
#include "passes/Transforms/Host/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

static bool isSubByte(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() < 8;
}

/// The type with a byte for each element; other types stay.
static Type widen(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  if (!memref || !isSubByte(memref.getElementType())) {
    return type;
  }
  return memref.cloneWith(std::nullopt, IntegerType::get(type.getContext(), 8));
}

static FunctionType widen(FunctionType type) {
  auto all = [](ArrayRef<Type> types) { return llvm::map_to_vector(types, [](Type t) { return widen(t); }); };
  return FunctionType::get(type.getContext(), all(type.getInputs()), all(type.getResults()));
}

static void widenLoad(memref::LoadOp load, Type narrow) {
  OpBuilder builder(load->getBlock(), std::next(load->getIterator()));
  Location loc = load.getLoc();
  Type byte = builder.getI8Type();
  load.getResult().setType(byte);
  Operation *value;
  if (narrow.isInteger(1)) {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, load.getResult(), zero);
  } else {
    value = arith::TruncIOp::create(builder, loc, narrow, load.getResult());
  }
  load.getResult().replaceUsesWithIf(value->getResult(0),
                                     [&](OpOperand &use) { return use.getOwner() != value; });
}

static void widenGlobal(memref::GlobalOp global) {
  auto type = cast<MemRefType>(global.getType());
  Type wide = widen(type);
  if (wide == type) {
    return;
  }
  global.setType(cast<MemRefType>(wide));
  auto value = dyn_cast_or_null<DenseIntElementsAttr>(global.getInitialValue().value_or(Attribute()));
  if (value) {
    Type byte = IntegerType::get(global.getContext(), 8);
    global.setInitialValueAttr(value.mapValues(byte, [](const APInt &bits) { return bits.zext(8); }));
  }
}

namespace {
class NPUWidenSubBytes : public npu::impl::NPUWidenSubBytesPassBase<NPUWidenSubBytes> {
  void runOnOperation() final {
    SmallVector<std::pair<memref::LoadOp, Type>> loads;
    SmallVector<memref::StoreOp> stores;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op); load && isSubByte(load.getType())) {
        loads.emplace_back(load, load.getType());
      } else if (auto store = dyn_cast<memref::StoreOp>(op); store && isSubByte(store.getValue().getType())) {
        stores.push_back(store);
      } else if (auto global = dyn_cast<memref::GlobalOp>(op)) {
        widenGlobal(global);
      }
      for (Value result : op->getResults()) {
        result.setType(widen(result.getType()));
      }
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          for (BlockArgument argument : block.getArguments()) {
            argument.setType(widen(argument.getType()));
          }
        }
      }
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        function.setFunctionType(widen(function.getFunctionType()));
      }
    });
    for (auto [load, narrow] : loads) {
      widenLoad(load, narrow);
    }
    for (memref::StoreOp store : stores) {
      OpBuilder builder(store);
      store.getValueMutable().assign(
          arith::ExtUIOp::create(builder, store.getLoc(), builder.getI8Type(), store.getValue()));
    }
    numWidened += loads.size() + stores.size();
  }
};
} // namespace
