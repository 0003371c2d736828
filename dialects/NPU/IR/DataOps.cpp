// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/OpDetails.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::npu;

#define NPU_DATA_OP_METHODS(OP)                                                                                        \
  void OP::getEffects(details::Effects &effects) { details::addOperandEffects(*this, effects, /*readsInits=*/false); }   \
  MutableOperandRange OP::getDpsInitsMutable() { return getInitMutable(); }

NPU_DATA_OP_METHODS(CopyOp)
NPU_DATA_OP_METHODS(GatherOp)
NPU_DATA_OP_METHODS(LoadOp)
NPU_DATA_OP_METHODS(PadOp)
NPU_DATA_OP_METHODS(StoreOp)
NPU_DATA_OP_METHODS(TransposeOp)

#undef NPU_DATA_OP_METHODS

static LogicalResult verifySameContents(Operation *op, Type source, Type init) { // c1
  auto from = cast<ShapedType>(source), to = cast<ShapedType>(init);
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) {
    return op->emitOpError() << "expected source and init of one shape and element type, but found " << source
                             << " and " << init;
  }
  return success();
}

static LogicalResult verifySpaces(Operation *op, Type source, Space sourceSpace, Type init, Space initSpace) { // c2
  if (getSpace(source) != sourceSpace || getSpace(init) != initSpace) {
    return op->emitOpError() << "expected a source in " << stringifySpace(sourceSpace) << " and an init in "
                             << stringifySpace(initSpace) << ", but found " << stringifySpace(getSpace(source))
                             << " and " << stringifySpace(getSpace(init));
  }
  return success();
}

static LogicalResult verifySameSpace(Operation *op, Type source, Type init) {
  if (getSpace(source) != getSpace(init)) {
    return op->emitOpError() << "expected source and init in one space, but found "
                             << stringifySpace(getSpace(source)) << " and " << stringifySpace(getSpace(init));
  }
  return success();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), init = getInit().getType();
  if (failed(verifySameContents(*this, source, init)) || failed(verifySameSpace(*this, source, init))) {
    return failure();
  }
  if (getSpace(source) != Space::Dram && getSpace(source) != Space::Sram) { // c2
    return emitOpError() << "expected operands in dram or sram, but found " << stringifySpace(getSpace(source));
  }
  return details::verifyDestinations(*this);
}

LogicalResult GatherOp::verify() {
  auto table = cast<ShapedType>(getTable().getType()), indices = cast<ShapedType>(getIndices().getType());
  auto init = cast<ShapedType>(getInit().getType());
  if (table.getRank() != 2 || indices.getRank() != 1 || init.getRank() != 2) { // c1
    return emitOpError() << "expected table, indices and init of rank 2, 1 and 2, but found " << table.getRank()
                         << ", " << indices.getRank() << " and " << init.getRank();
  }
  if (!indices.getElementType().isInteger(32) && !indices.getElementType().isInteger(64)) { // c1
    return emitOpError() << "expected indices of i32 or i64, but found " << indices.getElementType();
  }
  if (init.getDimSize(0) != indices.getDimSize(0) || init.getDimSize(1) != table.getDimSize(1) ||
      init.getElementType() != table.getElementType()) { // c2
    return emitOpError() << "expected an init of " << indices.getDimSize(0) << " rows of " << table.getDimSize(1)
                         << " elements of " << table.getElementType() << ", but found " << init;
  }
  return details::verifyDestinations(*this);
}

LogicalResult LoadOp::verify() {
  Type source = getSource().getType(), init = getInit().getType();
  if (failed(verifySameContents(*this, source, init)) ||
      failed(verifySpaces(*this, source, Space::Dram, init, Space::Sram))) {
    return failure();
  }
  return details::verifyDestinations(*this);
}

LogicalResult PadOp::verify() {
  auto source = cast<ShapedType>(getSource().getType()), init = cast<ShapedType>(getInit().getType());
  size_t rank = source.getRank();
  auto isNegative = [](int64_t n) { return n < 0; };
  if (getLow().size() != rank || getHigh().size() != rank || llvm::any_of(getLow(), isNegative) ||
      llvm::any_of(getHigh(), isNegative)) { // c1
    return emitOpError() << "expected " << rank << " numbers of at least 0 in low and in high";
  }
  if (static_cast<size_t>(init.getRank()) != rank) { // c2
    return emitOpError() << "expected an init of rank " << rank << ", but found " << init.getRank();
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t expected = getLow()[dim] + source.getDimSize(dim) + getHigh()[dim];
    if (init.getDimSize(dim) != expected) { // c2
      return emitOpError() << "expected an init of extent " << expected << " in dimension " << dim << ", but found "
                           << init.getDimSize(dim);
    }
  }
  if (source.getElementType() != init.getElementType() || getValue().getType() != source.getElementType()) { // c3
    return emitOpError() << "expected source, init and value of one element type, but found "
                         << source.getElementType() << ", " << init.getElementType() << " and " << getValue().getType();
  }
  if (failed(verifySameSpace(*this, source, init))) { // c4
    return failure();
  }
  return details::verifyDestinations(*this);
}

LogicalResult StoreOp::verify() {
  Type source = getSource().getType(), init = getInit().getType();
  if (failed(verifySameContents(*this, source, init)) ||
      failed(verifySpaces(*this, source, Space::Sram, init, Space::Dram))) {
    return failure();
  }
  return details::verifyDestinations(*this);
}

LogicalResult TransposeOp::verify() {
  auto source = cast<ShapedType>(getSource().getType()), init = cast<ShapedType>(getInit().getType());
  ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != source.getRank() || !isPermutationVector(permutation)) { // c1
    InFlightDiagnostic diagnostic = emitOpError() << "expected a permutation of " << source.getRank()
                                                  << " dimensions, but found [";
    llvm::interleaveComma(permutation, diagnostic);
    return diagnostic << "]";
  }
  if (applyPermutation(source.getShape(), permutation) != llvm::to_vector(init.getShape()) ||
      source.getElementType() != init.getElementType()) { // c2
    return emitOpError() << "expected an init of the permuted shape and the element type of " << source
                         << ", but found " << init;
  }
  if (failed(verifySameSpace(*this, source, init))) { // c3
    return failure();
  }
  return details::verifyDestinations(*this);
}
