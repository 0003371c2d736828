// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops. They are compiled for any processor and for several vector
// units; results are the same to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_KERNELS_H
#define NPU_SIMULATOR_CORE_KERNELS_H

#include "simulator/isa/Types.h"

namespace npuhw {

/// Lanes that a kernel processes in one call, at most. A register of a
/// microprogram is an array of this many 32-bit values: floats (f16 and bf16
/// widened to f32), integers sign-extended from their type, truth values 0 or 1.
constexpr int kLanes = 512;

/// r = op(a, b, c) on n lanes.
using LaneKernel = void (*)(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, int n);

/// Memory form (contiguous elements) to register form, or back.
using LoadKernel = void (*)(uint32_t *r, const void *memory, int n);
using StoreKernel = void (*)(void *memory, const uint32_t *r, int n);

/// From i64 lanes to a register.
using WideKernel = void (*)(uint32_t *r, const int64_t *a, int n);

/// The tile product of the matrix array. Weights are packed into panels of
/// `columns` columns (the last panel of a tile may hold fewer whole vectors);
/// in a panel every group of k has its columns side by side.
struct FloatTileKernel {
  int vector;  ///< Columns of a vector; panels are a multiple of it.
  int columns; ///< Columns of a panel.
  /// sums[r][j] = fma(a[r][k], w[k][j - column], sums[r][j]), k ascending, for the columns of one panel, which
  /// begins at `column`. `sums` and `a` point at rows, no two of `sums` overlap.
  void (*run)(float *const *sums, const float *const *a, const float *panel, int rows, int k, int column,
              int columns);
};

struct IntTileKernel {
  int vector;
  int columns;
  int group;        ///< Neighbours in k that lie side by side in a panel and are multiplied together.
  int elementBytes; ///< Of packed weights and activations.
  /// Whether packed activations are unsigned bytes and packed weights signed ones. If so, signed activations
  /// are packed with 128 added, unsigned weights with 128 taken away.
  bool bytes;
  /// Packs `rows` rows of `k` bytes at a distance of kStride, each padded with zeros to whole groups.
  void (*packRows)(void *packed, const uint8_t *const *rows, int count, int k, int64_t kStride, bool isSigned);
  /// Packs a tile of k rows of n bytes that are `pitch` apart into panels, padded with zeros.
  void (*packWeights)(void *packed, const uint8_t *w, int64_t pitch, int k, int n, bool isSigned);
  /// The sum of each row of activations, and of each column of a packed tile (whole vectors), as packed.
  void (*sumRows)(int32_t *sums, const uint8_t *const *rows, int count, int k, int64_t kStride, bool isSigned);
  void (*sumColumns)(int32_t *sums, const void *packed, int k, int n);
  /// sums[r][j] += a[r][k] * w[k][j - column] for all k, + columnTerm[j] + rowTerm[r], wrapping, for the columns
  /// of one panel, which begins at `column`; columnTerm has whole vectors. No two of `sums` overlap.
  void (*run)(int32_t *const *sums, const void *const *a, const void *panel, const int32_t *columnTerm,
              const int32_t *rowTerm, int rows, int groups, int column, int columns);
};

/// One compilation of the inner loops. A lookup that has no kernel gives nullptr.
struct KernelTable {
  const char *name;

  /// An operation on values of `type`; `imm` selects the predicate. For casts
  /// and comparisons `type` is the type of the operand.
  LaneKernel (*lane)(MicroOpcode opcode, DType type, DType result, uint64_t imm);
  WideKernel (*wide)(MicroOpcode opcode, DType result);
  LoadKernel (*load)(DType type);
  StoreKernel (*store)(DType type);
  /// Rounds f32 lanes to the values of a narrower float type, in place.
  void (*roundTo)(DType type, uint32_t *r, int n);
  /// The same value in all lanes.
  void (*fill)(uint32_t *r, uint32_t value, int n);
  /// r[p * kLanes + i] = the 32-bit element p behind memory + i * stride, for n lanes i and all p < points.
  void (*transpose)(uint32_t *r, const void *memory, int64_t stride, int n, int points);

  FloatTileKernel floatTile;
  IntTileKernel intTile;
};

/// The fastest compilation that this processor runs.
const KernelTable &kernels();

/// The compilation for any processor.
const KernelTable &portableKernels();

/// All compilations that this processor runs, the portable one first, the fastest last.
const std::vector<const KernelTable *> &runnableKernels();

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_KERNELS_H
