// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides at which moments of a run to stop.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_DEBUG_DEBUGGER_H
#define NPU_SIMULATOR_DEBUG_DEBUGGER_H

#include "simulator/core/Observer.h"
#include "simulator/debug/Places.h"

#include <functional>

namespace npuhw {

/// Why and where a run stands still.
struct Stop {
  enum class Event : uint8_t {
    Start,    ///< A breakpoint: the instruction starts, its inputs are there, its results are not.
    Complete, ///< A step: the instruction has completed.
    Watch,    ///< It has completed and changed watched bytes.
  };
  struct Change {
    std::string range;
    Bytes before, after;
  };

  Event event;
  const Moment &moment;
  const MachineView &machine;
  std::vector<Change> changes; ///< With Watch.
};

enum class StopAnswer : uint8_t { Continue, Step, Quit };

/// One debugger serves all programs of a package, launch after launch.
class Debugger final : public RunObserver {
public:
  using OnStop = std::function<StopAnswer(const Stop &)>;

  /// The programs must live as long as the debugger.
  Debugger(std::vector<const Program *> programs, OnStop onStop)
      : programs(std::move(programs)), onStop(std::move(onStop)) {}

  /// Before anything that names places.
  void setPrograms(std::vector<const Program *> list) { programs = std::move(list); }

  /// Each answers with an empty string, or with what is wrong.
  std::string addBreakpoint(const std::string &text);
  std::string removeBreakpoint(const std::string &text);
  /// The range must lie in at least one of the programs.
  std::string addWatch(const std::string &text);
  /// Dumps the machine into `dir` when the instruction has completed for the first time.
  std::string addDump(const std::string &text, const std::string &dir);
  void setStep(bool value) { stepping = value; }

  /// Why the debugger ended the run; empty if it was asked to.
  const std::string &failure() const { return fault; }

  void begin(const Program &program) override;
  bool observe(const Moment &moment, const MachineView &machine) override;

private:
  struct Watch {
    std::string text;
    MemoryRange range;
    Bytes last;
  };
  struct Dump {
    CodePlace place;
    std::string dir;
    bool done = false;
  };

  bool stop(Stop stop);
  bool follow(const MachineView &machine, std::vector<Stop::Change> &changes);
  bool dump(const Moment &moment, const MachineView &machine);

  std::vector<const Program *> programs;
  OnStop onStop;
  std::vector<CodePlace> breakpoints;
  std::vector<std::string> watchTexts;
  std::vector<Watch> watches; ///< Those of the running program.
  std::vector<Dump> dumps;
  bool stepping = false;
  const Program *current = nullptr;
  std::string fault;
};

/// Writes sram.bin, acc.bin, a file for each region and state.json into a folder, which is made. Returns an empty string or
/// what went wrong.
std::string dumpMachine(const Moment &moment, const MachineView &machine, const std::string &dir);

/// Cycle, instruction, iteration, queues and semaphores of a moment as one JSON object.
std::string stateJSON(const Moment &moment, const MachineView &machine);

} // namespace npuhw

#endif // NPU_SIMULATOR_DEBUG_DEBUGGER_H
