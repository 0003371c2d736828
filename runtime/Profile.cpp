// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Profile.h"

#include "machine/CostModel.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::npu;
using npuhw::Report;

uint64_t Profile::deviceCycles() const {
  uint64_t cycles = 0;
  for (const Report &report : launches) {
    cycles += report.cycles;
  }
  return cycles;
}

uint64_t Profile::hostCycles() const {
  uint64_t cycles = 0;
  for (const HostWork &work : hostWork) {
    cycles += work.cycles;
  }
  return cycles;
}

static uint64_t sum(ArrayRef<Report> reports, llvm::function_ref<uint64_t(const Report &)> field) {
  uint64_t total = 0;
  for (const Report &report : reports) {
    total += field(report);
  }
  return total;
}

static uint64_t largest(ArrayRef<Report> reports, llvm::function_ref<uint64_t(const Report &)> field) {
  uint64_t value = 0;
  for (const Report &report : reports) {
    value = std::max(value, field(report));
  }
  return value;
}

static void writeQueues(llvm::json::OStream &json, ArrayRef<Report> launches) {
  // The order of npuhw::Queue.
  static constexpr const char *names[npuhw::kNumQueues] = {"ld", "st", "mm", "dr", "ve"};
  json.attributeObject("queues", [&] {
    for (unsigned q = 0; q < npuhw::kNumQueues; ++q) {
      auto field = [&](uint64_t npuhw::QueueReport::*member) {
        return sum(launches, [&](const Report &report) { return report.queues[q].*member; });
      };
      json.attributeObject(names[q], [&] {
        json.attribute("instructions", field(&npuhw::QueueReport::instructions));
        json.attribute("busy", field(&npuhw::QueueReport::busyCycles));
        json.attribute("wait_semaphore", field(&npuhw::QueueReport::waitSemaphoreCycles));
        json.attribute("wait_dispatch", field(&npuhw::QueueReport::waitDispatchCycles));
        json.attribute("bandwidth", field(&npuhw::QueueReport::bandwidthCycles));
      });
    }
  });
}

static void writeSums(llvm::json::OStream &json, const Profile &profile) {
  ArrayRef<Report> launches = profile.launches;
  json.attributeObject("bytes", [&] {
    json.attribute("dram_read", sum(launches, [](const Report &r) { return r.dramReadBytes; }));
    json.attribute("dram_write", sum(launches, [](const Report &r) { return r.dramWriteBytes; }));
    json.attribute("dram_bus", sum(launches, [](const Report &r) { return r.dramBusBytes; }));
    json.attribute("sram_moved", sum(launches, [](const Report &r) { return r.sramBytesMoved; }));
  });
  json.attributeObject("memory", [&] {
    json.attribute("sram_high_water", largest(launches, [](const Report &r) { return r.sramHighWater; }));
    json.attribute("sram_size", largest(launches, [](const Report &r) { return r.sramSize; }));
    json.attribute("acc_high_water", largest(launches, [](const Report &r) { return r.accHighWater; }));
    json.attribute("acc_size", largest(launches, [](const Report &r) { return r.accSize; }));
    json.attribute("host_peak", profile.peakHostBytes);
  });
  static constexpr const char *types[] = {"i8", "f16", "bf16", "f32"}; // The order of npuhw::MacType.
  json.attributeObject("macs", [&] {
    for (unsigned type = 0; type < 4; ++type) {
      json.attribute(types[type], sum(launches, [&](const Report &r) { return r.macs[type]; }));
    }
  });
  json.attribute("vector_ops", sum(launches, [](const Report &r) { return r.vectorOps; }));
  double energy = 0, roofline = 0, arrayCycles = 0;
  for (const Report &report : launches) {
    energy += report.energyPicojoules;
    roofline += report.rooflineCycles;
    arrayCycles += report.utilization * report.cycles;
  }
  uint64_t total = profile.totalCycles();
  json.attribute("utilization", total ? arrayCycles / total : 0.0);
  json.attribute("roofline_cycles", roofline);
  json.attribute("roofline_utilization", total ? roofline / total : 0.0);
  json.attribute("energy_picojoules", energy);
}

std::string Profile::toJSON() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("schema", "npu.profile/1");
    json.attributeObject("target", [&] {
      json.attribute("name", targetName);
      json.attribute("hash", targetHash);
      json.attribute("clock_mhz", clockMHz);
    });
    json.attribute("cycles", totalCycles());
    json.attribute("microseconds", static_cast<double>(totalCycles()) / clockMHz);
    json.attribute("device_cycles", deviceCycles());
    json.attribute("host_cycles", hostCycles());
    json.attribute("sync_cycles", syncCycles());
    writeQueues(json, launches);
    writeSums(json, *this);
    json.attributeArray("fallbacks", [&] {
      for (const HostWork &work : hostWork) {
        json.object([&] {
          json.attribute("name", work.name);
          json.attribute("reason", work.reason);
          json.attribute("scalar_ops", work.scalarOps);
          json.attribute("bytes", work.transferBytes);
          json.attribute("cycles", work.cycles);
        });
      }
    });
    json.attributeArray("launches", [&] {
      for (const Report &report : launches) {
        json.rawValue(npuhw::toJSON(report));
      }
    });
  });
  return text;
}

std::string Profile::toTraceJSON() const {
  llvm::json::Array events;
  double start = 0;
  auto shift = [&](llvm::json::Value event, size_t launch) {
    llvm::json::Object *object = event.getAsObject();
    if (!object) {
      return;
    }
    if (std::optional<double> ts = object->getNumber("ts")) {
      (*object)["ts"] = *ts + start;
    } else if (launch > 0) {
      return; // Names of tracks, once.
    }
    events.push_back(std::move(event));
  };
  for (auto [index, report] : llvm::enumerate(launches)) {
    if (index < traces.size()) {
      llvm::Expected<llvm::json::Value> trace = llvm::json::parse(traces[index]);
      if (!trace) {
        llvm::consumeError(trace.takeError());
      } else if (llvm::json::Array *list = trace->getAsObject() ? trace->getAsObject()->getArray("traceEvents") : nullptr) {
        for (llvm::json::Value &event : *list) {
          shift(std::move(event), index);
        }
      }
    }
    start += static_cast<double>(report.cycles + syncCyclesPerLaunch) / clockMHz;
  }
  constexpr int kHostTrack = 100;
  if (!hostWork.empty()) {
    events.push_back(llvm::json::Object{{"ph", "M"}, {"name", "thread_name"}, {"pid", 0}, {"tid", kHostTrack},
                                        {"args", llvm::json::Object{{"name", "host"}}}});
  }
  for (const HostWork &work : hostWork) {
    double duration = static_cast<double>(work.cycles) / clockMHz;
    events.push_back(llvm::json::Object{{"ph", "X"}, {"name", work.name.empty() ? work.reason : work.name},
                                        {"cat", "host"}, {"pid", 0}, {"tid", kHostTrack}, {"ts", start},
                                        {"dur", duration}, {"args", llvm::json::Object{{"reason", work.reason}}}});
    start += duration;
  }
  llvm::json::Object root{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(root));
  return text;
}
