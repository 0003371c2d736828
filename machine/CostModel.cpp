// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "machine/CostModel.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace npuhw;

namespace {

uint64_t ceilDiv(uint64_t a, uint64_t b) { return b == 0 ? a : a / b + (a % b != 0); }

uint64_t roundUp(uint64_t a, uint64_t b) { return ceilDiv(a, b) * b; }

/// What `a` has more than `b`.
uint64_t excess(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/// Bytes on the DRAM bus for one side of a transfer: dimensions that continue
/// one another are one contiguous run, and each run is rounded up to bursts.
uint64_t burstBytes(const TargetDesc &desc, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides,
                    uint64_t elementBytes) {
  uint64_t total = elementBytes;
  for (int64_t extent : shape) {
    total *= static_cast<uint64_t>(extent);
  }
  if (total == 0) {
    return 0;
  }
  // Strides order the dimensions in memory, whatever order they are walked in.
  std::vector<size_t> order;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::llabs(strides[a]) < std::llabs(strides[b]); });
  uint64_t run = elementBytes;
  for (size_t i : order) {
    if (static_cast<uint64_t>(std::llabs(strides[i])) != run) {
      break;
    }
    run *= static_cast<uint64_t>(shape[i]);
  }
  return total / run * roundUp(run, desc.dramBurstBytes);
}

} // namespace

uint64_t npuhw::macCyclesPerRow(const TargetDesc &desc, MacType type) {
  switch (type) {
  case MacType::I8:
    return desc.macCyclesI8;
  case MacType::F16:
    return desc.macCyclesF16;
  case MacType::BF16:
    return desc.macCyclesBF16;
  case MacType::F32:
    return desc.macCyclesF32;
  }
  return desc.macCyclesF32;
}

unsigned npuhw::macTypeBytes(MacType type) {
  switch (type) {
  case MacType::I8:
    return 1;
  case MacType::F16:
  case MacType::BF16:
    return 2;
  case MacType::F32:
    return 4;
  }
  return 4;
}

// Weight-stationary array of R rows and C columns: the tile is shifted in row
// by row, R cycles (Samajdar et al., "SCALE-Sim: Systolic CNN Accelerator
// Simulator", arXiv:1811.02883, section on the weight-stationary dataflow), or
// longer where the on-chip memory cannot feed a row of weights in a cycle.
CostParts npuhw::weightLoadParts(const TargetDesc &desc, uint64_t k, uint64_t n, MacType type) {
  CostParts parts;
  parts.setup = desc.matrixSetupCycles;
  parts.fill = desc.arrayRows;
  parts.port = excess(ceilDiv(k * n * macTypeBytes(type), desc.sramBytesPerCycle), parts.fill);
  return parts;
}

uint64_t npuhw::weightLoadCycles(const TargetDesc &desc, uint64_t k, uint64_t n, MacType type) {
  return weightLoadParts(desc, k, n, type).total();
}

// M rows enter skewed over the R rows of the array and leave skewed over its C
// columns: M + R + C - 2 cycles (same source). A type at a fraction of the int8
// rate streams its rows that much slower.
CostParts npuhw::matrixExecParts(const TargetDesc &desc, uint64_t rows, uint64_t k, uint64_t n, MacType type) {
  CostParts parts;
  parts.setup = desc.matrixSetupCycles;
  if (rows == 0) {
    return parts;
  }
  uint64_t streaming = rows * macCyclesPerRow(desc, type);
  parts.fill = desc.arrayRows + desc.arrayCols - 2;
  parts.work = std::min(streaming, ceilDiv(streaming * k * n, desc.arrayRows * desc.arrayCols));
  parts.edge = streaming - parts.work;
  parts.port = excess(ceilDiv(rows * k * macTypeBytes(type), desc.sramBytesPerCycle), streaming + parts.fill);
  return parts;
}

uint64_t npuhw::matrixExecCycles(const TargetDesc &desc, uint64_t rows, uint64_t k, MacType type) {
  return matrixExecParts(desc, rows, k, desc.arrayCols, type).total();
}

// One row of the accumulator (one sum a column) a cycle: the width of the write
// port that mm_exec needs anyway.
uint64_t npuhw::matrixClearCycles(const TargetDesc &desc, uint64_t elements) {
  return desc.matrixSetupCycles + ceilDiv(elements, desc.arrayCols);
}

// ceil(K/R) * ceil(N/C) tiles of load and execution. With A = R = C and no
// setup that is SCALE-Sim's ceil(K/A) * ceil(N/A) * (M + 3A - 2) - 1; the last
// cycle differs because SCALE-Sim numbers cycles from 0.
uint64_t npuhw::matmulCycles(const TargetDesc &desc, uint64_t m, uint64_t k, uint64_t n, MacType type) {
  uint64_t tiles = ceilDiv(k, desc.arrayRows) * ceilDiv(n, desc.arrayCols);
  uint64_t load = weightLoadCycles(desc, desc.arrayRows, desc.arrayCols, type);
  uint64_t exec = matrixExecCycles(desc, m, desc.arrayRows, type);
  if (!desc.weightDoubleBuffer || tiles == 0) {
    return tiles * (load + exec);
  }
  // All loads but the first run behind the preceding tile.
  return load + exec + (tiles - 1) * std::max(load, exec);
}

uint64_t DmaCost::aloneCycles(const TargetDesc &desc) const {
  return setupCycles + latencyCycles + std::max(ceilDiv(dramBytes, desc.dramBytesPerCycle), sramCycles);
}

// Latency and bandwidth with burst granularity: the model of Arm's Vela
// (ethosu/vela/npu_performance.py estimates memory cycles as bytes over
// bandwidth plus a latency for each transfer that is not pipelined), with the
// burst rounding of DRAM data sheets (a JEDEC LPDDR5 burst of 16 on a 32-bit
// channel is 64 bytes).
DmaCost npuhw::dmaCost(const TargetDesc &desc, const DmaTransfer &transfer) {
  DmaCost cost;
  cost.setupCycles = desc.dmaSetupCycles;
  uint64_t bytes = transfer.elementBytes;
  for (int64_t extent : transfer.shape) {
    bytes *= static_cast<uint64_t>(extent);
  }
  cost.usefulBytes = bytes;
  if (bytes == 0) {
    return cost;
  }
  bool reads = !transfer.fill;
  if (reads && transfer.srcDram) {
    cost.latencyCycles = desc.dramLatencyCycles;
    cost.dramBytes += burstBytes(desc, transfer.shape, transfer.srcStrides, transfer.elementBytes);
  }
  // Writes are posted: they take bandwidth, but nobody waits for the latency.
  if (transfer.dstDram) {
    cost.dramBytes += burstBytes(desc, transfer.shape, transfer.dstStrides, transfer.elementBytes);
  }
  uint64_t onChip = (reads && !transfer.srcDram ? bytes : 0) + (transfer.dstDram ? 0 : bytes);
  cost.sramCycles = ceilDiv(onChip, desc.sramBytesPerCycle);
  return cost;
}

DmaCost npuhw::gatherCost(const TargetDesc &desc, uint64_t count, uint64_t rowBytes, uint64_t indexBytes,
                          bool dstDram, bool indicesDram) {
  DmaCost cost;
  cost.setupCycles = desc.dmaSetupCycles;
  cost.usefulBytes = count * rowBytes;
  if (cost.usefulBytes == 0) {
    return cost;
  }
  cost.latencyCycles = desc.dramLatencyCycles;
  // A row that is not aligned to a burst touches one burst more.
  uint64_t perRow = roundUp(rowBytes, desc.dramBurstBytes);
  if (rowBytes % desc.dramBurstBytes != 0) {
    perRow += desc.dramBurstBytes;
  }
  cost.dramBytes = count * perRow;
  uint64_t indices = count * indexBytes;
  if (indicesDram) {
    // The indices have to arrive before the first row can be asked for.
    cost.latencyCycles += desc.dramLatencyCycles;
    cost.dramBytes += roundUp(indices, desc.dramBurstBytes);
  }
  if (dstDram) {
    cost.dramBytes += count * roundUp(rowBytes, desc.dramBurstBytes);
  }
  uint64_t onChip = (dstDram ? 0 : cost.usefulBytes) + (indicesDram ? 0 : indices);
  cost.sramCycles = ceilDiv(onChip, desc.sramBytesPerCycle);
  return cost;
}

DmaCost npuhw::scatterCost(const TargetDesc &desc, uint64_t count, uint64_t rowBytes, uint64_t indexBytes,
                           bool srcDram, bool indicesDram) {
  DmaCost cost = gatherCost(desc, count, rowBytes, indexBytes, srcDram, indicesDram);
  if (cost.usefulBytes != 0) {
    // Writes are posted: nobody waits for the table, only for what is read.
    cost.latencyCycles = desc.dramLatencyCycles * (unsigned(srcDram) + unsigned(indicesDram));
  }
  return cost;
}

uint64_t npuhw::opClassCycles(const TargetDesc &desc, OpClass opClass) {
  switch (opClass) {
  case OpClass::Free:
    return 0;
  case OpClass::Simple:
    return desc.cyclesSimple;
  case OpClass::Divide:
    return desc.cyclesDivide;
  case OpClass::Sqrt:
    return desc.cyclesSqrt;
  case OpClass::Exp:
    return desc.cyclesExp;
  case OpClass::Log:
    return desc.cyclesLog;
  case OpClass::Tanh:
    return desc.cyclesTanh;
  case OpClass::Erf:
    return desc.cyclesErf;
  case OpClass::Trig:
    return desc.cyclesTrig;
  case OpClass::Pow:
    return desc.cyclesPow;
  }
  return desc.cyclesPow;
}

namespace {

// The classic vector-machine model (Hennessy and Patterson, "Computer
// Architecture", 6th edition, section 4.2: start-up plus n / lanes per
// operation). Reductions are defined in index order, so that lanes can only
// hold different output elements: reduction points come one after the other.
CostParts lanesModel(const TargetDesc &desc, const VectorWork &work, uint64_t setup, uint64_t lanes) {
  uint64_t passes = work.reductionPoints * ceilDiv(work.parallelPoints, lanes);
  uint64_t perPoint = std::max<uint64_t>(work.cyclesPerPoint, 1);
  uint64_t points = work.parallelPoints * work.reductionPoints;
  CostParts parts;
  parts.setup = setup;
  parts.work = std::min(passes * perPoint, ceilDiv(points * perPoint, lanes));
  parts.edge = passes * perPoint - parts.work;
  parts.port = excess(ceilDiv(points * work.bytesPerPoint, desc.sramBytesPerCycle), parts.work + parts.edge);
  return parts;
}

} // namespace

CostParts npuhw::vectorParts(const TargetDesc &desc, const VectorWork &work) {
  return lanesModel(desc, work, desc.vectorSetupCycles, desc.vectorLanes);
}

CostParts npuhw::drainParts(const TargetDesc &desc, const VectorWork &work) {
  return lanesModel(desc, work, desc.drainSetupCycles, desc.drainLanes);
}

uint64_t npuhw::vectorCycles(const TargetDesc &desc, const VectorWork &work) { return vectorParts(desc, work).total(); }

uint64_t npuhw::drainCycles(const TargetDesc &desc, const VectorWork &work) { return drainParts(desc, work).total(); }

// Indices are data, so the price is that of the worst ones: all lanes ask the same
// bank, which serves one element a cycle (the bank conflicts of an indexed load;
// Hennessy and Patterson, 6th edition, section 4.2).
CostParts npuhw::elementGatherParts(const TargetDesc &desc, uint64_t points) {
  CostParts parts;
  parts.setup = desc.vectorSetupCycles;
  parts.work = ceilDiv(points, desc.vectorLanes);
  parts.port = points - parts.work;
  return parts;
}

namespace {

// K. E. Batcher, "Sorting networks and their applications", AFIPS 1968: the
// bitonic sorter of 2^p elements has p (p + 1) / 2 stages of 2^(p - 1)
// comparators. A lane is a comparator that takes two operations: compare (value,
// then position) and exchange. A row of one element passes through once.
struct BitonicSorter {
  uint64_t stages = 1;
  uint64_t comparators = 1;
  static constexpr uint64_t kOperations = 2;

  explicit BitonicSorter(uint64_t n) {
    uint64_t p = 0;
    while (p < 63 && (uint64_t(1) << p) < n) {
      ++p;
    }
    if (p != 0) {
      stages = p * (p + 1) / 2;
      comparators = uint64_t(1) << (p - 1);
    }
  }
};

} // namespace

uint64_t npuhw::sortOperations(uint64_t rows, uint64_t n) {
  BitonicSorter sorter(n);
  return n == 0 ? 0 : rows * sorter.stages * sorter.comparators * BitonicSorter::kOperations;
}

CostParts npuhw::sortParts(const TargetDesc &desc, uint64_t rows, uint64_t n, uint64_t bytes) {
  CostParts parts;
  parts.setup = desc.vectorSetupCycles;
  if (rows == 0 || n == 0) {
    return parts;
  }
  BitonicSorter sorter(n);
  uint64_t simple = opClassCycles(desc, OpClass::Simple);
  uint64_t total =
      rows * sorter.stages * ceilDiv(sorter.comparators, desc.vectorLanes) * BitonicSorter::kOperations * simple;
  parts.work = std::min(total, ceilDiv(sortOperations(rows, n) * simple, desc.vectorLanes));
  parts.edge = total - parts.work;
  parts.port = excess(ceilDiv(bytes, desc.sramBytesPerCycle), total);
  return parts;
}

// A fallback hands over twice (there and back) and moves its tensors across the
// link; the host works at a constant rate. A modelling choice, to be calibrated
// through the target file.
uint64_t npuhw::hostCycles(const TargetDesc &desc, uint64_t scalarOps, uint64_t transferredBytes) {
  double compute = std::ceil(static_cast<double>(scalarOps) * desc.hostCyclesPerScalarOp);
  return desc.hostSyncCycles + ceilDiv(transferredBytes, desc.hostBytesPerCycle) + static_cast<uint64_t>(compute);
}

double npuhw::energyPicojoules(const TargetDesc &desc, const EnergyCounts &counts) {
  double dynamic = static_cast<double>(counts.macsI8) * desc.energyMacI8 +
                   static_cast<double>(counts.macsF16) * desc.energyMacF16 +
                   static_cast<double>(counts.macsF32) * desc.energyMacF32 +
                   static_cast<double>(counts.vectorOps) * desc.energyVectorOp +
                   static_cast<double>(counts.sramBytes) * desc.energySramByte +
                   static_cast<double>(counts.dramBytes) * desc.energyDramByte;
  // mW times microseconds are nanojoules.
  double microseconds = static_cast<double>(counts.cycles) / static_cast<double>(desc.clockMHz);
  return dynamic + desc.staticPowerMilliwatts * microseconds * 1000.0;
}

double npuhw::areaMillimetres2(const TargetDesc &desc) {
  double macs = static_cast<double>(desc.arrayRows * desc.arrayCols);
  // A type at rate 1/c needs 1/c of the arithmetic that the int8 rate needs.
  double perMac = desc.areaMacI8 / static_cast<double>(desc.macCyclesI8);
  if (desc.supports("f16") || desc.supports("bf16")) {
    perMac += desc.areaMacF16 / static_cast<double>(std::min(desc.macCyclesF16, desc.macCyclesBF16));
  }
  if (desc.supports("f32")) {
    perMac += desc.areaMacF32 / static_cast<double>(desc.macCyclesF32);
  }
  double lanes = static_cast<double>(desc.vectorLanes + desc.drainLanes);
  double memory = static_cast<double>(desc.sramBytes + desc.accBytes) / (1024.0 * 1024.0);
  return (macs * perMac + lanes * desc.areaVectorLane) * 1e-6 + memory * desc.areaSramMiB;
}
