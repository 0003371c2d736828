// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_PIPELINES_PIPELINES_H
#define PASSES_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::npu {

/// The phases of a compilation, in order. Each ends in a checked contract (passes/README.md).
enum class Phase { Linalg, Tensor, Buffer, ISA };

/// One step of the compilation: an element of a textual pass pipeline, for example "func.func(npu-tile)".
struct PipelineStep {
  Phase phase;
  llvm::StringLiteral text;
};

/// Every step from linalg on tensors to checked instructions. The command line, the pipelines of npu-opt and the Python driver
/// all take their passes from this list.
ArrayRef<PipelineStep> getPipelineSteps();

/// "linalg", "tensor", "buffer" or "isa".
StringRef stringifyPhase(Phase phase);
std::optional<Phase> symbolizePhase(StringRef name);

/// Adds the steps of the phases `from` to `to` to a pass manager on a module.
LogicalResult buildPipeline(OpPassManager &manager, Phase from, Phase to, raw_ostream &errors);

/// Registers npu-linalg-phase, npu-tensor-phase, npu-buffer-phase, npu-isa-phase and npu-compile.
void registerPipelines();

} // namespace mlir::npu

#endif // PASSES_PIPELINES_PIPELINES_H
