// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The command-line tools as C functions of the shared library; each executable is a main that calls one.

#ifndef TOOLS_LIB_TOOLS_H
#define TOOLS_LIB_TOOLS_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs passes and pipelines on .mlir files. Returns the exit code.
MLIR_CAPI_EXPORTED int npuOptMain(int argc, char **argv);

/// Runs a package or a device program on the simulator. Returns the exit code.
MLIR_CAPI_EXPORTED int npuRunMain(int argc, char **argv);

/// Translates device programs between text, assembly and program files. Returns the exit code.
MLIR_CAPI_EXPORTED int npuTranslateMain(int argc, char **argv);

/// Serves the language server protocol for .mlir files on standard input and output. Returns the exit code.
MLIR_CAPI_EXPORTED int npuLspServerMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // TOOLS_LIB_TOOLS_H
