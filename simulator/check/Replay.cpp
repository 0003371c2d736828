// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Replay.h"

#include <algorithm>

using namespace npuhw;

/// Stretches longer than this, in iterations, are not searched for a repetition.
static constexpr int64_t kLongestStretch = 64;

/// An iteration after which a loop that has not become steady is followed to its end.
static constexpr int64_t kLatestStart = 512;

/// Instances of each queue that a counterexample can name.
static constexpr size_t kRecent = 256;

template <class State, class Fn> void MachineState::visit(State &state, Fn &&fn) {
  auto visitClock = [&](auto &clock) {
    for (unsigned p = 0; p < kNumQueues; ++p) {
      fn(clock[p], static_cast<int>(p));
    }
  };
  auto visitKnowledge = [&](auto &knowledge) {
    visitClock(knowledge.order);
    visitClock(knowledge.machine);
  };
  visitClock(state.completed);
  visitKnowledge(state.control);
  for (unsigned q = 0; q < kNumQueues; ++q) {
    visitKnowledge(state.known[q]);
    for (auto &clock : state.history[q]) {
      visitClock(clock);
    }
  }
}

Replay::Replay(const Footprints &footprints, const CheckOptions &options, CheckReport &report)
    : footprints(footprints), program(footprints.program), options(options), report(report), races(footprints) {
  const TargetDesc &target = program.target;
  depths = {target.queueDepthLd, target.queueDepthSt, target.queueDepthMm, target.queueDepthDr, target.queueDepthVe};
  state.semaphores.resize(target.numSemaphores);
  for (const Instruction &inst : program.code) {
    Syncs sums;
    auto add = [](std::vector<std::pair<unsigned, int64_t>> &list, const std::vector<SyncRef> &from) {
      for (const SyncRef &sync : from) {
        auto it = std::find_if(list.begin(), list.end(), [&](const auto &s) { return s.first == sync.semaphore; });
        if (it == list.end()) {
          list.emplace_back(sync.semaphore, 0);
          it = list.end() - 1;
        }
        it->second += sync.count;
      }
    };
    add(sums.waits, header(inst).waits);
    add(sums.signals, header(inst).signals);
    syncs.push_back(std::move(sums));
  }
}

/// The n-th wait is for the n-th signal only if one queue signals and one queue waits.
std::optional<Violation> Replay::checkOwners() {
  std::vector<std::array<int, 2>> first(state.semaphores.size(), {-1, -1});
  for (size_t i = 0; i < program.code.size(); ++i) {
    for (unsigned side = 0; side < 2; ++side) {
      for (auto [semaphore, count] : side == 0 ? syncs[i].signals : syncs[i].waits) {
        int &other = first[semaphore][side];
        if (other < 0) {
          other = static_cast<int>(i);
          continue;
        }
        if (header(program.code[static_cast<size_t>(other)]).queue != header(program.code[i]).queue) {
          Violation v;
          v.fault = Fault::Unprovable;
          v.sites = {{static_cast<uint32_t>(i), {}}, {static_cast<uint32_t>(other), {}}};
          v.message = std::string("expected one queue to ") + (side == 0 ? "signal" : "wait for") + " semaphore " +
                      std::to_string(semaphore) + ", but " + describeInstruction(program, i) + " and " +
                      describeInstruction(program, static_cast<size_t>(other)) + " both do";
          return v;
        }
      }
    }
  }
  for (const auto &[signals, waits] : first) {
    auto queueOf = [&](int i) { return i < 0 ? -1 : static_cast<int>(header(program.code[static_cast<size_t>(i)]).queue); };
    signaller.push_back(queueOf(signals));
    waiter.push_back(queueOf(waits));
    report.semaphores += signals >= 0 || waits >= 0;
  }
  return std::nullopt;
}

std::optional<Violation> Replay::run() {
  if (std::optional<Violation> fault = checkOwners()) {
    return fault;
  }
  while (!violation && dispatch()) {
    runReady();
    if (report.followed > options.maxSteps) {
      violation = Violation{Fault::Unprovable,
                            "the loops of the program reach no steady state within " +
                                std::to_string(options.maxSteps) + " instructions",
                            {}, {}, "", 0, 0};
    }
  }
  if (violation) {
    return violation;
  }
  bool drained = std::all_of(queues.begin(), queues.end(), [](const auto &queue) { return queue.empty(); });
  if (pc < program.code.size() || !drained) {
    reportDeadlock();
  } else {
    reportImbalance();
  }
  return violation;
}

//===----------------------------------------------------------------------===//
// The control unit
//===----------------------------------------------------------------------===//

/// Takes the next instruction. False at the end, and where the control unit waits for ever.
bool Replay::dispatch() {
  if (pc >= program.code.size()) {
    return false;
  }
  const Instruction &inst = program.code[pc];
  auto q = static_cast<unsigned>(header(inst).queue);
  if (q < kNumQueues) {
    if (queues[q].size() >= depths[q]) {
      return false;
    }
    // A place became free when the instruction that many places ahead completed.
    int64_t freed = dispatchedOf[q] - static_cast<int64_t>(depths[q]);
    if (freed >= 0) {
      const std::deque<Clock> &history = state.history[q];
      join(state.control.machine, history[history.size() - static_cast<size_t>(state.completed[q] - freed)]);
    }
    ++dispatchedOf[q];
    ++report.followed;
    ++report.executed;
    queues[q].push_back({{static_cast<uint32_t>(pc), dispatchedOf[q], ++dispatched, counters}, state.control});
    ++pc;
    return true;
  }
  if (std::holds_alternative<LoopBegin>(inst)) {
    const Footprints::Loop &loop = footprints.loops[static_cast<size_t>(footprints.loopAt[pc])];
    active.push_back({&loop, {state.completed, {}}, {}, false});
    windows.push_back(&active.back().window);
    counters[loop.depth] = 0;
  } else if (std::holds_alternative<LoopEnd>(inst)) {
    endIteration();
    const Footprints::Loop &loop = *active.back().loop;
    if (++counters[loop.depth] < loop.count) {
      pc = loop.begin;
    } else {
      counters[loop.depth] = 0;
      active.pop_back();
      windows.pop_back();
    }
  } else if (std::holds_alternative<Fence>(inst)) {
    if (std::any_of(queues.begin(), queues.end(), [](const auto &queue) { return !queue.empty(); })) {
      return false;
    }
    state.control.order = state.control.machine = state.completed;
  }
  ++pc;
  return true;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

bool Replay::isReady(unsigned q) const {
  if (queues[q].empty()) {
    return false;
  }
  for (auto [semaphore, count] : syncs[queues[q].front().instance.instruction].waits) {
    for (const MachineState::Token &token : state.semaphores[semaphore].tokens) {
      count -= token.count;
    }
    if (count > 0) {
      return false;
    }
  }
  return true;
}

/// Executes what can, always the first in program order. Which order is chosen makes no difference to what can.
void Replay::runReady() {
  while (!violation) {
    int best = -1;
    for (unsigned q = 0; q < kNumQueues; ++q) {
      if (isReady(q) && (best < 0 || queues[q].front().instance.dispatch <
                                         queues[static_cast<size_t>(best)].front().instance.dispatch)) {
        best = static_cast<int>(q);
      }
    }
    if (best < 0) {
      return;
    }
    execute(static_cast<unsigned>(best));
  }
}

void Replay::execute(unsigned q) {
  Entry entry = std::move(queues[q].front());
  queues[q].pop_front();
  Knowledge &known = state.known[q];
  auto learn = [&](const Knowledge &more) {
    join(known.order, more.order);
    join(known.machine, more.machine);
  };
  learn(entry.control);
  const Instance &instance = entry.instance;
  for (auto [semaphore, count] : syncs[instance.instruction].waits) {
    MachineState::Semaphore &s = state.semaphores[semaphore];
    s.taken.push_back({instance.number, count});
    while (count > 0) {
      MachineState::Token &token = s.tokens.front();
      learn(token.knowledge);
      int64_t part = std::min(count, token.count);
      count -= part;
      token.count -= part;
      if (token.count == 0) {
        s.tokens.pop_front();
      }
    }
  }
  if (std::optional<Conflict> conflict = races.execute(instance, known.order, windows)) {
    reportConflict(*conflict, known.order);
    return;
  }
  ++state.completed[q];
  known.order[q] = known.machine[q] = state.completed[q];
  state.history[q].push_back(known.machine);
  if (state.history[q].size() > depths[q]) {
    state.history[q].pop_front();
  }
  recent[q].push_back(instance);
  if (recent[q].size() > kRecent) {
    recent[q].pop_front();
  }
  for (auto [semaphore, count] : syncs[instance.instruction].signals) {
    signal(instance, semaphore, count, known);
  }
}

/// The largest value is reached if everybody who may take tokens later does.
void Replay::signal(const Instance &instance, unsigned semaphore, int64_t count, const Knowledge &knowledge) {
  MachineState::Semaphore &s = state.semaphores[semaphore];
  s.tokens.push_back({count, knowledge});
  int taker = waiter[semaphore];
  while (!s.taken.empty() && s.taken.front().number <= knowledge.machine[static_cast<size_t>(taker)]) {
    s.taken.pop_front();
  }
  int64_t value = 0;
  for (const MachineState::Token &token : s.tokens) {
    value += token.count;
  }
  for (const MachineState::Taken &taken : s.taken) {
    value += taken.count;
  }
  report.highestCount = std::max(report.highestCount, static_cast<uint64_t>(value));
  if (value > static_cast<int64_t>(program.target.maxSemaphoreCount)) {
    reportOverflow(instance, semaphore, value, knowledge);
  }
}

//===----------------------------------------------------------------------===//
// Steady states
//===----------------------------------------------------------------------===//

void Replay::endIteration() {
  Activation &activation = active.back();
  int64_t done = counters[activation.loop->depth] + 1;
  int64_t left = activation.loop->count - done;
  bool drained = std::all_of(queues.begin(), queues.end(), [](const auto &queue) { return queue.empty(); });
  if (drained) {
    std::array<Clock, kNumQueues> known;
    for (unsigned q = 0; q < kNumQueues; ++q) {
      known[q] = state.known[q].order;
    }
    races.forget(known);
  }
  // A loop that is over soon is not worth the search.
  int64_t period = activation.loop->period;
  if (activation.unsteady || period > kLongestStretch || left < period || activation.loop->count < 2 * period + 4) {
    return;
  }
  if (!drained || done > kLatestStart) {
    activation.unsteady = true;
    return;
  }
  shorten(activation, left);
}

void Replay::shorten(Activation &activation, int64_t left) {
  Snapshot snapshot;
  snapshot.completed = state.completed;
  snapshot.dispatched = dispatched;
  for (unsigned q = 0; q < kNumQueues; ++q) {
    snapshot.known[q] = state.known[q].order;
  }
  auto note = [&](int64_t value, int kind) {
    snapshot.values.push_back(value);
    snapshot.kinds.push_back(static_cast<int8_t>(kind));
  };
  MachineState::visit(state, note);
  for (size_t s = 0; s < state.semaphores.size(); ++s) {
    const MachineState::Semaphore &semaphore = state.semaphores[s];
    note(static_cast<int64_t>(semaphore.tokens.size()), -1);
    note(static_cast<int64_t>(semaphore.taken.size()), -1);
    for (const MachineState::Token &token : semaphore.tokens) {
      note(token.count, -1);
      for (unsigned p = 0; p < kNumQueues; ++p) {
        note(token.knowledge.order[p], static_cast<int>(p));
        note(token.knowledge.machine[p], static_cast<int>(p));
      }
    }
    for (const MachineState::Taken &taken : semaphore.taken) {
      note(taken.count, -1);
      note(taken.number, waiter[s]);
    }
  }
  activation.snapshots.push_back(std::move(snapshot));
  int64_t period = activation.loop->period;
  if (static_cast<int64_t>(activation.snapshots.size()) > std::max<int64_t>(4 * period, 8) + 1) {
    activation.snapshots.pop_front();
  }
  for (int64_t factor : {1, 2, 4, 8}) {
    int64_t length = factor * period;
    if (activation.unsteady || length > left || length >= static_cast<int64_t>(activation.snapshots.size()) ||
        tryRepeat(activation, length, left)) {
      return;
    }
  }
}

/// Whether the last `length` iterations were a stretch that repeats; if so, the counters and the state move on to where
/// as many repetitions as fit end.
bool Replay::tryRepeat(Activation &activation, int64_t length, int64_t left) {
  const Snapshot &now = activation.snapshots.back();
  const Snapshot &before = activation.snapshots[activation.snapshots.size() - 1 - static_cast<size_t>(length)];
  if (now.kinds != before.kinds) {
    return false;
  }
  Clock delta;
  for (unsigned q = 0; q < kNumQueues; ++q) {
    delta[q] = now.completed[q] - before.completed[q];
  }
  // Each count has moved on by as much as its queue or has stayed.
  Clock stayed;
  stayed.fill(-1);
  for (size_t i = 0; i < now.values.size(); ++i) {
    int64_t gain = now.values[i] - before.values[i];
    int kind = now.kinds[i];
    if (gain != 0 && (kind < 0 || gain != delta[static_cast<size_t>(kind)])) {
      return false;
    }
    if (gain == 0 && kind >= 0 && delta[static_cast<size_t>(kind)] != 0) {
      stayed[static_cast<size_t>(kind)] = std::max(stayed[static_cast<size_t>(kind)], now.values[i]);
    }
  }
  // A count after the stretch is one that was made in it or the largest of some before it. If all that move are above
  // all that stay, none of them comes from one that stays, so that the next stretch moves them on again.
  for (size_t i = 0; i < now.values.size(); ++i) {
    bool moves = now.values[i] != before.values[i];
    if (moves && now.values[i] <= stayed[static_cast<size_t>(now.kinds[i])]) {
      return false;
    }
  }
  const Footprints::Loop &loop = *activation.loop;
  Races::Steady steady;
  steady.loop = &loop;
  steady.window = &activation.window;
  steady.iteration = counters[loop.depth] + 1;
  steady.length = length;
  steady.times = left / length;
  steady.completed = before.completed;
  steady.delta = delta;
  steady.dispatched = now.dispatched - before.dispatched;
  steady.known = before.known;
  steady.counters = counters;
  for (unsigned q = 0; q < kNumQueues; ++q) {
    for (unsigned p = 0; p < kNumQueues; ++p) {
      steady.gained[q][p] = now.known[q][p] - before.known[q][p];
    }
  }
  Races::Answer answer = races.canRepeat(steady);
  activation.unsteady = answer == Races::Answer::No;
  if (answer != Races::Answer::Yes) {
    return false;
  }
  races.repeat(steady);
  // Each moving value again by what it has gained, in the order in which the snapshot lists them.
  size_t next = 0;
  auto move = [&](int64_t &value, int) {
    value += (now.values[next] - before.values[next]) * steady.times;
    ++next;
  };
  MachineState::visit(state, move);
  for (MachineState::Semaphore &semaphore : state.semaphores) {
    next += 2;
    for (MachineState::Token &token : semaphore.tokens) {
      ++next;
      for (unsigned p = 0; p < kNumQueues; ++p) {
        move(token.knowledge.order[p], 0);
        move(token.knowledge.machine[p], 0);
      }
    }
    for (MachineState::Taken &taken : semaphore.taken) {
      ++next;
      move(taken.number, 0);
    }
  }
  int64_t executed = 0;
  for (unsigned q = 0; q < kNumQueues; ++q) {
    dispatchedOf[q] += delta[q] * steady.times;
    executed += delta[q] * steady.times;
    recent[q].clear();
  }
  report.executed += static_cast<uint64_t>(executed);
  dispatched += steady.dispatched * steady.times;
  counters[loop.depth] += length * steady.times;
  activation.unsteady = true; // Less than a stretch is left.
  return true;
}
