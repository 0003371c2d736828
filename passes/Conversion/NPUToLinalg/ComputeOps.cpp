// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix and vector ops.

#include "passes/Conversion/NPUToLinalg/Lowering.h"
#include "passes/Conversion/NPUToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static Value createEmpty(OpBuilder &builder, Location loc, bool tensor, ArrayRef<int64_t> shape, Type element) {
  if (tensor) {
    return tensor::EmptyOp::create(builder, loc, shape, element);
  }
  return memref::AllocOp::create(builder, loc, MemRefType::get(shape, element));
}

/// Creates a linalg.generic; returns what holds its result: the op's result on tensors, the init on memrefs.
static Value createGeneric(OpBuilder &builder, Location loc, ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                           ArrayRef<IteratorType> iterators,
                           function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  TypeRange results = isTensor(init) ? TypeRange(init.getType()) : TypeRange();
  auto generic = linalg::GenericOp::create(builder, loc, results, inputs, init, maps, iterators, body);
  return isTensor(init) ? generic.getResult(0) : init;
}

/// Copies a scalar program into the body that is being built and yields its values.
static void cloneProgram(OpBuilder &builder, Location loc, Block &program, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(program.getArguments(), arguments);
  for (Operation &op : program.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      Value position = linalg::IndexOp::create(builder, op.getLoc(), index.getDim());
      if (index.getOffset()) {
        position = arith::AddIOp::create(builder, op.getLoc(), position, mapping.lookupOrDefault(index.getOffset()));
      }
      mapping.map(index.getResult(),
                  Value(arith::IndexCastOp::create(builder, op.getLoc(), builder.getI32Type(), position)));
      continue;
    }
    builder.clone(op, mapping);
  }
  SmallVector<Value> values;
  for (Value value : program.getTerminator()->getOperands()) {
    values.push_back(mapping.lookupOrDefault(value));
  }
  linalg::YieldOp::create(builder, loc, values);
  makeExact(*builder.getInsertionBlock());
}

namespace {
/// How the operands of a contraction are read.
struct OperandForm {
  bool isUnsigned = false;
  int32_t zeroPoint = 0;

  /// The operand in the accumulator type, its zero point subtracted.
  Value extend(OpBuilder &builder, Location loc, Value value) const {
    Type type = value.getType();
    if (type.isF32()) {
      return value;
    }
    if (isa<FloatType>(type)) {
      return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    }
    Type i32 = builder.getI32Type();
    if (!type.isInteger(32)) {
      value = isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, i32, value))
                         : Value(arith::ExtSIOp::create(builder, loc, i32, value));
    }
    if (zeroPoint == 0) {
      return value;
    }
    return arith::SubIOp::create(builder, loc, value, arith::ConstantIntOp::create(builder, loc, zeroPoint, 32));
  }
};
} // namespace

/// acc + a * b: one rounding on floats, wrapping on integers.
static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value acc) {
  if (isa<FloatType>(acc.getType())) {
    return math::FmaOp::create(builder, loc, a, b, acc);
  }
  return arith::AddIOp::create(builder, loc, acc, arith::MulIOp::create(builder, loc, a, b));
}

static Value contract(OpBuilder &builder, StructuredOpInterface op, Value lhs, Value rhs, Value acc,
                      ArrayRef<AffineMap> maps, OperandForm lhsForm, OperandForm rhsForm) {
  return createGeneric(builder, op.getLoc(), {lhs, rhs}, acc, maps, op.getIteratorTypesArray(),
                       [&](OpBuilder &body, Location loc, ValueRange arguments) {
                         Value a = lhsForm.extend(body, loc, arguments[0]);
                         Value b = rhsForm.extend(body, loc, arguments[1]);
                         linalg::YieldOp::create(body, loc, multiplyAdd(body, loc, a, b, arguments[2]));
                       });
}

static Value fillWithZero(OpBuilder &builder, Location loc, Value buffer) {
  Type element = cast<ShapedType>(buffer.getType()).getElementType();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  auto fill = linalg::FillOp::create(builder, loc, zero, buffer);
  return isTensor(buffer) ? fill.getResult(0) : buffer;
}

template <typename OpTy>
static LogicalResult lowerMatrixOp(RewriterBase &rewriter, OpTy op) {
  Location loc = op.getLoc();
  Value init = op.getInit();
  auto type = cast<ShapedType>(init.getType());
  bool separate = op.hasEpilogue();
  if (separate && op.getAccumulate() && type.getElementType() != op.getAccumulatorType()) {
    return op.emitError() << "an accumulation with an epilogue needs an init of the accumulator type "
                          << op.getAccumulatorType() << ", but found " << type.getElementType();
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value acc = init;
  if (separate) {
    acc = createEmpty(rewriter, loc, isTensor(init), type.getShape(), op.getAccumulatorType());
  }
  if (!op.getAccumulate()) {
    acc = fillWithZero(rewriter, loc, acc);
  } else if (separate) {
    auto copy = linalg::CopyOp::create(rewriter, loc, init, acc);
    acc = isTensor(init) ? copy.getResult(0) : acc;
  }
  acc = contract(rewriter, op, op.getLhs(), op.getRhs(), acc, {maps[0], maps[1], maps.back()},
                 {op.getLhsUnsigned(), static_cast<int32_t>(op.getLhsZeroPoint())},
                 {op.getRhsUnsigned(), static_cast<int32_t>(op.getRhsZeroPoint())});
  if (separate) {
    SmallVector<Value> inputs = {acc};
    llvm::append_range(inputs, op.getEpilogueInputs());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<AffineMap> epilogueMaps = {identity};
    llvm::append_range(epilogueMaps, op.getEpilogueMapsArray());
    epilogueMaps.push_back(identity);
    SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
    acc = createGeneric(rewriter, loc, inputs, init, epilogueMaps, iterators,
                        [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
                          cloneProgram(body, bodyLoc, op.getEpilogue().front(), arguments.drop_back());
                        });
  }
  rewriter.replaceOp(op, isTensor(init) ? ValueRange(acc) : ValueRange());
  return success();
}

LogicalResult npu::lowerMatmul(RewriterBase &rewriter, MatmulOp op) { return lowerMatrixOp(rewriter, op); }
LogicalResult npu::lowerBatchMatmul(RewriterBase &rewriter, BatchMatmulOp op) { return lowerMatrixOp(rewriter, op); }
LogicalResult npu::lowerConv2d(RewriterBase &rewriter, Conv2dOp op) { return lowerMatrixOp(rewriter, op); }

LogicalResult npu::lowerDepthwiseConv2d(RewriterBase &rewriter, DepthwiseConv2dOp op) {
  Value result = contract(rewriter, op, op.getInput(), op.getFilter(), op.getInit(), op.getIndexingMapsArray(), {}, {});
  rewriter.replaceOp(op, isTensor(op.getInit()) ? ValueRange(result) : ValueRange());
  return success();
}

//===----------------------------------------------------------------------===//
// npu.generic
//===----------------------------------------------------------------------===//

namespace {
/// The part of an operand that a generic op addresses, if that is smaller than the operand: linalg takes the extents of
/// its loops from the shapes.
struct Box {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool isWhole = true;
};
} // namespace

static Box addressedBox(OpBuilder &builder, AffineMap map, ArrayRef<int64_t> extents, ShapedType type) {
  Box box;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    int64_t size = type.getDimSize(dim);
    if (auto expr = dyn_cast<AffineDimExpr>(result); expr && extents[expr.getPosition()] != size) {
      size = extents[expr.getPosition()];
      box.isWhole = false;
    }
    box.offsets.push_back(builder.getIndexAttr(0));
    box.sizes.push_back(builder.getIndexAttr(size));
    box.strides.push_back(builder.getIndexAttr(1));
  }
  return box;
}

static Value takeBox(OpBuilder &builder, Location loc, Value operand, const Box &box) {
  if (box.isWhole) {
    return operand;
  }
  if (isTensor(operand)) {
    return tensor::ExtractSliceOp::create(builder, loc, operand, box.offsets, box.sizes, box.strides);
  }
  return memref::SubViewOp::create(builder, loc, operand, box.offsets, box.sizes, box.strides);
}

/// An operand that no one reads and whose shape gives the extents that no other operand gives.
static void addExtentOperand(OpBuilder &builder, Location loc, bool tensor, ArrayRef<int64_t> extents,
                             SmallVectorImpl<Value> &inputs, SmallVectorImpl<AffineMap> &maps) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    bool known = llvm::any_of(maps, [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), builder.getAffineDimExpr(dim));
    });
    if (!known) {
      shape.push_back(extents[dim]);
      exprs.push_back(builder.getAffineDimExpr(dim));
    }
  }
  if (shape.empty()) {
    return;
  }
  AffineMap map = AffineMap::get(extents.size(), 0, exprs, builder.getContext());
  maps.insert(maps.begin() + inputs.size(), map);
  inputs.push_back(createEmpty(builder, loc, tensor, shape, builder.getI8Type()));
}

LogicalResult npu::lowerGeneric(RewriterBase &rewriter, GenericOp op) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> extents = op.getExtents();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool tensor = isTensor(op.getInits().front());
  SmallVector<Value> inputs, inits;
  SmallVector<Box> boxes;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Box box = addressedBox(rewriter, maps[index], extents, cast<ShapedType>(operand.getType()));
    bool isInput = index < op.getInputs().size();
    (isInput ? inputs : inits).push_back(takeBox(rewriter, loc, operand, box));
    if (!isInput) {
      boxes.push_back(box);
    }
  }
  size_t numInputs = inputs.size();
  addExtentOperand(rewriter, loc, tensor, extents, inputs, maps);
  SmallVector<Type> resultTypes;
  if (tensor) {
    llvm::append_range(resultTypes, ValueRange(inits).getTypes());
  }
  auto generic = linalg::GenericOp::create(
      rewriter, loc, resultTypes, inputs, inits, maps, op.getIteratorTypesArray(),
      [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
        SmallVector<Value> used = llvm::to_vector(arguments.take_front(numInputs));
        llvm::append_range(used, arguments.take_back(inits.size()));
        cloneProgram(body, bodyLoc, op.getBody().front(), used);
      });
  SmallVector<Value> results;
  for (auto [result, init, box] : llvm::zip(generic.getResults(), op.getInits(), boxes)) {
    Value value = result;
    if (!box.isWhole) {
      value = tensor::InsertSliceOp::create(rewriter, loc, result, init, box.offsets, box.sizes, box.strides);
    }
    results.push_back(value);
  }
  rewriter.replaceOp(op, results);
  return success();
}
