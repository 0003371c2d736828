// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// The C API of packages (.npux) and device programs (.npuprog).
///
/// Functions that can fail return false and hand the text of the error to `report`. Text and bytes are handed to callbacks, in
/// one call each.

#ifndef RUNTIME_CAPI_NPUPACKAGE_H
#define RUNTIME_CAPI_NPUPACKAGE_H

#include "runtime/CAPI/NPUExecutable.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled model: host module, device programs and manifest.
typedef struct NpuPackage {
  void *ptr;
} NpuPackage;

/// How the simulator runs; all zero is an ordinary run.
typedef struct NpuRunOptions {
  uint64_t perturbSeed;     ///< Not 0: delay every engine at random.
  bool poison;              ///< Make a read of memory that was never written an error.
  bool trace;               ///< Record every instruction.
  bool profile;             ///< Charge every cycle to a source node and a cause.
  bool timingOnly;          ///< Count cycles and compute no values.
  uint64_t maxInstructions; ///< End with an error after as many; 0 is no limit.
} NpuRunOptions;

/// Makes the package of a module on npuisa level. `entry` may be empty; `extra` is a JSON object for the manifest, or empty.
MLIR_CAPI_EXPORTED bool npuPackageBuild(MlirModule module, MlirStringRef entry, MlirStringRef extra,
                                        NpuPackage *result, MlirStringCallback report, void *userData);
/// Reads untrusted bytes. `targetHash`, unless empty, must be that of the package.
MLIR_CAPI_EXPORTED bool npuPackageRead(MlirStringRef bytes, MlirStringRef targetHash, NpuPackage *result,
                                       MlirStringCallback report, void *userData);
MLIR_CAPI_EXPORTED void npuPackageDestroy(NpuPackage package);

MLIR_CAPI_EXPORTED void npuPackageWrite(NpuPackage package, MlirStringCallback receive, void *userData);
/// The manifest as JSON.
MLIR_CAPI_EXPORTED void npuPackageGetManifest(NpuPackage package, MlirStringCallback receive, void *userData);
/// The assembly of all programs.
MLIR_CAPI_EXPORTED void npuPackageGetAssembly(NpuPackage package, MlirStringCallback receive, void *userData);

MLIR_CAPI_EXPORTED intptr_t npuPackageGetNumInputs(NpuPackage package);
MLIR_CAPI_EXPORTED intptr_t npuPackageGetNumOutputs(NpuPackage package);
MLIR_CAPI_EXPORTED NpuTensorInfo npuPackageGetInput(NpuPackage package, intptr_t index);
MLIR_CAPI_EXPORTED NpuTensorInfo npuPackageGetOutput(NpuPackage package, intptr_t index);

/// Compiles the host module and readies the simulators, as far as that has not been done for these options. A run does it by
/// itself; called before, it tells faults of the package from faults of the run.
MLIR_CAPI_EXPORTED bool npuPackagePrepare(NpuPackage package, NpuRunOptions options, MlirStringCallback report,
                                          void *userData);
/// Runs with one contiguous buffer for each input and output. `profile` receives a JSON object of schema npu.profile/1;
/// `trace`, with the option, Chrome trace events; either may be null.
MLIR_CAPI_EXPORTED bool npuPackageRun(NpuPackage package, const void *const *inputs, void *const *outputs,
                                      NpuRunOptions options, MlirStringCallback profile, MlirStringCallback trace,
                                      MlirStringCallback report, void *profileData, void *traceData, void *userData);

/// The program file of an npuisa.program.
MLIR_CAPI_EXPORTED bool npuProgramEncode(MlirOperation program, MlirStringCallback receive, void *receiveData,
                                         MlirStringCallback report, void *userData);
/// The assembly of a program file, which may be untrusted.
MLIR_CAPI_EXPORTED bool npuProgramDisassemble(MlirStringRef bytes, MlirStringCallback receive, void *receiveData,
                                              MlirStringCallback report, void *userData);
/// The program file of assembly.
MLIR_CAPI_EXPORTED bool npuProgramAssemble(MlirStringRef text, MlirStringCallback receive, void *receiveData,
                                           MlirStringCallback report, void *userData);

#ifdef __cplusplus
}
#endif

#endif // RUNTIME_CAPI_NPUPACKAGE_H
