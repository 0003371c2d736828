// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToLinalg/LaunchToCall.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::npu;

static MemRefType plainType(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

func::CallOp npu::replaceLaunchByCall(OpBuilder &builder, LaunchOp launch) {
  Location loc = launch.getLoc();
  builder.setInsertionPoint(launch);
  SmallVector<Value> arguments, results;
  SmallVector<std::pair<Value, Value>> copiesOut;
  for (Value input : launch.getInputs()) {
    MemRefType type = plainType(input);
    if (isa<RankedTensorType>(input.getType())) {
      arguments.push_back(bufferization::ToBufferOp::create(builder, loc, type, input, /*read_only=*/true));
    } else if (input.getType() == type) {
      arguments.push_back(input);
    } else {
      arguments.push_back(memref::AllocOp::create(builder, loc, type));
      memref::CopyOp::create(builder, loc, input, arguments.back());
    }
  }
  for (Value init : launch.getInits()) {
    MemRefType type = plainType(init);
    if (init.getType() == type) {
      arguments.push_back(init);
      continue;
    }
    arguments.push_back(memref::AllocOp::create(builder, loc, type));
    if (isa<RankedTensorType>(init.getType())) {
      results.push_back(arguments.back());
    } else {
      copiesOut.emplace_back(arguments.back(), init);
    }
  }
  auto call = func::CallOp::create(builder, loc, launch.getProgram(), TypeRange(), arguments);
  for (auto [from, to] : copiesOut) {
    memref::CopyOp::create(builder, loc, from, to);
  }
  for (auto [result, buffer] : llvm::zip(launch.getResults(), results)) {
    Value tensor = bufferization::ToTensorOp::create(builder, loc, result.getType(), buffer, /*restrict=*/true,
                                                     /*writable=*/true);
    result.replaceAllUsesWith(tensor);
  }
  launch.erase();
  return call;
}

void npu::inlineRegionOp(RewriterBase &rewriter, Operation *op, ValueRange arguments) {
  Block *body = &op->getRegion(0).front();
  auto yield = cast<YieldOp>(body->getTerminator());
  rewriter.inlineBlockBefore(body, op, arguments);
  SmallVector<Value> values = llvm::to_vector(yield.getValues());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(op, values);
}
