// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API of targets.

#ifndef DIALECTS_CAPI_NPUTARGET_H
#define DIALECTS_CAPI_NPUTARGET_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_CAPI_EXPORTED intptr_t npuTargetGetNumPresets(void);
MLIR_CAPI_EXPORTED MlirStringRef npuTargetGetPreset(intptr_t index);

/// Reads a preset or a YAML file (a name with a '/' or a '.'). `json` receives an object with every parameter, `hash` the
/// hash of its content, `explanation` units and meanings of the parameters and what follows from them (JSON). Returns
/// false and hands the error to `report` if there is no such target or it is invalid.
MLIR_CAPI_EXPORTED bool npuTargetLoad(MlirStringRef nameOrPath, MlirStringCallback json, void *jsonData,
                                      MlirStringCallback hash, void *hashData, MlirStringCallback explanation,
                                      void *explanationData, MlirStringCallback report, void *userData);

/// The attribute `#npu.target` of a target, for "npu.target" of a module; null with an error handed to `report`.
MLIR_CAPI_EXPORTED MlirAttribute npuTargetGetAttribute(MlirContext context, MlirStringRef nameOrPath,
                                                       MlirStringCallback report, void *userData);

#ifdef __cplusplus
}
#endif

#endif // DIALECTS_CAPI_NPUTARGET_H
