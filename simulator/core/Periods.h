// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out that a hardware loop has come into a periodic state, so that the
// rest of its iterations need not be executed.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_PERIODS_H
#define NPU_SIMULATOR_CORE_PERIODS_H

#include "simulator/core/Report.h"

#include <array>
#include <deque>
#include <optional>

namespace npuhw {

/// All that the future of a run depends on at the end of an iteration, with
/// times relative to `time`.
struct MachineState {
  uint64_t time = 0;
  std::vector<uint64_t> shared;                          ///< Semaphores, DRAM bus, pending events.
  std::array<std::vector<uint64_t>, kNumQueues> queues;
  std::array<uint64_t, kNumQueues> changes{};            ///< Counts what happened to a queue.
  std::array<bool, kNumQueues> running{};

  /// A queue to which nothing happened since `before`, and that waits for
  /// something outside of the loop: its times stay what they are.
  bool rests(const MachineState &before, unsigned queue) const {
    return !running[queue] && changes[queue] == before.changes[queue];
  }

  /// Whether what follows is the same, but later.
  bool repeats(const MachineState &before) const;
};

/// The counters of a run that iterations add to.
struct Counters {
  Report report; ///< Without traces.
  std::array<std::vector<uint64_t>, kNumQueues> waitedFor;
};

/// Adds what happened between `before` and `now` another `times` times, each
/// `cycles` long.
void addPeriods(Report &now, std::array<std::vector<uint64_t> *, kNumQueues> waitedFor, const Counters &before,
                uint64_t times, uint64_t cycles);

/// A period that was watched from its beginning to its end.
struct Period {
  uint64_t iterations = 0;
  MachineState state; ///< At its beginning.
  Counters counters;  ///< Likewise.
};

/// The past of one loop that is being executed.
class LoopHistory {
public:
  /// Whether the end of an iteration after which `left` are left is worth a look.
  bool isOfUse(uint64_t left) const { return watched || left >= 2; }

  /// Takes the state at the end of an iteration after which `left` are left. Once
  /// a whole period has been watched, the answer is that one. `counters` is
  /// asked for the counters when the watching begins.
  template <class CountersFn>
  std::optional<Period> note(const MachineState &state, uint64_t left, CountersFn &&counters) {
    if (watched) {
      if (++watchedIterations < watched->iterations) {
        return std::nullopt;
      }
      std::optional<Period> result;
      if (state.repeats(watched->state)) {
        result = std::move(watched);
      }
      watched.reset();
      states.clear();
      return result;
    }
    for (size_t i = states.size(); i-- > 0;) {
      uint64_t iterations = states.size() - i;
      if (left >= 2 * iterations && state.repeats(states[i])) {
        watched = Period{iterations, state, counters()};
        watchedIterations = 0;
        return std::nullopt;
      }
    }
    if (states.size() == kLongestPeriod) {
      states.pop_front();
    }
    states.push_back(state);
    return std::nullopt;
  }

private:
  /// In iterations. Periods of compiled loops are short: the least common
  /// multiple of the depths of their buffers.
  static constexpr size_t kLongestPeriod = 16;

  std::deque<MachineState> states; ///< The latest is the last.
  std::optional<Period> watched;
  uint64_t watchedIterations = 0;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_PERIODS_H
