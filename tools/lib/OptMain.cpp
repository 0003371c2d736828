// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/lib/Tools.h"

#include "dialects/InitAllDialects.h"
#include "passes/InitAllPasses.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int npuOptMain(int argc, char **argv) {
  mlir::npu::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::npu::registerAllDialects(registry);
  return failed(mlir::MlirOptMain(argc, argv, "npu-opt: passes and pipelines of the NPU compiler\n", registry));
}
