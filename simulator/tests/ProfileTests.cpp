// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of a run went.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/InstructionCost.h"
#include "simulator/profile/Attribution.h"
#include "simulator/profile/Occupancy.h"
#include "simulator/profile/Trace.h"
#include "simulator/tests/Builder.h"

#include <cmath>
#include <numeric>

using namespace npuhw;
using namespace npuhw::test;

namespace {

Report profiled(const Program &program, uint64_t perturbSeed = 0) {
  SimulatorOptions options;
  options.trace = true;
  options.profile = true;
  options.perturbSeed = perturbSeed;
  Report report;
  runProgram(program, Bytes(program.regions[0].bytes, 1), options, &report);
  return report;
}

uint64_t sum(const uint64_t (&causes)[kNumCauses]) {
  return std::accumulate(std::begin(causes), std::end(causes), uint64_t(0));
}

uint64_t of(const NodeProfile &node, Cause cause) { return node.causes[static_cast<size_t>(cause)]; }

/// What must hold of every profile.
void checkSums(const Report &report) {
  const ProgramProfile &profile = *report.profile;
  uint64_t cycles = 0;
  for (const NodeProfile &node : profile.nodes) {
    EXPECT_EQ(sum(node.causes), node.cycles);
    cycles += node.cycles;
  }
  EXPECT_EQ(cycles, report.cycles);
  EXPECT_EQ(sum(profile.causes), report.cycles);
  for (unsigned q = 0; q < kNumQueues; ++q) {
    EXPECT_EQ(sum(profile.queues[q].causes), report.queues[q].busyCycles);
    EXPECT_EQ(profile.queues[q].stalls.data + profile.queues[q].stalls.buffer, report.queues[q].waitSemaphoreCycles);
  }
}

Sync syncOn(Queue queue) {
  Sync sync;
  sync.queue = queue;
  return sync;
}

/// Loads and stores `count` blocks with one buffer.
Program pipeline(int64_t count) {
  Program program = makeProgram(uint64_t(count) * 256, uint64_t(count) * 256);
  program.append(signalling(syncOn(Queue::VE), {{1, 1}}), "start");
  LoopBegin begin;
  begin.count = count;
  program.append(begin, "load");
  DmaLd ld = load(sram(0), dram(0), 256);
  ld.src.terms = {{0, 256, 0}};
  program.append(signalling(waiting(ld, {{1, 1}}), {{0, 1}}), "load");
  DmaSt st = store(dram(1), sram(0), 256);
  st.dst.terms = {{0, 256, 0}};
  program.append(signalling(waiting(st, {{0, 1}}), {{1, 1}}), "store");
  program.append(LoopEnd(), "store");
  program.append(waiting(syncOn(Queue::VE), {{1, 1}}), "end");
  program.append(Halt());
  return program;
}

} // namespace

TEST(everyCycleIsChargedOnce) {
  for (int64_t count : {1, 2, 7, 40}) {
    Report report = profiled(pipeline(count));
    checkSums(report);
    // A load must wait for the store before it: one buffer.
    EXPECT_EQ(report.profile->queues[static_cast<size_t>(Queue::LD)].stalls.data, 0u);
    EXPECT(count == 1 || report.profile->queues[static_cast<size_t>(Queue::LD)].stalls.buffer > 0);
    EXPECT(report.profile->queues[static_cast<size_t>(Queue::ST)].stalls.data > 0);
  }
}

TEST(randomDelaysAreACauseOfTheirOwn) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Report report = profiled(pipeline(9), seed);
    checkSums(report);
    EXPECT(report.profile->causes[static_cast<size_t>(Cause::Delay)] > 0);
    EXPECT_EQ(report.profile->causes[static_cast<size_t>(Cause::SharedBandwidth)], 0u);
  }
}

TEST(oneTransferIsSplitByItsFormula) {
  Program program = makeProgram(640, 64);
  program.append(load(sram(0), dram(0), 640), "input");
  program.append(Halt());
  Report report = profiled(program);
  checkSums(report);
  const NodeProfile &node = report.profile->nodes[0];
  EXPECT_EQ(node.name, "input");
  EXPECT_EQ(of(node, Cause::Setup), program.target.dmaSetupCycles);
  EXPECT_EQ(of(node, Cause::DramLatency), program.target.dramLatencyCycles);
  EXPECT_EQ(of(node, Cause::DramTransfer), 640 / program.target.dramBytesPerCycle);
  EXPECT_EQ(node.dramBytes, 640u);
}

TEST(fullQueuesAndFencesAreFollowed) {
  Program program = makeProgram(64 * 40, 64 * 40);
  for (int i = 0; i < 40; ++i) {
    program.append(load(sram(64 * i), dram(0, 64 * i), 64), "l" + std::to_string(i));
  }
  program.append(Fence(), "fence");
  program.append(store(dram(1), sram(0), 64), "s");
  program.append(Halt());
  Report report = profiled(program);
  EXPECT(report.dispatchQueueFullCycles > 0);
  EXPECT(report.dispatchFenceCycles > 0);
  checkSums(report);
}

TEST(liveBytesRiseAndFall) {
  Program program = pipeline(3);
  Report report = profiled(program);
  Result<Timeline> timeline = buildTimeline(program, report);
  EXPECT(bool(timeline));
  if (!timeline) {
    return;
  }
  std::vector<Step> steps = liveSramBytes(program, *timeline);
  EXPECT_EQ(steps.size(), size_t(6));
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].value, i % 2 == 0 ? 256.0 : 0.0);
  }
  std::vector<InstructionCost> costs;
  for (const Instruction &inst : program.code) {
    costs.push_back(instructionCost(program, inst));
  }
  double moved = 0;
  std::vector<Step> rate = dramBytesPerCycle(*timeline, costs, Queue::LD);
  for (size_t i = 0; i + 1 < rate.size(); ++i) {
    moved += rate[i].value * static_cast<double>(rate[i + 1].cycle - rate[i].cycle);
  }
  EXPECT_EQ(std::llround(moved), 3 * 256);
}

TEST(arrowsLeadFromSignalsToWaits) {
  Program program = pipeline(5);
  Report report = profiled(program);
  Result<std::string> trace = toTraceJSON(report, program);
  EXPECT(bool(trace));
  auto count = [&](const std::string &part) {
    size_t found = 0;
    for (size_t at = trace->find(part); at != std::string::npos; at = trace->find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  // Five loads wait for the start or a store, five stores for a load, the end for the last store.
  EXPECT_EQ(count("\"ph\": \"s\""), size_t(11));
  EXPECT_EQ(count("\"ph\": \"f\""), size_t(11));
  EXPECT_EQ(count("\"ph\": \"X\""), report.trace.size());
  report.trace.pop_back();
  Result<std::string> broken = toTraceJSON(report, program);
  EXPECT(!broken);
  EXPECT_CONTAINS(broken.error().message, "is not that of a whole run");
}
