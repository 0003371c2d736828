// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RUNTIME_EXECUTABLE_H
#define RUNTIME_EXECUTABLE_H

#include "runtime/HostCalls.h"
#include "runtime/Signature.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace mlir {
class ExecutionEngine;
namespace npu {

/// How a module becomes code.
enum class ExecutionMode {
  Reference, ///< Every npu op by its definition: any level above npuisa.
  Host,      ///< Launches call back; nothing of the device is computed here.
};

struct ExecutableOptions {
  ExecutionMode mode = ExecutionMode::Reference;
  /// The function to run; empty means the only public one.
  std::string entry;
  /// Optimisation level of LLVM, 0 to 3. No level changes a value.
  unsigned optLevel = 2;
};

/// Machine code of one function of a module, ready to run any number of times, from any thread.
class Executable {
public:
  /// Compiles a copy of the module. Problems are diagnostics of its context.
  static FailureOr<std::unique_ptr<Executable>> create(ModuleOp module, const ExecutableOptions &options);
  ~Executable();

  ArrayRef<TensorInfo> getInputs() const { return signature.inputs; }
  ArrayRef<TensorInfo> getOutputs() const { return signature.outputs; }

  /// Runs with one buffer of TensorInfo::bytes() for each input and output. Without a handler, a launch is an error.
  HostRunResult run(ArrayRef<const void *> inputData, ArrayRef<void *> outputData, LaunchHandler launch) const;

private:
  Executable();

  /// Moves the bytes of large constants out of the module: they need not go through the code generator.
  void takeConstants(ModuleOp module);
  LogicalResult compile(ModuleOp module, unsigned optLevel);

  Signature signature;
  std::vector<std::pair<std::string, std::unique_ptr<char[]>>> constants;
  std::unique_ptr<ExecutionEngine> engine;
  void (*function)(void **) = nullptr;
};

} // namespace npu
} // namespace mlir

#endif // RUNTIME_EXECUTABLE_H
