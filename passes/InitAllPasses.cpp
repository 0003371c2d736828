// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/InitAllPasses.h"

#include "passes/Conversion/LinalgToNPU/Passes.h"
#include "passes/Conversion/NPUToLinalg/Passes.h"
#include "passes/Conversion/NPUToNPUISA/Passes.h"
#include "passes/Transforms/Linalg/Passes.h"
#include "passes/Transforms/Tensor/Passes.h"
#include "passes/Transforms/Buffer/Passes.h"
#include "passes/Transforms/ISA/Passes.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/Transforms/Host/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

void mlir::npu::registerAllPasses() {
  registerTransformsPasses();
  registerLinalgPasses();
  bufferization::registerBufferizationPasses();
  registerNPULinalgTransformsPasses();
  registerNPULinalgToNPUPasses();
  registerNPUTensorTransformsPasses();
  registerNPUBufferTransformsPasses();
  registerNPUNPUToLinalgPasses();
  registerNPUNPUToNPUISAPasses();
  registerNPUISATransformsPasses();
  registerNPUHostTransformsPasses();
  registerNPUHostPipelines();
  registerPipelines();
}
