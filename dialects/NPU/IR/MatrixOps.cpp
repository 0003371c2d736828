// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/OpDetails.h"

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Shared by the matrix ops
//===----------------------------------------------------------------------===//

template <typename OpTy>
static SmallVector<AffineMap> epilogueMaps(OpTy op) {
  if (std::optional<ArrayAttr> maps = op.getEpilogueMaps()) {
    return llvm::to_vector(maps->template getAsValueRange<AffineMapAttr>());
  }
  return {};
}

/// All maps of a matrix op over `numDims` dimensions: those of lhs and rhs, the epilogue maps composed with the
/// output map, and the output map.
template <typename OpTy>
static SmallVector<AffineMap> matrixMaps(OpTy op, unsigned numDims, ArrayRef<ArrayRef<AffineExpr>> exprs) {
  MLIRContext *context = op.getContext();
  AffineMap output = AffineMap::get(numDims, 0, exprs[2], context);
  SmallVector<AffineMap> maps = {AffineMap::get(numDims, 0, exprs[0], context),
                                 AffineMap::get(numDims, 0, exprs[1], context)};
  for (AffineMap map : epilogueMaps(op)) {
    maps.push_back(map.compose(output));
  }
  maps.push_back(output);
  return maps;
}

static Type accumulatorType(Type element) {
  MLIRContext *context = element.getContext();
  return isa<FloatType>(element) ? Type(Float32Type::get(context)) : Type(IntegerType::get(context, 32));
}

template <typename OpTy>
static void matrixEffects(OpTy op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  details::addOperandEffects(op, effects, /*readsInits=*/op.getAccumulate());
}

template <typename OpTy>
static LogicalResult verifyMatrixOp(OpTy op, int64_t lhsRank, int64_t rhsRank, int64_t initRank) {
  auto lhs = cast<ShapedType>(op.getLhs().getType()), rhs = cast<ShapedType>(op.getRhs().getType());
  auto init = cast<ShapedType>(op.getInit().getType());
  if (lhs.getRank() != lhsRank || rhs.getRank() != rhsRank || init.getRank() != initRank) { // c1
    return op.emitOpError() << "expected lhs, rhs and init of rank " << lhsRank << ", " << rhsRank << " and "
                            << initRank << ", but found " << lhs.getRank() << ", " << rhs.getRank() << " and "
                            << init.getRank();
  }
  Type element = lhs.getElementType();
  bool known = element.isF32() || element.isF16() || element.isBF16() || element.isInteger(8);
  if (element != rhs.getElementType() || !known) { // c3
    return op.emitOpError() << "expected lhs and rhs of one element type out of f32, f16, bf16 and i8, but found "
                            << element << " and " << rhs.getElementType();
  }
  if (!isa<IntegerType>(element) &&
      (op.getLhsZeroPoint() || op.getRhsZeroPoint() || op.getLhsUnsigned() || op.getRhsUnsigned())) { // c6
    return op.emitOpError() << "expected no zero point and no unsigned operand with element type " << element;
  }
  Type accumulator = accumulatorType(element);
  if (!op.hasEpilogue()) {
    if (!op.getEpilogueInputs().empty() || op.getEpilogueMaps()) { // c5
      return op.emitOpError() << "expected no epilogue inputs and maps without an epilogue region";
    }
    if (init.getElementType() != accumulator) { // c4
      return op.emitOpError() << "expected an init of the accumulator type " << accumulator << ", but found "
                              << init.getElementType();
    }
    return details::verifyDestinations(op);
  }
  SmallVector<AffineMap> maps = epilogueMaps(op);
  if (maps.size() != op.getEpilogueInputs().size()) { // c5
    return op.emitOpError() << "expected " << op.getEpilogueInputs().size() << " epilogue maps, but found "
                            << maps.size();
  }
  SmallVector<Type> argumentTypes = {accumulator};
  for (auto [map, input] : llvm::zip(maps, op.getEpilogueInputs())) {
    auto type = cast<ShapedType>(input.getType());
    argumentTypes.push_back(type.getElementType());
    if (failed(details::verifyMapInside(op, map, init.getShape(), type))) { // c5
      return failure();
    }
  }
  if (failed(details::verifyBody(op, op.getEpilogue(), argumentTypes, {init.getElementType()}))) { // c5
    return failure();
  }
  return details::verifyDestinations(op);
}

static LogicalResult verifySame(Operation *op, StringRef what, int64_t a, int64_t b) {
  if (a != b) { // c2
    return op->emitOpError() << "expected operands that agree in " << what << ", but found " << a << " and " << b;
  }
  return success();
}

#define NPU_MATRIX_OP_METHODS(OP)                                                                                      \
  void OP::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {                 \
    matrixEffects(*this, effects);                                                                                     \
  }                                                                                                                    \
  SmallVector<AffineMap> OP::getEpilogueMapsArray() { return epilogueMaps(*this); }                                   \
  Type OP::getAccumulatorType() {                                                                                      \
    return accumulatorType(cast<ShapedType>(getLhs().getType()).getElementType());                                    \
  }                                                                                                                    \
  Queue OP::getQueue() { return Queue::MM; }                                                                           \
  int64_t OP::getMacs() {                                                                                              \
    int64_t macs = 1;                                                                                                  \
    for (int64_t extent : getIterationExtents()) {                                                                              \
      macs *= extent;                                                                                                  \
    }                                                                                                                  \
    return macs;                                                                                                       \
  }                                                                                                                    \
  MutableOperandRange OP::getDpsInitsMutable() { return getInitMutable(); }

NPU_MATRIX_OP_METHODS(BatchMatmulOp)
NPU_MATRIX_OP_METHODS(Conv2dOp)
NPU_MATRIX_OP_METHODS(MatmulOp)

#undef NPU_MATRIX_OP_METHODS

//===----------------------------------------------------------------------===//
// BatchMatmulOp
//===----------------------------------------------------------------------===//

LogicalResult BatchMatmulOp::verify() {
  if (failed(verifyMatrixOp(*this, 3, 3, 3))) {
    return failure();
  }
  auto lhs = cast<ShapedType>(getLhs().getType()).getShape(), rhs = cast<ShapedType>(getRhs().getType()).getShape();
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  int64_t lhsM = getTransposeLhs() ? 2 : 1, rhsK = getTransposeRhs() ? 2 : 1;
  return failure(failed(verifySame(*this, "b", lhs[0], init[0])) || failed(verifySame(*this, "b", rhs[0], init[0])) ||
                 failed(verifySame(*this, "m", lhs[lhsM], init[1])) ||
                 failed(verifySame(*this, "n", rhs[3 - rhsK], init[2])) ||
                 failed(verifySame(*this, "k", lhs[3 - lhsM], rhs[rhsK])));
}

SmallVector<AffineMap> BatchMatmulOp::getIndexingMapsArray() {
  AffineExpr b, m, n, k;
  bindDims(getContext(), b, m, n, k);
  SmallVector<AffineExpr> lhs = getTransposeLhs() ? SmallVector<AffineExpr>{b, k, m} : SmallVector<AffineExpr>{b, m, k};
  SmallVector<AffineExpr> rhs = getTransposeRhs() ? SmallVector<AffineExpr>{b, n, k} : SmallVector<AffineExpr>{b, k, n};
  return matrixMaps(*this, 4, {lhs, rhs, {b, m, n}});
}

SmallVector<IteratorType> BatchMatmulOp::getIteratorTypesArray() {
  return {IteratorType::parallel, IteratorType::parallel, IteratorType::parallel, IteratorType::reduction};
}

SmallVector<int64_t> BatchMatmulOp::getIterationExtents() {
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  return {init[0], init[1], init[2], cast<ShapedType>(getLhs().getType()).getDimSize(getTransposeLhs() ? 1 : 2)};
}

//===----------------------------------------------------------------------===//
// Conv2dOp
//===----------------------------------------------------------------------===//

LogicalResult Conv2dOp::verify() {
  if (failed(verifyMatrixOp(*this, 4, 4, 4))) {
    return failure();
  }
  auto input = cast<ShapedType>(getLhs().getType()).getShape(), filter = cast<ShapedType>(getRhs().getType()).getShape();
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  if (failed(details::verifyWindow(*this, getStrides(), getDilations(), input.slice(1, 2), filter.take_front(2),
                                  init.slice(1, 2)))) {
    return failure();
  }
  return failure(failed(verifySame(*this, "n", input[0], init[0])) || failed(verifySame(*this, "c", input[3], filter[2])) ||
                 failed(verifySame(*this, "f", filter[3], init[3])));
}

SmallVector<AffineMap> Conv2dOp::getIndexingMapsArray() {
  AffineExpr n, oh, ow, f, kh, kw, c;
  bindDims(getContext(), n, oh, ow, f, kh, kw, c);
  SmallVector<AffineExpr> input = {n, oh * getStrides()[0] + kh * getDilations()[0],
                                   ow * getStrides()[1] + kw * getDilations()[1], c};
  return matrixMaps(*this, 7, {input, {kh, kw, c, f}, {n, oh, ow, f}});
}

SmallVector<IteratorType> Conv2dOp::getIteratorTypesArray() {
  SmallVector<IteratorType> types(4, IteratorType::parallel);
  types.append(3, IteratorType::reduction);
  return types;
}

SmallVector<int64_t> Conv2dOp::getIterationExtents() {
  auto filter = cast<ShapedType>(getRhs().getType()).getShape(), init = cast<ShapedType>(getInit().getType()).getShape();
  return {init[0], init[1], init[2], init[3], filter[0], filter[1], filter[2]};
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(verifyMatrixOp(*this, 2, 2, 2))) {
    return failure();
  }
  auto lhs = cast<ShapedType>(getLhs().getType()).getShape(), rhs = cast<ShapedType>(getRhs().getType()).getShape();
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  int64_t lhsM = getTransposeLhs() ? 1 : 0, rhsK = getTransposeRhs() ? 1 : 0;
  return failure(failed(verifySame(*this, "m", lhs[lhsM], init[0])) ||
                 failed(verifySame(*this, "n", rhs[1 - rhsK], init[1])) ||
                 failed(verifySame(*this, "k", lhs[1 - lhsM], rhs[rhsK])));
}

SmallVector<AffineMap> MatmulOp::getIndexingMapsArray() {
  AffineExpr m, n, k;
  bindDims(getContext(), m, n, k);
  SmallVector<AffineExpr> lhs = getTransposeLhs() ? SmallVector<AffineExpr>{k, m} : SmallVector<AffineExpr>{m, k};
  SmallVector<AffineExpr> rhs = getTransposeRhs() ? SmallVector<AffineExpr>{n, k} : SmallVector<AffineExpr>{k, n};
  return matrixMaps(*this, 3, {lhs, rhs, {m, n}});
}

SmallVector<IteratorType> MatmulOp::getIteratorTypesArray() {
  return {IteratorType::parallel, IteratorType::parallel, IteratorType::reduction};
}

SmallVector<int64_t> MatmulOp::getIterationExtents() {
  auto init = cast<ShapedType>(getInit().getType()).getShape();
  return {init[0], init[1], cast<ShapedType>(getLhs().getType()).getDimSize(getTransposeLhs() ? 0 : 1)};
}
