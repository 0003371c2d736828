// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Periods.h"

using namespace npuhw;

bool MachineState::repeats(const MachineState &before) const {
  if (time == before.time || shared != before.shared) {
    return false;
  }
  for (unsigned q = 0; q < kNumQueues; ++q) {
    if (!rests(before, q) && queues[q] != before.queues[q]) {
      return false;
    }
  }
  return true;
}

void npuhw::addPeriods(Report &now, std::array<std::vector<uint64_t> *, kNumQueues> waitedFor, const Counters &before,
                       uint64_t times, uint64_t cycles) {
  auto add = [times](uint64_t &counter, uint64_t then) { counter += times * (counter - then); };
  const Report &then = before.report;
  add(now.instructions, then.instructions);
  add(now.extrapolatedIterations, then.extrapolatedIterations);
  add(now.dispatchQueueFullCycles, then.dispatchQueueFullCycles);
  add(now.dispatchFenceCycles, then.dispatchFenceCycles);
  add(now.dramReadBytes, then.dramReadBytes);
  add(now.dramWriteBytes, then.dramWriteBytes);
  add(now.dramBusBytes, then.dramBusBytes);
  add(now.sramBytesMoved, then.sramBytesMoved);
  add(now.vectorOps, then.vectorOps);
  for (size_t t = 0; t < std::size(now.macs); ++t) {
    add(now.macs[t], then.macs[t]);
  }
  for (unsigned q = 0; q < kNumQueues; ++q) {
    QueueReport &queue = now.queues[q];
    const QueueReport &queueThen = then.queues[q];
    add(queue.instructions, queueThen.instructions);
    add(queue.busyCycles, queueThen.busyCycles);
    add(queue.waitSemaphoreCycles, queueThen.waitSemaphoreCycles);
    add(queue.waitDispatchCycles, queueThen.waitDispatchCycles);
    add(queue.bandwidthCycles, queueThen.bandwidthCycles);
    for (size_t s = 0; s < waitedFor[q]->size(); ++s) {
      add((*waitedFor[q])[s], before.waitedFor[q][s]);
    }
  }
  for (size_t i = 0; i < now.sources.size(); ++i) {
    SourceReport &source = now.sources[i];
    const SourceReport &sourceThen = then.sources[i];
    if (source.instructions != sourceThen.instructions) {
      source.lastCycle += times * cycles;
    }
    add(source.instructions, sourceThen.instructions);
    add(source.macs, sourceThen.macs);
    for (unsigned q = 0; q < kNumQueues; ++q) {
      add(source.cycles[q], sourceThen.cycles[q]);
    }
  }
  size_t marksOfPeriod = now.marks.size() - then.marks.size();
  now.marks.reserve(now.marks.size() + times * marksOfPeriod);
  for (uint64_t i = 0; i < times * marksOfPeriod; ++i) {
    MarkEvent mark = now.marks[now.marks.size() - marksOfPeriod];
    mark.cycle += cycles;
    now.marks.push_back(mark);
  }
}
