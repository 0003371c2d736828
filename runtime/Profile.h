// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one run of a package measured: the launches, and the host in between.

#ifndef RUNTIME_PROFILE_H
#define RUNTIME_PROFILE_H

#include "runtime/HostCost.h"

#include "simulator/core/Report.h"

namespace mlir::npu {

struct Profile {
  std::string targetName, targetHash;
  uint64_t clockMHz = 1;
  uint64_t syncCyclesPerLaunch = 0;
  std::vector<npuhw::Report> launches; ///< In order of execution.
  std::vector<std::string> traces;     ///< The trace of each launch, if asked for.
  std::vector<HostWork> hostWork;
  uint64_t peakHostBytes = 0;

  uint64_t deviceCycles() const;
  uint64_t hostCycles() const;
  uint64_t syncCycles() const { return syncCyclesPerLaunch * launches.size(); }
  /// Everything one after the other: the host waits for the device and the device for the host.
  uint64_t totalCycles() const { return deviceCycles() + hostCycles() + syncCycles(); }

  /// One object of schema "npu.profile/1".
  std::string toJSON() const;
  /// Chrome trace events of all launches on one time axis; the host is a track of its own, its work placed after the launches.
  std::string toTraceJSON() const;
};

} // namespace mlir::npu

#endif // RUNTIME_PROFILE_H
