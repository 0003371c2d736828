// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/OpDetails.h"

using namespace mlir;
using namespace mlir::npu;

void details::addOperandEffects(DestinationStyleOpInterface op, Effects &effects, bool readsInits) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      continue;
    }
    bool isInit = op.isDpsInit(&operand);
    if (!isInit || readsInits) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    }
    if (isInit) {
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}

LogicalResult details::verifyDestinations(DestinationStyleOpInterface op) {
  SmallVector<Type> expected;
  bool tensors = false, memrefs = false;
  for (OpOperand &operand : op->getOpOperands()) {
    tensors |= isa<RankedTensorType>(operand.get().getType());
    memrefs |= isa<MemRefType>(operand.get().getType());
    if (op.isDpsInit(&operand) && isa<RankedTensorType>(operand.get().getType())) {
      expected.push_back(operand.get().getType());
    }
  }
  if (tensors && memrefs) {
    return op->emitOpError() << "expected operands that are all tensors or all memrefs, but found both";
  }
  if (!llvm::equal(op->getResultTypes(), expected)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected one result for each tensor in outs, of its type (";
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), but found (";
    llvm::interleaveComma(op->getResultTypes(), diagnostic);
    return diagnostic << ")";
  }
  return success();
}

/// Whether the expression is a sum of dimensions times non-negative constants, plus a constant.
static bool isAffineSum(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr)) {
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return false;
  }
  if (binary.getKind() == AffineExprKind::Add) {
    return isAffineSum(binary.getLHS()) && isAffineSum(binary.getRHS());
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() >= 0 && isAffineSum(binary.getLHS());
}

LogicalResult details::verifyMapInside(Operation *op, AffineMap map, ArrayRef<int64_t> extents, ShapedType type) {
  if (map.getNumDims() != extents.size() || map.getNumSymbols() != 0) {
    return op->emitOpError() << "expected an indexing map over " << extents.size() << " dimensions, but found "
                             << AffineMapAttr::get(map);
  }
  if (static_cast<int64_t>(map.getNumResults()) != type.getRank()) {
    return op->emitOpError() << "expected an indexing map with " << type.getRank() << " results for " << type
                             << ", but found " << AffineMapAttr::get(map);
  }
  if (!llvm::all_of(map.getResults(), isAffineSum)) {
    return op->emitOpError() << "expected an indexing map of affine sums with non-negative factors, but found "
                             << AffineMapAttr::get(map);
  }
  if (llvm::is_contained(extents, 0)) {
    return success();
  }
  SmallVector<int64_t> first(extents.size(), 0), last;
  for (int64_t extent : extents) {
    last.push_back(extent - 1);
  }
  for (auto [dim, from, to] : llvm::enumerate(map.compose(first), map.compose(last))) {
    if (from < 0 || to >= type.getDimSize(dim)) {
      return op->emitOpError() << "expected an indexing map that stays inside " << type << ", but "
                               << AffineMapAttr::get(map) << " addresses " << (from < 0 ? from : to)
                               << " in dimension " << dim;
    }
  }
  return success();
}

LogicalResult details::verifyBody(Operation *op, Region &region, ArrayRef<Type> argumentTypes,
                                 ArrayRef<Type> yieldTypes) {
  assert(region.hasOneBlock() && "a constraint of every op with a body");
  auto mismatch = [&](StringRef what, ArrayRef<Type> expected, TypeRange found) -> LogicalResult {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected a region with " << what << " (";
    llvm::interleaveComma(expected, diagnostic);
    diagnostic << "), but found (";
    llvm::interleaveComma(found, diagnostic);
    return diagnostic << ")";
  };
  Block &block = region.front();
  if (!llvm::equal(block.getArgumentTypes(), argumentTypes)) {
    return mismatch("arguments", argumentTypes, block.getArgumentTypes());
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    return op->emitOpError() << "expected a region that ends in 'npu.yield'";
  }
  if (!llvm::equal(yield.getValues().getTypes(), yieldTypes)) {
    return mismatch("results", yieldTypes, yield.getValues().getTypes());
  }
  return success();
}

LogicalResult details::verifyWindow(Operation *op, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                                   ArrayRef<int64_t> input, ArrayRef<int64_t> window, ArrayRef<int64_t> output) {
  for (ArrayRef<int64_t> numbers : {strides, dilations}) { // c3
    if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "expected two positive strides and dilations, but found [";
      llvm::interleaveComma(numbers, diagnostic);
      return diagnostic << "]";
    }
  }
  for (unsigned i = 0; i < 2; ++i) { // c2
    int64_t rest = input[i] - (output[i] - 1) * strides[i] - (window[i] - 1) * dilations[i] - 1;
    if (rest < 0 || rest >= strides[i]) {
      return op->emitOpError() << "expected an output extent that the window fits, but extent " << output[i]
                               << " with window " << window[i] << ", stride " << strides[i] << " and dilation "
                               << dilations[i] << " needs " << input[i] - rest << " input elements of " << input[i];
    }
  }
  return success();
}
