// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loaded by npu_mlir.mlir.ir for every new context: makes all dialects of the project known there.

#include "dialects/CAPI/NPUDialects.h"
#include "tools/lib/Tools.h"

#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;

NB_MODULE(_site_initialize_0, module) {
  module.doc() = "registration of the npu-mlir dialects";
  module.def("register_dialects", [](MlirDialectRegistry registry) { npuRegisterAllDialects(registry); });
}
