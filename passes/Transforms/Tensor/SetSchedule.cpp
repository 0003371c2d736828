// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "passes/Transforms/Tensor/ScheduleCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "npu-set-schedule"

namespace mlir::npu {
#define GEN_PASS_DEF_SETSCHEDULEPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

/// Most combinations of tile sizes to price for one kernel: it bounds the time of the search.
static constexpr int64_t kMaxCandidates = 30000;

namespace {

using Tiles = SmallVector<int64_t>;

struct Choice {
  Tiles tiles;
  int64_t depth = 1;
  double cycles = 0;
};

/// Searches the tile sizes of one kernel.
class ScheduleSearch {
public:
  explicit ScheduleSearch(const KernelModel &model) : model(model) {}

  /// The cheapest choice that fits, nothing if none does.
  std::optional<Choice> run() {
    // The coarsest steps between tile sizes that keep the search small.
    for (double ratio : {1.25, 1.6, 2.0, 3.0, 4.0, 8.0, 32.0}) {
      collect(ratio);
      if (countCombinations() <= kMaxCandidates) {
        break;
      }
    }
    // A program has to leave hardware loops for the instructions of a tile: two are enough for all, none is the least.
    int64_t depth = model.getTarget().loopDepth;
    for (int64_t loops : {depth - 2, depth - 1, depth}) {
      best.reset();
      maxLoops = loops;
      tiles.assign(model.getExtents().begin(), model.getExtents().end());
      tryParallel(0);
      if (best) {
        return best;
      }
    }
    return std::nullopt;
  }

  /// The tiles that come closest to fitting, when none fit.
  ArrayRef<int64_t> getClosest() const { return closest; }

private:
  /// Tile sizes of a dimension, from the extent down to the smallest: those that cut it into nearly equal parts.
  Tiles sizesOf(unsigned dim, double ratio) const {
    int64_t extent = model.getExtents()[dim], unit = model.getUnit(dim);
    Tiles sizes = {extent};
    if (extent <= unit) {
      return sizes;
    }
    for (double parts = 2; parts <= extent; parts = std::max(parts + 1, std::floor(parts * ratio))) {
      int64_t size = llvm::alignTo(llvm::divideCeil(extent, static_cast<int64_t>(parts)), unit);
      if (size < sizes.back()) {
        sizes.push_back(size);
      }
    }
    if (sizes.back() != unit) {
      sizes.push_back(unit);
    }
    return sizes;
  }

  void collect(double ratio) {
    parallel.clear();
    reductions.clear();
    reductionDims.clear();
    for (auto [dim, type] : llvm::enumerate(model.getIterators())) {
      if (type == IteratorType::parallel) {
        parallel.emplace_back(dim, sizesOf(dim, ratio));
      } else {
        reductionDims.push_back(dim);
      }
    }
    // Reductions: all whole, or one dimension cut and those outside of it one by one.
    Tiles whole;
    for (int64_t dim : reductionDims) {
      whole.push_back(model.getExtents()[dim]);
    }
    reductions.push_back(whole);
    for (unsigned i = 0; i < reductionDims.size(); ++i) {
      Tiles choice = whole;
      std::fill_n(choice.begin(), i, 1);
      Tiles sizes = sizesOf(reductionDims[i], ratio);
      for (int64_t size : ArrayRef(sizes).drop_front()) {
        choice[i] = size;
        reductions.push_back(choice);
      }
      if (i > 0 && whole[i - 1] > 1) {
        choice[i] = whole[i];
        reductions.push_back(choice);
      }
    }
  }

  int64_t countCombinations() const {
    int64_t count = reductions.size();
    for (const auto &[dim, sizes] : parallel) {
      count = llvm::SaturatingMultiply<uint64_t>(count, sizes.size());
    }
    return count;
  }

  void tryParallel(unsigned index) {
    if (index == parallel.size()) {
      for (const Tiles &choice : reductions) {
        for (auto [dim, size] : llvm::zip(reductionDims, choice)) {
          tiles[dim] = size;
        }
        tryTiles();
      }
      return;
    }
    for (int64_t size : parallel[index].second) {
      tiles[parallel[index].first] = size;
      tryParallel(index + 1);
    }
  }

  void tryTiles() {
    if (model.countLoops(tiles) > maxLoops) {
      return;
    }
    bool isWhole = llvm::equal(tiles, model.getExtents());
    // Two buffers wherever they fit.
    int64_t depth = !isWhole && model.fits(tiles, 2) ? 2 : 1;
    if (depth == 1 && !model.fits(tiles, 1)) {
      noteMiss();
      return;
    }
    double cycles = model.computeCycles(tiles, depth);
    if (!best || cycles < best->cycles) {
      best = Choice{tiles, depth, cycles};
    }
  }

  void noteMiss() {
    MemoryNeed need = model.computeNeed(tiles, 1);
    const TargetDesc &target = model.getTarget();
    double ratio = std::max(static_cast<double>(need.sramBytes) / target.sramBytes,
                            static_cast<double>(need.accBytes) / target.accBytes);
    if (closest.empty() || ratio < closestRatio) {
      closest = tiles;
      closestRatio = ratio;
    }
  }

  const KernelModel &model;
  SmallVector<std::pair<unsigned, Tiles>> parallel;
  SmallVector<Tiles> reductions;
  SmallVector<int64_t> reductionDims;
  Tiles tiles;
  int64_t maxLoops = 0;
  std::optional<Choice> best;
  Tiles closest;
  double closestRatio = 0;
};

struct SetSchedulePass : npu::impl::SetSchedulePassBase<SetSchedulePass> {
  using SetSchedulePassBase::SetSchedulePassBase;

  void runOnOperation() override {
    TargetDesc target = getTarget(getOperation());
    bool failedAny = false;
    getOperation().walk([&](KernelOp kernel) {
      failedAny |= failed(setSchedule(kernel, target));
      return WalkResult::skip();
    });
    if (failedAny) {
      signalPassFailure();
    }
  }

  LogicalResult setSchedule(KernelOp kernel, const TargetDesc &target) {
    FailureOr<KernelOps> ops = getKernelOps(kernel);
    if (failed(ops)) {
      return kernel.emitError() << "expected one vector op, or a contraction and its drain, to schedule kernel '"
                                << kernel.getName() << "'";
    }
    KernelModel model(*ops, target);
    if (kernel.getScheduleAttr()) {
      return checkSchedule(kernel, ops->root, model);
    }
    ScheduleSearch search(model);
    std::optional<Choice> choice = search.run();
    if (!choice) {
      return emitTooLarge(kernel, model, search.getClosest(), 1)
             << " with the smallest tiles that " << target.loopDepth
             << " hardware loops can make; split the operator in the model, or choose a target with more on-chip memory";
    }
    bool isWhole = llvm::equal(choice->tiles, model.getExtents());
    ++(isWhole ? numWhole : numCut);
    LDBG() << "kernel '" << kernel.getName() << "': depth " << choice->depth << ", estimated cycles " << choice->cycles;
    for (auto [tile, extent] : llvm::zip(choice->tiles, model.getExtents())) {
      tile = tile == extent ? 0 : tile;
    }
    kernel.setScheduleAttr(ScheduleAttr::get(&getContext(), choice->tiles, choice->depth));
    return success();
  }

  /// A schedule that someone else wrote has to keep the order of reductions and to fit.
  static LogicalResult checkSchedule(KernelOp kernel, StructuredOpInterface root, const KernelModel &model) {
    ScheduleAttr schedule = kernel.getScheduleAttr();
    std::string fault = findTileFault(root, schedule.getTiles());
    if (!fault.empty()) {
      return kernel.emitError() << fault << " (schedule of kernel '" << kernel.getName() << "')";
    }
    Tiles tiles;
    for (auto [tile, extent] : llvm::zip(schedule.getTiles(), model.getExtents())) {
      tiles.push_back(tile == 0 ? extent : std::min(tile, extent));
    }
    if (!model.fits(tiles, schedule.getDepth())) {
      return emitTooLarge(kernel, model, tiles, schedule.getDepth())
             << " with its schedule; choose smaller tiles, or remove the schedule to have one chosen";
    }
    return success();
  }

  static InFlightDiagnostic emitTooLarge(KernelOp kernel, const KernelModel &model, ArrayRef<int64_t> tiles,
                                         int64_t depth) {
    MemoryNeed need = model.computeNeed(tiles, depth);
    const TargetDesc &target = model.getTarget();
    InFlightDiagnostic diagnostic = kernel.emitError()
                                    << "kernel '" << kernel.getName() << "' does not fit target '" << target.name
                                    << "': it needs " << need.sramBytes << " bytes of SRAM, of " << target.sramBytes
                                    << ", and " << need.accBytes << " bytes of accumulator, of " << target.accBytes << ",";
    return diagnostic;
  }
};
} // namespace
