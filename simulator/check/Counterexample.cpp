// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words for what a replay finds.
//
//===----------------------------------------------------------------------===//

#include "simulator/check/Replay.h"

using namespace npuhw;

static std::string queueName(unsigned q) { return spell(static_cast<Queue>(q)); }

static std::string text(int64_t value) { return std::to_string(value); }

Site Replay::site(const Instance &instance) const {
  return {instance.instruction,
          {instance.counters.begin(), instance.counters.begin() + footprints.depth[instance.instruction]}};
}

/// "queue 'ld' completes its instructions up to ..." for the first `number` instructions of a queue.
std::string Replay::describeProgress(unsigned q, int64_t number) const {
  for (const Instance &instance : recent[q]) {
    if (instance.number == number) {
      return "queue '" + queueName(q) + "' completes everything up to " + describe(instance);
    }
  }
  if (number == 0) {
    return "queue '" + queueName(q) + "' completes nothing";
  }
  return "queue '" + queueName(q) + "' completes its first " + text(number) + " instructions";
}

void Replay::reportConflict(const Conflict &conflict, const Clock &started) {
  const Record &earlier = conflict.earlier;
  const Footprint &access = footprints.accesses[conflict.access];
  Violation v;
  v.fault = conflict.reversed ? Fault::Order : Fault::Race;
  v.place = footprints.placeName(access.place);
  v.begin = conflict.bytes.first;
  v.end = conflict.bytes.second;
  v.sites = {site(conflict.later), site(earlier.instance)};
  std::string bytes = v.place + "[" + text(v.begin) + ", " + text(v.end) + ")";
  std::string doesLater = access.writes ? (access.reads ? "updates" : "writes") : "reads";
  const Footprint &other = footprints.accesses[earlier.access];
  std::string doesEarlier = other.writes ? (other.reads ? "updates" : "writes") : "reads";
  std::string later = describe(conflict.later);
  std::string before = describe(earlier.instance);
  if (conflict.reversed) {
    v.message = later + " " + doesLater + " " + bytes + ", and " + before + ", which comes before it in the program, " +
                doesEarlier + " them, but semaphores let it start only afterwards";
    v.steps.push_back(later + " completes");
    v.steps.push_back(before + " starts: it waits for what the other one signals");
  } else {
    v.message = later + " " + doesLater + " " + bytes + ", but does not wait for " + before + ", which " +
                doesEarlier + " them";
    unsigned laterQueue = access.queue;
    if (conflict.later.dispatch > earlier.instance.dispatch) {
      for (unsigned q = 0; q < kNumQueues; ++q) {
        if (started[q] > 0) {
          v.steps.push_back(describeProgress(q, started[q]));
        }
      }
    }
    v.steps.push_back("queue '" + queueName(earlier.queue) + "' is late: " + before + " has not completed");
    v.steps.push_back("queue '" + queueName(laterQueue) + "' goes on: " + later + " has all that it waits for and " +
                      doesLater + " " + bytes);
  }
  violation = std::move(v);
}

void Replay::reportOverflow(const Instance &instance, unsigned semaphore, int64_t value, const Knowledge &knowledge) {
  Violation v;
  v.fault = Fault::Overflow;
  v.sites = {site(instance)};
  v.message = describe(instance) + " may raise semaphore " + std::to_string(semaphore) + " to " + text(value) +
              ", but the target holds at most " + std::to_string(program.target.maxSemaphoreCount) +
              " ('max_semaphore_count')";
  int taker = waiter[semaphore];
  if (taker >= 0 && taker != static_cast<int>(signaller[semaphore])) {
    v.steps.push_back(describeProgress(static_cast<unsigned>(taker), knowledge.machine[static_cast<size_t>(taker)]) +
                      " and is late from then on");
    v.steps.push_back("queue '" + queueName(static_cast<unsigned>(signaller[semaphore])) + "' goes on to " +
                      describe(instance));
  }
  violation = std::move(v);
}

/// "waits for semaphore 3 to reach 2 (it is 1), which ... signals".
std::string Replay::describeWaits(unsigned q) const {
  std::string words;
  for (auto [semaphore, count] : syncs[queues[q].front().instance.instruction].waits) {
    int64_t value = 0;
    for (const MachineState::Token &token : state.semaphores[semaphore].tokens) {
      value += token.count;
    }
    if (value >= count) {
      continue;
    }
    words += (words.empty() ? "waits for semaphore " : " and semaphore ") + std::to_string(semaphore) + " to reach " +
             text(count) + " (it is " + text(value) + ")";
    int owner = signaller[semaphore];
    words += owner < 0 ? ", which no instruction signals" : ", which queue '" + queueName(static_cast<unsigned>(owner)) + "' signals";
  }
  return words;
}

void Replay::reportDeadlock() {
  Violation v;
  v.fault = Fault::Deadlock;
  for (unsigned q = 0; q < kNumQueues; ++q) {
    if (state.completed[q] > 0) {
      v.steps.push_back(describeProgress(q, state.completed[q]));
    }
  }
  for (unsigned q = 0; q < kNumQueues; ++q) {
    if (queues[q].empty()) {
      continue;
    }
    const Instance &instance = queues[q].front().instance;
    v.sites.push_back(site(instance));
    std::string words = describe(instance) + " " + describeWaits(q);
    v.steps.push_back(words);
    v.message = v.message.empty() ? "the program cannot end: " + words : v.message;
  }
  if (pc < program.code.size()) {
    auto q = static_cast<unsigned>(header(program.code[pc]).queue);
    std::string words = "the control unit does not come past " + describeInstruction(program, pc);
    words += q < kNumQueues ? ": queue '" + queueName(q) + "' is full with " + std::to_string(depths[q]) + " instructions"
                            : ", which waits for all queues to be empty";
    v.steps.push_back(words);
    v.message = v.message.empty() ? words : v.message + "; " + words;
  }
  violation = std::move(v);
}

void Replay::reportImbalance() {
  for (size_t s = 0; s < state.semaphores.size(); ++s) {
    int64_t left = 0;
    for (const MachineState::Token &token : state.semaphores[s].tokens) {
      left += token.count;
    }
    if (left == 0) {
      continue;
    }
    Violation v;
    v.fault = Fault::Imbalance;
    v.message = "semaphore " + std::to_string(s) + " ends at " + text(left) +
                ", but each signal must have its wait, so that the next run starts at 0";
    for (size_t i = 0; i < program.code.size() && v.sites.empty(); ++i) {
      for (auto [semaphore, count] : syncs[i].signals) {
        if (semaphore == s) {
          v.sites = {{static_cast<uint32_t>(i), {}}};
          v.message += "; " + describeInstruction(program, i) + " is the first to signal it";
        }
      }
    }
    violation = std::move(v);
    return;
  }
}
