// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target description as a dictionary of attributes and back. It stands below the npu dialect, whose
// verifier of #npu.target uses it.

#ifndef DIALECTS_TARGET_TARGETPARAMETERS_H
#define DIALECTS_TARGET_TARGETPARAMETERS_H

#include "machine/TargetDesc.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::npu {

/// Every key of the description but its name.
DictionaryAttr targetToDictionary(MLIRContext *context, const npuhw::TargetDesc &desc);

/// The description that a dictionary made by targetToDictionary() holds. On failure `error` says which key is
/// missing, unknown, of the wrong type or out of range, or that `hash` is not that of the values.
FailureOr<npuhw::TargetDesc> targetFromDictionary(StringRef name, StringRef hash, DictionaryAttr parameters,
                                                  std::string &error);

} // namespace mlir::npu

#endif // DIALECTS_TARGET_TARGETPARAMETERS_H
