// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the work that stays on the host costs in the time of the device.

#ifndef RUNTIME_HOSTCOST_H
#define RUNTIME_HOSTCOST_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::npu {

/// Work of one npu.host_region.
struct HostWork {
  std::string name;   ///< The source nodes; empty if unknown.
  std::string reason; ///< Why the device cannot do it.
  uint64_t scalarOps = 0;
  uint64_t transferBytes = 0; ///< Tensors that cross the border of the region.
  uint64_t cycles = 0;        ///< Of the device's clock (npuhw::hostCycles).
};

/// The work of every host region of a module before it is lowered, in program order, priced for its target.
std::vector<HostWork> measureHostWork(ModuleOp module);

} // namespace mlir::npu

#endif // RUNTIME_HOSTCOST_H
