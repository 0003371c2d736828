// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction costs, as formulas over the target and the fields that
// matter. The compiler prices schedules with them, the simulator executes them.
// All results are cycles of the target's clock unless the name says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_MACHINE_COSTMODEL_H
#define NPU_MACHINE_COSTMODEL_H

#include "machine/TargetDesc.h"

#include <cstdint>
#include <vector>

namespace npuhw {

/// The element types that the matrix engine prices differently.
enum class MacType : uint8_t { I8, F16, BF16, F32 };

/// Cycles that one streamed row takes (`mac_cycles_*`).
uint64_t macCyclesPerRow(const TargetDesc &desc, MacType type);

/// Bytes of one element.
unsigned macTypeBytes(MacType type);

/// The time of an instruction, by what it goes into.
struct CostParts {
  uint64_t setup = 0; ///< Decoding, address setup.
  uint64_t fill = 0;  ///< Filling and emptying the pipeline or the array.
  uint64_t work = 0;  ///< The engine at its peak.
  uint64_t edge = 0;  ///< Cells or lanes that a ragged tile leaves idle.
  uint64_t port = 0;  ///< The on-chip memory takes longer than the engine.

  uint64_t total() const { return setup + fill + work + edge + port; }
};

/// mm_load_w: loading a k x n weight tile into the array.
CostParts weightLoadParts(const TargetDesc &desc, uint64_t k, uint64_t n, MacType type);
uint64_t weightLoadCycles(const TargetDesc &desc, uint64_t k, uint64_t n, MacType type);

/// mm_exec: streaming `rows` rows of k elements through the array.
CostParts matrixExecParts(const TargetDesc &desc, uint64_t rows, uint64_t k, uint64_t n, MacType type);
uint64_t matrixExecCycles(const TargetDesc &desc, uint64_t rows, uint64_t k, MacType type);

/// mm_clear: setting `elements` sums to zero.
uint64_t matrixClearCycles(const TargetDesc &desc, uint64_t elements);

/// A whole M x K x N multiplication, tile after tile, without overlap with
/// anything else: the analytical model of SCALE-Sim for a square array without
/// double-buffered weights.
uint64_t matmulCycles(const TargetDesc &desc, uint64_t m, uint64_t k, uint64_t n, MacType type);

/// What a DMA instruction moves. Strides are in bytes.
struct DmaTransfer {
  std::vector<int64_t> shape;
  std::vector<int64_t> srcStrides;
  std::vector<int64_t> dstStrides;
  uint64_t elementBytes = 1;
  bool srcDram = true;
  bool dstDram = false;
  bool fill = false; ///< There is no source.
};

/// The parts of a DMA instruction's time.
struct DmaCost {
  uint64_t setupCycles = 0;
  uint64_t latencyCycles = 0; ///< Hidden behind a preceding transfer of the queue.
  uint64_t dramBytes = 0;     ///< Bursts on the shared DRAM bus, in bytes.
  uint64_t sramCycles = 0;    ///< Occupation of the on-chip port.
  uint64_t usefulBytes = 0;   ///< Bytes that the program asked for.

  /// Time when the transfer runs alone.
  uint64_t aloneCycles(const TargetDesc &desc) const;
};

DmaCost dmaCost(const TargetDesc &desc, const DmaTransfer &transfer);

/// dma_gather: `count` rows of `rowBytes`, each an access of its own, priced at
/// the worst case (no two rows share a burst).
DmaCost gatherCost(const TargetDesc &desc, uint64_t count, uint64_t rowBytes, uint64_t indexBytes, bool dstDram,
                   bool indicesDram);

/// dma_scatter: the same in the other direction.
DmaCost scatterCost(const TargetDesc &desc, uint64_t count, uint64_t rowBytes, uint64_t indexBytes, bool srcDram,
                    bool indicesDram);

/// Operations of a microprogram by price.
enum class OpClass : uint8_t { Free, Simple, Divide, Sqrt, Exp, Log, Tanh, Erf, Trig, Pow };

/// Cycles that one lane needs for an operation (`cycles_*`).
uint64_t opClassCycles(const TargetDesc &desc, OpClass opClass);

/// What v_exec and drain walk.
struct VectorWork {
  uint64_t parallelPoints = 1;  ///< Product of the parallel extents.
  uint64_t reductionPoints = 1; ///< Product of the reduction extents.
  uint64_t cyclesPerPoint = 1;  ///< Sum of opClassCycles over the microprogram.
  uint64_t bytesPerPoint = 0;   ///< Operand bytes moved for a point.
};

CostParts vectorParts(const TargetDesc &desc, const VectorWork &work);
CostParts drainParts(const TargetDesc &desc, const VectorWork &work);
uint64_t vectorCycles(const TargetDesc &desc, const VectorWork &work);
uint64_t drainCycles(const TargetDesc &desc, const VectorWork &work);

/// v_gather: `points` elements.
CostParts elementGatherParts(const TargetDesc &desc, uint64_t points);

/// v_sort: operations of a bitonic sorter over `rows` rows of n elements.
uint64_t sortOperations(uint64_t rows, uint64_t n);

/// v_sort: `rows` rows of n elements; `bytes` are read and written in all.
CostParts sortParts(const TargetDesc &desc, uint64_t rows, uint64_t n, uint64_t bytes);

/// A host region: `scalarOps` operations, and the transfers in and out.
uint64_t hostCycles(const TargetDesc &desc, uint64_t scalarOps, uint64_t transferredBytes);

/// What a program did, for the energy estimate.
struct EnergyCounts {
  uint64_t macsI8 = 0;
  uint64_t macsF16 = 0;
  uint64_t macsF32 = 0;
  uint64_t vectorOps = 0;
  uint64_t sramBytes = 0;
  uint64_t dramBytes = 0;
  uint64_t cycles = 0;
};

/// Energy in picojoules.
double energyPicojoules(const TargetDesc &desc, const EnergyCounts &counts);

/// Area in mm2: array, lanes and on-chip memory.
double areaMillimetres2(const TargetDesc &desc);

} // namespace npuhw

#endif // NPU_MACHINE_COSTMODEL_H
