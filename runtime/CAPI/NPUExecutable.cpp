// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/CAPI/NPUExecutable.h"

#include "runtime/CAPI/Details.h"
#include "runtime/Executable.h"

#include "mlir/CAPI/IR.h"

using namespace mlir;
using namespace mlir::npu;

DEFINE_C_API_PTR_METHODS(NpuExecutable, mlir::npu::Executable)

bool npuExecutableCreate(MlirModule module, MlirStringRef entry, unsigned optLevel, NpuExecutable *result,
                         MlirStringCallback report, void *userData) {
  ModuleOp op = unwrap(module);
  capi::DiagnosticText diagnostics(op.getContext());
  ExecutableOptions options;
  options.entry = unwrap(entry).str();
  options.optLevel = optLevel;
  FailureOr<std::unique_ptr<Executable>> executable = Executable::create(op, options);
  if (failed(executable)) {
    capi::send(diagnostics.str(), report, userData);
    return false;
  }
  *result = wrap(executable->release());
  return true;
}

void npuExecutableDestroy(NpuExecutable executable) { delete unwrap(executable); }

intptr_t npuExecutableGetNumInputs(NpuExecutable executable) { return unwrap(executable)->getInputs().size(); }

intptr_t npuExecutableGetNumOutputs(NpuExecutable executable) { return unwrap(executable)->getOutputs().size(); }

NpuTensorInfo npuExecutableGetInput(NpuExecutable executable, intptr_t index) {
  return capi::wrapInfo(unwrap(executable)->getInputs()[index]);
}

NpuTensorInfo npuExecutableGetOutput(NpuExecutable executable, intptr_t index) {
  return capi::wrapInfo(unwrap(executable)->getOutputs()[index]);
}

bool npuExecutableRun(NpuExecutable executable, const void *const *inputs, void *const *outputs,
                      MlirStringCallback report, void *userData) {
  Executable *e = unwrap(executable);
  HostRunResult result = e->run(ArrayRef(inputs, e->getInputs().size()), ArrayRef(outputs, e->getOutputs().size()), {});
  if (!result.error.empty()) {
    capi::send(result.error, report, userData);
    return false;
  }
  return true;
}
