// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_INITALLPASSES_H
#define PASSES_INITALLPASSES_H

namespace mlir::npu {

/// Registers the passes and pipelines of this project and the upstream passes that work beside them.
void registerAllPasses();

} // namespace mlir::npu

#endif // PASSES_INITALLPASSES_H
