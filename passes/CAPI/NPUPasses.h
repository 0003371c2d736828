// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API of the passes and pipelines.

#ifndef PASSES_CAPI_NPUPASSES_H
#define PASSES_CAPI_NPUPASSES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers every pass and pipeline with the process, once.
MLIR_CAPI_EXPORTED void npuRegisterAllPasses(void);

/// The number of steps of the compilation, from linalg on tensors to checked instructions.
MLIR_CAPI_EXPORTED intptr_t npuPipelineGetNumSteps(void);

/// The textual pass pipeline of a step, for example "npu-tile".
MLIR_CAPI_EXPORTED MlirStringRef npuPipelineGetStep(intptr_t index);

/// The phase of a step: "linalg", "tensor", "buffer" or "isa".
MLIR_CAPI_EXPORTED MlirStringRef npuPipelineGetPhase(intptr_t index);

#ifdef __cplusplus
}
#endif

#endif // PASSES_CAPI_NPUPASSES_H
