// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program: values to the last bit, and cycles.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_SIMULATOR_H
#define NPU_SIMULATOR_CORE_SIMULATOR_H

#include "simulator/core/Memory.h"
#include "simulator/core/Observer.h"
#include "simulator/core/Report.h"

#include <memory>

namespace npuhw {

struct SimulatorOptions {
  /// Not 0: every engine is delayed at random. Results must not change; if they
  /// do, the program lacks a wait.
  uint64_t perturbSeed = 0;
  /// Track which bytes of SRAM, accumulator, arenas and outputs were written,
  /// and make reading others an error.
  bool poison = false;
  /// Keep a TraceEvent for every executed instruction.
  bool trace = false;
  /// Charge every cycle to a source node and a cause (Report::profile).
  bool profile = false;
  /// Compute values; without, only cycles are counted (gathers do not check
  /// their indices then).
  bool functional = true;
  /// Without values, delays, trace and profile: skip the iterations of loops that
  /// have become periodic. The report is the same to the cycle.
  bool extrapolate = true;
  /// End the run with an error after this many instructions or cycles; 0 is
  /// no limit.
  uint64_t maxInstructions = 0;
  uint64_t maxCycles = 0;
  /// Use the inner loops for any processor, for comparison with the fast ones.
  bool portableKernels = false;
  /// Is told of every moment of a run; must live as long as runs may begin. Results and cycles are the same.
  RunObserver *observer = nullptr;
};

/// Holds a program that is ready to run, any number of times.
class Simulator {
public:
  /// Verifies the program; the error names the instruction, its queue and its
  /// source node.
  static Result<Simulator> create(Program program, SimulatorOptions options = {});

  Simulator(Simulator &&) noexcept;
  Simulator &operator=(Simulator &&) noexcept;
  ~Simulator();

  const Program &program() const;

  /// Runs with one buffer for each region. Input, output and state regions need
  /// a buffer of at least their size; for constants and arenas an empty one is
  /// right, and another is used instead of the own memory (an arena) or ignored
  /// (a constant).
  Result<Report> run(const std::vector<Buffer> &regions);

private:
  struct Impl;
  explicit Simulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_SIMULATOR_H
