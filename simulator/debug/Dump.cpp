// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of a machine as files.

#include "simulator/debug/Debugger.h"

#include "simulator/support/JSONWriter.h"

#include <cctype>
#include <filesystem>
#include <fstream>

using namespace npuhw;

static void addCounters(JSONWriter &json, const std::vector<int64_t> &counters) {
  json.key("iteration");
  json.open('[');
  for (int64_t counter : counters) {
    json.item();
    json.out += std::to_string(counter);
  }
  json.close(']');
}

static void addInstruction(JSONWriter &json, const Program &program, uint32_t index,
                           const std::vector<int64_t> &counters) {
  json.field("instruction", static_cast<uint64_t>(index));
  json.field("text", printInstruction(program.code[index], &program));
  json.field("node", program.source(index));
  addCounters(json, counters);
}

std::string npuhw::stateJSON(const Moment &moment, const MachineView &machine) {
  const Program &program = machine.program();
  const ScheduleView &schedule = machine.schedule();
  JSONWriter json;
  json.open('{');
  json.field("schema", std::string("npu.state/1"));
  json.field("program", program.name);
  json.field("event", std::string(moment.kind == Moment::Kind::Start ? "start" : "complete"));
  json.field("cycle", moment.cycle);
  json.field("queue", std::string(spell(moment.queue)));
  addInstruction(json, program, moment.instruction, moment.counters);
  json.field("next_dispatch", static_cast<uint64_t>(schedule.nextDispatch()));
  json.key("queues");
  json.open('{');
  for (unsigned q = 0; q < kNumQueues; ++q) {
    QueueView queue = schedule.queue(q);
    json.key(spell(static_cast<Queue>(q)));
    json.open('[');
    for (size_t i = 0; i < queue.entries.size(); ++i) {
      json.item();
      json.open('{');
      addInstruction(json, program, queue.entries[i].instruction, queue.entries[i].counters);
      if (i == 0 && queue.running) {
        json.field("running_since", queue.since);
      }
      json.close('}');
    }
    json.close(']');
  }
  json.close('}');
  json.key("semaphores");
  json.open('[');
  for (uint64_t value : schedule.semaphoreValues()) {
    json.item();
    json.out += std::to_string(value);
  }
  json.close(']');
  json.close('}');
  return json.out;
}

/// Names of regions come from a file that nobody vouches for.
static std::string fileName(const std::string &name) {
  std::string safe;
  for (unsigned char c : name.substr(0, 100)) {
    safe += std::isalnum(c) || c == '-' || c == '_' ? static_cast<char>(c) : '_';
  }
  return safe;
}

static std::string writeBytes(const std::filesystem::path &path, const char *data, size_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(data, static_cast<std::streamsize>(size));
  file.close();
  return file ? "" : "cannot write '" + path.string() + "'";
}

std::string npuhw::dumpMachine(const Moment &moment, const MachineView &machine, const std::string &dir) {
  std::filesystem::path folder(dir);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return "cannot make the folder '" + dir + "': " + error.message();
  }
  const Program &program = machine.program();
  auto write = [&](const std::string &name, Space space, unsigned region, uint64_t size) {
    Result<Bytes> bytes = machine.read(space, region, 0, size);
    return bytes ? writeBytes(folder / (name + ".bin"), reinterpret_cast<const char *>(bytes->data()), bytes->size())
                 : "cannot dump: " + bytes.error().str();
  };
  std::string fault = write("sram", Space::Sram, 0, program.target.sramBytes);
  if (fault.empty()) {
    fault = write("acc", Space::Acc, 0, program.target.accBytes);
  }
  for (unsigned i = 0; i < program.regions.size() && fault.empty(); ++i) {
    const Region &region = program.regions[i];
    fault = write("dram" + std::to_string(i) + "-" + fileName(region.name), Space::Dram, i, region.bytes);
  }
  std::string state = stateJSON(moment, machine) + "\n";
  return fault.empty() ? writeBytes(folder / "state.json", state.data(), state.size()) : fault;
}
