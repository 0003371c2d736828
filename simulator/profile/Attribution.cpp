// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/profile/Attribution.h"

#include "simulator/profile/Footprint.h"

#include <algorithm>
#include <array>

using namespace npuhw;

namespace {

/// Cycles by cause.
using Split = std::array<uint64_t, kNumCauses>;

uint64_t &at(Split &split, Cause cause) { return split[static_cast<size_t>(cause)]; }

/// Takes `cycles` away from the causes in the order given, as far as they go.
void hide(Split &split, uint64_t cycles, std::initializer_list<Cause> order) {
  for (Cause cause : order) {
    uint64_t taken = std::min(cycles, at(split, cause));
    at(split, cause) -= taken;
    cycles -= taken;
  }
}

class Attributor {
public:
  Attributor(const Program &program, const std::vector<InstructionCost> &costs, const Report &report,
             const Timeline &timeline)
      : program(program), costs(costs), report(report), timeline(timeline), footprint(program, timeline) {
    nodeOf.assign(program.sources.size() + 1, kNone);
  }

  ProgramProfile run() {
    for (const TimelineDispatch &dispatch : timeline.dispatches) {
      NodeProfile &node = nodeAt(dispatch.instruction);
      if (dispatch.event != kNone) {
        sumUp(node, timeline.events[dispatch.event]);
      }
    }
    followChain();
    finish();
    return std::move(profile);
  }

private:
  const Program &program;
  const std::vector<InstructionCost> &costs;
  const Report &report;
  const Timeline &timeline;
  Footprint footprint;
  ProgramProfile profile;
  std::vector<uint32_t> nodeOf; ///< By source; the last one is for instructions without.

  NodeProfile &nodeAt(uint32_t instruction) {
    uint32_t source = program.sourceOf[instruction];
    uint32_t &index = source == kNoSource ? nodeOf.back() : nodeOf[source];
    if (index == kNone) {
      index = static_cast<uint32_t>(profile.nodes.size());
      profile.nodes.emplace_back();
      profile.nodes.back().name = program.source(instruction);
    }
    return profile.nodes[index];
  }

  /// The duration of an event, which the parts of its price add up to but for
  /// what it hid behind its predecessor and what it lost to others.
  Split splitOf(const TimelineEvent &event) const {
    const InstructionCost &cost = costs[event.instruction];
    uint64_t duration = event.end - event.start;
    Split split{};
    uint64_t alone = 0;
    if (cost.isDma) {
      uint64_t rate = program.target.dramBytesPerCycle;
      uint64_t bus = cost.dma.dramBytes / rate + (cost.dma.dramBytes % rate != 0);
      at(split, Cause::Setup) = cost.dma.setupCycles;
      at(split, Cause::DramLatency) = cost.dma.latencyCycles;
      at(split, Cause::DramTransfer) = bus;
      at(split, Cause::OnChipPort) = cost.dma.sramCycles > bus ? cost.dma.sramCycles - bus : 0;
      alone = cost.dma.aloneCycles(program.target);
    } else {
      at(split, Cause::Setup) = cost.parts.setup;
      at(split, Cause::PipelineFill) = cost.parts.fill;
      at(split, Cause::Work) = cost.parts.work;
      at(split, Cause::TileEdge) = cost.parts.edge;
      at(split, Cause::OnChipPort) = cost.parts.port;
      alone = cost.cycles;
    }
    if (duration > alone) {
      at(split, cost.isDma && !report.perturbed ? Cause::SharedBandwidth : Cause::Delay) += duration - alone;
    } else {
      hide(split, alone - duration,
           {Cause::DramLatency, Cause::PipelineFill, Cause::Setup, Cause::OnChipPort, Cause::TileEdge, Cause::Work});
    }
    return split;
  }

  void sumUp(NodeProfile &node, const TimelineEvent &event) {
    auto q = static_cast<unsigned>(event.queue);
    const InstructionCost &cost = costs[event.instruction];
    ++node.instructions;
    node.busy[q] += event.end - event.start;
    node.macs += cost.macs;
    node.vectorOps += cost.vectorOps;
    node.dramBytes += cost.dramReadBytes + cost.dramWriteBytes;
    node.sramBytes += cost.sramBytes;
    QueueProfile &queue = profile.queues[q];
    Split split = splitOf(event);
    for (unsigned c = 0; c < kNumCauses; ++c) {
      queue.causes[c] += split[c];
    }
    uint64_t waited = event.start - timeline.headTime(event);
    uint32_t signaller = timeline.lastSignaller(event);
    if (waited != 0) {
      bool data = signaller != kNone && footprint.passesData(timeline.events[signaller], event);
      (data ? node.stalls.data : node.stalls.buffer) += waited;
      (data ? queue.stalls.data : queue.stalls.buffer) += waited;
    }
    energyOf(node, cost);
  }

  void energyOf(NodeProfile &node, const InstructionCost &cost) {
    EnergyCounts counts;
    (cost.macType == MacType::I8    ? counts.macsI8
     : cost.macType == MacType::F32 ? counts.macsF32
                                    : counts.macsF16) = cost.macs;
    counts.vectorOps = cost.vectorOps;
    counts.sramBytes = cost.sramBytes;
    counts.dramBytes = cost.dma.dramBytes;
    node.energyPicojoules += energyPicojoules(program.target, counts);
    double cells = static_cast<double>(program.target.arrayRows * program.target.arrayCols);
    node.utilization += static_cast<double>(cost.macCapacity) / cells; // Cycles, until finish().
  }

  void charge(uint32_t instruction, Cause cause, uint64_t cycles) {
    NodeProfile &node = nodeAt(instruction);
    node.cycles += cycles;
    node.causes[static_cast<size_t>(cause)] += cycles;
    profile.causes[static_cast<size_t>(cause)] += cycles;
  }

  /// From the end of the run back to its start: an event began when its queue
  /// was free, its last signal arrived or it was dispatched, whatever came last.
  void followChain() {
    uint32_t event = kNone;
    for (uint32_t e = 0; e < timeline.events.size(); ++e) {
      event = event == kNone || timeline.events[e].end > timeline.events[event].end ? e : event;
    }
    uint32_t dispatch = timeline.dispatches.empty() ? kNone : static_cast<uint32_t>(timeline.dispatches.size()) - 1;
    uint64_t time = report.cycles;
    // The control unit may end after the queues: its last instruction takes its time too.
    if (event == kNone || timeline.events[event].end < time) {
      if (dispatch == kNone) {
        return;
      }
      charge(timeline.dispatches[dispatch].instruction, Cause::Dispatch, time - timeline.dispatches[dispatch].time);
      event = beforeDispatch(dispatch);
    }
    while (event != kNone) {
      event = beforeEvent(timeline.events[event]);
    }
  }

  /// Charges the event and the gap before it; returns the event whose end let it
  /// begin, or kNone when the start of the run is reached.
  uint32_t beforeEvent(const TimelineEvent &event) {
    Split split = splitOf(event);
    for (unsigned c = 0; c < kNumCauses; ++c) {
      charge(event.instruction, static_cast<Cause>(c), split[c]);
    }
    uint64_t dispatched = timeline.dispatches[event.dispatch].time;
    uint64_t idle = event.previous == kNone ? 0 : timeline.events[event.previous].end;
    uint32_t signaller = timeline.lastSignaller(event);
    uint64_t signalled =
        signaller == kNone ? 0 : timeline.events[signaller].end + program.target.semaphoreLatencyCycles;
    uint64_t latest = std::max({dispatched, idle, signalled});
    charge(event.instruction, Cause::Delay, event.start - std::min(event.start, latest));
    if (event.previous != kNone && idle == latest) {
      return event.previous;
    }
    if (signaller != kNone && signalled == latest) {
      charge(event.instruction, Cause::Signal, std::min(event.start, latest) - timeline.events[signaller].end);
      return signaller;
    }
    return beforeDispatch(event.dispatch);
  }

  /// Charges the time of the control unit before a dispatch; returns the event
  /// whose end it waited for, or kNone when the start of the run is reached.
  uint32_t beforeDispatch(uint32_t number) {
    while (number != 0) {
      const TimelineDispatch &dispatch = timeline.dispatches[number];
      const TimelineDispatch &before = timeline.dispatches[number - 1];
      uint64_t ready = before.time + program.target.dispatchCycles;
      if (dispatch.time > ready) {
        uint32_t awaited = awaitedBy(number);
        if (awaited != kNone && timeline.events[awaited].end == dispatch.time) {
          return awaited;
        }
        charge(dispatch.instruction, Cause::Delay, dispatch.time - ready);
      }
      charge(dispatch.instruction, Cause::Dispatch, std::min(dispatch.time, ready) - before.time);
      --number;
    }
    // A perturbed run may begin late.
    charge(timeline.dispatches[0].instruction, Cause::Delay, timeline.dispatches[0].time);
    return kNone;
  }

  /// The event that made room in the queue of a dispatch, or the last one that a
  /// fence waited for.
  uint32_t awaitedBy(uint32_t number) const {
    const TimelineDispatch &dispatch = timeline.dispatches[number];
    if (dispatch.event == kNone) {
      uint32_t last = kNone;
      for (const std::vector<uint32_t> &queue : timeline.queues) {
        // Those dispatched before the fence: the first ones of each queue.
        auto end = std::partition_point(queue.begin(), queue.end(),
                                        [&](uint32_t e) { return timeline.events[e].dispatch < number; });
        if (end != queue.begin()) {
          uint32_t candidate = *(end - 1);
          last = last == kNone || timeline.events[candidate].end > timeline.events[last].end ? candidate : last;
        }
      }
      return last;
    }
    const TimelineEvent &event = timeline.events[dispatch.event];
    const TargetDesc &target = program.target;
    const uint64_t depths[kNumQueues] = {target.queueDepthLd, target.queueDepthSt, target.queueDepthMm,
                                         target.queueDepthDr, target.queueDepthVe};
    auto q = static_cast<unsigned>(event.queue);
    return event.numberInQueue < depths[q] ? kNone : timeline.queues[q][event.numberInQueue - depths[q]];
  }

  void finish() {
    for (NodeProfile &node : profile.nodes) {
      EnergyCounts idle;
      idle.cycles = node.cycles;
      node.energyPicojoules += energyPicojoules(program.target, idle);
      node.utilization = node.cycles == 0 ? 0 : node.utilization / static_cast<double>(node.cycles);
    }
  }
};

} // namespace

const char *npuhw::spell(Cause cause) {
  static constexpr const char *names[kNumCauses] = {
      "work",          "tile_edge",        "pipeline_fill", "setup",    "on_chip_port", "dram_latency",
      "dram_transfer", "shared_bandwidth", "signal",        "dispatch", "delay"};
  return names[static_cast<size_t>(cause)];
}

ProgramProfile npuhw::attributeCycles(const Program &program, const std::vector<InstructionCost> &costs,
                                      const Report &report, const Timeline &timeline) {
  return Attributor(program, costs, report, timeline).run();
}
