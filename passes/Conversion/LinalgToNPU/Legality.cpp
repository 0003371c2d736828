// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/LinalgToNPU/Legality.h"

#include "passes/Conversion/LinalgToNPU/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

/// The scalar ops that microprograms have, one for each micro-op of the instruction set.
static const llvm::StringSet<> &getVectorOps() {
  static const llvm::StringSet<> names = {
      "arith.addf",     "arith.subf",      "arith.mulf",     "arith.divf",    "arith.remf",     "arith.maximumf",
      "arith.minimumf", "arith.maxnumf",   "arith.minnumf",  "arith.negf",    "arith.addi",     "arith.subi",
      "arith.muli",     "arith.divsi",     "arith.divui",    "arith.remsi",   "arith.remui",    "arith.maxsi",
      "arith.minsi",    "arith.maxui",     "arith.minui",    "arith.andi",    "arith.ori",      "arith.xori",
      "arith.shli",     "arith.shrsi",     "arith.shrui",    "arith.cmpf",    "arith.cmpi",     "arith.select",
      "arith.extsi",    "arith.extui",     "arith.trunci",   "arith.sitofp",  "arith.uitofp",   "arith.fptosi",
      "arith.fptoui",   "arith.extf",      "arith.truncf",   "arith.bitcast", "arith.constant", "math.copysign",
      "math.powf",      "math.fma",        "math.absf",      "math.sqrt",     "math.rsqrt",     "math.exp",
      "math.exp2",      "math.expm1",      "math.log",       "math.log1p",    "math.tanh",      "math.erf",
      "math.sin",       "math.cos",        "math.floor",     "math.ceil",     "math.roundeven", "math.round",
      "math.trunc",     "math.absi"};
  return names;
}

/// The types of device tensors, as target files spell them.
static StringRef getTypeName(Type type) {
  if (type.isF32()) {
    return "f32";
  }
  if (type.isF16()) {
    return "f16";
  }
  if (type.isBF16()) {
    return "bf16";
  }
  if (type.isSignlessInteger(8)) {
    return "i8";
  }
  if (type.isSignlessInteger(16)) {
    return "i16";
  }
  return type.isSignlessInteger(32) ? "i32" : "";
}

namespace {

/// Judges one op: collects the first rule that is broken.
class Judge {
public:
  Judge(Operation *op, const TargetDesc &target) : op(op), target(target) {}

  Verdict run();

private:
  Verdict admit(DeviceForm form) { return verdict.rule.empty() ? Verdict{form, {}, {}} : verdict; }
  /// Notes the broken rule, if it is the first; returns false for use in conditions.
  template <typename... Args>
  bool reject(StringRef rule, const char *format, Args &&...args) {
    if (verdict.rule.empty()) {
      verdict.rule = rule;
      verdict.reason = op->getName().getStringRef().str() + ": " + llvm::formatv(format, std::forward<Args>(args)...).str();
    }
    return false;
  }

  bool isElement(Type type) const { return !getTypeName(type).empty() && target.supports(getTypeName(type).str()); }
  bool isScalar(Type type) const { return type.isSignlessInteger(1) || isElement(type); }
  bool checkElement(Type type);
  bool checkShapes();
  bool checkTypes(TypeRange types);
  bool checkBody(linalg::LinalgOp linalgOp);
  bool checkMaps(linalg::LinalgOp linalgOp);
  bool isMatrixProduct(linalg::LinalgOp linalgOp);
  Verdict judgeView();
  Verdict judgePad(tensor::PadOp pad);
  Verdict judgeLinalg(linalg::LinalgOp linalgOp);
  Verdict judgeGeneric(linalg::LinalgOp linalgOp);

  Operation *op;
  const TargetDesc &target;
  Verdict verdict;
};

} // namespace

bool Judge::checkElement(Type type) {
  if (isElement(type)) {
    return true;
  }
  return reject("element-type", "element type {0} is none of target '{1}' ({2})", type, target.name,
                llvm::join(target.dtypes, ", "));
}

bool Judge::checkTypes(TypeRange types) {
  return llvm::all_of(types, [&](Type type) { return checkElement(getElementTypeOrSelf(type)); });
}

bool Judge::checkShapes() {
  auto check = [&](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped) {
      return true;
    }
    if (!shaped.hasStaticShape()) {
      return reject("static-shape", "{0} has a dynamic extent", type);
    }
    if (shaped.getNumElements() == 0) {
      return reject("empty-tensor", "{0} has no element", type);
    }
    if (shaped.getRank() > static_cast<int64_t>(target.dmaMaxRank)) {
      return reject("rank", "rank {0} of {1} is above the {2} dimensions that a transfer of target '{3}' walks",
                    shaped.getRank(), type, target.dmaMaxRank, target.name);
    }
    return true;
  };
  return llvm::all_of(op->getOperandTypes(), check) && llvm::all_of(op->getResultTypes(), check);
}

/// Whether the expression is a sum of dimensions times non-negative constants, plus a non-negative constant.
static bool isAddress(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr)) {
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return constant.getValue() >= 0;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return false;
  }
  if (binary.getKind() == AffineExprKind::Add) {
    return isAddress(binary.getLHS()) && isAddress(binary.getRHS());
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() >= 0 && isAddress(binary.getLHS());
}

bool Judge::checkMaps(linalg::LinalgOp linalgOp) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType())) {
      continue;
    }
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    if (!llvm::all_of(map.getResults(), isAddress)) {
      return reject("indexing-map", "{0} is not a sum of loops times non-negative factors", AffineMapAttr::get(map));
    }
    if (!linalgOp.isDpsInit(&operand)) {
      continue;
    }
    for (auto [dim, iterator] : llvm::enumerate(linalgOp.getIteratorTypesArray())) {
      if (!map.isProjectedPermutation() || map.isFunctionOfDim(dim) != (iterator == utils::IteratorType::parallel)) {
        return reject("output-map", "output map {0} is not a permutation of the parallel loops", AffineMapAttr::get(map));
      }
    }
  }
  return true;
}

bool Judge::checkBody(linalg::LinalgOp linalgOp) {
  Block *body = linalgOp.getBlock();
  int64_t count = 0;
  for (Operation &inner : body->without_terminator()) {
    StringRef name = inner.getName().getStringRef();
    ++count;
    if (isa<linalg::IndexOp>(inner)) {
      if (!llvm::all_of(inner.getUsers(), [](Operation *user) { return isa<arith::IndexCastOp>(user); })) {
        return reject("index", "a loop position is used in index arithmetic, but the vector engine has it as i32");
      }
      continue;
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(inner)) {
      if (!cast.getIn().getDefiningOp<linalg::IndexOp>() || !cast.getType().isInteger(32)) {
        return reject("index", "'arith.index_cast' from {0} to {1} is not of a loop position to i32", cast.getIn().getType(),
                      cast.getType());
      }
      continue;
    }
    if (!getVectorOps().contains(name)) {
      return reject("scalar-op", "the vector engine has no '{0}'", name);
    }
    for (Type type : inner.getResultTypes()) {
      if (!isScalar(type)) {
        return reject("scalar-type", "'{0}' yields {1}, which is no type of the vector engine", name, type);
      }
    }
    bool isCast = isa<arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(inner);
    for (Value operand : inner.getOperands()) {
      bool wideInput = isCast && isa<BlockArgument>(operand) && operand.getType().isInteger(64);
      if (!isScalar(operand.getType()) && !wideInput) {
        return reject("scalar-type", "'{0}' takes {1}, which is no type of the vector engine", name, operand.getType());
      }
      if (operand.getParentBlock() != body && !getScalarConstant(operand)) {
        return reject("captured-scalar", "'{0}' reads a scalar from outside that is no constant", name);
      }
    }
  }
  for (Value value : body->getTerminator()->getOperands()) {
    if (value.getParentBlock() != body && !getScalarConstant(value)) {
      return reject("captured-scalar", "the body yields a scalar from outside that is no constant");
    }
  }
  if (count > static_cast<int64_t>(target.maxMicroOps)) {
    return reject("micro-ops", "{0} scalar operations are above the {1} of target '{2}'", count, target.maxMicroOps,
                  target.name);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The rules of each kind of op
//===----------------------------------------------------------------------===//

Verdict Judge::judgeView() {
  // The device never computes with i64, but indices of a gather pass through reshapes.
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (!element.isSignlessInteger(64) && !checkElement(element)) {
      return verdict;
    }
  }
  checkShapes();
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    bool isStatic = llvm::none_of(slice.getStaticOffsets(), ShapedType::isDynamic) &&
                    llvm::none_of(slice.getStaticStrides(), ShapedType::isDynamic);
    if (!isStatic) {
      reject("dynamic-offset", "an offset or a stride is known only at run time");
    }
  }
  return admit(DeviceForm::View);
}

Verdict Judge::judgePad(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  if (!value || !getScalarConstant(value)) {
    reject("pad-value", "the padding value is not one constant");
  } else if (llvm::any_of(pad.getStaticLow(), [](int64_t low) { return low < 0; }) ||
             llvm::any_of(pad.getStaticHigh(), [](int64_t high) { return high < 0; })) {
    reject("pad-amount", "a padding amount is negative or known only at run time");
  }
  if (verdict.rule.empty() && checkShapes()) {
    checkTypes(pad.getResult().getType());
  }
  return admit(DeviceForm::Pad);
}

/// Whether the op is a sum of products of operand types that the matrix engine has.
bool Judge::isMatrixProduct(linalg::LinalgOp linalgOp) {
  std::optional<ProductBody> product = matchProductBody(linalgOp);
  if (!product) {
    return false;
  }
  Type lhs = getElementTypeOrSelf(op->getOperand(0)), rhs = getElementTypeOrSelf(op->getOperand(1));
  Type out = getElementTypeOrSelf(op->getResult(0));
  if (lhs != rhs || !(isa<FloatType>(lhs) || lhs.isInteger(8)) || !isElement(lhs) || !isElement(out)) {
    return false;
  }
  for (Value zeroPoint : {product->lhsZeroPoint, product->rhsZeroPoint}) {
    if (zeroPoint && !isa_and_present<IntegerAttr>(getScalarConstant(zeroPoint))) {
      return false;
    }
  }
  return isa<FloatType>(lhs) ? isa<FloatType>(out) : out.isInteger(32);
}

Verdict Judge::judgeGeneric(linalg::LinalgOp linalgOp) {
  unsigned operands = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = linalgOp.getMatchingBlockArgument(&operand);
    if (!linalgOp.isDpsInit(&operand) && argument.use_empty()) {
      continue; // A window: it gives loops, not values.
    }
    if (!isa<ShapedType>(operand.get().getType())) {
      if (!getScalarConstant(operand.get())) {
        reject("captured-scalar", "a scalar operand is no constant");
      }
      continue;
    }
    ++operands;
    Type element = getElementTypeOrSelf(operand.get().getType());
    bool onlyCast = element.isSignlessInteger(64) && !linalgOp.isDpsInit(&operand) &&
                    llvm::all_of(argument.getUsers(), [](Operation *user) {
                      return isa<arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(user);
                    });
    if (!onlyCast) {
      checkElement(element);
    }
  }
  if (operands > target.maxOperands) {
    reject("operands", "{0} operands are above the {1} of target '{2}'", operands, target.maxOperands, target.name);
  }
  if (verdict.rule.empty() && checkMaps(linalgOp)) {
    checkBody(linalgOp);
  }
  return admit(DeviceForm::Generic);
}

Verdict Judge::judgeLinalg(linalg::LinalgOp linalgOp) {
  if (!linalgOp.hasPureTensorSemantics()) {
    reject("tensors", "operands are not tensors");
    return verdict;
  }
  if (!checkShapes()) {
    return verdict;
  }
  if (std::optional<GatherForm> gather = matchGather(linalgOp)) {
    Type table = gather->table.getType();
    Type index = getElementTypeOrSelf(op->getOperand(gather->indexInput).getType());
    if (checkTypes(table) && !index.isSignlessInteger(64) && !index.isSignlessInteger(32)) {
      reject("index-type", "indices are {0}, not i32 or i64", index);
    }
    return admit(DeviceForm::Gather);
  }
  if (isa<linalg::TransposeOp, linalg::CopyOp>(op)) {
    Type source = getElementTypeOrSelf(op->getOperand(0)), target = getElementTypeOrSelf(op->getResult(0));
    if (source == target) {
      checkElement(source);
      return admit(isa<linalg::CopyOp>(op) ? DeviceForm::Copy : DeviceForm::Transpose);
    }
  }
  if (isMatrixProduct(linalgOp)) {
    if (matchContraction(linalgOp)) {
      return admit(DeviceForm::Matmul);
    }
    if (isa<linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcHwcfQOp>(op)) {
      return admit(DeviceForm::Conv2d);
    }
    Type out = getElementTypeOrSelf(op->getResult(0));
    if (isa<linalg::DepthwiseConv2DNhwcHwcOp>(op) && (out.isF32() || out.isInteger(32))) {
      return admit(DeviceForm::Depthwise);
    }
  }
  return judgeGeneric(linalgOp);
}

Verdict Judge::run() {
  if (isa<arith::ConstantOp, tensor::EmptyOp>(op)) {
    return admit(DeviceForm::View);
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp>(op)) {
    return judgeView();
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    return judgePad(pad);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    return judgeLinalg(linalgOp);
  }
  reject("operation", "the device has no such operation");
  return verdict;
}

Verdict npu::judge(Operation *op, const TargetDesc &target) { return Judge(op, target).run(); }
