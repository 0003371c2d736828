// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weight-stationary array: its weights and what the matrix instructions do.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_MATRIXENGINE_H
#define NPU_SIMULATOR_CORE_MATRIXENGINE_H

#include "simulator/core/Kernels.h"
#include "simulator/core/Memory.h"
#include "simulator/isa/Instruction.h"

namespace npuhw {

class MatrixEngine {
public:
  explicit MatrixEngine(const KernelTable &table) : table(table) {}

  /// Each returns an empty string or what went wrong.
  std::string loadWeights(const MmLoadW &inst, const Place &src);
  std::string execute(const MmExec &inst, const Place &src, const Place &acc);
  std::string clear(const MmClear &inst, const Place &acc);

private:
  /// Most rows that are handled together: what they need stays in the first cache.
  static constexpr int kMostRows = 96;

  const KernelTable &table;
  bool loaded = false;
  DType dtype = DType::F32;
  int k = 0;
  int n = 0;
  int32_t weightZero = 0;          ///< Of the packed weights.
  bool columnsSummed = false;
  AlignedBytes panels;             ///< The weights as the kernels want them.
  std::vector<int32_t> columnSums; ///< Of the packed weights, without their zero point.
  std::vector<int32_t> columnTerm;
  std::vector<uint8_t> scratch;
  AlignedBytes packed;             ///< Activations of some rows.

  // The rows at hand.
  const uint8_t *rowData[kMostRows];
  const float *floatRows[kMostRows];
  const void *intRows[kMostRows];
  int32_t *sums[kMostRows];
  float *floatSums[kMostRows];
  int32_t rowTerm[kMostRows];

  int paddedK() const { return (k + table.intTile.group - 1) / table.intTile.group * table.intTile.group; }
  void packFloats(const MmLoadW &inst, const uint8_t *src);
  void packInts(const MmLoadW &inst, const uint8_t *src);
  void prepareColumns(int32_t activationZero);
  void multiplyFloats(const MmExec &inst, int rows);
  void multiplyInts(const MmExec &inst, int rows);
};

/// The pricing class of a matrix operand; false if the engine does not take it.
bool macTypeOf(DType dtype, MacType &type);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_MATRIXENGINE_H
