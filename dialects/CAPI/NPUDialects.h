// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API of the dialects: what Python and the tools register.

#ifndef DIALECTS_CAPI_NPUDIALECTS_H
#define DIALECTS_CAPI_NPUDIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(NPU, npu);

/// Adds every dialect and extension that the pipelines use.
MLIR_CAPI_EXPORTED void npuRegisterAllDialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif // DIALECTS_CAPI_NPUDIALECTS_H
