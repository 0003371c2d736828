// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Report.h"

#include <cstdio>

using namespace npuhw;

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// Builds nested JSON objects and lists without a tree.
class JSONWriter {
public:
  std::string out;

  void open(char bracket) {
    out += bracket;
    first = true;
  }
  void close(char bracket) {
    out += bracket;
    first = false;
  }
  void item() {
    if (!first) {
      out += ", ";
    }
    first = false;
  }
  void key(const char *name) {
    item();
    out += "\"" + std::string(name) + "\": ";
    first = true;
  }
  void field(const char *name, uint64_t value) {
    key(name);
    out += std::to_string(value);
    first = false;
  }
  void field(const char *name, double value) {
    key(name);
    out += number(value);
    first = false;
  }
  void field(const char *name, const std::string &value) {
    key(name);
    text(value);
    first = false;
  }
  void text(const std::string &value) {
    out += '"';
    for (unsigned char c : value) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += static_cast<char>(c);
      } else if (c < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), "\\u%04x", c);
        out += escape;
      } else {
        out += static_cast<char>(c);
      }
    }
    out += '"';
    first = false;
  }

private:
  bool first = true;
};

const char *queueName(unsigned queue) { return spell(static_cast<Queue>(queue)); }

void writeQueues(JSONWriter &json, const Report &report) {
  json.key("queues");
  json.open('{');
  for (unsigned q = 0; q < kNumQueues; ++q) {
    const QueueReport &queue = report.queues[q];
    json.key(queueName(q));
    json.open('{');
    json.field("instructions", queue.instructions);
    json.field("busy_cycles", queue.busyCycles);
    json.field("wait_semaphore_cycles", queue.waitSemaphoreCycles);
    json.field("wait_dispatch_cycles", queue.waitDispatchCycles);
    json.field("bandwidth_cycles", queue.bandwidthCycles);
    json.key("waited_for");
    json.open('{');
    for (const auto &[semaphore, cycles] : queue.waitedFor) {
      json.field(std::to_string(semaphore).c_str(), cycles);
    }
    json.close('}');
    json.close('}');
  }
  json.close('}');
}

void writeSources(JSONWriter &json, const Report &report) {
  json.key("sources");
  json.open('[');
  for (const SourceReport &source : report.sources) {
    json.item();
    json.open('{');
    json.field("name", source.name);
    json.field("instructions", source.instructions);
    json.field("macs", source.macs);
    json.field("first_cycle", source.firstCycle);
    json.field("last_cycle", source.lastCycle);
    json.key("busy_cycles");
    json.open('{');
    for (unsigned q = 0; q < kNumQueues; ++q) {
      json.field(queueName(q), source.cycles[q]);
    }
    json.close('}');
    json.close('}');
  }
  json.close(']');
}

} // namespace

std::string npuhw::toJSON(const Report &report) {
  JSONWriter json;
  json.open('{');
  json.field("program", report.program);
  json.field("target", report.target);
  json.field("target_hash", report.targetHash);
  json.field("clock_mhz", report.clockMHz);
  json.field("cycles", report.cycles);
  json.field("microseconds", static_cast<double>(report.cycles) / static_cast<double>(report.clockMHz));
  json.field("instructions", report.instructions);
  writeQueues(json, report);
  json.key("control");
  json.open('{');
  json.field("queue_full_cycles", report.dispatchQueueFullCycles);
  json.field("fence_cycles", report.dispatchFenceCycles);
  json.close('}');
  json.key("bytes");
  json.open('{');
  json.field("dram_read", report.dramReadBytes);
  json.field("dram_write", report.dramWriteBytes);
  json.field("dram_bus", report.dramBusBytes);
  json.field("sram_moved", report.sramBytesMoved);
  json.close('}');
  json.key("memory");
  json.open('{');
  json.field("sram_high_water", report.sramHighWater);
  json.field("sram_size", report.sramSize);
  json.field("acc_high_water", report.accHighWater);
  json.field("acc_size", report.accSize);
  json.close('}');
  json.key("macs");
  json.open('{');
  json.field("i8", report.macs[static_cast<unsigned>(MacType::I8)]);
  json.field("f16", report.macs[static_cast<unsigned>(MacType::F16)]);
  json.field("bf16", report.macs[static_cast<unsigned>(MacType::BF16)]);
  json.field("f32", report.macs[static_cast<unsigned>(MacType::F32)]);
  json.close('}');
  json.field("vector_ops", report.vectorOps);
  json.field("utilization", report.utilization);
  json.field("roofline_cycles", report.rooflineCycles);
  json.field("roofline_utilization", report.rooflineUtilization);
  json.field("energy_picojoules", report.energyPicojoules);
  writeSources(json, report);
  json.key("marks");
  json.open('[');
  for (const MarkEvent &mark : report.marks) {
    json.item();
    json.open('{');
    json.field("id", uint64_t(mark.id));
    json.field("cycle", mark.cycle);
    json.close('}');
  }
  json.close(']');
  json.key("semaphores_left");
  json.open('{');
  for (const auto &[semaphore, count] : report.semaphoresLeft) {
    json.field(std::to_string(semaphore).c_str(), uint64_t(count));
  }
  json.close('}');
  json.close('}');
  return std::move(json.out);
}

std::string npuhw::toTraceJSON(const Report &report, const Program &program) {
  JSONWriter json;
  double microsecondsPerCycle = 1.0 / static_cast<double>(report.clockMHz);
  auto time = [&](uint64_t cycle) { return static_cast<double>(cycle) * microsecondsPerCycle; };
  json.open('{');
  json.field("displayTimeUnit", std::string("ns"));
  json.key("traceEvents");
  json.open('[');
  auto metadata = [&](const char *kind, unsigned track, const std::string &name) {
    json.item();
    json.open('{');
    json.field("ph", std::string("M"));
    json.field("name", std::string(kind));
    json.field("pid", uint64_t(0));
    json.field("tid", uint64_t(track));
    json.key("args");
    json.open('{');
    json.field("name", name);
    json.close('}');
    json.close('}');
  };
  metadata("process_name", 0, report.program + " on " + report.target);
  for (unsigned q = 0; q <= kNumQueues; ++q) {
    metadata("thread_name", q, queueName(q));
  }
  for (const TraceEvent &event : report.trace) {
    std::string source = program.source(event.instruction);
    json.item();
    json.open('{');
    json.field("ph", std::string("X"));
    json.field("name", source.empty() ? std::string(mnemonic(program.code[event.instruction])) : source);
    json.field("cat", std::string(mnemonic(program.code[event.instruction])));
    json.field("pid", uint64_t(0));
    json.field("tid", static_cast<uint64_t>(event.queue));
    json.field("ts", time(event.start));
    json.field("dur", time(event.end - event.start));
    json.key("args");
    json.open('{');
    json.field("instruction", uint64_t(event.instruction));
    json.field("start_cycle", event.start);
    json.field("cycles", event.end - event.start);
    json.field("waited_cycles", event.waited);
    json.close('}');
    json.close('}');
  }
  for (const MarkEvent &mark : report.marks) {
    json.item();
    json.open('{');
    json.field("ph", std::string("i"));
    json.field("name", "mark " + std::to_string(mark.id));
    json.field("s", std::string("p"));
    json.field("pid", uint64_t(0));
    json.field("tid", uint64_t(kNumQueues));
    json.field("ts", time(mark.cycle));
    json.close('}');
  }
  json.close(']');
  json.close('}');
  return std::move(json.out);
}
