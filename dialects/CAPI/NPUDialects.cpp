// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CAPI/NPUDialects.h"

#include "dialects/InitAllDialects.h"
#include "dialects/NPU/IR/NPU.h"

#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(NPU, npu, mlir::npu::NPUDialect)

void npuRegisterAllDialects(MlirDialectRegistry registry) { mlir::npu::registerAllDialects(*unwrap(registry)); }
