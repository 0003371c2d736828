// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API for what a module's text holds beside its IR.

#ifndef DIALECTS_CAPI_NPUSOURCE_H
#define DIALECTS_CAPI_NPUSOURCE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Calls `receive` with the name that each argument of a function has in the text, without the '%', in order. Parses the
/// text for it; bytecode has no such names, and neither has text that does not parse.
MLIR_CAPI_EXPORTED void npuSourceGetArgumentNames(MlirContext context, MlirStringRef text, MlirStringRef function,
                                                  MlirStringCallback receive, void *userData);

#ifdef __cplusplus
}
#endif

#endif // DIALECTS_CAPI_NPUSOURCE_H
