// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names that tensors have in the user's model.

#ifndef DIALECTS_NPU_IR_TENSORNAME_H
#define DIALECTS_NPU_IR_TENSORNAME_H

#include "llvm/ADT/StringRef.h"

namespace mlir::npu {

/// The attribute of an argument or result of a function, or of a program argument, that holds the tensor's name in the
/// user's model: any text, not always unique.
inline constexpr llvm::StringLiteral kNameAttrName = "npu.name";

} // namespace mlir::npu

#endif // DIALECTS_NPU_IR_TENSORNAME_H
