// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The hardware that a module is compiled for: reading target files, and the way of the numbers into and out of
// the module attribute `npu.target`. Passes take every hardware number from getTarget().

#ifndef DIALECTS_TARGET_TARGET_H
#define DIALECTS_TARGET_TARGET_H

#include "dialects/NPU/IR/NPU.h"
#include "machine/TargetDesc.h"

#include "llvm/Support/Error.h"

namespace mlir::npu {

using npuhw::TargetDesc;

/// The preset that is meant when nothing names a target.
inline constexpr llvm::StringLiteral kDefaultTarget = "mobile";

/// The names of the built-in targets.
SmallVector<StringRef> getTargetPresets();

/// The target called `nameOrPath`: one of the presets, or a YAML file (a name with a '/' or a '.'). Errors name
/// the file, the line, the key, its value and the rule that it breaks.
llvm::Expected<TargetDesc> loadTarget(StringRef nameOrPath);

/// Parses the text of a target file; `fileName` is for the messages.
llvm::Expected<TargetDesc> parseTarget(StringRef text, StringRef fileName);

/// The target of the module around `op`; the default preset if no module names one.
TargetDesc getTarget(Operation *op);

/// The attribute that holds a target.
TargetAttr getTargetAttr(MLIRContext *context, const TargetDesc &desc);

/// Bytes of one element of a device tensor.
int64_t getElementBytes(Type elementType);

/// Bytes of a statically shaped tensor or memref.
int64_t getSizeBytes(ShapedType type);

} // namespace mlir::npu

#endif // DIALECTS_TARGET_TARGET_H
