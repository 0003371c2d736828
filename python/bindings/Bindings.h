// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of the module `_npu`, one a file.

#ifndef PYTHON_BINDINGS_BINDINGS_H
#define PYTHON_BINDINGS_BINDINGS_H

#include "runtime/CAPI/NPUExecutable.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace npu_bindings {

/// What Python sees of an input or output.
struct Tensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
};

inline Tensor toTensor(const NpuTensorInfo &info) {
  return {std::string(info.name.data, info.name.length), std::string(info.dtype.data, info.dtype.length),
          std::vector<int64_t>(info.shape, info.shape + info.rank)};
}

void addExecutable(nanobind::module_ &module);
void addPackage(nanobind::module_ &module);
void addTarget(nanobind::module_ &module);

} // namespace npu_bindings

#endif // PYTHON_BINDINGS_BINDINGS_H
