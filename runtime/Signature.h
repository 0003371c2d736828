// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RUNTIME_SIGNATURE_H
#define RUNTIME_SIGNATURE_H

#include "runtime/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::npu {

/// The function of a module that callers run.
struct Signature {
  std::string entry;
  std::vector<TensorInfo> inputs, outputs;
};

/// Reads the signature of a function; an empty name means the only public one. Tensors are called by the attribute
/// "npu.name", by the location of the argument, or by their number. Fails with a diagnostic if there is no such function or
/// an argument or result is no statically shaped tensor.
FailureOr<Signature> readSignature(ModuleOp module, StringRef entry);

} // namespace mlir::npu

#endif // RUNTIME_SIGNATURE_H
