// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running machine, seen from outside.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_OBSERVER_H
#define NPU_SIMULATOR_CORE_OBSERVER_H

#include "simulator/program/Program.h"

namespace npuhw {

/// An instruction of a queue starts (its inputs are there, its results are not), or has completed.
struct Moment {
  enum class Kind : uint8_t { Start, Complete };

  Kind kind;
  uint64_t cycle;
  Queue queue;
  uint32_t instruction;
  const std::vector<int64_t> &counters; ///< Of the loops around it, outermost first.
};

/// An instruction in its queue.
struct QueuedInstruction {
  uint32_t instruction = 0;
  std::vector<int64_t> counters;
};

struct QueueView {
  std::vector<QueuedInstruction> entries; ///< The next one first.
  bool running = false;                   ///< Whether that one has started.
  uint64_t since = 0;                     ///< When it did.
};

/// What the event loop knows.
class ScheduleView {
public:
  virtual QueueView queue(unsigned index) const = 0;
  virtual const std::vector<uint64_t> &semaphoreValues() const = 0;
  /// What the control unit handles next; the length of the code after the halt.
  virtual size_t nextDispatch() const = 0;
  /// Counters of the loops that the control unit is in, outermost first.
  virtual const std::vector<int64_t> &dispatchCounters() const = 0;

protected:
  ~ScheduleView() = default;
};

/// What an observer can look at. Valid while it is called.
class MachineView {
public:
  virtual const Program &program() const = 0;
  virtual const ScheduleView &schedule() const = 0;
  /// Bytes of a memory; `region` counts in DRAM only. An error if they are not all inside, or if the run computes no values.
  virtual Result<Bytes> read(Space space, unsigned region, uint64_t offset, uint64_t size) const = 0;

protected:
  ~MachineView() = default;
};

/// Is told of every moment of a run. It cannot change anything.
class RunObserver {
public:
  virtual ~RunObserver() = default;
  /// A run of this program begins.
  virtual void begin(const Program &) {}
  /// False ends the run with the error kStoppedByObserver.
  virtual bool observe(const Moment &moment, const MachineView &machine) = 0;
};

constexpr const char *kStoppedByObserver = "stopped by the debugger";

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_OBSERVER_H
