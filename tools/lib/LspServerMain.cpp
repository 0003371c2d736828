// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/lib/Tools.h"

#include "dialects/InitAllDialects.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int npuLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::npu::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
