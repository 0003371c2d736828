// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// Calls from compiled host code into the runtime; every argument is an i64. runtime/HostCalls.cpp defines the callees.

#ifndef PASSES_TRANSFORMS_HOST_RUNTIMECALLS_H
#define PASSES_TRANSFORMS_HOST_RUNTIMECALLS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::npu::host {

/// void (const char *message): ends the run with an error.
constexpr StringLiteral kFail = "npuRuntimeFail";
/// void (const char *program, const int64_t *arguments, int64_t count): runs a device program. The list holds address and
/// size in bytes of each argument.
constexpr StringLiteral kLaunch = "npuRuntimeLaunch";

/// The address of a null-terminated string as i64; equal strings share one global.
Value createStringAddress(ModuleOp module, OpBuilder &builder, Location loc, StringRef text);

/// Calls a runtime function and declares it on first use.
void createRuntimeCall(ModuleOp module, OpBuilder &builder, Location loc, StringRef callee, ValueRange arguments);

} // namespace mlir::npu::host

#endif // PASSES_TRANSFORMS_HOST_RUNTIMECALLS_H
