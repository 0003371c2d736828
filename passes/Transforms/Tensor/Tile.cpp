// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "passes/Transforms/Tensor/KernelInfo.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "npu-tile"

namespace mlir::npu {
#define GEN_PASS_DEF_TILEPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

namespace {

/// A box of the iteration space.
struct Box {
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;
};

/// Makes the loop nest of one kernel. `carried` values go through every loop and every tile: the results under
/// construction outside, the partial sums of a tile inside.
class NestBuilder {
public:
  NestBuilder(OpBuilder &builder, KernelOps ops, ScheduleAttr schedule)
      : builder(builder), ops(ops), loc(ops.root->getLoc()), extents(ops.root.getIterationExtents()),
        depth(builder.getI64IntegerAttr(schedule.getDepth())) {
    ArrayRef<int64_t> tiles = schedule.getTiles();
    for (auto [dim, type] : llvm::enumerate(ops.root.getIteratorTypesArray())) {
      tileSizes.push_back(tiles[dim] == 0 ? extents[dim] : std::min(tiles[dim], extents[dim]));
      (type == IteratorType::parallel ? parallelDims : reductionDims).push_back(dim);
    }
  }

  /// Builds the nest; the values are those of the kernel's last op.
  SmallVector<Value> build() {
    Box whole;
    whole.offsets.assign(extents.size(), builder.getIndexAttr(0));
    whole.sizes = extents;
    // The results are built up in tensors of their own. An op's init that it reads stays what it was.
    SmallVector<Value> destinations;
    auto op = cast<StructuredOpInterface>(ops.drain ? ops.drain.getOperation() : ops.root.getOperation());
    for (auto [index, init] : llvm::enumerate(op.getDpsInits())) {
      auto type = cast<RankedTensorType>(init.getType());
      destinations.push_back(readsInit(op, index)
                                 ? tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType())
                                 : init);
    }
    return buildParallel(0, whole, destinations);
  }

  int64_t getNumTiles() const { return numTiles; }

private:
  using Body = function_ref<SmallVector<Value>(const Box &, SmallVector<Value>)>;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// Visits [begin, extent) of a dimension tile by tile: a loop over the whole tiles if there are two or more, then
  /// the rest.
  SmallVector<Value> visit(int64_t dim, int64_t begin, const Box &box, SmallVector<Value> carried, Body body) {
    int64_t tile = tileSizes[dim], extent = extents[dim];
    int64_t numWhole = tile == 0 ? 0 : (extent - begin) / tile;
    Box part = box;
    if (numWhole >= 2) {
      auto loop = scf::ForOp::create(builder, loc, constant(0), constant(numWhole * tile), constant(tile), carried);
      loop->setAttr(NPUDialect::kDepthAttrName, depth);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      AffineExpr iteration = builder.getAffineDimExpr(0);
      part.offsets[dim] = begin == 0 ? OpFoldResult(loop.getInductionVar())
                                     : affine::makeComposedFoldedAffineApply(builder, loc, iteration + begin,
                                                                             {loop.getInductionVar()});
      part.sizes[dim] = tile;
      scf::YieldOp::create(builder, loc, body(part, SmallVector<Value>(loop.getRegionIterArgs())));
      carried = SmallVector<Value>(loop.getResults());
    } else if (numWhole == 1) {
      part.offsets[dim] = builder.getIndexAttr(begin);
      part.sizes[dim] = tile;
      carried = body(part, carried);
    }
    int64_t end = begin + numWhole * tile;
    // An empty dimension has one empty tile.
    if (end < extent || extent == 0) {
      part.offsets[dim] = builder.getIndexAttr(end);
      part.sizes[dim] = extent - end;
      carried = body(part, carried);
    }
    return carried;
  }

  /// Loops over the parallel dimensions from `index` on around the reduction of one result tile.
  SmallVector<Value> buildParallel(unsigned index, const Box &box, SmallVector<Value> results) {
    if (index < parallelDims.size()) {
      return visit(parallelDims[index], 0, box, results, [&](const Box &part, SmallVector<Value> carried) {
        return buildParallel(index + 1, part, carried);
      });
    }
    return ops.drain ? buildDrainedTile(box, results) : buildTile(box, results);
  }

  /// Loops over the reduction dimensions from `index` on; `carried` are the partial results of a tile.
  SmallVector<Value> buildReduction(unsigned index, const Box &box, SmallVector<Value> carried, bool first) {
    if (index == reductionDims.size()) {
      Operation *tile = ops.root.createTile(builder, box.offsets, box.sizes, carried);
      if (isContraction(tile) && !first) {
        tile->setAttr("accumulate", builder.getUnitAttr());
      }
      ++numTiles;
      return SmallVector<Value>(tile->getResults());
    }
    int64_t dim = reductionDims[index], begin = 0;
    if (first && tileSizes[dim] < extents[dim]) {
      // The first tile sets the accumulator and stands in front of the loop that adds to it.
      Box part = box;
      part.offsets[dim] = builder.getIndexAttr(0);
      part.sizes[dim] = tileSizes[dim];
      carried = buildReduction(index + 1, part, carried, true);
      begin = tileSizes[dim];
      first = false;
    }
    return visit(dim, begin, box, carried, [&](const Box &part, SmallVector<Value> values) {
      return buildReduction(index + 1, part, values, first);
    });
  }

  /// One result tile of an op without accumulator: its init tiles go through the reduction and into the results.
  SmallVector<Value> buildTile(const Box &box, SmallVector<Value> results) {
    SmallVector<AffineMap> maps = ops.root.getIndexingMapsArray();
    ArrayRef<AffineMap> initMaps = ArrayRef(maps).take_back(results.size());
    SmallVector<Value> tiles;
    SmallVector<Box> boxes;
    for (auto [index, map] : llvm::enumerate(initMaps)) {
      boxes.push_back(operandBox(map, box));
      if (GenericOp fill = ops.fills[index]) {
        tiles.push_back(buildFill(fill, boxes.back()));
        continue;
      }
      Value from = readsInit(ops.root, index) ? ops.root.getDpsInits()[index] : results[index];
      tiles.push_back(extract(from, boxes.back()));
    }
    tiles = buildReduction(0, box, tiles, /*first=*/false);
    for (auto [result, tile, place] : llvm::zip(results, tiles, boxes)) {
      result = insert(tile, result, place);
    }
    return results;
  }

  /// The tile of an init that the kernel fills itself.
  Value buildFill(GenericOp fill, const Box &box) {
    auto type = cast<RankedTensorType>(fill.getResult(0).getType());
    Value place = tensor::EmptyOp::create(builder, loc, box.sizes, type.getElementType());
    auto structured = cast<StructuredOpInterface>(fill.getOperation());
    return structured.createTile(builder, box.offsets, box.sizes, {place})->getResult(0);
  }

  /// One result tile of a contraction: its sums in the accumulator, then the drain.
  SmallVector<Value> buildDrainedTile(const Box &box, SmallVector<Value> results) {
    Box output;
    for (int64_t dim : parallelDims) {
      output.offsets.push_back(box.offsets[dim]);
      output.sizes.push_back(box.sizes[dim]);
    }
    auto sumsType = cast<RankedTensorType>(ops.root->getResult(0).getType());
    Value sums = tensor::EmptyOp::create(builder, loc, output.sizes, sumsType.getElementType(), sumsType.getEncoding());
    SmallVector<Value> reduced = buildReduction(0, box, {sums}, /*first=*/true);

    Value place = extract(results.front(), output);
    auto drain = cast<GenericOp>(
        cast<StructuredOpInterface>(ops.drain.getOperation()).createTile(builder, output.offsets, output.sizes, {place}));
    // The tile of the sums is there already; createTile took a slice of the whole.
    Value slice = drain.getInputs().front();
    drain->setOperand(0, reduced.front());
    if (auto sliceOp = slice.getDefiningOp<tensor::ExtractSliceOp>()) {
      sliceOp->erase();
    }
    return {insert(drain->getResult(0), results.front(), output)};
  }

  Box operandBox(AffineMap map, const Box &box) {
    Box result;
    computeOperandBox(builder, loc, map, box.offsets, box.sizes, result.offsets, result.sizes);
    return result;
  }

  SmallVector<OpFoldResult> ones(size_t rank) { return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(1)); }

  static bool isWhole(Value tensor, const Box &box) {
    return llvm::equal(cast<RankedTensorType>(tensor.getType()).getShape(), box.sizes);
  }

  Value extract(Value tensor, const Box &box) {
    if (isWhole(tensor, box)) {
      return tensor;
    }
    return tensor::ExtractSliceOp::create(builder, loc, tensor, box.offsets,
                                          getAsIndexOpFoldResult(builder.getContext(), box.sizes),
                                          ones(box.sizes.size()));
  }

  Value insert(Value tile, Value tensor, const Box &box) {
    if (isWhole(tensor, box)) {
      return tile;
    }
    return tensor::InsertSliceOp::create(builder, loc, tile, tensor, box.offsets,
                                         getAsIndexOpFoldResult(builder.getContext(), box.sizes),
                                         ones(box.sizes.size()));
  }

  OpBuilder &builder;
  KernelOps ops;
  Location loc;
  SmallVector<int64_t> extents, tileSizes, parallelDims, reductionDims;
  IntegerAttr depth;
  int64_t numTiles = 0;
};

struct TilePass : npu::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      return failed(tile(kernel)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

  LogicalResult tile(KernelOp kernel) {
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule || llvm::all_of(schedule.getTiles(), [](int64_t size) { return size == 0; })) {
      LDBG() << "kernel '" << kernel.getName() << "' stays whole";
      return success();
    }
    FailureOr<KernelOps> ops = getKernelOps(kernel);
    if (failed(ops)) {
      return kernel.emitOpError() << "expected one vector op, or a contraction and its drain, to tile kernel '"
                                  << kernel.getName() << "'";
    }
    std::string fault = findTileFault(ops->root, schedule.getTiles());
    if (!fault.empty()) {
      return kernel.emitOpError() << fault << " (schedule of kernel '" << kernel.getName() << "')";
    }
    OpBuilder builder(kernel.getBody().front().getTerminator());
    NestBuilder nest(builder, *ops, schedule);
    SmallVector<Value> results = nest.build();
    Operation *last = ops->drain ? ops->drain.getOperation() : ops->root.getOperation();
    last->replaceAllUsesWith(results);
    last->erase();
    for (GenericOp fill : ops->fills) {
      if (fill) {
        fill->erase();
      }
    }
    if (ops->drain) {
      Value sums = ops->root.getDpsInits().front();
      ops->root->erase();
      if (Operation *empty = sums.getDefiningOp(); empty && empty->use_empty()) {
        empty->erase();
      }
    }
    // Offsets that were composed into those of slices.
    kernel.walk([](affine::AffineApplyOp op) {
      if (op->use_empty()) {
        op->erase();
      }
    });
    numTiles += nest.getNumTiles();
    return success();
  }
};
} // namespace
