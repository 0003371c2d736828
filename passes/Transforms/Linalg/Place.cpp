// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Passes.h"

#include "passes/Conversion/LinalgToNPU/Legality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::npu {
#define GEN_PASS_DEF_PLACEPASS
#include "passes/Transforms/Linalg/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {

class Place : public mlir::npu::impl::PlacePassBase<Place> {
public:
  using PlacePassBase::PlacePassBase;
  void runOnOperation() override;

private:
  LogicalResult checkStaticShapes(func::FuncOp function);
  LogicalResult checkElementTypes(func::FuncOp function);
  void wrap(ArrayRef<Operation *> group, StringRef reason);
};

} // namespace

/// Whether the op costs nothing and may stand on either side: it does not end a run of host ops.
static bool isNeutral(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op);
}

/// Reports every dynamic extent of the function, each value once.
LogicalResult Place::checkStaticShapes(func::FuncOp function) {
  bool isStatic = true;
  auto check = [&](Value value, Location loc, const Twine &what) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || (type.hasRank() && type.hasStaticShape())) {
      return;
    }
    isStatic = false;
    InFlightDiagnostic diagnostic = emitError(loc) << what << " has type " << type << ": ";
    if (!type.hasRank()) {
      diagnostic << "its rank is unknown";
    } else {
      SmallVector<int64_t> dims;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (type.isDynamicDim(dim)) {
          dims.push_back(dim);
        }
      }
      diagnostic << (dims.size() == 1 ? "dimension " : "dimensions ");
      llvm::interleaveComma(dims, diagnostic);
      diagnostic << (dims.size() == 1 ? " is dynamic" : " are dynamic");
    }
    diagnostic << "; the device needs static shapes: import the model with fixed input shapes";
  };
  for (BlockArgument argument : function.getArguments()) {
    check(argument, argument.getLoc(), "argument " + Twine(argument.getArgNumber()) + " of '" + function.getName() + "'");
  }
  for (Operation &op : function.getBody().front()) {
    for (Value result : op.getResults()) {
      check(result, op.getLoc(), "the result of '" + op.getName().getStringRef() + "'");
    }
  }
  return success(isStatic);
}

/// Whether the host computes with the type. Integers of any width and index are among its types.
static bool isHostElement(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    type = complex.getElementType();
  }
  return !isa<FloatType>(type) || type.isF64() || type.isF32() || type.isF16() || type.isBF16();
}

/// Whether tensors of the type come from and go to callers.
static bool isInterfaceElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  }
  return isa<FloatType>(type) && isHostElement(type);
}

/// Reports the ops whose element types neither the device nor the host has, and such types of the signature.
LogicalResult Place::checkElementTypes(func::FuncOp function) {
  SmallVector<std::pair<Location, std::string>> found;
  auto note = [&](Location loc, const Twine &what, Type type, StringRef fault) {
    StringRef source = getSourceName(loc);
    std::string text;
    llvm::raw_string_ostream(text) << what << ": element type " << type << " " << fault;
    found.emplace_back(loc, source.empty() ? text : text + " (from '" + source.str() + "')");
  };
  constexpr StringLiteral kInterface = "cannot go in or out of a model";
  for (BlockArgument argument : function.getArguments()) {
    Type element = getElementTypeOrSelf(argument.getType());
    if (!isInterfaceElement(element)) {
      note(argument.getLoc(), "argument " + Twine(argument.getArgNumber()), element, kInterface);
    }
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    if (!isInterfaceElement(element)) {
      note(function.getLoc(), "result " + Twine(index), element, kInterface);
    }
  }
  function.walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
      Type element = getElementTypeOrSelf(type);
      if (!isHostElement(element) && !op->hasTrait<OpTrait::IsTerminator>()) {
        note(op->getLoc(), op->getName().getStringRef(), element, "runs neither on the device nor on the host");
        break;
      }
    }
  });
  if (found.empty()) {
    return success();
  }
  InFlightDiagnostic diagnostic = function.emitError()
                                  << "'" << function.getName() << "' has element types that are not supported";
  for (auto &[loc, text] : found) {
    diagnostic.attachNote(loc) << text;
  }
  return failure();
}

/// Moves the ops into one host region in the place of the last of them.
void Place::wrap(ArrayRef<Operation *> group, StringRef reason) {
  llvm::SmallPtrSet<Operation *, 8> inside(group.begin(), group.end());
  SmallVector<Value> yielded;
  SmallVector<Location> locs;
  for (Operation *op : group) {
    locs.push_back(op->getLoc());
    for (Value result : op->getResults()) {
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(group.front()->getBlock()->findAncestorOpInBlock(*user));
          })) {
        yielded.push_back(result);
      }
    }
  }
  OpBuilder builder(group.back());
  Location loc = builder.getFusedLoc(locs);
  auto region = HostRegionOp::create(builder, loc, TypeRange(ValueRange(yielded)), reason);
  Block *body = builder.createBlock(&region.getBody());
  for (Operation *op : group) {
    op->moveBefore(body, body->end());
  }
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, loc, yielded);
  for (auto [value, result] : llvm::zip_equal(yielded, region.getResults())) {
    value.replaceUsesWithIf(result, [&](OpOperand &use) { return !region->isProperAncestor(use.getOwner()); });
  }
}

void Place::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal()) {
    return;
  }
  if (!function.getBody().hasOneBlock()) {
    function.emitError() << "'" << function.getName() << "' has " << function.getBody().getBlocks().size()
                         << " blocks: control flow between blocks is not supported";
    return signalPassFailure();
  }
  if (failed(checkStaticShapes(function)) || failed(checkElementTypes(function))) {
    return signalPassFailure();
  }
  TargetDesc target = getTarget(function);

  llvm::MapVector<Operation *, std::string> hostOps;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.getDialect() && isa<NPUDialect>(op.getDialect())) {
      continue; // Placed by an earlier run.
    }
    Verdict verdict = judge(&op, target);
    if (!verdict.form) {
      hostOps[&op] = verdict.reason;
    } else if (*verdict.form != DeviceForm::View) {
      ++numDeviceOps;
    }
  }
  numHostOps += hostOps.size();
  if (noHost && !hostOps.empty()) {
    InFlightDiagnostic diagnostic = function.emitError()
                                    << hostOps.size() << " of the ops of '" << function.getName()
                                    << "' cannot run on target '" << target.name
                                    << "', and the host is not allowed (no-host)";
    for (auto &[op, reason] : hostOps) {
      StringRef source = getSourceName(op->getLoc());
      diagnostic.attachNote(op->getLoc()) << reason << (source.empty() ? "" : " (from '" + source.str() + "')");
    }
    return signalPassFailure();
  }

  // Runs of host ops with neutral ops between become one region; what a neutral op needs of the run goes in with it.
  auto it = hostOps.begin();
  while (it != hostOps.end()) {
    SmallVector<Operation *> group = {it->first};
    llvm::SetVector<StringRef> reasons;
    reasons.insert(it->second);
    llvm::SmallPtrSet<Operation *, 8> inside = {it->first};
    SmallVector<Operation *> pending;
    auto next = std::next(it);
    for (Operation *op = it->first->getNextNode(); op && next != hostOps.end(); op = op->getNextNode()) {
      if (op == next->first) {
        group.append(pending);
        pending.clear();
        group.push_back(op);
        inside.insert(op);
        reasons.insert(next->second);
        ++next;
      } else if (!isNeutral(op)) {
        break;
      } else if (llvm::any_of(op->getOperands(), [&](Value operand) { return inside.contains(operand.getDefiningOp()); })) {
        pending.push_back(op);
        inside.insert(op);
      }
    }
    std::string reason = llvm::join(reasons, "; ");
    it = next;
    wrap(group, reason);
  }
}
