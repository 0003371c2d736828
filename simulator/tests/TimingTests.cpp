// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles, semaphores, deadlocks and reports.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/InstructionCost.h"
#include "simulator/profile/Trace.h"
#include "simulator/tests/Builder.h"

#include <algorithm>

using namespace npuhw;
using namespace npuhw::test;

namespace {

Report measure(const Program &program, SimulatorOptions options = {}) {
  Report report;
  Bytes input(program.regions[0].bytes);
  runProgram(program, input, options, &report);
  return report;
}

} // namespace

TEST(matmulFollowsScaleSim) {
  TargetDesc target = testTarget();
  for (uint64_t a : {8, 16, 32}) {
    target.arrayRows = a;
    target.arrayCols = a;
    target.sramBytesPerCycle = 256;
    for (uint64_t m : {1, 7, 64}) {
      for (uint64_t k : {1, 16, 33}) {
        for (uint64_t n : {5, 32, 100}) {
          uint64_t folds = ((k + a - 1) / a) * ((n + a - 1) / a);
          EXPECT_EQ(matmulCycles(target, m, k, n, MacType::I8), folds * (m + 3 * a - 2));
        }
      }
    }
  }
}

TEST(doubleBufferedWeightsHide) {
  for (bool hides : {false, true}) {
    Program program = makeProgram(1024, 16);
    program.target.weightDoubleBuffer = hides;
    program.append(load(sram(0), dram(0), 1024));
    program.append(Fence());
    LoopBegin loop;
    loop.count = 4;
    MmLoadW weights;
    weights.dtype = DType::I8;
    weights.k = 16;
    weights.n = 16;
    weights.kStride = 16;
    weights.nStride = 1;
    MmExec exec;
    exec.dtype = DType::I8;
    exec.rows = {20};
    exec.rowStrides = {16};
    exec.k = 16;
    exec.n = 16;
    exec.kStride = 1;
    exec.acc = acc(0);
    exec.accStrides = {64};
    program.append(loop);
    program.append(weights);
    program.append(exec);
    program.append(LoopEnd());
    program.append(Halt());
    // A load takes 16 cycles, an exec 20 + 30.
    EXPECT_EQ(measure(program).queues[2].busyCycles, hides ? 16u + 4 * 50 : 4u * 66);
  }
}

TEST(dmaCostsRoundToBursts) {
  TargetDesc target = testTarget();
  DmaTransfer rows;
  rows.shape = {4, 10};
  rows.srcStrides = {100, 1};
  rows.dstStrides = {10, 1};
  DmaCost cost = dmaCost(target, rows);
  EXPECT_EQ(cost.dramBytes, 4u * 32);
  EXPECT_EQ(cost.usefulBytes, 40u);
  EXPECT_EQ(cost.aloneCycles(target), 10u + 100 + 16);
  rows.srcStrides = {10, 1};
  EXPECT_EQ(dmaCost(target, rows).dramBytes, 64u);
  // The walked order does not matter, only what is contiguous.
  rows.shape = {10, 4};
  rows.srcStrides = {1, 10};
  EXPECT_EQ(dmaCost(target, rows).dramBytes, 64u);
  rows.shape = {0, 4};
  EXPECT_EQ(dmaCost(target, rows).aloneCycles(target), 10u);
  rows.shape = {10, 4};
  rows.srcDram = false;
  rows.dstDram = true;
  rows.dstStrides = {4, 1};
  EXPECT_EQ(dmaCost(target, rows).latencyCycles, 0u);
}

TEST(transfersOfAQueueHideTheirLatency) {
  Program program = makeProgram(4096, 16);
  program.append(load(sram(0), dram(0), 2048));
  Report one = measure([&] {
    Program p = program;
    p.append(Halt());
    return p;
  }());
  EXPECT_EQ(one.queues[0].busyCycles, 10u + 100 + 256);
  program.append(load(sram(2048), dram(0, 2048), 2048));
  program.append(Halt());
  EXPECT_EQ(measure(program).queues[0].busyCycles, 10u + 100 + 256 + 10 + 256);
}

TEST(loadsAndStoresShareTheBandwidth) {
  Program program = makeProgram(4096, 4096);
  program.append(load(sram(0), dram(0), 4096));
  program.append(store(dram(1), sram(8192), 4096));
  program.append(Halt());
  Report report = measure(program);
  // Alone: 512 cycles of data each. The store begins at cycle 1 + 10, the load
  // at 110; from then on both run at half speed.
  EXPECT_EQ(report.queues[1].busyCycles, 10u + 99 + 2 * (512 - 99));
  EXPECT_EQ(report.queues[0].busyCycles, 110u + 2 * (512 - 99) + 99);
  EXPECT_EQ(report.queues[0].bandwidthCycles, 413u);
}

// docs/timing.md, "Transfers of one queue".
TEST(transfersFollowTheirClosedForm) {
  for (uint64_t latency : {0, 30, 100, 700}) {
    for (uint64_t size : {32, 256, 1000, 4096}) {
      for (uint64_t n : {1, 2, 3, 4, 7, 20}) {
        Program program = makeProgram(4096, 16);
        program.target.dramLatencyCycles = latency;
        LoopBegin loop;
        loop.count = static_cast<int64_t>(n);
        program.append(loop);
        program.append(load(sram(0), dram(0), static_cast<int64_t>(size)));
        program.append(LoopEnd());
        program.append(Halt());
        uint64_t setup = program.target.dmaSetupCycles;
        uint64_t data = (size + 31) / 32 * 32 / 8; // Whole bursts over 8 bytes a cycle.
        uint64_t expected = latency <= setup + data
                                ? latency + n * (setup + data)
                                : latency + setup + data + n / 2 * (setup + data) + (n - 1) / 2 * latency;
        EXPECT_EQ(measure(program).queues[0].busyCycles, expected);
      }
    }
  }
}

// docs/timing.md, "Two queues".
TEST(sharedTransfersFollowTheirClosedForm) {
  for (uint64_t loaded : {64, 1024, 4096}) {
    for (uint64_t stored : {256, 1024, 2048, 4096}) {
      Program program = makeProgram(4096, 4096);
      program.append(load(sram(0), dram(0), static_cast<int64_t>(loaded)));
      program.append(store(dram(1), sram(8192), static_cast<int64_t>(stored)));
      program.append(Halt());
      Report report = measure(program);
      // The store is dispatched at cycle 1 and has no latency.
      uint64_t beginStore = 11;
      uint64_t beginLoad = 110;
      uint64_t aloneLoad = loaded / 8;
      uint64_t aloneStore = stored / 8;
      uint64_t ahead = std::min(beginLoad - beginStore, aloneStore);
      uint64_t shared = std::min(aloneLoad, aloneStore - ahead);
      uint64_t endLoad = beginLoad + aloneLoad + shared;
      uint64_t endStore = beginStore + aloneStore + shared;
      EXPECT_EQ(report.queues[0].busyCycles, endLoad);
      EXPECT_EQ(report.queues[1].busyCycles, endStore - 1);
      EXPECT_EQ(report.cycles, std::max(endLoad, endStore));
      EXPECT_EQ(report.queues[0].bandwidthCycles, shared);
      EXPECT_EQ(report.queues[1].bandwidthCycles, shared);
    }
  }
}

TEST(vectorLanesHoldOnlyParallelPoints) {
  TargetDesc target = testTarget();
  VectorWork work;
  work.parallelPoints = 20;
  work.reductionPoints = 100;
  work.cyclesPerPoint = 3;
  EXPECT_EQ(vectorCycles(target, work), 4u + 100 * 2 * 3);
  work.bytesPerPoint = 64;
  EXPECT_EQ(vectorCycles(target, work), 4u + 2000);
}

TEST(waitingIsMeasured) {
  Program program = makeProgram(1024, 1024);
  program.append(signalling(load(sram(0), dram(0), 1024), {{3, 1}}));
  program.append(waiting(store(dram(1), sram(0), 1024), {{3, 1}}));
  program.append(Halt());
  Report report = measure(program);
  // The load ends at 10 + 100 + 128, its signal is seen 2 cycles later.
  EXPECT_EQ(report.queues[1].waitSemaphoreCycles, 240u - 1);
  EXPECT_EQ(report.queues[1].waitedFor.size(), size_t(1));
  EXPECT_EQ(report.queues[1].waitedFor[0].first, 3u);
  EXPECT_EQ(report.cycles, 240u + 10 + 128);
  EXPECT_CONTAINS(toJSON(report), "\"cycles\": 378");
}

TEST(queuesHaveRoom) {
  Program program = makeProgram(64, 64);
  for (int i = 0; i < 6; ++i) {
    program.append(load(sram(0), dram(0), 64));
  }
  program.append(Halt());
  EXPECT(measure(program).dispatchQueueFullCycles > 100);
  program.target.queueDepthLd = 16;
  EXPECT_EQ(measure(program).dispatchQueueFullCycles, 0u);
}

TEST(semaphoreOverflowIsAnError) {
  Program program = makeProgram(64, 64);
  LoopBegin loop;
  loop.count = 8;
  program.append(loop);
  program.append(signalling(load(sram(0), dram(0), 64), {{5, 1}}), "conv");
  program.append(LoopEnd());
  program.append(Halt());
  EXPECT_CONTAINS(errorOf(program, Bytes(64)), "instruction 1 ('dma_ld' on ld, node 'conv'): semaphore 5 overflows: its "
                                               "value would be 8, but the target holds at most 7");
}

TEST(deadlockIsExplained) {
  Program program = makeProgram(64, 64);
  program.append(signalling(waiting(load(sram(0), dram(0), 64), {{1, 1}}), {{0, 1}}), "a");
  program.append(signalling(waiting(store(dram(1), sram(0), 64), {{0, 1}}), {{1, 1}}), "b");
  program.append(Halt());
  std::string error = errorOf(program, Bytes(64));
  EXPECT_CONTAINS(error, "deadlock at cycle");
  EXPECT_CONTAINS(error, "instruction 0 ('dma_ld' on ld, node 'a') waits for semaphore 1 to reach 1 (it is 0), signalled by "
                         "instruction 1 ('dma_st' on st, node 'b'), which stands in its queue");
  EXPECT_CONTAINS(error, "instruction 1 ('dma_st' on st, node 'b') waits for semaphore 0");
  Program nobody = makeProgram(64, 64);
  nobody.append(waiting(load(sram(0), dram(0), 64), {{1, 1}}));
  nobody.append(Fence());
  nobody.append(Halt());
  error = errorOf(nobody, Bytes(64));
  EXPECT_CONTAINS(error, "which no instruction signals");
  EXPECT_CONTAINS(error, "cannot go past instruction 1 ('fence' on ctl), which waits for all queues to be empty");
}

TEST(fullQueueCanDeadlock) {
  // The load that would signal cannot be dispatched: the store queue is full.
  Program program = makeProgram(64, 64);
  program.target.queueDepthSt = 2;
  for (int i = 0; i < 3; ++i) {
    program.append(waiting(store(dram(1), sram(0), 64), {{0, 1}}));
  }
  program.append(signalling(load(sram(0), dram(0), 64), {{0, 3}}));
  program.append(Halt());
  EXPECT_CONTAINS(errorOf(program, Bytes(64)), "queue 'st' is full with 2 instructions");
  program.target.queueDepthSt = 3;
  EXPECT_EQ(errorOf(program, Bytes(64)), "");
}

TEST(missingWaitShowsUnderPerturbation) {
  // The store does not wait: in order of time it comes first, or not.
  Program program = makeProgram(64, 64);
  program.append(load(sram(0), dram(0), 64));
  program.append(store(dram(1), sram(0), 64));
  program.append(Halt());
  Bytes input(64, 1);
  SimulatorOptions poison;
  poison.poison = true;
  EXPECT_CONTAINS(errorOf(program, input, poison), "reads bytes that nobody has written");
  bool differs = false;
  Bytes first = runProgram(program, input);
  for (uint64_t seed = 1; seed < 30; ++seed) {
    SimulatorOptions options;
    options.perturbSeed = seed;
    differs |= runProgram(program, input, options) != first;
  }
  EXPECT(differs);
}

TEST(limitsEndARun) {
  Program program = makeProgram(64, 64);
  LoopBegin loop;
  loop.count = 1 << 30;
  program.append(loop);
  program.append(Mark());
  program.append(LoopEnd());
  program.append(Halt());
  SimulatorOptions options;
  options.maxInstructions = 1000;
  EXPECT_CONTAINS(errorOf(program, Bytes(64), options), "exceeds the limit of 1000 instructions");
  options.maxInstructions = 0;
  options.maxCycles = 1000;
  EXPECT_CONTAINS(errorOf(program, Bytes(64), options), "exceeds the limit of 1000 cycles");
}

TEST(buffersAreChecked) {
  Program program = makeProgram(64, 64);
  program.append(Halt());
  Result<Simulator> simulator = Simulator::create(program);
  EXPECT_CONTAINS(simulator->run({}).error().str(), "has 2 regions, but 0 buffers were given");
  Bytes small(10);
  EXPECT_CONTAINS(simulator->run({{small.data(), small.size()}, {}}).error().str(),
                  "region 0 ('x') needs a buffer of 64 bytes, but 10 were given");
}

TEST(traceHasATrackAQueue) {
  Program program = makeProgram(64, 64);
  program.append(signalling(load(sram(0), dram(0), 64), {{0, 1}}), "in \"quotes\"");
  Mark mark;
  mark.id = 7;
  program.append(mark);
  program.append(waiting(store(dram(1), sram(0), 64), {{0, 1}}));
  program.append(Halt());
  SimulatorOptions options;
  options.trace = true;
  Report report = measure(program, options);
  EXPECT_EQ(report.trace.size(), size_t(2));
  EXPECT_EQ(report.trace[0].start, 0u);
  EXPECT_EQ(report.trace[1].waited, report.trace[1].start - 2);
  Result<std::string> trace = toTraceJSON(report, program);
  EXPECT(bool(trace));
  std::string json = trace ? *trace : "";
  EXPECT_CONTAINS(json, "\"name\": \"in \\\"quotes\\\"\"");
  EXPECT_CONTAINS(json, "\"mark 7\"");
  EXPECT_EQ(report.marks.size(), size_t(1));
}

TEST(targetDescriptions) {
  TargetDesc target = testTarget();
  std::vector<std::string> errors;
  EXPECT(validate(target, errors));
  Bytes bytes = serializeTarget(target);
  TargetDesc back;
  std::string error;
  EXPECT(deserializeTarget(bytes.data(), bytes.size(), back, error));
  EXPECT(back == target);
  EXPECT_EQ(hashTargetHex(back), hashTargetHex(target));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT(!deserializeTarget(bytes.data(), size, back, error));
  }
  target.sramBytes = 12;
  target.dtypes = {"f99"};
  target.alignmentBytes = 48;
  EXPECT(!validate(target, errors));
  EXPECT_EQ(errors[0], "'sram_bytes' is 12, but must be between 1024 and 4294967296 bytes");
  EXPECT_CONTAINS(errors[1], "'dtypes' lists 'f99'");
  EXPECT_CONTAINS(errors[2], "'alignment_bytes' is 48, but must be a power of two");
  EXPECT(hashTargetHex(target) != hashTargetHex(testTarget()));
}

TEST(weightsAndActivationsArePriced) {
  TargetDesc target = testTarget();
  EXPECT_EQ(matrixExecCycles(target, 100, 16, MacType::F32), 8u * 100 + 30);
  EXPECT_EQ(matrixExecCycles(target, 100, 16, MacType::F16), 2u * 100 + 30);
  target.sramBytesPerCycle = 4;
  EXPECT_EQ(matrixExecCycles(target, 100, 16, MacType::I8), 400u);
  EXPECT_EQ(weightLoadCycles(target, 16, 16, MacType::I8), 64u);
  EXPECT_EQ(hostCycles(target, 10, 80), 100u + 10 + 10);
  target.areaSramMiB = 4;
  EXPECT_EQ(areaMillimetres2(target), 4.0 * (65536 + 16384) / (1024 * 1024));
}
