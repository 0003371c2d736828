// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/LinalgToNPU/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::npu;

TypedAttr npu::getScalarConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr))) {
    return {};
  }
  if (auto splat = dyn_cast<SplatElementsAttr>(attr)) {
    return cast<TypedAttr>(splat.getSplatValue<Attribute>());
  }
  return isa<ElementsAttr>(attr) ? TypedAttr() : dyn_cast<TypedAttr>(attr);
}

TypedAttr npu::getFillValue(Value value) {
  // The same in every order and shape.
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<linalg::TransposeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    return getScalarConstant(fill.getInputs().front());
  }
  return getScalarConstant(value);
}

bool npu::isZeroTensor(Value value) {
  TypedAttr fill = getFillValue(value);
  if (auto number = dyn_cast_if_present<FloatAttr>(fill)) {
    return number.getValue().isPosZero();
  }
  auto number = dyn_cast_if_present<IntegerAttr>(fill);
  return number && number.getValue().isZero();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Follows casts and the subtraction of a zero point from an operand of the product to the block argument.
static BlockArgument traceFactor(Value value, bool &isUnsigned, Value &zeroPoint, Block *body) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ExtFOp, arith::ExtSIOp>(op)) {
      value = op->getOperand(0);
    } else if (isa<arith::ExtUIOp>(op)) {
      isUnsigned = true;
      value = op->getOperand(0);
    } else if (auto sub = dyn_cast<arith::SubIOp>(op); sub && !zeroPoint) {
      zeroPoint = sub.getRhs();
      value = sub.getLhs();
    } else {
      return {};
    }
  }
  auto argument = cast<BlockArgument>(value);
  return argument.getOwner() == body ? argument : BlockArgument();
}

std::optional<ProductBody> npu::matchProductBody(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() < 2) {
    return std::nullopt;
  }
  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  Operation *add = yield->getNumOperands() == 1 ? yield->getOperand(0).getDefiningOp() : nullptr;
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add)) {
    return std::nullopt;
  }
  BlockArgument accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  unsigned other = add->getOperand(0) == accumulator ? 1 : 0;
  if (add->getOperand(1 - other) != accumulator) {
    return std::nullopt;
  }
  Operation *mul = add->getOperand(other).getDefiningOp();
  if (!mul || !isa<arith::MulFOp, arith::MulIOp>(mul)) {
    return std::nullopt;
  }
  ProductBody product;
  BlockArgument first = traceFactor(mul->getOperand(0), product.lhsUnsigned, product.lhsZeroPoint, body);
  BlockArgument second = traceFactor(mul->getOperand(1), product.rhsUnsigned, product.rhsZeroPoint, body);
  if (!first || !second) {
    return std::nullopt;
  }
  if (first.getArgNumber() == 1 && second.getArgNumber() == 0) {
    std::swap(first, second);
    std::swap(product.lhsUnsigned, product.rhsUnsigned);
    std::swap(product.lhsZeroPoint, product.rhsZeroPoint);
  }
  if (first.getArgNumber() != 0 || second.getArgNumber() != 1) {
    return std::nullopt;
  }
  // A zero point of a named op is another scalar input of it.
  for (Value *zeroPoint : {&product.lhsZeroPoint, &product.rhsZeroPoint}) {
    if (!*zeroPoint) {
      continue;
    }
    Value scalar = *zeroPoint;
    if (Operation *cast = scalar.getDefiningOp(); cast && isa<arith::ExtSIOp>(cast)) {
      scalar = cast->getOperand(0);
    }
    if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == body) {
      scalar = op.getMatchingOpOperand(argument)->get();
    }
    *zeroPoint = scalar;
  }
  unsigned used = 2 + llvm::count_if(llvm::drop_begin(op.getDpsInputs(), 2), [&](Value input) {
                    return input == product.lhsZeroPoint || input == product.rhsZeroPoint;
                  });
  return used == op.getNumDpsInputs() ? std::optional(product) : std::nullopt;
}

std::optional<ContractionLoops> npu::matchContraction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !matchProductBody(op)) {
    return std::nullopt;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap lhs = maps[0], rhs = maps[1], out = maps.back();
  if (!lhs.isProjectedPermutation() || !rhs.isProjectedPermutation() || !out.isProjectedPermutation()) {
    return std::nullopt;
  }
  ContractionLoops loops;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    bool inLhs = lhs.isFunctionOfDim(dim), inRhs = rhs.isFunctionOfDim(dim), inOut = out.isFunctionOfDim(dim);
    if (inLhs && inRhs) {
      (inOut ? loops.batch : loops.k).push_back(dim);
    } else if (inOut && (inLhs || inRhs)) {
      (inLhs ? loops.m : loops.n).push_back(dim);
    } else {
      return std::nullopt; // A sum over one operand alone, or a broadcast of the result.
    }
  }
  bool hasOuter = !loops.m.empty() || !loops.n.empty();
  if (loops.k.empty() || (!hasOuter && !loops.batch.empty())) {
    return std::nullopt;
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

std::optional<GatherForm> npu::matchGather(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() != 0 ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity()) {
    return std::nullopt;
  }
  Block *body = generic.getBlock();
  auto extract = body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != body || extract.getIndices().empty()) {
    return std::nullopt;
  }
  auto indexCast = extract.getIndices().front().getDefiningOp<arith::IndexCastOp>();
  auto argument = indexCast ? dyn_cast<BlockArgument>(indexCast.getIn()) : BlockArgument();
  if (!argument || argument.getOwner() != body || argument.getArgNumber() >= generic.getNumDpsInputs()) {
    return std::nullopt;
  }
  unsigned along = extract.getIndices().size() - 1;
  if (along > generic.getNumLoops()) {
    return std::nullopt;
  }
  unsigned rowLoops = generic.getNumLoops() - along;
  for (auto [position, index] : llvm::enumerate(extract.getIndices().drop_front())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (!loop || loop.getDim() != rowLoops + position) {
      return std::nullopt;
    }
  }
  // The table's rows are read whole, and each index is read in order.
  auto tableShape = cast_or_null<RankedTensorType>(extract.getTensor().getType()).getShape();
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  AffineMap indexMap = generic.getMatchingIndexingMap(generic.getDpsInputOperand(argument.getArgNumber()));
  SmallVector<AffineExpr> walked; // Without the dimensions of extent 1 that are pinned.
  for (AffineExpr expr : indexMap.getResults()) {
    if (!isa<AffineConstantExpr>(expr)) {
      walked.push_back(expr);
    }
  }
  AffineMap loops = AffineMap::getMultiDimIdentityMap(generic.getNumLoops(), op.getContext()).getMajorSubMap(rowLoops);
  int64_t rows = ShapedType::getNumElements(ArrayRef(extents).take_front(rowLoops));
  if (tableShape.drop_front() != ArrayRef(extents).drop_front(rowLoops) || ArrayRef(walked) != loops.getResults() ||
      cast<ShapedType>(op->getOperand(argument.getArgNumber()).getType()).getNumElements() != rows) {
    return std::nullopt;
  }
  return GatherForm{extract.getTensor(), argument.getArgNumber(), rowLoops};
}
