// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NumPy's .npy files.

#ifndef RUNTIME_NPY_H
#define RUNTIME_NPY_H

#include "runtime/Tensor.h"

#include "llvm/Support/Error.h"

namespace mlir::npu {

/// An array as stored: little endian, row-major.
struct NpyArray {
  std::string descr; ///< NumPy's name of the element type, for example "<f4".
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

/// Reads untrusted bytes; an error says what is wrong. Big-endian and column-major arrays are refused.
llvm::Expected<NpyArray> readNpy(ArrayRef<uint8_t> bytes);

/// The file of a tensor. bf16 and 8-bit floats, which NumPy does not know, are stored as raw elements ("|V2", "|V1").
std::vector<uint8_t> writeNpy(const TensorInfo &info, ArrayRef<uint8_t> data);

/// Checks that the array has the type and the shape of the tensor; signless integers take either signedness.
llvm::Error checkNpy(const NpyArray &array, const TensorInfo &info);

} // namespace mlir::npu

#endif // RUNTIME_NPY_H
