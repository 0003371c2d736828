// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses that something may still race with, and the test of new ones
// against them.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_RACES_H
#define NPU_SIMULATOR_CHECK_RACES_H

#include "simulator/check/Footprints.h"

#include <deque>
#include <unordered_set>

namespace npuhw {

/// For each queue how many of its instructions have completed.
using Clock = std::array<int64_t, kNumQueues>;

inline void join(Clock &into, const Clock &from) {
  for (unsigned q = 0; q < kNumQueues; ++q) {
    into[q] = std::max(into[q], from[q]);
  }
}

/// An instruction in execution.
struct Instance {
  uint32_t instruction = 0;
  int64_t number = 0;   ///< In its queue, from 1.
  int64_t dispatch = 0; ///< In the program, from 1.
  Counters counters = {};
};

/// An access that has happened.
struct Record {
  uint32_t access;
  const Box *box;
  int64_t move;
  Instance instance;
  uint8_t queue;
  bool writes;

  int64_t low() const { return box->low + move; }
  int64_t high() const { return box->high + move; }
};

/// Two accesses of different queues that go wrong.
struct Conflict {
  Record earlier;   ///< In program order.
  Instance later;
  uint32_t access;  ///< Of the later one.
  ByteRange bytes;
  bool reversed;    ///< Ordered, but the wrong way round.
};

/// What a loop has done since it began, of interest to races.
struct LoopWindow {
  Clock start = {};                     ///< Completed when it began.
  std::unordered_set<uint64_t> pairs;   ///< Accesses (earlier, later) of the loop that were not ordered at least once.
};

class Races {
public:
  explicit Races(const Footprints &footprints);

  /// Tests the accesses of an instruction that starts when `started` has completed, and keeps them. `loops` are those
  /// around it, outermost first.
  std::optional<Conflict> execute(const Instance &instance, const Clock &started, std::vector<LoopWindow *> &loops);

  /// Nothing that is in a queue comes before what has executed, and this is what each queue knows of it: what all that
  /// may access a memory know to be complete may be forgotten.
  void forget(const std::array<Clock, kNumQueues> &known);

  /// Where a loop is in a steady state.
  struct Steady {
    const Footprints::Loop *loop;
    const LoopWindow *window;
    int64_t iteration;                  ///< Iterations done.
    int64_t length;                     ///< Of the repeating stretch, in iterations.
    int64_t times;                      ///< How often it is to be repeated at once.
    Clock completed;                    ///< Before the last stretch.
    Clock delta;                        ///< Completed in a stretch.
    int64_t dispatched;                 ///< In a stretch.
    std::array<Clock, kNumQueues> known;   ///< What each queue knew before the last stretch.
    std::array<Clock, kNumQueues> gained;  ///< And what of it has moved on since: 0 or `delta`.
    Counters counters;
  };
  enum class Answer { Yes, NotYet, No };

  /// Whether no iteration that is left out holds a race if those of the last stretch do not.
  Answer canRepeat(const Steady &steady) const;

  /// Keeps the accesses of the iterations that are left out.
  void repeat(const Steady &steady);

private:
  const Footprints &footprints;
  std::vector<std::vector<Record>> places;
  std::vector<size_t> limits; ///< Records of a place past which it is worth to forget some.
  std::vector<unsigned> users; ///< Of each place the queues (queueBit) with accesses.
  std::array<Clock, kNumQueues> known = {};
  std::deque<Box> boxes; ///< Of records that stand for many iterations.

  bool alike(uint32_t a, uint32_t b, unsigned loop) const;
  std::vector<ByteRange> rangesOf(const Footprint &access, const Steady &steady, int64_t first) const;
  bool staysApart(const Footprint &a, const Footprint &b, const Steady &steady) const;
  bool neverMeets(const Footprint &a, const Footprint &b, const Steady &steady) const;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_RACES_H
