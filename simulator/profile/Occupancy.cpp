// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/profile/Occupancy.h"

#include "simulator/profile/Footprint.h"

#include <map>

using namespace npuhw;

namespace {

/// What is known of neighbouring bytes with the same history.
struct Life {
  int64_t end = 0;   ///< First byte behind.
  uint64_t born = 0;
  uint64_t died = 0; ///< End of the last instruction that used them, so far.
};

/// The lives of all bytes, by first byte; ranges do not overlap.
class Lives {
public:
  void write(int64_t begin, int64_t end, uint64_t from, uint64_t to) {
    cut(begin);
    cut(end);
    for (auto it = lives.lower_bound(begin); it != lives.end() && it->first < end; it = lives.erase(it)) {
      bury(it->first, it->second);
    }
    lives[begin] = {end, from, to};
  }

  void read(int64_t begin, int64_t end, uint64_t to) {
    cut(begin);
    cut(end);
    for (auto it = lives.lower_bound(begin); it != lives.end() && it->first < end; ++it) {
      it->second.died = std::max(it->second.died, to);
    }
  }

  /// The sum over time.
  std::vector<Step> finish() {
    for (const auto &[begin, life] : lives) {
      bury(begin, life);
    }
    std::vector<Step> steps;
    int64_t live = 0;
    for (const auto &[cycle, change] : changes) {
      live += change;
      if (change != 0) {
        steps.push_back({cycle, static_cast<double>(live)});
      }
    }
    return steps;
  }

private:
  std::map<int64_t, Life> lives;
  std::map<uint64_t, int64_t> changes;

  void cut(int64_t at) {
    auto it = lives.lower_bound(at);
    if (it == lives.begin() || (it != lives.end() && it->first == at)) {
      return;
    }
    --it;
    if (it->second.end > at) {
      lives[at] = it->second;
      it->second.end = at;
    }
  }

  void bury(int64_t begin, const Life &life) {
    changes[life.born] += life.end - begin;
    changes[life.died] -= life.end - begin;
  }
};

} // namespace

std::vector<Step> npuhw::liveSramBytes(const Program &program, const Timeline &timeline) {
  Footprint footprint(program, timeline);
  Lives lives;
  // The order of dispatch is the order of meaning.
  for (const TimelineEvent &event : timeline.events) {
    std::vector<TouchedRange> ranges = footprint.of(event);
    for (const TouchedRange &range : ranges) {
      if (range.space == Space::Sram && range.reads) {
        lives.read(range.begin, range.end, event.end);
      }
    }
    for (const TouchedRange &range : ranges) {
      // What is read and written stays what it is: a sum in place.
      if (range.space == Space::Sram && range.writes && !range.reads) {
        lives.write(range.begin, range.end, event.start, event.end);
      }
    }
  }
  return lives.finish();
}

std::vector<Step> npuhw::dramBytesPerCycle(const Timeline &timeline, const std::vector<InstructionCost> &costs,
                                           Queue queue) {
  // Transfers of one queue follow one another.
  std::vector<Step> steps;
  for (uint32_t e : timeline.queues[static_cast<size_t>(queue)]) {
    const TimelineEvent &event = timeline.events[e];
    const InstructionCost &cost = costs[event.instruction];
    double bytes = static_cast<double>(cost.dramReadBytes + cost.dramWriteBytes);
    if (bytes == 0 || event.end == event.start) {
      continue;
    }
    if (!steps.empty() && steps.back().cycle == event.start) {
      steps.pop_back();
    }
    steps.push_back({event.start, bytes / static_cast<double>(event.end - event.start)});
    steps.push_back({event.end, 0});
  }
  return steps;
}
