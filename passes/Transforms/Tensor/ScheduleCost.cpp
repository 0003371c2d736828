// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/ScheduleCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;
using npuhw::MacType;
using npuhw::OpClass;
using utils::IteratorType;

static OpClass getOpClass(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpClass>(op)
      .Case<arith::ConstantOp, YieldOp>([](auto) { return OpClass::Free; })
      .Case<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return OpClass::Divide; })
      .Case<math::SqrtOp, math::RsqrtOp>([](auto) { return OpClass::Sqrt; })
      .Case<math::ExpOp, math::Exp2Op, math::ExpM1Op>([](auto) { return OpClass::Exp; })
      .Case<math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp>([](auto) { return OpClass::Log; })
      .Case<math::TanhOp>([](auto) { return OpClass::Tanh; })
      .Case<math::ErfOp>([](auto) { return OpClass::Erf; })
      .Case<math::SinOp, math::CosOp>([](auto) { return OpClass::Trig; })
      .Case<math::PowFOp>([](auto) { return OpClass::Pow; })
      .Default([](Operation *) { return OpClass::Simple; });
}

static MacType getMacType(Type element) {
  if (element.isInteger()) {
    return MacType::I8;
  }
  return element.isF16() ? MacType::F16 : element.isBF16() ? MacType::BF16 : MacType::F32;
}

KernelModel::KernelModel(KernelOps ops, const TargetDesc &target)
    : ops(ops), target(target), extents(ops.root.getIterationExtents()), iterators(ops.root.getIteratorTypesArray()) {
  units.assign(extents.size(), 1);
  SmallVector<AffineMap> maps = ops.root.getIndexingMapsArray();
  unsigned numInputs = ops.root.getNumDpsInputs();
  for (unsigned i = 0; i < numInputs; ++i) {
    addOperand(ops.root->getOperand(i), maps[i], /*isLoaded=*/true, /*isStored=*/false);
  }
  auto priced = cast<StructuredOpInterface>(ops.drain ? ops.drain.getOperation() : ops.root.getOperation());
  if (ops.drain) {
    weightMap = maps[1];
    macType = getMacType(cast<ShapedType>(ops.root->getOperand(0).getType()).getElementType());
    // n is the last parallel dimension of every contraction, k the last reduction dimension.
    for (auto [dim, type] : llvm::enumerate(iterators)) {
      if (type == IteratorType::parallel && (dim + 1 == iterators.size() || iterators[dim + 1] != type)) {
        units[dim] = target.arrayCols;
      }
    }
    units.back() = target.arrayRows;
    // The drain's dimensions are those of the contraction's result.
    AffineMap output = maps.back();
    SmallVector<AffineMap> drainMaps = ops.drain.getIndexingMapsArray();
    for (unsigned i = 1; i < ops.drain->getNumOperands(); ++i) {
      bool isInit = i >= ops.drain.getInputs().size();
      addOperand(ops.drain->getOperand(i), drainMaps[i].compose(output), !isInit, isInit);
    }
  } else {
    for (unsigned i = numInputs; i < ops.root->getNumOperands(); ++i) {
      bool isLoaded = readsInit(ops.root, i - numInputs) && !ops.fills[i - numInputs];
      addOperand(ops.root->getOperand(i), maps[i], isLoaded, /*isStored=*/true);
    }
  }
  if (auto generic = dyn_cast<GenericOp>(priced.getOperation())) {
    cyclesPerPoint = 0;
    for (Operation &op : generic.getBody().front()) {
      cyclesPerPoint += npuhw::opClassCycles(target, getOpClass(&op));
    }
    cyclesPerPoint = std::max<uint64_t>(cyclesPerPoint, 1);
  }
}

void KernelModel::addOperand(Value tensor, AffineMap map, bool isLoaded, bool isStored) {
  for (Operand &present : operands) {
    if (present.tensor == tensor && present.map == map && !isStored && !present.isStored) {
      return; // loaded once
    }
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  Operand operand;
  operand.tensor = tensor;
  operand.map = map;
  operand.shape.assign(type.getShape().begin(), type.getShape().end());
  operand.elementBytes = getElementBytes(type.getElementType());
  operand.isLoaded = isLoaded;
  operand.isStored = isStored;
  operand.dims.resize(extents.size());
  operand.factors.assign(map.getNumResults(), SmallVector<int64_t>(extents.size(), 0));
  SmallVector<int64_t> point(extents.size(), 0);
  SmallVector<int64_t> origin = map.compose(point);
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    point[dim] = 1;
    SmallVector<int64_t> moved = map.compose(point);
    point[dim] = 0;
    for (unsigned i = 0; i < origin.size(); ++i) {
      operand.factors[i][dim] = moved[i] - origin[i];
      if (moved[i] != origin[i]) {
        operand.dims.set(dim);
      }
    }
  }
  operands.push_back(std::move(operand));
}

void KernelModel::getBox(const Operand &operand, ArrayRef<int64_t> tiles, SmallVectorImpl<int64_t> &box) const {
  box.assign(operand.shape.size(), 1);
  for (auto [size, factors] : llvm::zip(box, operand.factors)) {
    for (int dim : operand.dims.set_bits()) {
      size += factors[dim] * (tiles[dim] - 1);
    }
    size = std::max<int64_t>(size, 0);
  }
}

int64_t KernelModel::countTiles(unsigned dim, ArrayRef<int64_t> tiles) const {
  return tiles[dim] == 0 ? 1 : llvm::divideCeil(extents[dim], tiles[dim]);
}

/// In how many places of the program tiles of this dimension stand.
int64_t KernelModel::countSites(unsigned dim, ArrayRef<int64_t> tiles) const {
  int64_t numTiles = countTiles(dim, tiles);
  if (numTiles == 1) {
    return 1;
  }
  bool isPeeled = ops.drain && iterators[dim] == IteratorType::reduction;
  bool hasRemainder = extents[dim] % tiles[dim] != 0;
  int64_t numLooped = numTiles - isPeeled - hasRemainder;
  return isPeeled + hasRemainder + (numLooped > 0);
}

int64_t KernelModel::countLoops(ArrayRef<int64_t> tiles) const {
  int64_t loops = 0;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    bool isPeeled = ops.drain && iterators[dim] == IteratorType::reduction;
    if (tiles[dim] != 0 && countTiles(dim, tiles) > 1) {
      loops += (extents[dim] / tiles[dim] - isPeeled) >= 2;
    }
  }
  return loops;
}

MemoryNeed KernelModel::computeNeed(ArrayRef<int64_t> tiles, int64_t depth) const {
  // What stands behind the outermost loop is not alive together with what is inside of it.
  int64_t outermost = -1;
  for (unsigned dim = 0; dim < extents.size() && outermost < 0; ++dim) {
    if (iterators[dim] == IteratorType::parallel && countTiles(dim, tiles) > 1) {
      outermost = dim;
    }
  }
  auto countBuffers = [&](auto dependsOn) {
    int64_t sites = 1;
    bool changes = false;
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      if (dependsOn(dim)) {
        changes |= countTiles(dim, tiles) > 1;
        sites *= static_cast<int64_t>(dim) == outermost ? 1 : countSites(dim, tiles);
      }
    }
    return sites * (changes ? depth : 1);
  };
  MemoryNeed need;
  SmallVector<int64_t> box;
  for (const Operand &operand : operands) {
    getBox(operand, tiles, box);
    int64_t bytes = operand.elementBytes;
    for (int64_t size : box) {
      bytes *= size;
    }
    int64_t aligned = llvm::alignTo(bytes, target.alignmentBytes);
    need.sramBytes += aligned * countBuffers([&](unsigned dim) { return operand.dims.test(dim); });
  }
  if (ops.drain) {
    int64_t sums = 4;
    for (auto [size, type] : llvm::zip(tiles, iterators)) {
      sums *= type == IteratorType::parallel ? size : 1;
    }
    need.accBytes = sums * countBuffers([&](unsigned dim) { return iterators[dim] == IteratorType::parallel; });
  }
  return need;
}

bool KernelModel::fits(ArrayRef<int64_t> tiles, int64_t depth) const {
  MemoryNeed need = computeNeed(tiles, depth);
  return need.sramBytes <= static_cast<int64_t>(target.sramBytes) && need.accBytes <= static_cast<int64_t>(target.accBytes);
}

/// Cycles of the engines for one tile.
double KernelModel::computeTileCycles(ArrayRef<int64_t> tiles) const {
  uint64_t parallelPoints = 1, reductionPoints = 1;
  for (auto [size, type] : llvm::zip(tiles, iterators)) {
    (type == IteratorType::parallel ? parallelPoints : reductionPoints) *= size;
  }
  if (!ops.drain) {
    npuhw::VectorWork work{parallelPoints, reductionPoints, cyclesPerPoint, 0};
    for (const Operand &operand : operands) {
      work.bytesPerPoint += operand.elementBytes;
    }
    return npuhw::vectorCycles(target, work);
  }
  // Rows stream through one weight block after another; parallel dimensions that the weights have (a batch) take new
  // weights.
  unsigned last = 0;
  for (auto [dim, type] : llvm::enumerate(iterators)) {
    last = type == IteratorType::parallel ? dim : last;
  }
  uint64_t rows = 1, weightSets = 1;
  for (unsigned dim = 0; dim < last; ++dim) {
    (weightMap.isFunctionOfDim(dim) ? weightSets : rows) *= tiles[dim];
  }
  uint64_t k = tiles.back(), n = tiles[last];
  uint64_t blockK = std::min<uint64_t>(k, target.arrayRows), blockN = std::min<uint64_t>(n, target.arrayCols);
  uint64_t blocks = weightSets * (k == 0 ? 0 : reductionPoints / k) * llvm::divideCeil(k, target.arrayRows) *
                    llvm::divideCeil(n, target.arrayCols);
  double exec = npuhw::matrixExecCycles(target, rows, blockK, macType);
  double weights = npuhw::weightLoadCycles(target, blockK, blockN, macType);
  double matrix = blocks * (target.weightDoubleBuffer ? std::max(exec, weights) : exec + weights);
  // The drain runs once for all reduction tiles and beside the matrix engine.
  double reductionTiles = 1;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    reductionTiles *= iterators[dim] == IteratorType::reduction ? countTiles(dim, tiles) : 1;
  }
  double drain = npuhw::drainCycles(target, {parallelPoints, 1, cyclesPerPoint, 8}) / reductionTiles;
  return std::max(matrix, drain);
}

double KernelModel::computeCycles(ArrayRef<int64_t> tiles, int64_t depth) const {
  double numTiles = 1, sites = 1;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    numTiles *= countTiles(dim, tiles);
    sites *= countSites(dim, tiles);
  }
  double compute = numTiles * computeTileCycles(tiles);
  double transfers = 0, first = 0;
  SmallVector<int64_t> box;
  for (const Operand &operand : operands) {
    getBox(operand, tiles, box);
    // Contiguous runs: trailing dimensions that are whole, and the first one that is not.
    int64_t elements = 1, run = 1;
    bool contiguous = true;
    for (int64_t dim = static_cast<int64_t>(box.size()) - 1; dim >= 0; --dim) {
      elements *= box[dim];
      run *= contiguous ? box[dim] : 1;
      contiguous &= box[dim] == operand.shape[dim];
    }
    double runs = run == 0 ? 0 : static_cast<double>(elements) / run;
    double bytes = runs * llvm::alignTo(run * operand.elementBytes, target.dramBurstBytes);
    double cycles = target.dmaSetupCycles + bytes / target.dramBytesPerCycle;
    // Loads happen in the innermost loop that changes the slice, and stores once for each result.
    double times = 1, pending = 1;
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      if (operand.isStored && iterators[dim] == IteratorType::reduction) {
        continue;
      }
      pending *= countTiles(dim, tiles);
      if (operand.dims.test(dim)) {
        times *= pending;
        pending = 1;
      }
    }
    transfers += times * cycles * (operand.isLoaded + operand.isStored);
    first += (cycles + target.dramLatencyCycles) * (operand.isLoaded + operand.isStored);
  }
  double tileSync = numTiles * 2 * (target.semaphoreLatencyCycles + target.dispatchCycles);
  // With two buffers, transfers run behind the computation but for the first load and the last store.
  double total = depth > 1 && numTiles > 1 ? std::max(compute, transfers) + first : compute + transfers + first;
  // Each place where a tile stands is code to fetch, each loop control and a less contiguous access.
  return (total + tileSync) * (1 + 0.02 * (sites - 1) + 0.01 * countLoops(tiles));
}
