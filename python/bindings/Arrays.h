// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NumPy arrays for the tensors of a function: checked, contiguous, and of the right type.

#ifndef PYTHON_BINDINGS_ARRAYS_H
#define PYTHON_BINDINGS_ARRAYS_H

#include "runtime/CAPI/NPUExecutable.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace npu_bindings {

/// Arrays that live at least as long as the pointers to their bytes.
struct Arrays {
  std::vector<nanobind::object> objects;
  std::vector<void *> pointers;
};

/// The NumPy name of the type in which an element type of MLIR is handed over: "float32" for f32, "bool" for i1; "bfloat16"
/// stands for ml_dtypes.bfloat16 where that package is installed and for uint16 bit patterns elsewhere.
std::string numpyName(const std::string &dtype);

/// Checks one array for each info (shape and type; nothing is cast) and makes them contiguous. Raises ValueError or
/// TypeError with the name of the tensor.
Arrays takeInputs(const std::vector<NpuTensorInfo> &infos, nanobind::sequence arrays);

/// New arrays for the outputs.
Arrays makeOutputs(const std::vector<NpuTensorInfo> &infos);

/// The outputs as the caller gets them.
nanobind::list finishOutputs(const std::vector<NpuTensorInfo> &infos, const Arrays &outputs);

} // namespace npu_bindings

#endif // PYTHON_BINDINGS_ARRAYS_H
