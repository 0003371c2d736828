// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/OpDetails.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// DepthwiseConv2dOp
//===----------------------------------------------------------------------===//

void DepthwiseConv2dOp::getEffects(details::Effects &effects) {
  details::addOperandEffects(*this, effects, /*readsInits=*/true);
}

MutableOperandRange DepthwiseConv2dOp::getDpsInitsMutable() { return getInitMutable(); }

LogicalResult DepthwiseConv2dOp::verify() {
  auto input = cast<ShapedType>(getInput().getType()), filter = cast<ShapedType>(getFilter().getType());
  auto init = cast<ShapedType>(getInit().getType());
  if (input.getRank() != 4 || filter.getRank() != 3 || init.getRank() != 4) { // c1
    return emitOpError() << "expected input, filter and init of rank 4, 3 and 4, but found " << input.getRank() << ", "
                         << filter.getRank() << " and " << init.getRank();
  }
  Type element = input.getElementType();
  Type accumulator = isa<FloatType>(element) ? Type(Float32Type::get(getContext()))
                                             : Type(IntegerType::get(getContext(), 32));
  if (filter.getElementType() != element || init.getElementType() != accumulator) { // c4
    return emitOpError() << "expected input and filter of one element type and an init of " << accumulator
                         << ", but found " << element << ", " << filter.getElementType() << " and "
                         << init.getElementType();
  }
  if (input.getDimSize(0) != init.getDimSize(0) || input.getDimSize(3) != filter.getDimSize(2) ||
      input.getDimSize(3) != init.getDimSize(3)) { // c2
    return emitOpError() << "expected operands that agree in n and c, but found " << input << ", " << filter << " and "
                         << init;
  }
  if (failed(details::verifyWindow(*this, getStrides(), getDilations(), input.getShape().slice(1, 2),
                                  filter.getShape().take_front(2), init.getShape().slice(1, 2)))) {
    return failure();
  }
  return details::verifyDestinations(*this);
}

SmallVector<AffineMap> DepthwiseConv2dOp::getIndexingMapsArray() {
  AffineExpr n, oh, ow, c, kh, kw;
  bindDims(getContext(), n, oh, ow, c, kh, kw);
  auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(6, 0, exprs, getContext()); };
  return {map({n, oh * getStrides()[0] + kh * getDilations()[0], ow * getStrides()[1] + kw * getDilations()[1], c}),
          map({kh, kw, c}), map({n, oh, ow, c})};
}

SmallVector<IteratorType> DepthwiseConv2dOp::getIteratorTypesArray() {
  SmallVector<IteratorType> types(4, IteratorType::parallel);
  types.append(2, IteratorType::reduction);
  return types;
}

SmallVector<int64_t> DepthwiseConv2dOp::getIterationExtents() {
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  auto filter = cast<ShapedType>(getFilter().getType()).getShape();
  return {init[0], init[1], init[2], init[3], filter[0], filter[1]};
}

Queue DepthwiseConv2dOp::getQueue() { return Queue::VE; }

int64_t DepthwiseConv2dOp::getMacs() {
  int64_t macs = 1;
  for (int64_t extent : getIterationExtents()) {
    macs *= extent;
  }
  return macs;
}

//===----------------------------------------------------------------------===//
// GenericOp
//===----------------------------------------------------------------------===//

void GenericOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs, ValueRange inits,
                      ArrayRef<AffineMap> maps, ArrayRef<IteratorType> iterators, ArrayRef<int64_t> extents,
                      function_ref<void(OpBuilder &, Location, ValueRange)> bodyBuilder) {
  SmallVector<Type> resultTypes;
  for (Value init : inits) {
    if (isa<RankedTensorType>(init.getType())) {
      resultTypes.push_back(init.getType());
    }
  }
  SmallVector<StringRef> names;
  for (IteratorType type : iterators) {
    names.push_back(type == IteratorType::parallel ? "parallel" : "reduction");
  }
  build(builder, state, resultTypes, inputs, inits, builder.getAffineMapArrayAttr(maps), builder.getStrArrayAttr(names),
        builder.getDenseI64ArrayAttr(extents));
  Region &region = *state.regions.front();
  SmallVector<Type> argumentTypes;
  SmallVector<Location> locations;
  for (ValueRange values : {inputs, inits}) {
    for (Value value : values) {
      argumentTypes.push_back(cast<ShapedType>(value.getType()).getElementType());
      locations.push_back(value.getLoc());
    }
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, {}, argumentTypes, locations);
  if (bodyBuilder) {
    bodyBuilder(builder, state.location, block->getArguments());
  }
}

void GenericOp::getEffects(details::Effects &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      continue;
    }
    bool isInit = operand.getOperandNumber() >= getInputs().size();
    if (!isInit || readsInit(operand.getOperandNumber() - getInputs().size())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    }
    if (isInit) {
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}

MutableOperandRange GenericOp::getDpsInitsMutable() { return getInitsMutable(); }

bool GenericOp::readsInit(unsigned index) {
  return !getBody().front().getArgument(getInputs().size() + index).use_empty();
}

bool GenericOp::isElementwise() {
  return llvm::all_of(getIteratorTypesArray(), [](IteratorType type) { return type == IteratorType::parallel; });
}

LogicalResult GenericOp::verify() {
  ArrayRef<int64_t> extents = getExtents();
  SmallVector<AffineMap> maps = getIndexingMapsArray();
  if (maps.size() != getNumOperands()) { // c1
    return emitOpError() << "expected " << getNumOperands() << " indexing maps, but found " << maps.size();
  }
  if (getIteratorTypes().size() != extents.size()) { // c2
    return emitOpError() << "expected " << extents.size() << " iterator types, but found " << getIteratorTypes().size();
  }
  for (StringRef name : getIteratorTypes().getAsValueRange<StringAttr>()) {
    if (name != "parallel" && name != "reduction") { // c2
      return emitOpError() << "expected iterator types \"parallel\" or \"reduction\", but found \"" << name << "\"";
    }
  }
  for (int64_t extent : extents) {
    if (extent < 0) { // c1
      return emitOpError() << "expected extents of at least 0, but found " << extent;
    }
  }
  for (auto [map, operand] : llvm::zip(maps, getOperands())) {
    if (failed(details::verifyMapInside(*this, map, extents, cast<ShapedType>(operand.getType())))) { // c1, c3
      return failure();
    }
  }
  SmallVector<IteratorType> iterators = getIteratorTypesArray();
  for (AffineMap map : ArrayRef(maps).drop_front(getInputs().size())) { // c4
    if (!map.isProjectedPermutation()) {
      return emitOpError() << "expected the map of an init to be a projected permutation, but found "
                           << AffineMapAttr::get(map);
    }
    for (auto [dim, iterator] : llvm::enumerate(iterators)) {
      if (map.isFunctionOfDim(dim) != (iterator == IteratorType::parallel)) {
        return emitOpError() << "expected the map of an init to use exactly the parallel dimensions, but "
                             << AffineMapAttr::get(map) << (map.isFunctionOfDim(dim) ? " uses" : " lacks")
                             << " dimension " << dim;
      }
    }
  }
  SmallVector<Type> argumentTypes, yieldTypes;
  for (Value operand : getOperands()) {
    argumentTypes.push_back(cast<ShapedType>(operand.getType()).getElementType());
  }
  for (Value init : getInits()) {
    yieldTypes.push_back(cast<ShapedType>(init.getType()).getElementType());
  }
  if (failed(details::verifyBody(*this, getBody(), argumentTypes, yieldTypes))) { // c5
    return failure();
  }
  for (Operation &op : getBody().front().without_terminator()) { // c6
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect != "arith" && dialect != "math" && !isa<IndexOp>(op)) {
      return (emitOpError() << "expected only arith, math and 'npu.index' ops in the body, but found '" << op.getName()
                            << "'")
                 .attachNote(op.getLoc())
             << "the op is here";
    }
  }
  return details::verifyDestinations(*this);
}

SmallVector<AffineMap> GenericOp::getIndexingMapsArray() {
  return llvm::to_vector(getIndexingMaps().getAsValueRange<AffineMapAttr>());
}

SmallVector<IteratorType> GenericOp::getIteratorTypesArray() {
  SmallVector<IteratorType> types;
  for (StringRef name : getIteratorTypes().getAsValueRange<StringAttr>()) {
    types.push_back(name == "parallel" ? IteratorType::parallel : IteratorType::reduction);
  }
  return types;
}

SmallVector<int64_t> GenericOp::getIterationExtents() { return llvm::to_vector(getExtents()); }

Queue GenericOp::getQueue() {
  return !getInputs().empty() && getSpace(getInputs().front().getType()) == Space::Acc ? Queue::DR : Queue::VE;
}

int64_t GenericOp::getMacs() { return 0; }

void GenericOp::setTileExtents(ArrayRef<int64_t> sizes) {
  setExtents(sizes);
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  auto generic = cast<GenericOp>((*this)->getParentOp());
  int64_t dims = generic.getIteratorTypes().size();
  int64_t dim = getDim();
  if (dim < 0 || dim >= dims) { // c1
    return emitOpError() << "expected a dimension below " << dims << ", but found " << dim;
  }
  return success();
}
