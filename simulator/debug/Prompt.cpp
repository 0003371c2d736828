// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/debug/Prompt.h"

#include <iostream>
#include <sstream>

using namespace npuhw;

static constexpr const char *kHelp =
    R"(c, continue       go on to the next stop
s, step           go on until the next instruction completes
b PLACE           set a breakpoint: an instruction, a source node, PROGRAM:instruction
d PLACE           delete it
w RANGE           stop after an instruction that changes these bytes, as in sram:0x100:64, acc:0:128, dram3:0:16
p RANGE [TYPE]    print memory as hex, f32, f16, bf16, i8, u8, i16, u16, i32, u32 or i64
i, info           queues, semaphores, loops
bt                what each queue waits for
q, quit           end the run
)";

static std::string iteration(const std::vector<int64_t> &counters) {
  std::string text;
  for (int64_t counter : counters) {
    text += (text.empty() ? "" : ", ") + std::to_string(counter);
  }
  return counters.empty() ? "" : " in iteration [" + text + "]";
}

void Prompt::showState(const MachineView &machine) {
  const ScheduleView &schedule = machine.schedule();
  const Program &program = machine.program();
  for (unsigned q = 0; q < kNumQueues; ++q) {
    QueueView queue = schedule.queue(q);
    out << "  " << spell(static_cast<Queue>(q)) << ":";
    if (queue.entries.empty()) {
      out << " empty";
    }
    for (size_t i = 0; i < queue.entries.size(); ++i) {
      const QueuedInstruction &entry = queue.entries[i];
      out << (i ? ", " : " ") << entry.instruction << " " << mnemonic(program.code[entry.instruction]);
      std::string node = program.source(entry.instruction);
      out << (node.empty() ? "" : " '" + node + "'") << iteration(entry.counters);
      if (i == 0) {
        out << (queue.running ? " (running since " + std::to_string(queue.since) + ")" : " (waiting)");
      }
    }
    out << "\n";
  }
  out << "  semaphores:";
  bool none = true;
  const std::vector<uint64_t> &values = schedule.semaphoreValues();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) {
      out << " s" << i << "=" << values[i];
      none = false;
    }
  }
  out << (none ? " all zero" : "") << "\n";
  size_t next = schedule.nextDispatch();
  out << "  control: ";
  if (next < program.code.size()) {
    out << "next is " << next << " " << mnemonic(program.code[next]) << iteration(schedule.dispatchCounters());
  } else {
    out << "halted";
  }
  out << "\n";
}

/// Source nodes of the instructions that signal a semaphore.
static std::string signallers(const Program &program, unsigned semaphore) {
  std::string text;
  for (size_t i = 0; i < program.code.size(); ++i) {
    for (const SyncRef &signal : header(program.code[i]).signals) {
      if (signal.semaphore == semaphore) {
        std::string node = program.source(i);
        text += (text.empty() ? "" : ", ") + std::to_string(i) + " " + mnemonic(program.code[i]) +
                (node.empty() ? "" : " '" + node + "'");
      }
    }
  }
  return text.empty() ? "nobody" : text;
}

void Prompt::showWaits(const MachineView &machine) {
  const Program &program = machine.program();
  const std::vector<uint64_t> &values = machine.schedule().semaphoreValues();
  for (unsigned q = 0; q < kNumQueues; ++q) {
    QueueView queue = machine.schedule().queue(q);
    out << "  " << spell(static_cast<Queue>(q)) << ": ";
    if (queue.entries.empty()) {
      out << "waits for dispatch\n";
      continue;
    }
    uint32_t first = queue.entries.front().instruction;
    out << (queue.running ? "runs " : "holds ") << describePlace(program, first) << "\n";
    if (queue.running) {
      continue;
    }
    for (const SyncRef &wait : header(program.code[first]).waits) {
      out << "      s" << static_cast<unsigned>(wait.semaphore) << " is " << values[wait.semaphore] << ", needed "
          << static_cast<unsigned>(wait.count) << ", from " << signallers(program, wait.semaphore) << "\n";
    }
  }
}

void Prompt::show(const Stop &stop) {
  const Program &program = stop.machine.program();
  static constexpr const char *kEvents[] = {"breakpoint, starts", "step, completed", "watchpoint, completed"};
  out << "cycle " << stop.moment.cycle << ", program '" << program.name << "', " << spell(stop.moment.queue) << ": "
      << kEvents[static_cast<unsigned>(stop.event)] << ": " << describePlace(program, stop.moment.instruction)
      << iteration(stop.moment.counters) << "\n";
  for (const Stop::Change &change : stop.changes) {
    out << "  " << change.range << "\n    was " << formatValues(change.before, "hex") << "\n    is  "
        << formatValues(change.after, "hex") << "\n";
  }
  showState(stop.machine);
}

void Prompt::print(const std::string &range, const std::string &type, const MachineView &machine) {
  Result<MemoryRange> parsed = parseMemoryRange(range, machine.program());
  if (!parsed) {
    out << "error: " << parsed.error().str() << "\n";
    return;
  }
  if (!isValueType(type)) {
    out << "error: '" << type << "' is no type; use hex, f32, f16, bf16, i8, u8, i16, u16, i32, u32 or i64\n";
    return;
  }
  Result<Bytes> bytes = machine.read(parsed->space, parsed->region, parsed->offset, parsed->size);
  out << (bytes ? formatValues(*bytes, type) : "error: " + bytes.error().str()) << "\n";
}

StopAnswer Prompt::operator()(Debugger &debugger, const Stop &stop) {
  show(stop);
  while (!ended) {
    if (interactive) {
      out << "(npu) " << std::flush;
    }
    std::string line;
    if (!std::getline(in, line)) {
      ended = true;
      break;
    }
    std::istringstream words(line);
    std::string command, type = "hex";
    words >> command;
    std::string rest;
    std::getline(words >> std::ws, rest);
    rest.erase(rest.find_last_not_of(" \t\r") + 1);
    std::string fault;
    if (command.empty()) {
      continue;
    }
    if (command == "c" || command == "continue") {
      return StopAnswer::Continue;
    }
    if (command == "s" || command == "step") {
      return StopAnswer::Step;
    }
    if (command == "q" || command == "quit") {
      return StopAnswer::Quit;
    }
    if (command == "b") {
      fault = debugger.addBreakpoint(rest);
    } else if (command == "d") {
      fault = debugger.removeBreakpoint(rest);
    } else if (command == "w") {
      fault = debugger.addWatch(rest);
    } else if (command == "p") {
      size_t space = rest.find_last_of(" \t");
      if (space != std::string::npos && isValueType(rest.substr(space + 1))) {
        type = rest.substr(space + 1);
        rest.erase(rest.find_last_not_of(" \t", space) + 1);
      }
      print(rest, type, stop.machine);
    } else if (command == "i" || command == "info") {
      showState(stop.machine);
    } else if (command == "bt") {
      showWaits(stop.machine);
    } else if (command == "h" || command == "help") {
      out << kHelp;
    } else {
      fault = "unknown command '" + command + "'; see help";
    }
    if (!fault.empty()) {
      out << "error: " << fault << "\n";
    }
  }
  return StopAnswer::Continue;
}
