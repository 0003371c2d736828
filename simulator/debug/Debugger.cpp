// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/debug/Debugger.h"

#include <algorithm>

using namespace npuhw;

static bool isAt(const CodePlace &place, const Program &program, const Moment &moment) {
  return place.instruction == moment.instruction && place.program == program.name;
}

std::string Debugger::addBreakpoint(const std::string &text) {
  Result<CodePlace> place = parseCodePlace(text, programs);
  if (!place) {
    return place.error().str();
  }
  breakpoints.push_back(*place);
  return "";
}

std::string Debugger::removeBreakpoint(const std::string &text) {
  Result<CodePlace> place = parseCodePlace(text, programs);
  if (!place) {
    return place.error().str();
  }
  auto end = std::remove_if(breakpoints.begin(), breakpoints.end(), [&](const CodePlace &breakpoint) {
    return breakpoint.program == place->program && breakpoint.instruction == place->instruction;
  });
  if (end == breakpoints.end()) {
    return "there is no breakpoint at '" + text + "'";
  }
  breakpoints.erase(end, breakpoints.end());
  return "";
}

std::string Debugger::addWatch(const std::string &text) {
  std::string reason;
  bool found = false;
  for (const Program *program : programs) {
    Result<MemoryRange> range = parseMemoryRange(text, *program);
    if (!range) {
      reason = range.error().str();
      continue;
    }
    found = true;
    if (current && current->name == program->name) {
      watches.push_back({text, *range, {}});
    }
  }
  if (!found) {
    return programs.empty() ? "there is no program on the device" : reason;
  }
  watchTexts.push_back(text);
  return "";
}

std::string Debugger::addDump(const std::string &text, const std::string &dir) {
  Result<CodePlace> place = parseCodePlace(text, programs);
  if (!place) {
    return place.error().str();
  }
  dumps.push_back({*place, dir, false});
  return "";
}

void Debugger::begin(const Program &program) {
  current = &program;
  watches.clear();
  for (const std::string &text : watchTexts) {
    if (Result<MemoryRange> range = parseMemoryRange(text, program)) {
      watches.push_back({text, *range, {}});
    }
  }
}

/// Notes the watched bytes, and those that are not what they were. False if they cannot be read.
bool Debugger::follow(const MachineView &machine, std::vector<Stop::Change> &changes) {
  for (Watch &watch : watches) {
    const MemoryRange &range = watch.range;
    Result<Bytes> bytes = machine.read(range.space, range.region, range.offset, range.size);
    if (!bytes) {
      fault = "cannot watch '" + watch.text + "': " + bytes.error().str();
      return false;
    }
    if (!watch.last.empty() && watch.last != *bytes) {
      changes.push_back({watch.text, watch.last, *bytes});
    }
    watch.last = std::move(*bytes);
  }
  return true;
}

bool Debugger::stop(Stop stop) {
  switch (onStop(stop)) {
  case StopAnswer::Continue:
    stepping = false;
    break;
  case StopAnswer::Step:
    stepping = true;
    break;
  case StopAnswer::Quit:
    return false;
  }
  // A watchpoint that was set at this stop sees what comes after it.
  std::vector<Stop::Change> none;
  return follow(stop.machine, none);
}

bool Debugger::dump(const Moment &moment, const MachineView &machine) {
  for (Dump &entry : dumps) {
    if (!entry.done && isAt(entry.place, machine.program(), moment)) {
      entry.done = true;
      fault = dumpMachine(moment, machine, entry.dir);
      if (!fault.empty()) {
        return false;
      }
    }
  }
  return true;
}

bool Debugger::observe(const Moment &moment, const MachineView &machine) {
  std::vector<Stop::Change> changes;
  if (moment.kind == Moment::Kind::Start) {
    // Nothing changes at a start, but the first one of a run is before any change.
    if (!follow(machine, changes)) {
      return false;
    }
    bool hit = std::any_of(breakpoints.begin(), breakpoints.end(), [&](const CodePlace &place) {
      return isAt(place, machine.program(), moment);
    });
    return !hit || stop({Stop::Event::Start, moment, machine, {}});
  }
  if (!follow(machine, changes) || !dump(moment, machine)) {
    return false;
  }
  if (!changes.empty()) {
    return stop({Stop::Event::Watch, moment, machine, std::move(changes)});
  }
  return !stepping || stop({Stop::Event::Complete, moment, machine, {}});
}
