// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pipelines that make a module executable on the host.

#include "passes/Conversion/NPUToLinalg/Passes.h"
#include "passes/Transforms/Host/Passes.h"
#include "passes/Transforms/Linalg/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Tensors: fewer and better loops, with the same result to the last bit.
static void addTensorPasses(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(npu::createSplitNegativePadsPass());
  function.addPass(createConvertElementwiseToLinalgPass());
  function.addPass(createLinalgGeneralizeNamedOpsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createLinalgElementwiseOpFusionPass());
  function.addPass(createCSEPass());
  function.addPass(npu::createNPUInterchangeReductionsPass());
  function.addPass(npu::createNPUGuardHostPass());
}

static void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  // The loops of recurrent operators carry new tensors: each iteration allocates what it hands on, the deallocation
  // below frees what the iteration before handed on.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(results));
  bufferization::buildBufferDeallocationPipeline(pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// Floats below f32 that the CPU may lack compute in f32 and round after each operation.
static void addNarrowFloats(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  // As integer operations: instructions and library calls for bf16 are missing on many hosts or flush subnormals.
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

static void addConversionsToLLVM(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertComplexToStandardPass());
  math::MathExpandOpsPassOptions mathOps;
  mathOps.opMnemonics = {"ctlz", "fpowi", "clampf", "rsqrt"};
  pm.addNestedPass<func::FuncOp>(math::createMathExpandOpsPass(mathOps));
  addNarrowFloats(pm);
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(npu::createNPUVerifyHostPass());
}

void npu::buildLowerHostPipeline(OpPassManager &pm) {
  pm.addPass(createNPULowerLaunchPass());
  addTensorPasses(pm);
  addBufferization(pm);
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createNPULowerAssertsPass());
  pm.addPass(createNPUWidenSubBytesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addConversionsToLLVM(pm);
}

void npu::buildReferencePipeline(OpPassManager &pm) {
  pm.addPass(createConvertNPUToLinalgPass());
  buildLowerHostPipeline(pm);
}

void npu::registerNPUHostPipelines() {
  PassPipelineRegistration<>("npu-lower-host", "take a host module with launches to the LLVM dialect",
                             [](OpPassManager &pm) { buildLowerHostPipeline(pm); });
  PassPipelineRegistration<>("npu-lower-reference",
                             "take a module of any level to the LLVM dialect by the reference lowering",
                             [](OpPassManager &pm) { buildReferencePipeline(pm); });
}
