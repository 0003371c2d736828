// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text from the C API as Python strings and exceptions; shared by the files of the module `_npu`.

#ifndef PYTHON_BINDINGS_ERRORS_H
#define PYTHON_BINDINGS_ERRORS_H

#include "mlir-c/Support.h"

#include "llvm/Support/JSON.h"

#include <stdexcept>
#include <string>

namespace npu_bindings {

/// Receives text through a MlirStringCallback.
struct Text {
  std::string value;

  static void append(MlirStringRef text, void *self) {
    static_cast<Text *>(self)->value.append(text.data, text.length);
  }
};

/// Becomes `npu_mlir.mlir._mlir_libs._npu.NativeError`; the text is what the compiler or the runtime said.
struct NativeError : std::runtime_error {
  /// What a damaged file says may be any bytes; Python takes UTF-8 only.
  explicit NativeError(const std::string &text) : std::runtime_error(llvm::json::fixUTF8(text)) {}
};

/// Becomes `PackageError`, a NativeError: the package itself cannot run, whatever the inputs are.
struct PackageError : NativeError {
  using NativeError::NativeError;
};

inline MlirStringRef toRef(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }

inline std::string toString(MlirStringRef text) { return std::string(text.data, text.length); }

} // namespace npu_bindings

#endif // PYTHON_BINDINGS_ERRORS_H
