// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Report.h"

#include "simulator/profile/Attribution.h"
#include "simulator/support/JSONWriter.h"

using namespace npuhw;

namespace {

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

void writeCauses(JSONWriter &json, const uint64_t (&causes)[kNumCauses]) {
  json.key("causes");
  json.open('{');
  for (unsigned c = 0; c < kNumCauses; ++c) {
    if (causes[c] != 0) {
      json.field(spell(static_cast<Cause>(c)), causes[c]);
    }
  }
  json.close('}');
}

void writeStalls(JSONWriter &json, const Stalls &stalls) {
  json.key("stalls");
  json.open('{');
  json.field("data", stalls.data);
  json.field("buffer", stalls.buffer);
  json.close('}');
}

void writeProfile(JSONWriter &json, const ProgramProfile &profile) {
  json.key("attribution");
  json.open('{');
  writeCauses(json, profile.causes);
  json.key("queues");
  json.open('{');
  for (unsigned q = 0; q < kNumQueues; ++q) {
    json.key(queueName(q));
    json.open('{');
    writeCauses(json, profile.queues[q].causes);
    writeStalls(json, profile.queues[q].stalls);
    json.close('}');
  }
  json.close('}');
  json.key("nodes");
  json.open('[');
  for (const NodeProfile &node : profile.nodes) {
    json.item();
    json.open('{');
    json.field("name", node.name);
    json.field("instructions", node.instructions);
    json.field("cycles", node.cycles);
    writeCauses(json, node.causes);
    json.key("busy_cycles");
    json.open('{');
    for (unsigned q = 0; q < kNumQueues; ++q) {
      json.field(queueName(q), node.busy[q]);
    }
    json.close('}');
    writeStalls(json, node.stalls);
    json.field("macs", node.macs);
    json.field("vector_ops", node.vectorOps);
    json.field("dram_bytes", node.dramBytes);
    json.field("sram_bytes", node.sramBytes);
    json.field("utilization", node.utilization);
    json.field("energy_picojoules", node.energyPicojoules);
    json.close('}');
  }
  json.close(']');
  json.close('}');
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
  json.field("extrapolated_iterations", report.extrapolatedIterations);
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
  if (report.profile) {
    writeProfile(json, *report.profile);
  }
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
