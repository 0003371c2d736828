// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops. They are compiled once for any processor and once for one
// with wide vectors and fused multiply-add; results are the same to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_KERNELS_H
#define NPU_SIMULATOR_CORE_KERNELS_H

#include "simulator/isa/Types.h"

namespace npuhw {

/// Lanes that a kernel processes in one call, at most. A register of a
/// microprogram is an array of this many 32-bit values: floats (f16 and bf16
/// widened to f32), integers sign-extended from their type, truth values 0 or 1.
constexpr int kLanes = 256;

/// r = op(a, b, c) on n lanes.
using LaneKernel = void (*)(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, int n);

/// Memory form (contiguous elements) to register form, or back.
using LoadKernel = void (*)(uint32_t *r, const void *memory, int n);
using StoreKernel = void (*)(void *memory, const uint32_t *r, int n);

/// From i64 lanes to a register.
using WideKernel = void (*)(uint32_t *r, const int64_t *a, int n);

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

  /// acc[n] = fma(a[k], w[k][n], acc[n]), k ascending, for one row.
  void (*matrixRowFloat)(float *acc, const float *a, const float *w, int k, int n, int wPitch);
  /// The same for four rows, whose sums are accPitch apart and inputs aPitch.
  void (*matrixRowsFloat)(float *acc, const float *a, const float *w, int k, int n, int wPitch, int accPitch,
                          int aPitch);
  /// acc[n] += a[k] * w[k][n], wrapping.
  void (*matrixRowInt)(int32_t *acc, const int32_t *a, const int32_t *w, int k, int n, int wPitch);
};

/// The fastest compilation that this processor runs.
const KernelTable &kernels();

/// The compilation for any processor.
const KernelTable &portableKernels();

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_KERNELS_H
