// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared by the files of the C API; private to it.

#ifndef RUNTIME_CAPI_DETAILS_H
#define RUNTIME_CAPI_DETAILS_H

#include "runtime/CAPI/NPUExecutable.h"
#include "runtime/Tensor.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::npu::capi {

/// Collects the errors of a context as text while it lives.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) { add(diagnostic); }) {}

  const std::string &str() const { return text; }

private:
  LogicalResult add(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error) {
      return success();
    }
    llvm::raw_string_ostream stream(text);
    auto print = [&](Diagnostic &d, StringRef kind) {
      stream << (text.empty() ? "" : "\n");
      if (!isa<UnknownLoc>(d.getLocation())) {
        stream << d.getLocation() << ": ";
      }
      stream << kind << d;
    };
    print(diagnostic, "error: ");
    for (Diagnostic &note : diagnostic.getNotes()) {
      print(note, "note: ");
    }
    return success();
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

inline void send(StringRef text, MlirStringCallback callback, void *userData) { callback(wrap(text), userData); }

inline NpuTensorInfo wrapInfo(const TensorInfo &info) {
  return {wrap(StringRef(info.name)), wrap(StringRef(info.dtype)), static_cast<intptr_t>(info.shape.size()),
          info.shape.data(), info.bytes()};
}

} // namespace mlir::npu::capi

#endif // RUNTIME_CAPI_DETAILS_H
