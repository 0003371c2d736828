// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_NPU_IR_SOURCENAME_H
#define DIALECTS_NPU_IR_SOURCENAME_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::npu {

/// The name of the source node that a location stands for: that of its first NameLoc, empty if it has none.
StringRef getSourceName(Location location);

/// The names of all source nodes that a location stands for, each once, in order. A name around others hides them.
SmallVector<StringRef> getSourceNames(Location location);

} // namespace mlir::npu

#endif // DIALECTS_NPU_IR_SOURCENAME_H
