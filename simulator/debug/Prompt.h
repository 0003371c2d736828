// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the debugger.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_DEBUG_PROMPT_H
#define NPU_SIMULATOR_DEBUG_PROMPT_H

#include "simulator/debug/Debugger.h"

#include <iosfwd>

namespace npuhw {

/// Shows each stop and takes commands until one of them lets the run go on. At the end of the commands the run goes on;
/// later stops are shown only.
class Prompt {
public:
  /// `interactive`: print "(npu) " before each command.
  Prompt(std::istream &in, std::ostream &out, bool interactive) : in(in), out(out), interactive(interactive) {}

  StopAnswer operator()(Debugger &debugger, const Stop &stop);

private:
  void show(const Stop &stop);
  void showState(const MachineView &machine);
  void showWaits(const MachineView &machine);
  void print(const std::string &range, const std::string &type, const MachineView &machine);

  std::istream &in;
  std::ostream &out;
  bool interactive;
  bool ended = false;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_DEBUG_PROMPT_H
