// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tensor passes ask about kernels and the ops in them.

#ifndef PASSES_TRANSFORMS_TENSOR_KERNELINFO_H
#define PASSES_TRANSFORMS_TENSOR_KERNELINFO_H

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/SourceName.h"

namespace mlir::npu {

/// The ops that a schedule is about.
struct KernelOps {
  /// The op whose iteration space the tiles cut: the contraction if there is one, else the only compute op but for
  /// fills.
  StructuredOpInterface root;
  /// What takes the contraction's sums out of the accumulator; null without a contraction.
  GenericOp drain;
  /// For each init of the root, the op that fills it inside of the kernel; null where it is an operand or not read.
  SmallVector<GenericOp> fills;
};

/// Whether the op makes every element of its only result without reading any tensor, in the order of the result's
/// dimensions: a reduction can start from it tile by tile.
bool isFill(Operation *op);

/// The ops of a kernel as `npu-form-kernels` makes them; failure, without a message, for any other form.
FailureOr<KernelOps> getKernelOps(KernelOp kernel);

/// Whether the matrix engine runs the op.
bool isContraction(Operation *op);

/// Whether the op reads what its init `index` held before.
bool readsInit(StructuredOpInterface op, unsigned index);

/// The fault of tile sizes for the op ("" if none): one per dimension, and a reduction dimension is only cut when all
/// reduction dimensions outside of it have tile size 1, which keeps the order of the accumulation.
std::string findTileFault(StructuredOpInterface op, ArrayRef<int64_t> tiles);

} // namespace mlir::npu

#endif // PASSES_TRANSFORMS_TENSOR_KERNELINFO_H
