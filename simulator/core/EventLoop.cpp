// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/EventLoop.h"

#include "simulator/core/Periods.h"
#include "simulator/core/Verifier.h"

#include <algorithm>
#include <deque>

using namespace npuhw;

namespace {

constexpr uint64_t kNever = ~uint64_t(0);

/// Longest random delay, beside a share of the instruction's own time.
constexpr uint64_t kPerturbCycles = 200;

/// A dispatched instruction.
struct Entry {
  uint32_t instruction;
  std::vector<int64_t> counters;
  uint64_t dispatched;
  uint64_t ready = kNever; ///< When its waits could first have been taken.
};

struct QueueState {
  std::deque<Entry> entries; ///< The first one may be running.
  bool running = false;
  uint64_t idleSince = 0;    ///< End of the last instruction.
  uint64_t started = 0;      ///< Of the running instruction.
  uint64_t aloneEnd = 0;     ///< When the running one would end without contention.
  uint64_t waited = 0;
  uint64_t depth = 0;
  uint64_t sramReady = 0;    ///< When the on-chip side of the running transfer is done.
  std::vector<uint64_t> waitedFor; ///< Cycles by semaphore.
  uint64_t changes = 0;            ///< Dispatches, starts, completions and arrivals of signals that were waited for.
};

/// A loop that the control unit is in.
struct LoopFrame {
  size_t begin;  ///< Its loop_begin.
  uint64_t left; ///< Iterations after this one.
  LoopHistory history;
};

enum class EventKind : uint8_t { Control, DataBegin, BusDone, Complete, Signal };

struct Event {
  uint64_t time;
  uint64_t order; ///< Ties go to the event that was made first.
  EventKind kind;
  uint8_t queue;
  uint8_t semaphore;
  uint8_t count;
  uint32_t data; ///< Version of the bus, or the signalling instruction.

  bool operator>(const Event &o) const { return time != o.time ? time > o.time : order > o.order; }
};

/// The bandwidth that the load and the store queue share: alone a transfer has
/// all of it, two have half each. Work is counted in half bytes, so that halves
/// stay whole numbers.
class DramBus {
public:
  explicit DramBus(uint64_t bytesPerCycle) : rate(bytesPerCycle) {}

  void begin(unsigned client, uint64_t bytes, uint64_t now) {
    advance(now);
    work[client] = 2 * bytes;
    active[client] = true;
    ++version;
  }
  void end(unsigned client, uint64_t now) {
    advance(now);
    active[client] = false;
    work[client] = 0;
    ++version;
  }
  bool isActive(unsigned client) const { return active[client]; }
  /// When the client's work will be done if nothing changes.
  uint64_t doneAt(unsigned client) const {
    uint64_t speed = speedNow();
    return last + (work[client] + speed - 1) / speed;
  }
  /// What is still to be moved, as two words.
  void describe(uint64_t now, std::vector<uint64_t> &words) {
    advance(now);
    for (unsigned client = 0; client < 2; ++client) {
      words.push_back(active[client] ? work[client] + 1 : 0);
    }
  }
  /// Goes on at another time as if nothing had happened between; `describe` was called at this one.
  void shift(uint64_t cycles) { last += cycles; }
  uint32_t version = 0;

private:
  uint64_t rate;
  uint64_t work[2] = {};
  bool active[2] = {};
  uint64_t last = 0;

  uint64_t speedNow() const { return active[0] && active[1] ? rate : 2 * rate; }
  void advance(uint64_t now) {
    uint64_t done = (now - last) * speedNow();
    for (unsigned c = 0; c < 2; ++c) {
      work[c] -= active[c] ? std::min(work[c], done) : 0;
    }
    last = now;
  }
};

class EventLoop final : public ScheduleView {
public:
  EventLoop(const Program &program, const std::vector<InstructionCost> &costs, const EventLoopOptions &options,
            const ExecuteFn &execute)
      : program(program), target(program.target), costs(costs), options(options), execute(execute),
        bus(target.dramBytesPerCycle), semaphores(target.numSemaphores), random(options.perturbSeed) {
    const uint64_t depths[kNumQueues] = {target.queueDepthLd, target.queueDepthSt, target.queueDepthMm,
                                         target.queueDepthDr, target.queueDepthVe};
    for (unsigned q = 0; q < kNumQueues; ++q) {
      queues[q].depth = depths[q];
      queues[q].waitedFor.resize(target.numSemaphores);
    }
    for (const std::string &source : program.sources) {
      report.sources.push_back({});
      report.sources.back().name = source;
      report.sources.back().firstCycle = kNever;
    }
    report.sources.push_back({});
    report.sources.back().firstCycle = kNever;
  }

  Result<Report> run() {
    wakeControl(0);
    while (step()) {
    }
    if (failure.empty() && !(halted && allEmpty())) {
      failure = explainDeadlock();
    }
    if (!failure.empty()) {
      return Error{failure};
    }
    finish();
    return std::move(report);
  }

  QueueView queue(unsigned index) const override {
    QueueView view;
    for (const Entry &entry : queues[index].entries) {
      view.entries.push_back({entry.instruction, entry.counters});
    }
    view.running = queues[index].running;
    view.since = queues[index].started;
    return view;
  }
  const std::vector<uint64_t> &semaphoreValues() const override { return semaphores; }
  size_t nextDispatch() const override { return pc; }
  const std::vector<int64_t> &dispatchCounters() const override { return counters; }

private:
  const Program &program;
  const TargetDesc &target;
  const std::vector<InstructionCost> &costs;
  const EventLoopOptions &options;
  const ExecuteFn &execute;
  DramBus bus;
  QueueState queues[kNumQueues];
  std::vector<uint64_t> semaphores;
  std::vector<Event> events; ///< A heap, the earliest one in front.
  uint64_t now = 0;
  uint64_t lastCompletion = 0;
  uint64_t order = 0;
  uint64_t random;
  std::string failure;
  Report report;

  // The control unit.
  size_t pc = 0;
  std::vector<LoopFrame> loops;
  std::vector<int64_t> counters;
  bool halted = false;
  bool controlPosted = false;
  int blockedOn = -1; ///< Queue without room that the control unit waits for.
  bool fencing = false;
  uint64_t blockedSince = 0;

  void post(uint64_t time, EventKind kind, unsigned queue = 0, unsigned semaphore = 0, unsigned count = 0,
            uint32_t data = 0) {
    events.push_back({time, order++, kind, static_cast<uint8_t>(queue), static_cast<uint8_t>(semaphore),
                      static_cast<uint8_t>(count), data});
    std::push_heap(events.begin(), events.end(), std::greater<Event>());
  }

  /// An end of a transfer that was foretold before the use of the bus changed.
  bool isStale(const Event &event) const { return event.kind == EventKind::BusDone && event.data != bus.version; }

  /// splitmix64: well-defined on every host.
  uint64_t draw(uint64_t bound) {
    random += 0x9e3779b97f4a7c15ull;
    uint64_t z = random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (z ^ (z >> 31)) % bound;
  }

  uint64_t perturbation(uint64_t duration) {
    return options.perturbSeed == 0 ? 0 : draw(duration + kPerturbCycles);
  }

  const InstructionHeader &headerOf(const Entry &entry) const { return header(program.code[entry.instruction]); }

  bool allEmpty() const {
    return std::all_of(std::begin(queues), std::end(queues), [](const QueueState &q) { return q.entries.empty(); });
  }

  /// Handles one event; false if there is none left, or the run has failed.
  bool step() {
    if (events.empty() || !failure.empty()) {
      return false;
    }
    std::pop_heap(events.begin(), events.end(), std::greater<Event>());
    Event event = events.back();
    events.pop_back();
    if (isStale(event)) {
      return true;
    }
    now = event.time;
    if (options.maxCycles != 0 && now > options.maxCycles) {
      failure = "the run exceeds the limit of " + std::to_string(options.maxCycles) + " cycles";
      return false;
    }
    handle(event);
    return true;
  }

  void tell(Moment::Kind kind, unsigned q, const Entry &entry) {
    if (options.observe && failure.empty() &&
        !options.observe({kind, now, static_cast<Queue>(q), entry.instruction, entry.counters}, *this)) {
      failure = kStoppedByObserver;
    }
  }

  void handle(const Event &event) {
    switch (event.kind) {
    case EventKind::Control:
      control();
      break;
    case EventKind::DataBegin: {
      const InstructionCost &cost = costs[queues[event.queue].entries.front().instruction];
      bus.begin(event.queue, cost.dma.dramBytes, now);
      postBusDone();
      break;
    }
    case EventKind::BusDone:
      bus.end(event.queue, now);
      post(std::max(now, queues[event.queue].sramReady), EventKind::Complete, event.queue);
      postBusDone();
      break;
    case EventKind::Complete:
      complete(event.queue);
      break;
    case EventKind::Signal:
      signal(event);
      break;
    }
  }

  void postBusDone() {
    for (unsigned client = 0; client < 2; ++client) {
      if (bus.isActive(client)) {
        post(std::max(now, bus.doneAt(client)), EventKind::BusDone, client, 0, 0, bus.version);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Control unit
  //===--------------------------------------------------------------------===//

  /// There is at most one event of the control unit at a time.
  void wakeControl(uint64_t time) {
    if (!controlPosted) {
      controlPosted = true;
      post(time, EventKind::Control);
    }
  }

  uint64_t perturbationOfDispatch() { return options.perturbSeed == 0 ? 0 : draw(8); }

  /// Handles one instruction: does it, or puts it into its queue, or blocks.
  void control() {
    controlPosted = false;
    if (halted) {
      return;
    }
    const Instruction &inst = program.code[pc];
    if (std::holds_alternative<Fence>(inst) && !allEmpty()) {
      if (!fencing) {
        fencing = true;
        blockedSince = now;
      }
      return;
    }
    unsigned q = static_cast<unsigned>(header(inst).queue);
    if (q < kNumQueues && queues[q].entries.size() >= queues[q].depth) {
      if (blockedOn < 0) {
        blockedOn = static_cast<int>(q);
        blockedSince = now;
      }
      return;
    }
    if (fencing) {
      report.dispatchFenceCycles += now - blockedSince;
      fencing = false;
    }
    if (blockedOn >= 0) {
      report.dispatchQueueFullCycles += now - blockedSince;
      blockedOn = -1;
    }
    ++report.instructions;
    if (options.maxInstructions != 0 && report.instructions > options.maxInstructions) {
      failure = "the run exceeds the limit of " + std::to_string(options.maxInstructions) + " instructions";
      return;
    }
    if (q < kNumQueues) {
      queues[q].entries.push_back({static_cast<uint32_t>(pc), counters, now});
      ++queues[q].changes;
      ++pc;
      updateReady(q);
      start(q);
    } else if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
      loops.push_back({pc, static_cast<uint64_t>(loop->count) - 1, {}});
      counters.push_back(0);
      ++pc;
    } else if (std::holds_alternative<LoopEnd>(inst)) {
      if (options.extrapolate) {
        extrapolate(loops.back());
      }
      if (loops.back().left > 0) {
        --loops.back().left;
        ++counters.back();
        pc = loops.back().begin + 1;
      } else {
        loops.pop_back();
        counters.pop_back();
        ++pc;
      }
    } else {
      if (const auto *mark = std::get_if<Mark>(&inst)) {
        report.marks.push_back({mark->id, now});
      }
      halted = std::holds_alternative<Halt>(inst);
      ++pc;
    }
    lastCompletion = std::max(lastCompletion, now + target.dispatchCycles);
    if (!halted) {
      wakeControl(now + target.dispatchCycles + perturbationOfDispatch());
    }
  }

  //===--------------------------------------------------------------------===//
  // Queues
  //===--------------------------------------------------------------------===//

  bool satisfied(const Entry &entry) const {
    const std::vector<SyncRef> &waits = headerOf(entry).waits;
    for (size_t i = 0; i < waits.size(); ++i) {
      uint64_t needed = waits[i].count;
      for (size_t j = 0; j < i; ++j) {
        needed += waits[j].semaphore == waits[i].semaphore ? waits[j].count : 0;
      }
      if (semaphores[waits[i].semaphore] < needed) {
        return false;
      }
    }
    return true;
  }

  /// Notes when the next instruction could have started as far as its
  /// semaphores go: what it prepares behind the running one begins then.
  void updateReady(unsigned q) {
    QueueState &queue = queues[q];
    size_t index = queue.running ? 1 : 0;
    if (index < queue.entries.size()) {
      Entry &entry = queue.entries[index];
      if (entry.ready == kNever && satisfied(entry)) {
        entry.ready = now;
        ++queue.changes;
      }
    }
  }

  void start(unsigned q) {
    QueueState &queue = queues[q];
    if (queue.running || queue.entries.empty() || !satisfied(queue.entries.front())) {
      return;
    }
    Entry &entry = queue.entries.front();
    for (const SyncRef &wait : headerOf(entry).waits) {
      semaphores[wait.semaphore] -= wait.count;
    }
    uint64_t ready = std::min(entry.ready, now);
    uint64_t atHead = std::max(queue.idleSince, entry.dispatched);
    QueueReport &qr = report.queues[q];
    qr.waitDispatchCycles += atHead - queue.idleSince;
    qr.waitSemaphoreCycles += now - atHead;
    queue.waited = now - atHead;
    if (queue.waited != 0 && !headerOf(entry).waits.empty()) {
      queue.waitedFor[headerOf(entry).waits.front().semaphore] += queue.waited;
    }
    // Time in which the running instruction hid the preparation of this one.
    uint64_t hidden = queue.idleSince > std::max(ready, queue.started) && queue.idleSince == now
                          ? now - std::max(ready, queue.started)
                          : 0;
    queue.running = true;
    ++queue.changes;
    queue.started = now;
    tell(Moment::Kind::Start, q, entry);
    begin(q, costs[entry.instruction], hidden);
    updateReady(q);
  }

  void begin(unsigned q, const InstructionCost &cost, uint64_t hidden) {
    QueueState &queue = queues[q];
    if (!cost.isDma) {
      uint64_t duration = cost.cycles - std::min(cost.hideable, hidden);
      queue.aloneEnd = now + duration;
      post(now + duration + perturbation(duration), EventKind::Complete, q);
      return;
    }
    uint64_t latency = cost.dma.latencyCycles - std::min(cost.dma.latencyCycles, hidden);
    uint64_t dataBegin = now + cost.dma.setupCycles + latency;
    uint64_t busCycles = (cost.dma.dramBytes + target.dramBytesPerCycle - 1) / target.dramBytesPerCycle;
    queue.aloneEnd = dataBegin + std::max(busCycles, cost.dma.sramCycles);
    dataBegin += perturbation(queue.aloneEnd - now);
    queue.sramReady = dataBegin + cost.dma.sramCycles;
    report.dramBusBytes += cost.dma.dramBytes;
    if (cost.dma.dramBytes == 0) {
      post(queue.sramReady, EventKind::Complete, q);
    } else {
      post(dataBegin, EventKind::DataBegin, q);
    }
  }

  void complete(unsigned q) {
    QueueState &queue = queues[q];
    Entry entry = std::move(queue.entries.front());
    queue.entries.pop_front();
    queue.running = false;
    ++queue.changes;
    queue.idleSince = now;
    lastCompletion = std::max(lastCompletion, now);
    account(q, entry);
    std::string fault = execute(entry.instruction, entry.counters);
    if (!fault.empty()) {
      failure = describeInstruction(program, entry.instruction) + ": " + fault;
      if (!entry.counters.empty()) {
        failure += " (in iteration";
        for (int64_t counter : entry.counters) {
          failure += " " + std::to_string(counter);
        }
        failure += ")";
      }
      return;
    }
    tell(Moment::Kind::Complete, q, entry);
    for (const SyncRef &signal : headerOf(entry).signals) {
      post(now + target.semaphoreLatencyCycles, EventKind::Signal, q, signal.semaphore, signal.count,
           entry.instruction);
    }
    updateReady(q);
    start(q);
    if (blockedOn == static_cast<int>(q) || (fencing && allEmpty())) {
      wakeControl(now);
    }
  }

  void account(unsigned q, const Entry &entry) {
    QueueState &queue = queues[q];
    const InstructionCost &cost = costs[entry.instruction];
    QueueReport &qr = report.queues[q];
    ++qr.instructions;
    qr.busyCycles += now - queue.started;
    qr.bandwidthCycles += cost.isDma && options.perturbSeed == 0 && now > queue.aloneEnd ? now - queue.aloneEnd : 0;
    report.dramReadBytes += cost.dramReadBytes;
    report.dramWriteBytes += cost.dramWriteBytes;
    report.sramBytesMoved += cost.sramBytes;
    report.macs[static_cast<unsigned>(cost.macType)] += cost.macs;
    report.vectorOps += cost.vectorOps;
    uint32_t index = program.sourceOf[entry.instruction];
    SourceReport &source = index == kNoSource ? report.sources.back() : report.sources[index];
    ++source.instructions;
    source.macs += cost.macs;
    source.cycles[q] += now - queue.started;
    source.firstCycle = std::min(source.firstCycle, queue.started);
    source.lastCycle = std::max(source.lastCycle, now);
    if (options.trace) {
      report.trace.push_back({entry.instruction, static_cast<Queue>(q), queue.started, now, queue.waited, entry.dispatched});
    }
  }

  void signal(const Event &event) {
    uint64_t &value = semaphores[event.semaphore];
    value += event.count;
    if (value > target.maxSemaphoreCount) {
      failure = describeInstruction(program, event.data) + ": semaphore " + std::to_string(event.semaphore) +
                " overflows: its value would be " + std::to_string(value) + ", but the target holds at most " +
                std::to_string(target.maxSemaphoreCount) + " ('max_semaphore_count')";
      return;
    }
    for (unsigned q = 0; q < kNumQueues; ++q) {
      updateReady(q);
      start(q);
    }
  }

  //===--------------------------------------------------------------------===//
  // Periods of loops
  //===--------------------------------------------------------------------===//

  /// At the end of an iteration: if the loop has become periodic, goes on after as
  /// many whole periods as are left.
  void extrapolate(LoopFrame &loop) {
    if (!loop.history.isOfUse(loop.left)) {
      return;
    }
    MachineState state = captureState();
    std::optional<Period> period = loop.history.note(state, loop.left, [&] { return captureCounters(); });
    if (!period) {
      return;
    }
    uint64_t cycles = now - period->state.time;
    uint64_t times = loop.left / period->iterations;
    // A limit is reached as in a run without shortcuts: by executing.
    if (options.maxInstructions != 0) {
      uint64_t instructions = report.instructions - period->counters.report.instructions;
      times = std::min(times, (options.maxInstructions - report.instructions) / instructions);
    }
    if (options.maxCycles != 0) {
      times = std::min(times, (options.maxCycles - now) / cycles);
    }
    if (times == 0) {
      return;
    }
    std::array<std::vector<uint64_t> *, kNumQueues> waitedFor;
    for (unsigned q = 0; q < kNumQueues; ++q) {
      waitedFor[q] = &queues[q].waitedFor;
    }
    addPeriods(report, waitedFor, period->counters, times, cycles);
    uint64_t iterations = times * period->iterations;
    report.extrapolatedIterations += iterations;
    loop.left -= iterations;
    counters.back() += static_cast<int64_t>(iterations);
    shiftTime(times * cycles, state, period->state);
  }

  MachineState captureState() {
    MachineState state;
    state.time = now;
    state.shared = semaphores;
    bus.describe(now, state.shared);
    std::vector<Event> pending;
    std::copy_if(events.begin(), events.end(), std::back_inserter(pending),
                 [this](const Event &event) { return !isStale(event); });
    std::sort(pending.begin(), pending.end(), [](const Event &a, const Event &b) { return b > a; });
    for (const Event &event : pending) {
      uint64_t signaller = event.kind == EventKind::Signal ? event.data : 0;
      for (uint64_t word : {event.time - now, uint64_t(event.kind), uint64_t(event.queue), uint64_t(event.semaphore),
                            uint64_t(event.count), signaller}) {
        state.shared.push_back(word);
      }
    }
    for (unsigned q = 0; q < kNumQueues; ++q) {
      describeQueue(queues[q], state.queues[q]);
      state.changes[q] = queues[q].changes;
      state.running[q] = queues[q].running;
    }
    return state;
  }

  /// Only what can still matter: when an instruction was dispatched that stands
  /// behind another one, for example, has no effect any more.
  void describeQueue(const QueueState &queue, std::vector<uint64_t> &words) const {
    for (const Entry &entry : queue.entries) {
      words.push_back(entry.instruction);
    }
    auto ago = [this](uint64_t time) { return time == kNever ? kNever : now - time; };
    if (queue.running) {
      words.push_back(ago(queue.started));
      if (costs[queue.entries.front().instruction].isDma) {
        words.push_back(ago(queue.aloneEnd));
        words.push_back(ago(queue.sramReady));
      }
      words.push_back(queue.entries.size() > 1 ? ago(queue.entries[1].ready) : kNever);
      return;
    }
    words.push_back(ago(queue.idleSince));
    if (!queue.entries.empty()) {
      words.push_back(ago(std::max(queue.idleSince, queue.entries.front().dispatched)));
    }
    if (queue.idleSince == now) {
      // A start at this moment may have been hidden behind the last instruction.
      words.push_back(ago(queue.started));
      words.push_back(queue.entries.empty() ? kNever : ago(queue.entries.front().ready));
    }
  }

  Counters captureCounters() const {
    Counters result;
    result.report = report;
    for (unsigned q = 0; q < kNumQueues; ++q) {
      result.waitedFor[q] = queues[q].waitedFor;
    }
    return result;
  }

  /// Moves the machine to a later time, but for the queues that rested since `before`.
  void shiftTime(uint64_t cycles, const MachineState &state, const MachineState &before) {
    now += cycles;
    bus.shift(cycles);
    events.erase(std::remove_if(events.begin(), events.end(), [this](const Event &event) { return isStale(event); }),
                 events.end());
    for (Event &event : events) {
      event.time += cycles;
    }
    std::make_heap(events.begin(), events.end(), std::greater<Event>());
    for (unsigned q = 0; q < kNumQueues; ++q) {
      if (state.rests(before, q)) {
        continue;
      }
      QueueState &queue = queues[q];
      for (uint64_t *time : {&queue.idleSince, &queue.started, &queue.aloneEnd, &queue.sramReady}) {
        *time += cycles;
      }
      for (Entry &entry : queue.entries) {
        entry.dispatched += cycles;
        entry.ready += entry.ready == kNever ? 0 : cycles;
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // The end
  //===--------------------------------------------------------------------===//

  std::string explainDeadlock() const {
    std::string text = "deadlock at cycle " + std::to_string(now) + ":";
    for (unsigned q = 0; q < kNumQueues; ++q) {
      if (queues[q].entries.empty()) {
        continue;
      }
      const Entry &entry = queues[q].entries.front();
      text += " " + describeInstruction(program, entry.instruction) + " waits for";
      bool first = true;
      for (const SyncRef &wait : headerOf(entry).waits) {
        if (semaphores[wait.semaphore] >= wait.count) {
          continue;
        }
        text += std::string(first ? "" : " and") + " semaphore " + std::to_string(wait.semaphore) + " to reach " +
                std::to_string(wait.count) + " (it is " + std::to_string(semaphores[wait.semaphore]) + "), " +
                explainSignallers(wait.semaphore);
        first = false;
      }
      text += first ? " more than its semaphores hold together;" : ";";
    }
    if (!halted && pc < program.code.size()) {
      text += " the control unit cannot go past " + describeInstruction(program, pc);
      if (blockedOn >= 0) {
        text += std::string(", as queue '") + spell(static_cast<Queue>(blockedOn)) + "' is full with " +
                std::to_string(queues[blockedOn].depth) + " instructions";
      } else if (fencing) {
        text += ", which waits for all queues to be empty";
      }
    } else {
      text += " the control unit has dispatched everything";
    }
    return text;
  }

  std::string explainSignallers(unsigned semaphore) const {
    for (size_t i = 0; i < program.code.size(); ++i) {
      for (const SyncRef &signal : header(program.code[i]).signals) {
        if (signal.semaphore != semaphore) {
          continue;
        }
        auto q = static_cast<unsigned>(header(program.code[i]).queue);
        bool queued = std::any_of(queues[q].entries.begin(), queues[q].entries.end(),
                                  [&](const Entry &entry) { return entry.instruction == i; });
        return "signalled by " + describeInstruction(program, i) +
               (queued ? ", which stands in its queue" : ", which is not in its queue now");
      }
    }
    return "which no instruction signals";
  }

  void finish() {
    report.program = program.name;
    report.target = target.name;
    report.targetHash = hashTargetHex(target);
    report.clockMHz = target.clockMHz;
    report.cycles = lastCompletion;
    report.perturbed = options.perturbSeed != 0;
    for (unsigned q = 0; q < kNumQueues; ++q) {
      for (size_t s = 0; s < queues[q].waitedFor.size(); ++s) {
        if (queues[q].waitedFor[s] != 0) {
          report.queues[q].waitedFor.emplace_back(static_cast<unsigned>(s), queues[q].waitedFor[s]);
        }
      }
      report.queues[q].waitDispatchCycles += lastCompletion - std::min(lastCompletion, queues[q].idleSince);
    }
    for (size_t s = 0; s < semaphores.size(); ++s) {
      if (semaphores[s] != 0) {
        report.semaphoresLeft.emplace_back(static_cast<unsigned>(s), static_cast<unsigned>(semaphores[s]));
      }
    }
    report.sources.erase(std::remove_if(report.sources.begin(), report.sources.end(),
                                        [](const SourceReport &s) { return s.instructions == 0; }),
                         report.sources.end());
  }
};

} // namespace

Result<Report> npuhw::runEventLoop(const Program &program, const std::vector<InstructionCost> &costs,
                                   const EventLoopOptions &options, const ExecuteFn &execute) {
  return EventLoop(program, costs, options, execute).run();
}
