// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are not executed to their end must be reported as if they were.
//
//===----------------------------------------------------------------------===//

#include "simulator/tests/Builder.h"

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// The report of a run that counts cycles only, as JSON without the number of
/// extrapolated iterations; or the error.
std::string timed(const Program &program, SimulatorOptions options, uint64_t *extrapolated = nullptr) {
  options.functional = false;
  Result<Simulator> simulator = Simulator::create(program, options);
  if (!simulator) {
    return simulator.error().str();
  }
  Bytes input(program.regions[0].bytes);
  Bytes output(program.regions[1].bytes);
  Result<Report> report = simulator->run({{input.data(), input.size()}, {output.data(), output.size()}});
  if (!report) {
    return report.error().str();
  }
  if (extrapolated) {
    *extrapolated = report->extrapolatedIterations;
  }
  report->extrapolatedIterations = 0;
  return toJSON(*report);
}

/// Compares a run with a full one; gives the iterations that were saved.
uint64_t compare(const Program &program, SimulatorOptions options = {}) {
  uint64_t saved = 0;
  std::string found = timed(program, options, &saved);
  options.extrapolate = false;
  EXPECT_EQ(found, timed(program, options));
  return saved;
}

LoopBegin loopOf(int64_t count) {
  LoopBegin loop;
  loop.count = count;
  return loop;
}

/// Random bodies of every queue. A semaphore is waited for after its signal in
/// the order of dispatch, or is a credit that an earlier iteration returns.
class RandomLoops {
public:
  explicit RandomLoops(uint64_t seed) : random(seed) {}

  Program make() {
    Program program = makeProgram(65536, 65536);
    TargetDesc &target = program.target;
    target.maxSemaphoreCount = 7 + random.below(100);
    target.queueDepthLd = 1 + random.below(6);
    target.queueDepthSt = 1 + random.below(6);
    target.queueDepthMm = 1 + random.below(6);
    target.queueDepthVe = 1 + random.below(6);
    target.dramBytesPerCycle = 1 + random.below(16);
    target.dramLatencyCycles = random.below(300);
    target.dispatchCycles = 1 + random.below(4);
    target.semaphoreLatencyCycles = random.below(5);
    target.weightDoubleBuffer = random.below(2) != 0;
    target.sramBytesPerCycle = 1u << random.below(7);
    MicroProgram micro;
    micro.name = "copy";
    micro.numInputs = 1;
    micro.ops = {op(MicroOpcode::Input, DType::F32)};
    micro.outputs = {0};
    program.micros.push_back(micro);
    block(program, 0);
    block(program, 0);
    program.append(Halt());
    return program;
  }

private:
  Random random;

  void block(Program &program, unsigned depth) {
    uint64_t items = 1 + random.below(3);
    for (uint64_t i = 0; i < items; ++i) {
      if (depth < 3 && random.below(3) != 0) {
        // Few iterations inside and many outside, or the other way round.
        program.append(loopOf(1 + static_cast<int64_t>(random.below(random.below(4) == 0 ? 120 : 12))));
        block(program, depth + 1);
        program.append(LoopEnd());
      } else {
        pipeline(program);
      }
    }
    if (random.below(6) == 0) {
      program.append(Fence());
    }
    if (random.below(8) == 0) {
      program.append(Mark());
    }
  }

  /// Instructions that pass a semaphore on, or run without one.
  void pipeline(Program &program) {
    uint64_t length = 1 + random.below(4);
    auto semaphore = static_cast<uint8_t>(random.below(8));
    std::vector<SyncRef> taken;
    for (uint64_t i = 0; i < length; ++i) {
      std::vector<SyncRef> given;
      if (i + 1 < length && random.below(3) != 0) {
        given.push_back({semaphore, 1});
        semaphore = static_cast<uint8_t>((semaphore + 1) % 8);
      }
      append(program, taken, given);
      taken = given;
    }
  }

  void append(Program &program, const std::vector<SyncRef> &waits, const std::vector<SyncRef> &signals) {
    std::string source = "node" + std::to_string(random.below(5));
    auto bytes = static_cast<int64_t>(1 + random.below(3000));
    auto add = [&](auto inst) { program.append(signalling(waiting(std::move(inst), waits), signals), source); };
    switch (random.below(5)) {
    case 0:
      return add(load(sram(0), dram(0), bytes));
    case 1:
      return add(store(dram(1), sram(0), bytes));
    case 2: {
      MmLoadW weights;
      weights.dtype = DType::I8;
      weights.k = 16;
      weights.n = 16;
      weights.kStride = 16;
      weights.nStride = 1;
      return add(weights);
    }
    case 3: {
      MmExec exec;
      exec.dtype = DType::I8;
      exec.rows = {1 + static_cast<int64_t>(random.below(100))};
      exec.rowStrides = {16};
      exec.k = 16;
      exec.n = 16;
      exec.kStride = 1;
      exec.acc = acc(0);
      exec.accStrides = {64};
      return add(exec);
    }
    default: {
      VExec vector;
      vector.micro = 0;
      vector.shape = {1 + static_cast<int64_t>(random.below(400))};
      vector.operands = {{sram(0), DType::F32, {4}}, {sram(4096), DType::F32, {4}}};
      return add(vector);
    }
    }
  }
};

} // namespace

TEST(randomLoopsExtrapolateExactly) {
  uint64_t saved = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    saved += compare(RandomLoops(seed).make()) != 0;
  }
  EXPECT(saved > 100);
}

TEST(bytesAndTimesAddUp) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Program program = RandomLoops(seed).make();
    SimulatorOptions options;
    options.functional = false;
    Result<Simulator> simulator = Simulator::create(program, options);
    EXPECT(bool(simulator));
    Bytes input(program.regions[0].bytes);
    Bytes output(program.regions[1].bytes);
    Result<Report> report = simulator->run({{input.data(), input.size()}, {output.data(), output.size()}});
    if (!report) {
      continue; // A semaphore overflowed.
    }
    // From the code alone: every transfer as often as the loops around it say.
    uint64_t read = 0;
    uint64_t written = 0;
    uint64_t instructions = 0;
    std::vector<uint64_t> times{1};
    for (const Instruction &inst : program.code) {
      if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
        instructions += times.back();
        times.push_back(times.back() * static_cast<uint64_t>(loop->count));
        continue;
      }
      instructions += times.back();
      if (std::holds_alternative<LoopEnd>(inst)) {
        times.pop_back();
      } else if (const auto *ld = std::get_if<DmaLd>(&inst)) {
        read += times.back() * static_cast<uint64_t>(ld->shape[0]);
      } else if (const auto *st = std::get_if<DmaSt>(&inst)) {
        written += times.back() * static_cast<uint64_t>(st->shape[0]);
      }
    }
    EXPECT_EQ(report->dramReadBytes, read);
    EXPECT_EQ(report->dramWriteBytes, written);
    EXPECT_EQ(report->instructions, instructions);
    EXPECT(report->dramBusBytes >= read + written);
    EXPECT(report->cycles >= report->dramBusBytes / program.target.dramBytesPerCycle);
    uint64_t busy[kNumQueues] = {};
    for (const SourceReport &source : report->sources) {
      for (unsigned q = 0; q < kNumQueues; ++q) {
        busy[q] += source.cycles[q];
      }
    }
    for (unsigned q = 0; q < kNumQueues; ++q) {
      const QueueReport &queue = report->queues[q];
      EXPECT_EQ(queue.busyCycles + queue.waitSemaphoreCycles + queue.waitDispatchCycles, report->cycles);
      EXPECT_EQ(busy[q], queue.busyCycles);
    }
  }
}

TEST(limitsHoldForSkippedIterations) {
  uint64_t failed = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Program program = RandomLoops(seed).make();
    SimulatorOptions options;
    (seed % 2 ? options.maxInstructions : options.maxCycles) = 100 + 37 * seed;
    compare(program, options);
    failed += timed(program, options).find("exceeds the limit") != std::string::npos;
  }
  EXPECT(failed > 10);
}

TEST(costDoesNotGrowWithTheIterations) {
  // A full run would execute 10^15 instructions.
  Program program = makeProgram(4096, 4096);
  program.append(loopOf(100000000));
  program.append(loopOf(1000000));
  program.append(signalling(load(sram(0), dram(0), 256), {{0, 1}}), "load");
  program.append(LoopEnd());
  program.append(waiting(store(dram(1), sram(0), 64), {{0, 3}}), "store");
  program.append(LoopEnd());
  program.append(Halt());
  // The signals of the inner loop are not taken: times repeat, but the state does not, and the overflow is found.
  program.target.maxSemaphoreCount = 100;
  EXPECT_CONTAINS(timed(program, {}), "semaphore 0 overflows");
  program.code[2] = load(sram(0), dram(0), 256);
  program.code[4] = store(dram(1), sram(0), 64);
  uint64_t saved = 0;
  EXPECT_CONTAINS(timed(program, {}, &saved), "\"dram_write\": 6400000000");
  EXPECT(saved > 99990000000000u); // Of 10^14.
}

TEST(restingQueuesDoNotHinderExtrapolation) {
  // The store waits for what comes after the loop, and its wait is counted whole.
  Program program = makeProgram(4096, 4096);
  program.append(waiting(store(dram(1), sram(0), 64), {{0, 1}}), "store");
  program.append(loopOf(1000));
  program.append(load(sram(0), dram(0), 256), "load");
  program.append(LoopEnd());
  program.append(signalling(load(sram(0), dram(0), 256), {{0, 1}}), "load");
  program.append(Halt());
  EXPECT(compare(program) > 900);
}

TEST(fullRunsAreNotExtrapolated) {
  Program program = makeProgram(4096, 4096);
  program.append(loopOf(50));
  program.append(load(sram(0), dram(0), 256));
  program.append(LoopEnd());
  program.append(Halt());
  for (int mode = 0; mode < 4; ++mode) {
    SimulatorOptions options;
    options.functional = mode == 0;
    options.trace = mode == 1;
    options.profile = mode == 2;
    options.perturbSeed = mode == 3;
    Report report;
    runProgram(program, Bytes(4096), options, &report);
    EXPECT_EQ(report.extrapolatedIterations, 0u);
    EXPECT_EQ(report.queues[0].instructions, 50u);
  }
}
