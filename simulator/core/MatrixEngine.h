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
  const KernelTable &table;
  bool loaded = false;
  DType dtype = DType::F32;
  int k = 0;
  int n = 0;
  std::vector<float> floats;   ///< [k][n]
  std::vector<int32_t> ints;   ///< [k][n]
  std::vector<float> rowFloats;
  std::vector<int32_t> rowInts;
  std::vector<uint8_t> scratch;

  std::string readRow(const Place &src, DType type, int64_t stride, int count, uint32_t *row);
};

/// The pricing class of a matrix operand; false if the engine does not take it.
bool macTypeOf(DType dtype, MacType &type);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_MATRIXENGINE_H
