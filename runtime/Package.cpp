// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of packages.

#include "runtime/Package.h"

#include "dialects/InitAllDialects.h"
#include "simulator/profile/Trace.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::npu;

std::vector<size_t> npu::regionsOf(const npuhw::Program &program, npuhw::RegionRole role) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < program.regions.size(); ++i) {
    if (program.regions[i].role == role) {
      indices.push_back(i);
    }
  }
  return indices;
}

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static bool isSame(const npuhw::SimulatorOptions &a, const npuhw::SimulatorOptions &b) {
  return a.perturbSeed == b.perturbSeed && a.poison == b.poison && a.trace == b.trace && a.profile == b.profile &&
         a.functional == b.functional && a.extrapolate == b.extrapolate && a.maxInstructions == b.maxInstructions &&
         a.maxCycles == b.maxCycles && a.portableKernels == b.portableKernels && a.observer == b.observer;
}

/// What the host module says of a tensor must be what the manifest promises to callers, who bring the buffers.
static llvm::Error compareTensors(StringRef kind, ArrayRef<TensorInfo> promised, ArrayRef<TensorInfo> found) {
  if (promised.size() != found.size()) {
    return makeError("the manifest lists " + Twine(promised.size()) + " " + kind + ", but the host module has " +
                     Twine(found.size()));
  }
  for (auto [a, b] : llvm::zip(promised, found)) {
    if (a.dtype != b.dtype || a.shape != b.shape) {
      return makeError("the manifest lists " + a.str() + " among the " + kind + ", but the host module has " + b.str());
    }
  }
  return llvm::Error::success();
}

llvm::Error Package::prepare(const npuhw::SimulatorOptions &options) {
  std::lock_guard<std::mutex> lock(mutex);
  return prepareLocked(options);
}

llvm::Error Package::prepareLocked(const npuhw::SimulatorOptions &options) {
  if (!host) {
    DialectRegistry registry;
    registerAllDialects(registry);
    // Threads cost more than they save on host code, which is small.
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    std::string errors;
    ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
      errors += (errors.empty() ? "" : "\n") + diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(hostText, context.get(), "host module");
    if (!module) {
      return makeError("the host module of the package is invalid: " + errors);
    }
    ExecutableOptions hostOptions;
    hostOptions.mode = ExecutionMode::Host;
    hostOptions.entry = entry;
    FailureOr<std::unique_ptr<Executable>> executable = Executable::create(*module, hostOptions);
    if (failed(executable)) {
      return makeError("cannot compile the host module of the package: " + errors);
    }
    if (llvm::Error error = compareTensors("inputs", inputs, (*executable)->getInputs())) {
      return error;
    }
    if (llvm::Error error = compareTensors("outputs", outputs, (*executable)->getOutputs())) {
      return error;
    }
    host = std::move(*executable);
  }
  if (simulators.size() == programs.size() && isSame(options, simulatorOptions)) {
    return llvm::Error::success();
  }
  simulators.clear();
  for (const npuhw::Program &program : programs) {
    npuhw::Result<npuhw::Simulator> simulator = npuhw::Simulator::create(program, options);
    if (!simulator) {
      simulators.clear();
      return makeError("program '" + program.name + "' is invalid: " + simulator.error().str());
    }
    simulators.push_back(std::move(*simulator));
  }
  simulatorOptions = options;
  return llvm::Error::success();
}

std::string Package::launch(StringRef name, ArrayRef<LaunchArgument> arguments, Profile &profile) {
  size_t index = 0;
  while (index < programs.size() && programs[index].name != name) {
    ++index;
  }
  if (index == programs.size()) {
    return ("the host launches program '" + name + "', which the package does not hold").str();
  }
  const npuhw::Program &program = programs[index];
  std::vector<size_t> order = regionsOf(program, npuhw::RegionRole::Input);
  for (size_t region : regionsOf(program, npuhw::RegionRole::Output)) {
    order.push_back(region);
  }
  if (order.size() != arguments.size()) {
    return ("program '" + name + "' takes " + Twine(order.size()) + " tensors, but the host hands over " +
            Twine(arguments.size()))
        .str();
  }
  std::vector<npuhw::Buffer> buffers(program.regions.size());
  for (auto [region, argument] : llvm::zip(order, arguments)) {
    buffers[region] = {static_cast<uint8_t *>(argument.data), static_cast<uint64_t>(argument.bytes)};
  }
  npuhw::Result<npuhw::Report> report = simulators[index].run(buffers);
  if (!report) {
    return ("program '" + name + "': " + report.error().str()).str();
  }
  if (simulatorOptions.trace) {
    npuhw::Result<std::string> trace = npuhw::toTraceJSON(*report, program);
    if (!trace) {
      return ("program '" + name + "': " + trace.error().str()).str();
    }
    profile.traces.push_back(std::move(*trace));
  }
  profile.launches.push_back(std::move(*report));
  return "";
}

PackageRun Package::run(ArrayRef<const void *> inputData, ArrayRef<void *> outputData,
                        const npuhw::SimulatorOptions &options) {
  std::lock_guard<std::mutex> lock(mutex);
  PackageRun result;
  result.profile.targetName = targetName;
  result.profile.targetHash = targetHash;
  result.profile.clockMHz = clockMHz;
  result.profile.syncCyclesPerLaunch = syncCycles;
  result.profile.hostWork = hostWork;
  if (llvm::Error error = prepareLocked(options)) {
    result.error = llvm::toString(std::move(error));
    return result;
  }
  HostRunResult run = host->run(inputData, outputData, [&](StringRef program, ArrayRef<LaunchArgument> arguments) {
    return launch(program, arguments, result.profile);
  });
  result.error = std::move(run.error);
  result.profile.peakHostBytes = run.peakBytes;
  return result;
}
