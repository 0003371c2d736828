// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/LinalgToNPU/Passes.h"

#include "passes/Conversion/LinalgToNPU/Contraction.h"
#include "passes/Conversion/LinalgToNPU/Conversions.h"
#include "passes/Conversion/LinalgToNPU/Legality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "convert-linalg-to-npu"

namespace mlir::npu {
#define GEN_PASS_DEF_CONVERTLINALGTONPUPASS
#include "passes/Conversion/LinalgToNPU/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value npu::createEmpty(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

Value npu::createReshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto source = cast<RankedTensorType>(value.getType());
  if (source.getShape() == shape) {
    return value;
  }
  auto target = RankedTensorType::get(shape, source.getElementType());
  if (source.getRank() != target.getRank()) {
    if (auto groups = getReassociationIndicesForReshape(source, target)) {
      return source.getRank() > target.getRank()
                 ? tensor::CollapseShapeOp::create(builder, loc, target, value, *groups).getResult()
                 : tensor::ExpandShapeOp::create(builder, loc, target, value, *groups).getResult();
    }
  }
  // Through one dimension, which always exists for static shapes.
  ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(0, source.getRank()));
  ReassociationIndices allTarget = llvm::to_vector(llvm::seq<int64_t>(0, target.getRank()));
  if (source.getRank() != 1) {
    SmallVector<ReassociationIndices> groups;
    if (source.getRank() > 1) {
      groups.push_back(all);
      value = tensor::CollapseShapeOp::create(builder, loc, value, groups);
    } else {
      auto flat = RankedTensorType::get({1}, source.getElementType());
      value = tensor::ExpandShapeOp::create(builder, loc, flat, value, groups);
    }
  }
  if (target.getRank() == 1) {
    return value;
  }
  SmallVector<ReassociationIndices> groups;
  if (target.getRank() == 0) {
    return tensor::CollapseShapeOp::create(builder, loc, target, value, groups);
  }
  groups.push_back(allTarget);
  return tensor::ExpandShapeOp::create(builder, loc, target, value, groups);
}

Value npu::createTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation)) {
    return value;
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), permutation);
  Value init = createEmpty(builder, loc, shape, type.getElementType());
  return TransposeOp::create(builder, loc, init.getType(), value, init, permutation).getResult(0);
}

/// A destination of the type: a fresh tensor.empty instead of a shared one.
static Value createDestination(OpBuilder &builder, Location loc, Value init) {
  if (init.getDefiningOp<tensor::EmptyOp>()) {
    auto type = cast<RankedTensorType>(init.getType());
    return createEmpty(builder, loc, type.getShape(), type.getElementType());
  }
  return init;
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

void npu::convertGather(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  GatherForm form = *matchGather(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto tableType = cast<RankedTensorType>(form.table.getType());
  int64_t rows = 1, length = 1;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    (dim < form.rowLoops ? rows : length) *= extent;
  }
  Value table = createReshape(rewriter, loc, form.table, {tableType.getDimSize(0), length});
  Value indices = createReshape(rewriter, loc, op->getOperand(form.indexInput), {rows});
  Value init = createEmpty(rewriter, loc, {rows, length}, type.getElementType());
  auto gather = GatherOp::create(rewriter, loc, init.getType(), table, indices, init);
  rewriter.replaceOp(op, createReshape(rewriter, loc, gather.getResult(0), type.getShape()));
}

void npu::convertTranspose(RewriterBase &rewriter, linalg::TransposeOp op) {
  rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), op.getInput(), op.getPermutation()));
}

void npu::convertCopy(RewriterBase &rewriter, linalg::CopyOp op) {
  Value init = createDestination(rewriter, op.getLoc(), op.getOutputs().front());
  rewriter.replaceOpWithNewOp<CopyOp>(op, TypeRange(init.getType()), op.getInputs().front(), init);
}

void npu::convertPad(RewriterBase &rewriter, tensor::PadOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value init = createEmpty(rewriter, op.getLoc(), type.getShape(), type.getElementType());
  TypedAttr value = getScalarConstant(op.getConstantPaddingValue());
  rewriter.replaceOpWithNewOp<PadOp>(op, TypeRange(type), op.getSource(), init, op.getStaticLow(), op.getStaticHigh(),
                                     value);
}

//===----------------------------------------------------------------------===//
// Scalar programs
//===----------------------------------------------------------------------===//

/// Clones an op of a linalg body into the body of an npu.generic.
static void cloneScalarOp(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  if (isa<linalg::IndexOp>(op)) {
    return; // Its casts become npu.index.
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    auto loop = cast.getIn().getDefiningOp<linalg::IndexOp>();
    mapping.map(cast.getResult(),
                IndexOp::create(builder, op.getLoc(), builder.getI32Type(), loop.getDim(), /*offset=*/Value()));
    return;
  }
  for (Value operand : op.getOperands()) {
    if (!mapping.contains(operand)) { // judge() has made sure that it is a constant.
      mapping.map(operand, arith::ConstantOp::create(builder, op.getLoc(), getScalarConstant(operand)));
    }
  }
  builder.clone(op, mapping);
}

void npu::convertGeneric(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  Block *body = op.getBlock();
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments, initArguments;
  IRMapping mapping;
  SmallVector<std::pair<BlockArgument, TypedAttr>> scalars;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty()) {
      continue; // Extents carry the loops that a window gave.
    }
    if (TypedAttr constant = getScalarConstant(operand->get())) {
      scalars.emplace_back(argument, constant);
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
    arguments.push_back(argument);
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    inits.push_back(createDestination(rewriter, loc, operand.get()));
    maps.push_back(op.getMatchingIndexingMap(&operand));
    arguments.push_back(op.getMatchingBlockArgument(&operand));
  }
  auto generic = GenericOp::create(
      rewriter, loc, inputs, inits, maps, op.getIteratorTypesArray(), op.getStaticLoopRanges(),
      [&](OpBuilder &builder, Location, ValueRange values) {
        for (auto [argument, value] : llvm::zip_equal(arguments, values)) {
          mapping.map(argument, value);
        }
        for (auto [argument, constant] : scalars) {
          mapping.map(argument, arith::ConstantOp::create(builder, argument.getLoc(), constant));
        }
        for (Operation &inner : body->without_terminator()) {
          cloneScalarOp(builder, inner, mapping);
        }
        SmallVector<Value> yields;
        for (Value value : body->getTerminator()->getOperands()) {
          Value mapped = mapping.lookupOrNull(value);
          yields.push_back(mapped ? mapped
                                  : arith::ConstantOp::create(builder, loc, getScalarConstant(value)).getResult());
        }
        YieldOp::create(builder, body->getTerminator()->getLoc(), yields);
      });
  rewriter.replaceOp(op, generic.getResults());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class ConvertLinalgToNPU : public mlir::npu::impl::ConvertLinalgToNPUPassBase<ConvertLinalgToNPU> {
public:
  using ConvertLinalgToNPUPassBase::ConvertLinalgToNPUPassBase;
  void runOnOperation() override;

private:
  void convert(RewriterBase &rewriter, Operation *op, DeviceForm form);
};

} // namespace

void ConvertLinalgToNPU::convert(RewriterBase &rewriter, Operation *op, DeviceForm form) {
  LDBG() << "converting " << *op;
  rewriter.setInsertionPoint(op);
  switch (form) {
  case DeviceForm::View:
    return;
  case DeviceForm::Matmul:
    ++numMatrixOps;
    return convertMatmul(rewriter, cast<linalg::LinalgOp>(op));
  case DeviceForm::Conv2d:
    ++numMatrixOps;
    return convertConv2d(rewriter, cast<linalg::LinalgOp>(op));
  case DeviceForm::Depthwise:
    ++numVectorOps;
    return convertDepthwise(rewriter, cast<linalg::DepthwiseConv2DNhwcHwcOp>(op));
  case DeviceForm::Gather:
    ++numDataOps;
    return convertGather(rewriter, cast<linalg::LinalgOp>(op));
  case DeviceForm::Transpose:
    ++numDataOps;
    return convertTranspose(rewriter, cast<linalg::TransposeOp>(op));
  case DeviceForm::Copy:
    ++numDataOps;
    return convertCopy(rewriter, cast<linalg::CopyOp>(op));
  case DeviceForm::Pad:
    ++numDataOps;
    return convertPad(rewriter, cast<tensor::PadOp>(op));
  case DeviceForm::Generic:
    ++numVectorOps;
    return convertGeneric(rewriter, cast<linalg::LinalgOp>(op));
  }
  llvm_unreachable("unknown device form");
}

/// The ops of the function that the pass looks at, in order: not those inside of host regions or of other linalg ops.
static SmallVector<Operation *> collectTensorOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<HostRegionOp>(op)) {
      return WalkResult::skip();
    }
    if (isa<linalg::LinalgOp, tensor::PadOp>(op)) {
      ops.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  return ops;
}

/// A fill that several ops update gets one copy for each of them, so that each may update its own in place.
static void unshareFill(RewriterBase &rewriter, linalg::FillOp fill) {
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(fill->getResult(0).getUses(), [](OpOperand &use) { return &use; });
  for (OpOperand *use : uses) {
    auto owner = dyn_cast<DestinationStyleOpInterface>(use->getOwner());
    if (fill->hasOneUse() || !owner || !owner.isDpsInit(use)) {
      continue;
    }
    rewriter.setInsertionPoint(owner);
    Operation *copy = rewriter.clone(*fill);
    rewriter.modifyOpInPlace(owner, [&] { use->set(copy->getResult(0)); });
  }
}

void ConvertLinalgToNPU::runOnOperation() {
  func::FuncOp function = getOperation();
  TargetDesc target = getTarget(function);
  IRRewriter rewriter(&getContext());

  // Matrix ops first: they read through linalg.transpose and zero fills, which may have no use left then.
  for (Operation *op : collectTensorOps(function)) {
    std::optional<DeviceForm> form = judge(op, target).form;
    if (form == DeviceForm::Matmul || form == DeviceForm::Conv2d) {
      convert(rewriter, op, *form);
    }
  }
  SmallVector<Operation *> rest = collectTensorOps(function);
  for (Operation *op : llvm::reverse(rest)) {
    if (isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
    } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      unshareFill(rewriter, fill);
    }
  }
  for (Operation *op : collectTensorOps(function)) {
    if (std::optional<DeviceForm> form = judge(op, target).form) {
      convert(rewriter, op, *form);
    }
  }

  // Reshapes that meet cancel; constants and destinations without use go.
  RewritePatternSet patterns(&getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  if (failed(applyPatternsGreedily(function, std::move(patterns)))) {
    signalPassFailure();
  }
}
