// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/CAPI/NPUPackage.h"

#include "runtime/CAPI/Details.h"
#include "runtime/Package.h"

#include "dialects/NPUISA/Encoding/Encoder.h"

#include "mlir/CAPI/IR.h"

using namespace mlir;
using namespace mlir::npu;

DEFINE_C_API_PTR_METHODS(NpuPackage, mlir::npu::Package)

static ArrayRef<uint8_t> toBytes(MlirStringRef bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data), bytes.length};
}

static void sendBytes(const npuhw::Bytes &bytes, MlirStringCallback receive, void *userData) {
  capi::send(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), receive, userData);
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

bool npuPackageBuild(MlirModule module, MlirStringRef entry, MlirStringRef extra, NpuPackage *result,
                     MlirStringCallback report, void *userData) {
  llvm::json::Object object;
  if (extra.length != 0) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(unwrap(extra));
    if (!value || !value->getAsObject()) {
      std::string reason = value ? "it is no object" : llvm::toString(value.takeError());
      capi::send("expected a JSON object for the manifest: " + reason, report, userData);
      return false;
    }
    object = std::move(*value->getAsObject());
  }
  ModuleOp op = unwrap(module);
  capi::DiagnosticText diagnostics(op.getContext());
  FailureOr<std::unique_ptr<Package>> package = Package::build(op, unwrap(entry), std::move(object));
  if (failed(package)) {
    capi::send(diagnostics.str(), report, userData);
    return false;
  }
  *result = wrap(package->release());
  return true;
}

bool npuPackageRead(MlirStringRef bytes, MlirStringRef targetHash, NpuPackage *result, MlirStringCallback report,
                    void *userData) {
  llvm::Expected<std::unique_ptr<Package>> package = Package::read(toBytes(bytes), unwrap(targetHash));
  if (!package) {
    capi::send(llvm::toString(package.takeError()), report, userData);
    return false;
  }
  *result = wrap(package->release());
  return true;
}

void npuPackageDestroy(NpuPackage package) { delete unwrap(package); }

void npuPackageWrite(NpuPackage package, MlirStringCallback receive, void *userData) {
  sendBytes(unwrap(package)->write(), receive, userData);
}

void npuPackageGetManifest(NpuPackage package, MlirStringCallback receive, void *userData) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(llvm::json::Object(unwrap(package)->getManifest()));
  capi::send(text, receive, userData);
}

void npuPackageGetAssembly(NpuPackage package, MlirStringCallback receive, void *userData) {
  std::string text;
  for (const npuhw::Program &program : unwrap(package)->getPrograms()) {
    text += npuhw::printAssembly(program);
  }
  capi::send(text, receive, userData);
}

intptr_t npuPackageGetNumInputs(NpuPackage package) { return unwrap(package)->getInputs().size(); }

intptr_t npuPackageGetNumOutputs(NpuPackage package) { return unwrap(package)->getOutputs().size(); }

NpuTensorInfo npuPackageGetInput(NpuPackage package, intptr_t index) {
  return capi::wrapInfo(unwrap(package)->getInputs()[index]);
}

NpuTensorInfo npuPackageGetOutput(NpuPackage package, intptr_t index) {
  return capi::wrapInfo(unwrap(package)->getOutputs()[index]);
}

static npuhw::SimulatorOptions toSimulatorOptions(const NpuRunOptions &options) {
  npuhw::SimulatorOptions simulator;
  simulator.perturbSeed = options.perturbSeed;
  simulator.poison = options.poison;
  simulator.trace = options.trace;
  simulator.profile = options.profile;
  simulator.functional = !options.timingOnly;
  simulator.maxInstructions = options.maxInstructions;
  return simulator;
}

bool npuPackagePrepare(NpuPackage package, NpuRunOptions options, MlirStringCallback report, void *userData) {
  if (llvm::Error error = unwrap(package)->prepare(toSimulatorOptions(options))) {
    capi::send(llvm::toString(std::move(error)), report, userData);
    return false;
  }
  return true;
}

bool npuPackageRun(NpuPackage package, const void *const *inputs, void *const *outputs, NpuRunOptions options,
                   MlirStringCallback profile, MlirStringCallback trace, MlirStringCallback report, void *profileData,
                   void *traceData, void *userData) {
  Package *p = unwrap(package);
  PackageRun run = p->run(ArrayRef(inputs, p->getInputs().size()), ArrayRef(outputs, p->getOutputs().size()),
                          toSimulatorOptions(options));
  if (!run.error.empty()) {
    capi::send(run.error, report, userData);
    return false;
  }
  if (profile) {
    capi::send(run.profile.toJSON(), profile, profileData);
  }
  if (trace && options.trace) {
    capi::send(run.profile.toTraceJSON(), trace, traceData);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bool npuProgramEncode(MlirOperation program, MlirStringCallback receive, void *receiveData, MlirStringCallback report,
                      void *userData) {
  Operation *op = unwrap(program);
  capi::DiagnosticText diagnostics(op->getContext());
  FailureOr<npuhw::Program> encoded = failure();
  if (auto programOp = dyn_cast<npuisa::ProgramOp>(op)) {
    encoded = npuisa::encodeProgram(programOp);
  } else {
    op->emitError() << "expected an 'npuisa.program', but found '" << op->getName() << "'";
  }
  if (failed(encoded)) {
    capi::send(diagnostics.str(), report, userData);
    return false;
  }
  sendBytes(npuhw::writeProgram(*encoded), receive, receiveData);
  return true;
}

bool npuProgramDisassemble(MlirStringRef bytes, MlirStringCallback receive, void *receiveData,
                           MlirStringCallback report, void *userData) {
  ArrayRef<uint8_t> data = toBytes(bytes);
  npuhw::Result<npuhw::Program> program = npuhw::readProgram(data.data(), data.size());
  if (!program) {
    capi::send(program.error().str(), report, userData);
    return false;
  }
  capi::send(npuhw::printAssembly(*program), receive, receiveData);
  return true;
}

bool npuProgramAssemble(MlirStringRef text, MlirStringCallback receive, void *receiveData, MlirStringCallback report,
                        void *userData) {
  npuhw::Result<npuhw::Program> program = npuhw::parseAssembly(unwrap(text).str());
  if (!program) {
    capi::send(program.error().str(), report, userData);
    return false;
  }
  sendBytes(npuhw::writeProgram(*program), receive, receiveData);
  return true;
}
