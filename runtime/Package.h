// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RUNTIME_PACKAGE_H
#define RUNTIME_PACKAGE_H

#include "runtime/Executable.h"
#include "runtime/Profile.h"

#include "simulator/core/Simulator.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <mutex>

namespace mlir::npu {

struct PackageRun {
  std::string error; ///< Empty if the run ended well.
  Profile profile;
};

/// A compiled model: the host's part as a module, the device programs, and a manifest that describes both. The file
/// (.npux) is a container of the simulator.
class Package {
public:
  /// Makes the package of a module whose programs are instructions (npuisa.program) and whose host functions launch them.
  /// `extra` goes into the manifest under "extra"; its arrays "input_names" and "output_names" name the tensors. Problems
  /// are diagnostics.
  static FailureOr<std::unique_ptr<Package>> build(ModuleOp module, StringRef entry, llvm::json::Object extra);

  /// Reads untrusted bytes. The host module of a package is code: run only packages whose origin is trusted. A
  /// `targetHash` that is not empty must be that of the package.
  static llvm::Expected<std::unique_ptr<Package>> read(ArrayRef<uint8_t> bytes, StringRef targetHash);

  npuhw::Bytes write() const;

  const llvm::json::Object &getManifest() const { return manifest; }
  ArrayRef<TensorInfo> getInputs() const { return inputs; }
  ArrayRef<TensorInfo> getOutputs() const { return outputs; }
  ArrayRef<npuhw::Program> getPrograms() const { return programs; }

  /// Compiles the host module and readies the simulators, as far as that has not been done for these options. A run does
  /// it by itself; called before, it tells faults of the package from faults of the run.
  llvm::Error prepare(const npuhw::SimulatorOptions &options);

  /// Runs with one buffer of TensorInfo::bytes() for each input and output. Calls from several threads run one after the other.
  PackageRun run(ArrayRef<const void *> inputData, ArrayRef<void *> outputData, const npuhw::SimulatorOptions &options);

private:
  Package() = default;

  llvm::Error readManifest();
  llvm::Error prepareLocked(const npuhw::SimulatorOptions &options);
  std::string launch(StringRef program, ArrayRef<LaunchArgument> arguments, Profile &profile);

  llvm::json::Object manifest;
  std::string hostText;
  std::vector<npuhw::Program> programs;
  std::string entry, targetName, targetHash;
  uint64_t clockMHz = 1, syncCycles = 0;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<HostWork> hostWork;

  std::mutex mutex;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<Executable> host;
  npuhw::SimulatorOptions simulatorOptions;
  std::vector<npuhw::Simulator> simulators;
};

/// The regions of a program with a role, in order.
std::vector<size_t> regionsOf(const npuhw::Program &program, npuhw::RegionRole role);

} // namespace mlir::npu

#endif // RUNTIME_PACKAGE_H
