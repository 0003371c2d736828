// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/profile/Timeline.h"

#include <algorithm>
#include <deque>
#include <numeric>

using namespace npuhw;

namespace {

class TimelineBuilder {
public:
  TimelineBuilder(const Program &program, const Report &report) : program(program), report(report) {}

  Result<Timeline> build() {
    for (const TraceEvent &event : report.trace) {
      traced[static_cast<unsigned>(event.queue)].push_back(&event);
    }
    if (!walk()) {
      return Error{"the trace of " + std::to_string(report.trace.size()) + " events is not that of a whole run of '" +
                   program.name + "'"};
    }
    for (unsigned q = 0; q < kNumQueues; ++q) {
      if (timeline.queues[q].size() != traced[q].size()) {
        return Error{"the trace has " + std::to_string(traced[q].size()) + " events of queue '" +
                     spell(static_cast<Queue>(q)) + "', but the program dispatches " +
                     std::to_string(timeline.queues[q].size())};
      }
    }
    match();
    return std::move(timeline);
  }

private:
  const Program &program;
  const Report &report;
  Timeline timeline;
  std::vector<const TraceEvent *> traced[kNumQueues];

  /// Repeats what the control unit did. Queues are in order, so that the next
  /// event of a queue is that of the next instruction dispatched to it.
  bool walk() {
    std::vector<std::pair<size_t, int64_t>> loops; // loop_begin and iterations left after this one
    std::vector<int64_t> counters;
    uint64_t latestEnd = 0;
    uint64_t nextTime = 0;
    for (size_t pc = 0; pc < program.code.size();) {
      const Instruction &inst = program.code[pc];
      auto number = static_cast<uint32_t>(timeline.dispatches.size());
      TimelineDispatch dispatch{static_cast<uint32_t>(pc), kNone, nextTime};
      auto q = static_cast<unsigned>(header(inst).queue);
      if (q < kNumQueues) {
        std::vector<uint32_t> &queue = timeline.queues[q];
        if (queue.size() == traced[q].size() || traced[q][queue.size()]->instruction != pc) {
          return false;
        }
        const TraceEvent &source = *traced[q][queue.size()];
        TimelineEvent event;
        event.instruction = static_cast<uint32_t>(pc);
        event.queue = static_cast<Queue>(q);
        event.dispatch = number;
        event.numberInQueue = static_cast<uint32_t>(queue.size());
        event.previous = queue.empty() ? kNone : queue.back();
        event.start = source.start;
        event.end = source.end;
        event.counters = static_cast<uint32_t>(timeline.counters.size());
        timeline.counters.insert(timeline.counters.end(), counters.begin(), counters.end());
        dispatch.event = static_cast<uint32_t>(timeline.events.size());
        dispatch.time = source.dispatched;
        latestEnd = std::max(latestEnd, event.end);
        queue.push_back(dispatch.event);
        timeline.events.push_back(event);
      } else if (std::holds_alternative<Fence>(inst)) {
        dispatch.time = std::max(nextTime, latestEnd);
      }
      timeline.dispatches.push_back(dispatch);
      nextTime = dispatch.time + program.target.dispatchCycles;
      if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
        loops.emplace_back(pc, loop->count - 1);
        counters.push_back(0);
      } else if (std::holds_alternative<LoopEnd>(inst)) {
        if (loops.back().second > 0) {
          --loops.back().second;
          ++counters.back();
          pc = loops.back().first + 1;
          continue;
        }
        loops.pop_back();
        counters.pop_back();
      } else if (std::holds_alternative<Halt>(inst)) {
        break;
      }
      ++pc;
    }
    return true;
  }

  /// Counting semaphores have no identity of their units; first in, first out
  /// is what they mean where one queue signals and one waits.
  void match() {
    struct Units {
      uint32_t event;
      uint64_t left;
    };
    std::vector<std::deque<Units>> signalled(program.target.numSemaphores);
    auto sorted = [&](auto time) {
      std::vector<uint32_t> order(timeline.events.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return time(timeline.events[a]) < time(timeline.events[b]);
      });
      return order;
    };
    for (uint32_t e : sorted([](const TimelineEvent &event) { return event.end; })) {
      for (const SyncRef &signal : header(program.code[timeline.events[e].instruction]).signals) {
        signalled[signal.semaphore].push_back({e, signal.count});
      }
    }
    for (uint32_t e : sorted([](const TimelineEvent &event) { return event.start; })) {
      TimelineEvent &event = timeline.events[e];
      const std::vector<SyncRef> &waits = header(program.code[event.instruction]).waits;
      for (size_t i = 0; i < waits.size() && i < 2; ++i) {
        std::deque<Units> &units = signalled[waits[i].semaphore];
        for (uint64_t needed = waits[i].count; needed > 0 && !units.empty();) {
          uint64_t taken = std::min(needed, units.front().left);
          event.signallers[i] = units.front().event;
          needed -= taken;
          units.front().left -= taken;
          if (units.front().left == 0) {
            units.pop_front();
          }
        }
      }
    }
  }
};

} // namespace

uint64_t Timeline::headTime(const TimelineEvent &event) const {
  uint64_t idle = event.previous == kNone ? 0 : events[event.previous].end;
  return std::max(idle, dispatches[event.dispatch].time);
}

uint32_t Timeline::lastSignaller(const TimelineEvent &event) const {
  uint32_t last = kNone;
  for (uint32_t e : event.signallers) {
    last = e != kNone && (last == kNone || events[e].end > events[last].end) ? e : last;
  }
  return last;
}

Result<Timeline> npuhw::buildTimeline(const Program &program, const Report &report) {
  return TimelineBuilder(program, report).build();
}
