// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API of compiled modules: run any level above npuisa on this machine.
///
/// Functions that can fail return false and hand the text of the error, diagnostics and their notes included, to `report`.

#ifndef RUNTIME_CAPI_NPUEXECUTABLE_H
#define RUNTIME_CAPI_NPUEXECUTABLE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Machine code of one function of a module.
typedef struct NpuExecutable {
  void *ptr;
} NpuExecutable;

/// An input or output; the strings and the shape live as long as their owner.
typedef struct NpuTensorInfo {
  MlirStringRef name;
  MlirStringRef dtype; ///< The element type as MLIR spells it; i1 takes a byte.
  intptr_t rank;
  const int64_t *shape;
  int64_t bytes;
} NpuTensorInfo;

/// Compiles a copy of the module by the reference lowering. `entry` may be empty: the only public function.
/// `optLevel` is 0 to 3 and changes no value.
MLIR_CAPI_EXPORTED bool npuExecutableCreate(MlirModule module, MlirStringRef entry, unsigned optLevel,
                                            NpuExecutable *result, MlirStringCallback report, void *userData);
MLIR_CAPI_EXPORTED void npuExecutableDestroy(NpuExecutable executable);

MLIR_CAPI_EXPORTED intptr_t npuExecutableGetNumInputs(NpuExecutable executable);
MLIR_CAPI_EXPORTED intptr_t npuExecutableGetNumOutputs(NpuExecutable executable);
MLIR_CAPI_EXPORTED NpuTensorInfo npuExecutableGetInput(NpuExecutable executable, intptr_t index);
MLIR_CAPI_EXPORTED NpuTensorInfo npuExecutableGetOutput(NpuExecutable executable, intptr_t index);

/// Runs with one contiguous buffer for each input and each output. Safe from several threads at a time.
MLIR_CAPI_EXPORTED bool npuExecutableRun(NpuExecutable executable, const void *const *inputs, void *const *outputs,
                                         MlirStringCallback report, void *userData);

#ifdef __cplusplus
}
#endif

#endif // RUNTIME_CAPI_NPUEXECUTABLE_H
