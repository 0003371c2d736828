// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// npu_mlir.mlir._mlir_libs._npu: running modules and packages.

#include "python/bindings/Bindings.h"
#include "python/bindings/Errors.h"

namespace nb = nanobind;

NB_MODULE(_npu, module) {
  module.doc() = "compiled modules, packages, device programs and targets of npu-mlir";
  nb::exception<npu_bindings::NativeError> nativeError(module, "NativeError", PyExc_RuntimeError);
  // After its base: the translator that was added last is asked first.
  nb::exception<npu_bindings::PackageError>(module, "PackageError", nativeError.ptr());
  npu_bindings::addExecutable(module);
  npu_bindings::addPackage(module);
  npu_bindings::addTarget(module);
}
