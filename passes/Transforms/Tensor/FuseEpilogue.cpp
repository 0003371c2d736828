// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "dialects/Target/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::npu {
#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// The epilogue of a matrix op, whatever its kind.
static Region &getEpilogue(Operation *op) { return op->getRegion(0); }

static SmallVector<Value> getEpilogueInputs(Operation *op) {
  return llvm::to_vector(op->getOperands().drop_front(2).drop_back(1));
}

static SmallVector<AffineMap> getEpilogueMaps(Operation *op) {
  return TypeSwitch<Operation *, SmallVector<AffineMap>>(op)
      .Case<MatmulOp, BatchMatmulOp, Conv2dOp>([](auto matrixOp) { return matrixOp.getEpilogueMapsArray(); });
}

static Type getAccumulatorType(Operation *op) {
  return TypeSwitch<Operation *, Type>(op).Case<MatmulOp, BatchMatmulOp, Conv2dOp>(
      [](auto matrixOp) { return matrixOp.getAccumulatorType(); });
}

/// The input of the generic that a matrix op computes and that may be replaced by its accumulator; null if there is
/// none. Of two, as in the sum of two convolutions, it is the later one: the other's result is ready by then.
static OpOperand *findAccumulatorInput(GenericOp generic) {
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  OpOperand *found = nullptr;
  for (OpOperand &operand : generic->getOpOperands().take_front(generic.getInputs().size())) {
    Operation *producer = operand.get().getDefiningOp();
    if (!isa_and_present<MatmulOp, BatchMatmulOp, Conv2dOp>(producer) || !operand.get().hasOneUse() ||
        producer->getBlock() != generic->getBlock() || maps[operand.getOperandNumber()] != maps.back()) {
      continue;
    }
    if (!found || found->get().getDefiningOp()->isBeforeInBlock(producer)) {
      found = &operand;
    }
  }
  return found;
}

namespace {

/// Merges a generic into the matrix op that computes one of its inputs.
class FuseGeneric : public OpRewritePattern<GenericOp> {
public:
  FuseGeneric(MLIRContext *context, const TargetDesc &target, Pass::Statistic &numFused)
      : OpRewritePattern(context), target(target), numFused(numFused) {}

  LogicalResult matchAndRewrite(GenericOp generic, PatternRewriter &rewriter) const override;

private:
  const TargetDesc &target;
  Pass::Statistic &numFused;
};

class FuseEpilogue : public mlir::npu::impl::FuseEpiloguePassBase<FuseEpilogue> {
public:
  using FuseEpiloguePassBase::FuseEpiloguePassBase;
  void runOnOperation() override;
};

} // namespace

LogicalResult FuseGeneric::matchAndRewrite(GenericOp generic, PatternRewriter &rewriter) const {
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  if (generic.getInits().size() != 1 || !generic.isElementwise() || generic.readsInit(0) ||
      !maps.back().isPermutation() || getSpace(generic.getInits().front().getType()) != Space::Dram) {
    return rewriter.notifyMatchFailure(generic, "not one elementwise result in DRAM");
  }
  if (!generic.getBody().getOps<IndexOp>().empty()) {
    return rewriter.notifyMatchFailure(generic, "an epilogue does not know its position");
  }
  OpOperand *accumulator = findAccumulatorInput(generic);
  if (!accumulator) {
    return rewriter.notifyMatchFailure(generic, "no input is a matrix op's result, used once and read as it is written");
  }
  Operation *matrixOp = accumulator->get().getDefiningOp();
  SmallVector<Value> inputs = getEpilogueInputs(matrixOp);
  // The drain reads the accumulator and the epilogue inputs and writes the result.
  if (inputs.size() + generic.getInputs().size() + 1 > target.maxOperands) {
    return rewriter.notifyMatchFailure(generic, "more operands than a drain has");
  }
  size_t microOps = generic.getBody().front().getOperations().size();
  if (!getEpilogue(matrixOp).empty()) {
    microOps += getEpilogue(matrixOp).front().getOperations().size();
  }
  if (microOps > target.maxMicroOps) {
    return rewriter.notifyMatchFailure(generic, "a longer microprogram than the target holds");
  }

  // Epilogue maps are over the dimensions of the result, which the generic addresses through its output map.
  SmallVector<AffineMap> epilogueMaps = getEpilogueMaps(matrixOp);
  AffineMap fromOutput = inversePermutation(maps.back());
  for (auto [input, map] : llvm::zip(generic.getInputs(), maps)) {
    if (input != accumulator->get()) {
      inputs.push_back(input);
      epilogueMaps.push_back(map.compose(fromOutput));
    }
  }

  Location loc = rewriter.getFusedLoc({matrixOp->getLoc(), generic.getLoc()});
  Value init = generic.getInits().front();
  SmallVector<Value> operands = {matrixOp->getOperand(0), matrixOp->getOperand(1)};
  llvm::append_range(operands, inputs);
  operands.push_back(init);
  OperationState state(loc, matrixOp->getName(), operands, init.getType(), matrixOp->getAttrs());
  state.attributes.set("epilogue_maps", rewriter.getAffineMapArrayAttr(epilogueMaps));
  state.addRegion();
  Operation *fused = rewriter.create(state);

  // The program of the old epilogue, then that of the generic on what it yields.
  SmallVector<Type> types = {getAccumulatorType(matrixOp)};
  SmallVector<Location> locs = {matrixOp->getLoc()};
  for (Value input : inputs) {
    types.push_back(getElementTypeOrSelf(input));
    locs.push_back(input.getLoc());
  }
  Block *block = rewriter.createBlock(&getEpilogue(fused), {}, types, locs);
  IRMapping mapping;
  auto cloneBody = [&](Block &body) {
    for (Operation &op : body.without_terminator()) {
      rewriter.clone(op, mapping);
    }
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  };
  Value value = block->getArgument(0);
  unsigned next = 1;
  if (!getEpilogue(matrixOp).empty()) {
    Block &body = getEpilogue(matrixOp).front();
    mapping.map(body.getArgument(0), value);
    for (BlockArgument argument : body.getArguments().drop_front()) {
      mapping.map(argument, block->getArgument(next++));
    }
    value = cloneBody(body);
  }
  Block &body = generic.getBody().front();
  for (auto [input, argument] : llvm::zip(generic.getInputs(), body.getArguments())) {
    mapping.map(argument, input == accumulator->get() ? value : block->getArgument(next++));
  }
  value = cloneBody(body);
  YieldOp::create(rewriter, body.getTerminator()->getLoc(), value);

  rewriter.replaceOp(generic, fused->getResults());
  rewriter.eraseOp(matrixOp);
  ++numFused;
  return success();
}

void FuseEpilogue::runOnOperation() {
  TargetDesc target = getTarget(getOperation());
  RewritePatternSet patterns(&getContext());
  patterns.add<FuseGeneric>(&getContext(), target, numFused);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
    signalPassFailure();
  }
}
