// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/CAPI/NPUPasses.h"

#include "passes/InitAllPasses.h"
#include "passes/Pipelines/Pipelines.h"

#include "mlir/CAPI/Support.h"

#include <mutex>

using namespace mlir;

void npuRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, npu::registerAllPasses);
}

intptr_t npuPipelineGetNumSteps() { return npu::getPipelineSteps().size(); }

MlirStringRef npuPipelineGetStep(intptr_t index) { return wrap(npu::getPipelineSteps()[index].text); }

MlirStringRef npuPipelineGetPhase(intptr_t index) {
  return wrap(npu::stringifyPhase(npu::getPipelineSteps()[index].phase));
}
