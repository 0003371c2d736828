// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What compiled host code calls: memory, copies, conversions, launches and errors.

#ifndef RUNTIME_HOSTCALLS_H
#define RUNTIME_HOSTCALLS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace mlir::npu {

/// An argument of a launched program.
struct LaunchArgument {
  void *data;
  int64_t bytes;
};

/// Runs the named program; returns the text of its error, empty if there was none.
using LaunchHandler = llvm::function_ref<std::string(StringRef program, ArrayRef<LaunchArgument> arguments)>;

struct HostRunResult {
  std::string error; ///< Empty if the run ended well.
  size_t peakBytes = 0; ///< Most memory that the code held at a time.
};

/// Calls compiled code on this thread. An assertion that fails or a launch that cannot run ends the call; whatever the
/// code had allocated is freed in every case.
HostRunResult runHostCode(void (*function)(void **), void **arguments, LaunchHandler launch);

/// Names and addresses of everything above that compiled code may refer to.
ArrayRef<std::pair<StringRef, void *>> getHostSymbols();

} // namespace mlir::npu

#endif // RUNTIME_HOSTCALLS_H
