// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a program without times and values: what waits for what. Loops in a
// steady state are left out.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_REPLAY_H
#define NPU_SIMULATOR_CHECK_REPLAY_H

#include "simulator/check/Checker.h"
#include "simulator/check/Races.h"

namespace npuhw {

/// What has surely completed at some point of an execution.
struct Knowledge {
  Clock order = {};   ///< By semaphores, queues and fences alone.
  Clock machine = {}; ///< And because a queue of the target holds only so many instructions.
};

/// The state of the machine. All of it either counts instructions of a queue,
/// and then moves on from one iteration of a steady loop to the next, or stays.
struct MachineState {
  struct Token {
    int64_t count;
    Knowledge knowledge;
  };
  struct Taken {
    int64_t number; ///< The instruction that took tokens, in its queue.
    int64_t count;
  };
  struct Semaphore {
    std::deque<Token> tokens;
    std::deque<Taken> taken; ///< Those that the signalling queue does not know of.
  };
  Clock completed = {};
  std::array<Knowledge, kNumQueues> known;
  Knowledge control;
  std::array<std::deque<Clock>, kNumQueues> history; ///< Machine knowledge at the last completions.
  std::vector<Semaphore> semaphores;

  /// Calls fn(value, queue) for each value that counts instructions of a queue, and fn(value, -1) for others.
  template <class State, class Fn> static void visit(State &state, Fn &&fn);
};

/// One check of a program.
class Replay {
public:
  Replay(const Footprints &footprints, const CheckOptions &options, CheckReport &report);

  /// Fills in the numbers of the report; returns the first violation.
  std::optional<Violation> run();

private:
  struct Entry {
    Instance instance;
    Knowledge control;
  };
  /// An instruction's needs, summed up by semaphore.
  struct Syncs {
    std::vector<std::pair<unsigned, int64_t>> waits;
    std::vector<std::pair<unsigned, int64_t>> signals;
  };
  struct Snapshot {
    Clock completed;
    std::array<Clock, kNumQueues> known;
    int64_t dispatched;
    std::vector<int64_t> values;
    std::vector<int8_t> kinds;
  };
  /// A loop that is running.
  struct Activation {
    const Footprints::Loop *loop;
    LoopWindow window;
    std::deque<Snapshot> snapshots; ///< At the ends of the last iterations.
    bool unsteady = false;          ///< It cannot be shortened.
  };

  const Footprints &footprints;
  const Program &program;
  const CheckOptions &options;
  CheckReport &report;
  Races races;
  MachineState state;
  std::vector<Syncs> syncs;
  std::vector<int> signaller; ///< Queue of each semaphore, -1 for none.
  std::vector<int> waiter;
  std::array<size_t, kNumQueues> depths;
  std::array<std::deque<Entry>, kNumQueues> queues;
  std::array<std::deque<Instance>, kNumQueues> recent; ///< For counterexamples.
  std::deque<Activation> active;
  std::vector<LoopWindow *> windows; ///< Of `active`.
  Counters counters = {};
  Clock dispatchedOf = {}; ///< Of each queue.
  int64_t dispatched = 0;
  size_t pc = 0;
  std::optional<Violation> violation;

  std::optional<Violation> checkOwners();
  bool dispatch();
  bool isReady(unsigned q) const;
  void runReady();
  void execute(unsigned q);
  void signal(const Instance &instance, unsigned semaphore, int64_t count, const Knowledge &knowledge);
  void endIteration();
  void shorten(Activation &activation, int64_t left);
  bool tryRepeat(Activation &activation, int64_t length, int64_t left);

  Site site(const Instance &instance) const;
  std::string describe(const Instance &instance) const { return describeSite(program, site(instance)); }
  std::string describeProgress(unsigned q, int64_t number) const;
  std::string describeWaits(unsigned q) const;
  void reportConflict(const Conflict &conflict, const Clock &started);
  void reportOverflow(const Instance &instance, unsigned semaphore, int64_t value, const Knowledge &knowledge);
  void reportDeadlock();
  void reportImbalance();
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_REPLAY_H
