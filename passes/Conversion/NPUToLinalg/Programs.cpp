// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device programs: storage, tasks and tokens.

#include "passes/Conversion/NPUToLinalg/LaunchToCall.h"
#include "passes/Conversion/NPUToLinalg/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

static Type withoutSpace(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && isa_and_nonnull<SpaceAttr>(tensor.getEncoding())) {
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  }
  if (auto memref = dyn_cast<MemRefType>(type); memref && isa_and_nonnull<SpaceAttr>(memref.getMemorySpace())) {
    return MemRefType::get(memref.getShape(), memref.getElementType(), memref.getLayout());
  }
  return type;
}

void npu::dropMemorySpaces(Operation *root) {
  SmallVector<Operation *> casts;
  root->walk([&](Operation *op) {
    if (isa<BufferOp, RingOp>(op)) {
      op->setAttr(kStorageSpaceAttrName, SpaceAttr::get(op->getContext(), getSpace(op->getResult(0).getType())));
    }
    if (auto alloc = dyn_cast<bufferization::AllocTensorOp>(op)) {
      alloc.removeMemorySpaceAttr();
    }
    for (Value result : op->getResults()) {
      result.setType(withoutSpace(result.getType()));
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments()) {
          argument.setType(withoutSpace(argument.getType()));
        }
      }
    }
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      auto withoutSpaces = [](TypeRange types) { return llvm::map_to_vector(types, withoutSpace); };
      function.setType(function.cloneTypeWith(withoutSpaces(function.getArgumentTypes()),
                                              withoutSpaces(function.getResultTypes())));
    }
    if (isa<memref::MemorySpaceCastOp>(op)) {
      casts.push_back(op);
    }
  });
  for (Operation *op : casts) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

static int64_t sizeInBytes(MemRefType type) {
  int64_t bits = type.getElementTypeBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

/// Replaces planned storage by views of one arena for each space, and the rest by allocations.
static void lowerStorage(RewriterBase &rewriter, ProgramOp program, Block &entry) {
  SmallVector<Operation *> storage;
  program.walk([&](Operation *op) {
    if (isa<BufferOp, RingOp>(op)) {
      storage.push_back(op);
    }
  });
  auto offsetOf = [](Operation *op) { return op->getAttrOfType<IntegerAttr>("offset"); };
  std::map<Attribute, int64_t, bool (*)(Attribute, Attribute)> arenaBytes([](Attribute a, Attribute b) {
    return cast<SpaceAttr>(a).getValue() < cast<SpaceAttr>(b).getValue();
  });
  for (Operation *op : storage) {
    if (IntegerAttr offset = offsetOf(op)) {
      int64_t &bytes = arenaBytes[op->getAttr(kStorageSpaceAttrName)];
      bytes = std::max(bytes, offset.getInt() + sizeInBytes(cast<MemRefType>(op->getResult(0).getType())));
    }
  }
  rewriter.setInsertionPointToStart(&entry);
  DenseMap<Attribute, Value> arenas;
  for (auto [space, bytes] : arenaBytes) {
    auto type = MemRefType::get({bytes}, rewriter.getI8Type());
    arenas[space] = memref::AllocOp::create(rewriter, program.getLoc(), type, rewriter.getI64IntegerAttr(64));
  }
  for (Operation *op : storage) {
    rewriter.setInsertionPoint(op);
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (IntegerAttr offset = offsetOf(op)) {
      Value start = arith::ConstantIndexOp::create(rewriter, op->getLoc(), offset.getInt());
      rewriter.replaceOpWithNewOp<memref::ViewOp>(op, type, arenas[op->getAttr(kStorageSpaceAttrName)], start,
                                                  ValueRange());
    } else {
      rewriter.replaceOpWithNewOp<memref::AllocOp>(op, type);
    }
  }
}

static void lowerRingSlot(RewriterBase &rewriter, RingSlotOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto ring = cast<MemRefType>(op.getRing().getType());
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value); };
  Value turn = arith::DivUIOp::create(rewriter, loc, op.getIndex(), constant(op.getStep()));
  Value slot = arith::RemUIOp::create(rewriter, loc, turn, constant(ring.getDimSize(0)));
  SmallVector<OpFoldResult> offsets(ring.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(op.getContext(), ring.getShape());
  SmallVector<OpFoldResult> strides(ring.getRank(), rewriter.getIndexAttr(1));
  offsets[0] = slot;
  sizes[0] = rewriter.getIndexAttr(1);
  rewriter.replaceOpWithNewOp<memref::SubViewOp>(op, cast<MemRefType>(op.getResult().getType()), op.getRing(), offsets,
                                                 sizes, strides);
}

//===----------------------------------------------------------------------===//
// Tasks and tokens
//===----------------------------------------------------------------------===//

/// Program order is one of the orders that the tokens allow: ops leave their tasks, and all tokens become one constant,
/// which folds away.
static void dropTasks(RewriterBase &rewriter, ProgramOp program, Block &entry) {
  rewriter.setInsertionPointToStart(&entry);
  Value token = arith::ConstantIntOp::create(rewriter, program.getLoc(), 1, 1);
  SmallVector<Operation *> ops;
  auto toPlain = [&](Value value) {
    if (isa<TokenType>(value.getType())) {
      value.setType(token.getType());
    }
  };
  program.walk([&](Operation *op) {
    if (isa<TaskOp, WaitOp, ReadyOp>(op)) {
      ops.push_back(op);
      return;
    }
    llvm::for_each(op->getResults(), toPlain);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), toPlain);
      }
    }
  });
  for (Operation *op : ops) {
    if (auto task = dyn_cast<TaskOp>(op)) {
      rewriter.inlineBlockBefore(&task.getBody().front(), task);
    }
    op->replaceAllUsesWith(SmallVector<Value>(op->getNumResults(), token));
    rewriter.eraseOp(op);
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The value of a constant argument as a global of the module.
static Value createConstant(RewriterBase &rewriter, ProgramOp program, Block &entry, unsigned argument) {
  auto module = program->getParentOfType<ModuleOp>();
  auto type = cast<MemRefType>(program.getArgumentTypes()[argument]);
  ElementsAttr value = program.getConstantValue(argument);
  std::string name = (program.getSymName() + "_constant_" + Twine(argument)).str();
  while (module.lookupSymbol(name)) {
    name += "_";
  }
  rewriter.setInsertionPointToStart(module.getBody());
  memref::GlobalOp::create(rewriter, program.getLoc(), name, rewriter.getStringAttr("private"), type, value,
                           /*constant=*/true, /*alignment=*/rewriter.getI64IntegerAttr(64));
  rewriter.setInsertionPointToStart(&entry);
  return memref::GetGlobalOp::create(rewriter, program.getLoc(), type, name);
}

LogicalResult npu::lowerProgram(RewriterBase &rewriter, ProgramOp program) {
  Block &entry = program.getBody().front();
  dropTasks(rewriter, program, entry);
  lowerStorage(rewriter, program, entry);
  SmallVector<RingSlotOp> slots;
  program.walk([&](RingSlotOp op) { slots.push_back(op); });
  for (RingSlotOp slot : slots) {
    lowerRingSlot(rewriter, slot);
  }
  SmallVector<ReturnOp> returns;
  program.walk([&](ReturnOp op) { returns.push_back(op); });
  for (ReturnOp op : returns) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op);
  }

  SmallVector<unsigned> order;
  for (StringRef role : {"input", "output"}) {
    for (unsigned i = 0; i < program.getNumArguments(); ++i) {
      if (program.getRole(i) == role) {
        order.push_back(i);
      }
    }
  }
  SmallVector<Type> types;
  for (unsigned i : order) {
    types.push_back(program.getArgumentTypes()[i]);
  }
  rewriter.setInsertionPoint(program);
  auto function = func::FuncOp::create(rewriter, program.getLoc(), program.getSymName(),
                                       rewriter.getFunctionType(types, {}));
  function.setPrivate();
  unsigned numArguments = program.getNumArguments();
  // Constants are globals; the other arguments get their new places behind the old ones, which then leave.
  for (unsigned i = 0; i < numArguments; ++i) {
    if (program.getConstantValue(i)) {
      entry.getArgument(i).replaceAllUsesWith(createConstant(rewriter, program, entry, i));
    }
  }
  for (unsigned i : order) {
    BlockArgument old = entry.getArgument(i);
    old.replaceAllUsesWith(entry.addArgument(old.getType(), old.getLoc()));
  }
  entry.eraseArguments(0, numArguments);
  function.getBody().takeBody(program.getBody());
  rewriter.eraseOp(program);
  return success();
}
