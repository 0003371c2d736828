// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_HOST_PASSES_H
#define PASSES_TRANSFORMS_HOST_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::npu {

#define GEN_PASS_DECL
#include "passes/Transforms/Host/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Transforms/Host/Passes.h.inc"

/// Adds the passes that take a host module (functions on tensors or memrefs with linalg, scf and launches) to the LLVM
/// dialect. Results of functions become trailing output arguments.
void buildLowerHostPipeline(OpPassManager &pm);

/// Adds convert-npu-to-linalg and then the host pipeline: the executable meaning of a module at any level.
void buildReferencePipeline(OpPassManager &pm);

/// Registers the pipelines npu-lower-host and npu-lower-reference.
void registerNPUHostPipelines();

} // namespace mlir::npu

#endif // PASSES_TRANSFORMS_HOST_PASSES_H
