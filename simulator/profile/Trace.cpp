// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/profile/Trace.h"

#include "simulator/profile/Footprint.h"
#include "simulator/profile/Occupancy.h"
#include "simulator/support/JSONWriter.h"

using namespace npuhw;

namespace {

/// The format is described in "Trace Event Format" (Google, 2016).
class TraceWriter {
public:
  TraceWriter(const Report &report, const Program &program, const Timeline &timeline)
      : report(report), program(program), timeline(timeline), footprint(program, timeline),
        microsecondsPerCycle(1.0 / static_cast<double>(report.clockMHz)) {
    for (const Instruction &inst : program.code) {
      costs.push_back(instructionCost(program, inst));
    }
  }

  std::string write() {
    json.open('{');
    json.field("displayTimeUnit", std::string("ns"));
    json.key("traceEvents");
    json.open('[');
    names();
    for (uint32_t e = 0; e < timeline.events.size(); ++e) {
      slice(e);
    }
    for (const MarkEvent &mark : report.marks) {
      begin("i", "mark " + std::to_string(mark.id), kNumQueues, mark.cycle);
      json.field("s", std::string("p"));
      json.close('}');
    }
    counter("SRAM live", "bytes", liveSramBytes(program, timeline));
    counter("DRAM load", "bytes per cycle", dramBytesPerCycle(timeline, costs, Queue::LD));
    counter("DRAM store", "bytes per cycle", dramBytesPerCycle(timeline, costs, Queue::ST));
    json.close(']');
    json.close('}');
    return std::move(json.out);
  }

private:
  const Report &report;
  const Program &program;
  const Timeline &timeline;
  Footprint footprint;
  double microsecondsPerCycle;
  std::vector<InstructionCost> costs;
  JSONWriter json;

  void begin(const char *phase, const std::string &name, unsigned track) {
    json.item();
    json.open('{');
    json.field("ph", std::string(phase));
    json.field("name", name);
    json.field("pid", uint64_t(0));
    json.field("tid", uint64_t(track));
  }

  void begin(const char *phase, const std::string &name, unsigned track, uint64_t cycle) {
    begin(phase, name, track);
    json.field("ts", static_cast<double>(cycle) * microsecondsPerCycle);
  }

  void metadata(const char *kind, unsigned track, const std::string &name) {
    begin("M", kind, track);
    json.key("args");
    json.open('{');
    json.field("name", name);
    json.close('}');
    json.close('}');
  }

  void names() {
    metadata("process_name", 0, report.program + " on " + report.target);
    for (unsigned q = 0; q <= kNumQueues; ++q) {
      metadata("thread_name", q, spell(static_cast<Queue>(q)));
    }
  }

  void slice(uint32_t number) {
    const TimelineEvent &event = timeline.events[number];
    std::string source = program.source(event.instruction);
    std::string name = mnemonic(program.code[event.instruction]);
    const InstructionCost &cost = costs[event.instruction];
    uint64_t waited = event.start - timeline.headTime(event);
    begin("X", source.empty() ? name : source, static_cast<unsigned>(event.queue), event.start);
    json.field("dur", static_cast<double>(event.end - event.start) * microsecondsPerCycle);
    json.field("cat", name);
    json.key("args");
    json.open('{');
    json.field("instruction", uint64_t(event.instruction));
    json.field("start_cycle", event.start);
    json.field("cycles", event.end - event.start);
    json.field("waited_cycles", waited);
    iteration(number);
    if (cost.macs != 0) {
      json.field("macs", cost.macs);
    }
    if (cost.dramReadBytes + cost.dramWriteBytes != 0) {
      json.field("dram_bytes", cost.dramReadBytes + cost.dramWriteBytes);
    }
    json.close('}');
    json.close('}');
    for (unsigned w = 0; w < 2; ++w) {
      if (event.signallers[w] != kNone) {
        arrow(timeline.events[event.signallers[w]], event, 2 * uint64_t(number) + w);
      }
    }
  }

  void iteration(uint32_t number) {
    size_t first = timeline.events[number].counters;
    size_t last = number + 1 < timeline.events.size() ? timeline.events[number + 1].counters : timeline.counters.size();
    if (first == last) {
      return;
    }
    std::string text;
    for (size_t i = first; i < last; ++i) {
      text += (text.empty() ? "" : " ") + std::to_string(timeline.counters[i]);
    }
    json.field("iteration", text);
  }

  /// Each end of an arrow belongs to the slice around its time.
  void arrow(const TimelineEvent &from, const TimelineEvent &to, uint64_t id) {
    std::string name = footprint.passesData(from, to) ? "data" : "buffer";
    begin("s", name, static_cast<unsigned>(from.queue), from.end > from.start ? from.end - 1 : from.end);
    arrowFields(id);
    begin("f", name, static_cast<unsigned>(to.queue), to.start);
    json.field("bp", std::string("e"));
    arrowFields(id);
  }

  void arrowFields(uint64_t id) {
    json.field("cat", std::string("semaphore"));
    json.field("id", id);
    json.close('}');
  }

  void counter(const char *name, const char *series, const std::vector<Step> &steps) {
    for (const Step &step : steps) {
      begin("C", name, 0, step.cycle);
      json.key("args");
      json.open('{');
      json.field(series, step.value);
      json.close('}');
      json.close('}');
    }
  }
};

} // namespace

Result<std::string> npuhw::toTraceJSON(const Report &report, const Program &program) {
  Result<Timeline> timeline = buildTimeline(program, report);
  if (!timeline) {
    return timeline.error();
  }
  return TraceWriter(report, program, *timeline).write();
}
