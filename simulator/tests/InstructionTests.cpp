// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DMA, matrix and drain instructions, loops, and what the verifier refuses.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Verifier.h"
#include "simulator/tests/Builder.h"

#include <cmath>
#include <cstring>

using namespace npuhw;
using namespace npuhw::test;

namespace {

Bytes counting(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(i * 7 + 3);
  }
  return bytes;
}

/// Loads the input, runs the instructions on one queue each after the other
/// through fences, stores the first bytes of SRAM.
Program fenced(uint64_t bytes, const std::vector<Instruction> &middle) {
  Program program = makeProgram(bytes, bytes);
  program.append(load(sram(0), dram(0), static_cast<int64_t>(bytes)));
  program.append(Fence());
  for (const Instruction &inst : middle) {
    program.append(inst, "node");
    program.append(Fence());
  }
  program.append(store(dram(1), sram(0), static_cast<int64_t>(bytes)));
  program.append(Halt());
  return program;
}

} // namespace

TEST(dmaTransposes) {
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    DmaLd inst;
    inst.dst = sram(0);
    inst.src = dram(0);
    inst.shape = {3, 5};
    auto e = static_cast<int64_t>(bytes);
    inst.srcStrides = {5 * e, e};
    inst.dstStrides = {e, 3 * e};
    inst.elementBytes = static_cast<uint8_t>(bytes);
    Program program = makeProgram(15 * bytes, 15 * bytes);
    program.append(signalling(inst, {{0, 1}}));
    program.append(waiting(store(dram(1), sram(0), 15 * e), {{0, 1}}));
    program.append(Halt());
    Bytes input = counting(15 * bytes);
    Bytes output = runProgram(program, input);
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 5; ++j) {
        EXPECT(std::memcmp(&output[(j * 3 + i) * bytes], &input[(i * 5 + j) * bytes], bytes) == 0);
      }
    }
  }
}

TEST(dmaReversesAndBroadcasts) {
  DmaCp reverse;
  reverse.queue = Queue::ST;
  reverse.src = sram(3);
  reverse.dst = sram(8);
  reverse.shape = {4};
  reverse.srcStrides = {-1};
  reverse.dstStrides = {1};
  reverse.elementBytes = 1;
  DmaCp spread;
  spread.queue = Queue::LD;
  spread.src = sram(0);
  spread.dst = sram(12);
  spread.shape = {2, 2};
  spread.srcStrides = {0, 1};
  spread.dstStrides = {2, 1};
  spread.elementBytes = 1;
  Bytes output = runProgram(fenced(16, {reverse, spread}), {1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT(output == Bytes({1, 2, 3, 4, 0, 0, 0, 0, 4, 3, 2, 1, 1, 2, 1, 2}));
}

TEST(dmaFills) {
  DmaFill fill;
  fill.queue = Queue::LD;
  fill.dst = sram(2);
  fill.shape = {2, 2};
  fill.dstStrides = {6, 2};
  fill.elementBytes = 2;
  fill.value = 0xabcd1234;
  Bytes output = runProgram(fenced(12, {fill}), Bytes(12, 0));
  EXPECT(output == Bytes({0, 0, 0x34, 0x12, 0x34, 0x12, 0, 0, 0x34, 0x12, 0x34, 0x12}));
  fill.shape = {0, 2};
  EXPECT(runProgram(fenced(12, {fill}), Bytes(12, 9)) == Bytes(12, 9));
}

TEST(dmaGathers) {
  for (DType type : {DType::I32, DType::I64}) {
    auto run = [&](const std::vector<int64_t> &indices, bool fails) {
      Program program = makeProgram(64, 16);
      Region table{RegionRole::Constant, "table", 20, DType::I32, {5, 4}, {}};
      table.contents = counting(20);
      program.regions.push_back(table);
      program.append(load(sram(0), dram(0), 64));
      program.append(Fence());
      DmaGather gather;
      gather.dst = sram(256);
      gather.dstStride = 4;
      gather.table = dram(2);
      gather.tableRows = 5;
      gather.tableStride = 4;
      gather.rowBytes = 4;
      gather.indices = sram(0);
      gather.indexDtype = type;
      gather.count = static_cast<int64_t>(indices.size());
      program.append(gather, "embedding");
      program.append(Fence());
      program.append(store(dram(1), sram(256), 16));
      program.append(Halt());
      Bytes input = type == DType::I64 ? toBytes(indices)
                                       : toBytes(std::vector<int32_t>(indices.begin(), indices.end()));
      input.resize(64);
      if (fails) {
        return errorOf(program, input);
      }
      Bytes output = runProgram(program, input);
      for (size_t j = 0; j < indices.size(); ++j) {
        EXPECT(std::memcmp(&output[j * 4], &table.contents[static_cast<size_t>(indices[j]) * 4], 4) == 0);
      }
      return std::string();
    };
    run({4, 0, 2, 2}, false);
    EXPECT_CONTAINS(run({0, 5}, true), "index 5 at position 1 is out of range: the table has 5 rows");
    EXPECT_CONTAINS(run({-1}, true), "'dma_gather' on ld, node 'embedding'): index -1 at position 0");
  }
}

namespace {

/// One weight tile and one mm_exec over 2 x 3 rows with strides, and a drain
/// that adds 1 or 1.0 and stores; T is the memory type, S the sum.
struct MatrixCase {
  DType activations;
  DType weights;
  int32_t zeroA;
  int32_t zeroW;
};

Program matrixProgram(const MatrixCase &c, int64_t k, int64_t n, bool floating) {
  int64_t ea = dtypeBytes(c.activations);
  int64_t ew = dtypeBytes(c.weights);
  Program program = makeProgram(4096, 6 * static_cast<uint64_t>(n) * 4);
  MicroProgram micro;
  micro.name = "plus one";
  micro.numInputs = 1;
  DType type = floating ? DType::F32 : DType::I32;
  micro.ops = {op(MicroOpcode::Input, type), op(MicroOpcode::Const, type, 0, 0, 0, floating ? 0x3f800000 : 1),
               op(floating ? MicroOpcode::Addf : MicroOpcode::Addi, type, 0, 1)};
  micro.outputs = {2};
  program.micros.push_back(micro);
  program.append(signalling(load(sram(0), dram(0), 4096), {{0, 1}}));
  MmClear clear;
  clear.acc = acc(64);
  clear.shape = {2, 3, n};
  clear.strides = {3 * n * 4 + 64, n * 4, 4};
  program.append(clear);
  MmLoadW weights;
  weights.src = sram(2048);
  weights.dtype = c.weights;
  weights.k = static_cast<uint16_t>(k);
  weights.n = static_cast<uint16_t>(n);
  weights.kStride = ew;
  weights.nStride = k * ew;
  weights.zeroPoint = c.zeroW;
  program.append(waiting(weights, {{0, 1}}));
  MmExec exec;
  exec.src = sram(0);
  exec.dtype = c.activations;
  exec.rows = {2, 3};
  exec.rowStrides = {256, 2 * k * ea};
  exec.k = weights.k;
  exec.kStride = 2 * ea;
  exec.zeroPoint = c.zeroA;
  exec.acc = acc(64);
  exec.accStrides = {3 * n * 4 + 64, n * 4};
  exec.n = weights.n;
  program.append(exec, "first");
  program.append(signalling(exec, {{1, 1}}), "second");
  Drain drain;
  drain.shape = {2, 3, n};
  drain.operands = {{acc(64), type, {3 * n * 4 + 64, n * 4, 4}}, {sram(8192), type, {3 * n * 4, n * 4, 4}}};
  program.append(signalling(waiting(drain, {{1, 1}}), {{2, 1}}));
  program.append(waiting(store(dram(1), sram(8192), 6 * n * 4), {{2, 1}}));
  program.append(Halt());
  return program;
}

} // namespace

TEST(matrixIntegers) {
  Random random(21);
  for (const MatrixCase &c : {MatrixCase{DType::I8, DType::I8, 0, 0}, MatrixCase{DType::U8, DType::I8, 128, -3},
                              MatrixCase{DType::I8, DType::U8, -7, 200}}) {
    int64_t k = 13;
    int64_t n = 11;
    Bytes input(4096);
    for (uint8_t &byte : input) {
      byte = static_cast<uint8_t>(random.next());
    }
    auto output = fromBytes<int32_t>(runProgram(matrixProgram(c, k, n, false), input));
    auto value = [&](size_t at, DType type) {
      return type == DType::U8 ? int32_t(input[at]) : int32_t(static_cast<int8_t>(input[at]));
    };
    for (int64_t row = 0; row < 6; ++row) {
      for (int64_t j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int64_t kk = 0; kk < k; ++kk) {
          int32_t a = value(static_cast<size_t>(row / 3 * 256 + row % 3 * 2 * k + 2 * kk), c.activations) - c.zeroA;
          int32_t w = value(static_cast<size_t>(2048 + j * k + kk), c.weights) - c.zeroW;
          sum += a * w;
        }
        EXPECT_EQ(output[static_cast<size_t>(row * n + j)], 2 * sum + 1);
      }
    }
  }
}

TEST(matrixPackedWeights) {
  // 5 x 6 weights behind a zero point against the identity: what drains is the weights.
  Random random(23);
  Bytes nibbles(64);
  for (uint8_t &byte : nibbles) {
    byte = static_cast<uint8_t>(random.next());
  }
  for (DType type : {DType::I4, DType::U4}) {
    for (auto [kStride, nStride] : {std::pair<int64_t, int64_t>(8, 1), {1, 6}, {12, 2}, {-8, 1}}) {
      int64_t first = kStride < 0 ? 16 : 0;
      Program program = makeProgram(96, 5 * 6 * 4);
      MicroProgram micro;
      micro.name = "copy";
      micro.numInputs = 1;
      micro.ops = {op(MicroOpcode::Input, DType::I32)};
      micro.outputs = {0};
      program.micros.push_back(micro);
      MmLoadW weights;
      weights.src = sram(first);
      weights.dtype = type;
      weights.k = 5;
      weights.n = 6;
      weights.kStride = kStride;
      weights.nStride = nStride;
      weights.zeroPoint = type == DType::U4 ? 8 : -3;
      MmClear clear;
      clear.acc = acc(0);
      clear.shape = {30};
      clear.strides = {4};
      MmExec exec;
      exec.src = sram(64);
      exec.dtype = DType::U8;
      exec.rows = {5};
      exec.rowStrides = {5};
      exec.k = 5;
      exec.n = 6;
      exec.kStride = 1;
      exec.acc = acc(0);
      exec.accStrides = {24};
      Drain drain;
      drain.shape = {30};
      drain.operands = {{acc(0), DType::I32, {4}}, {sram(256), DType::I32, {4}}};
      program.append(load(sram(0), dram(0), 96));
      program.append(Fence());
      for (const Instruction &inst : {Instruction(weights), Instruction(clear), Instruction(exec)}) {
        program.append(inst);
      }
      program.append(Fence());
      program.append(drain);
      program.append(Fence());
      program.append(store(dram(1), sram(256), 120));
      program.append(Halt());
      Bytes input = nibbles;
      input.resize(96);
      for (size_t i = 0; i < 5; ++i) {
        input[64 + 6 * i] = 1;
      }
      SimulatorOptions options;
      options.poison = true;
      auto output = fromBytes<int32_t>(runProgram(program, input, options));
      for (int64_t k = 0; k < 5; ++k) {
        for (int64_t n = 0; n < 6; ++n) {
          int64_t half = 2 * first + k * kStride + n * nStride;
          int32_t value = nibbles[static_cast<size_t>(half / 2)] >> (half % 2 * 4) & 15;
          value -= type == DType::I4 && value > 7 ? 16 : 0;
          EXPECT_EQ(output[static_cast<size_t>(6 * k + n)], value - weights.zeroPoint);
        }
      }
    }
  }
}

TEST(matrixFloats) {
  Random random(22);
  int64_t k = 7;
  int64_t n = 16;
  std::vector<float> input(1024);
  for (float &x : input) {
    x = static_cast<float>(random.between(-1000, 1000)) * 0.013f;
  }
  input[5] = INFINITY;
  input[512 + 3] = NAN;
  auto output =
      fromBytes<float>(runProgram(matrixProgram({DType::F32, DType::F32, 0, 0}, k, n, true), toBytes(input)));
  for (int64_t row = 0; row < 6; ++row) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t kk = 0; kk < k; ++kk) {
          float a = input[static_cast<size_t>(row / 3 * 64 + row % 3 * 2 * k + 2 * kk)];
          sum = std::fma(a, input[static_cast<size_t>(512 + j * k + kk)], sum);
        }
      }
      float got = output[static_cast<size_t>(row * n + j)];
      EXPECT(got == sum + 1.0f || (std::isnan(got) && std::isnan(sum)));
    }
  }
}

TEST(matrixNarrowFloatsWidenExactly) {
  for (DType type : {DType::F16, DType::BF16}) {
    // 1.5 in both formats: 0x3e00 and 0x3fc0.
    uint16_t bits = type == DType::F16 ? 0x3e00 : 0x3fc0;
    std::vector<uint16_t> input(2048, bits);
    auto output = fromBytes<float>(runProgram(matrixProgram({type, type, 0, 0}, 4, 16, true), toBytes(input)));
    EXPECT_EQ(output.size(), size_t(96));
    for (float x : output) {
      EXPECT_EQ(x, 2 * 4 * 2.25f + 1);
    }
  }
}

TEST(matrixNeedsFittingWeights) {
  MmExec exec;
  exec.dtype = DType::I8;
  exec.rows = {1};
  exec.rowStrides = {0};
  exec.accStrides = {0};
  exec.acc = acc(0);
  exec.k = 4;
  exec.n = 4;
  exec.kStride = 1;
  EXPECT_CONTAINS(errorOf(fenced(64, {exec}), Bytes(64)), "'mm_exec' on mm, node 'node'): no weights have been loaded");
  MmLoadW weights;
  weights.dtype = DType::I8;
  weights.k = 5;
  weights.n = 4;
  weights.kStride = 4;
  weights.nStride = 1;
  EXPECT_CONTAINS(errorOf(fenced(64, {weights, exec}), Bytes(64)), "but the array holds 'i8', k 5 and n 4");
}

TEST(loopsAndRings) {
  // y[i] = x[i] copied through a ring of two slots, 8 bytes at a time.
  Program program = makeProgram(80, 80);
  LoopBegin loop;
  loop.count = 10;
  program.append(signalling([] {
    Sync sync;
    sync.queue = Queue::ST;
    return sync;
  }(), {{1, 2}}));
  program.append(loop);
  program.append(signalling(waiting(load(sram(0, {{0, 8, 2}}), dram(0, 0, {{0, 8, 0}}), 8), {{1, 1}}), {{0, 1}}));
  program.append(signalling(waiting(store(dram(1, 0, {{0, 8, 0}}), sram(0, {{0, 8, 2}}), 8), {{0, 1}}), {{1, 1}}));
  program.append(LoopEnd());
  program.append(Halt());
  Bytes input = counting(80);
  Report report;
  EXPECT(runProgram(program, input, {}, &report) == input);
  EXPECT_EQ(report.sramHighWater, 16u);
  EXPECT_EQ(report.queues[0].instructions, 10u);
  EXPECT_EQ(report.dramReadBytes, 80u);
  EXPECT_EQ(report.dramBusBytes, 2u * 10 * 32);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatorOptions options;
    options.perturbSeed = seed;
    options.poison = true;
    EXPECT(runProgram(program, input, options) == input);
  }
}

TEST(nestedLoops) {
  // dst[i][j] = src[j][i] by single bytes.
  Program program = makeProgram(12, 12);
  program.append(signalling(load(sram(0), dram(0), 12), {{0, 1}}));
  LoopBegin outer;
  outer.count = 4;
  LoopBegin inner;
  inner.count = 3;
  Sync first;
  first.queue = Queue::ST;
  program.append(waiting(first, {{0, 1}}));
  program.append(outer);
  program.append(inner);
  program.append(store(dram(1, 0, {{0, 3, 0}, {1, 1, 0}}), sram(0, {{0, 1, 0}, {1, 4, 0}}), 1));
  program.append(LoopEnd());
  program.append(LoopEnd());
  program.append(Halt());
  Bytes output = runProgram(program, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT(output == Bytes({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
}

TEST(verifierRefuses) {
  auto fault = [](std::vector<Instruction> middle) {
    Program program = fenced(64, middle);
    auto info = verifyProgram(program);
    return info ? std::string() : info.error().str();
  };
  EXPECT_EQ(fault({}), "");
  EXPECT_CONTAINS(fault({load(sram(65530), dram(0), 10)}), "'dst' reaches bytes 65530 to 65539 of sram, which has 65536");
  EXPECT_CONTAINS(fault({load(sram(0), dram(0, 60), 10)}), "of region 0 ('x'), which has 64");
  EXPECT_CONTAINS(fault({load(sram(0), dram(7), 10)}), "names region 7, but there are 2");
  EXPECT_CONTAINS(fault({load(sram(-4), dram(0), 4)}), "reaches bytes -4 to -1");
  EXPECT_CONTAINS(fault({load(dram(0), dram(0), 4)}), "'dst' must be in sram, but is in dram");
  EXPECT_CONTAINS(fault({store(dram(0), sram(0), 4)}), "writes to region 0 ('x'), which is an input");
  EXPECT_CONTAINS(fault({load(sram(0, {{0, 1, 0}}), dram(0), 4)}), "only 0 loops enclose");
  EXPECT_CONTAINS(fault({waiting(load(sram(0), dram(0), 4), {{99, 1}})}), "semaphore 99 does not exist");
  EXPECT_CONTAINS(fault({waiting(load(sram(0), dram(0), 4), {{0, 8}})}), "a count of 8 is above the target's 7");
  DmaLd broken = load(sram(0), dram(0), 4);
  broken.srcStrides = {};
  EXPECT_CONTAINS(fault({broken}), "'src_strides' has 0 entries, but 'shape' has 1");
  broken = load(sram(0), dram(0), -1);
  EXPECT_CONTAINS(fault({broken}), "'shape' has the extent -1");
  broken = load(sram(0), dram(0), INT64_MAX);
  EXPECT_CONTAINS(fault({broken}), "spans more than");
  broken = load(sram(INT64_MAX), dram(0), 4);
  EXPECT_CONTAINS(fault({broken}), "reaches bytes 9223372036854775807 to 9223372036854775810");
  broken = load(sram(0), dram(0), 4);
  broken.elementBytes = 3;
  EXPECT_CONTAINS(fault({broken}), "'element_bytes' is 3");
  MmLoadW weights;
  weights.dtype = DType::I8;
  weights.k = 17;
  weights.n = 4;
  EXPECT_CONTAINS(fault({weights}), "'k' is 17, but the array has 16 rows");
  weights.k = 4;
  weights.dtype = DType::I16;
  EXPECT_CONTAINS(fault({weights}), "'dtype' has element type 'i16', but must have one of i8, u8, f16, bf16, f32, i4, u4");
  weights.dtype = DType::F32;
  weights.src = sram(2);
  EXPECT_CONTAINS(fault({weights}), "misaligned: offset and strides must be multiples of 4");
  weights.src = sram(0);
  weights.zeroPoint = 1;
  EXPECT_CONTAINS(fault({weights}), "'zero_point' is 1, but floats have none");
  MmLoadW packed;
  packed.dtype = DType::I4;
  packed.k = 4;
  packed.n = 5;
  packed.kStride = 6;
  packed.nStride = 1;
  packed.zeroPoint = 8;
  EXPECT_EQ(fault({packed}), "");
  packed.src = sram(65525);
  EXPECT_CONTAINS(fault({packed}), "'src' reaches bytes 65525 to 65536 of sram");
  packed.src = sram(0);
  packed.kStride = 5;
  EXPECT_CONTAINS(fault({packed}), "'k_stride' is 5 and 'n_stride' 1 half bytes, but for 'i4' one may be 1");
  packed.kStride = 1;
  EXPECT_CONTAINS(fault({packed}), "the others must be even");
  MmExec activations;
  activations.dtype = DType::U4;
  activations.k = 4;
  activations.n = 5;
  EXPECT_CONTAINS(fault({activations}), "'dtype' has element type 'u4', but must have one of i8, u8, f16, bf16, f32");
  VExec exec;
  exec.micro = 3;
  EXPECT_CONTAINS(fault({exec}), "microprogram 3 does not exist");
  LoopBegin loop;
  loop.count = 2;
  EXPECT_CONTAINS(fault({loop, loop, loop, loop, loop, LoopEnd(), LoopEnd(), LoopEnd(), LoopEnd(), LoopEnd()}),
                  "loops are nested 5 deep, but the target has 4 ('loop_depth')");
}

TEST(verifierChecksMicroUse) {
  MicroProgram micro;
  micro.name = "copy";
  micro.numInputs = 1;
  micro.ops = {op(MicroOpcode::Input, DType::F32)};
  micro.outputs = {0};
  auto fault = [&](VExec exec) {
    Program program = fenced(64, {exec});
    program.micros.push_back(micro);
    auto info = verifyProgram(program);
    return info ? std::string() : info.error().str();
  };
  VExec exec;
  exec.shape = {4};
  exec.operands = {{sram(0), DType::F32, {4}}, {sram(16), DType::F32, {4}}};
  EXPECT_EQ(fault(exec), "");
  VExec bad = exec;
  bad.operands.pop_back();
  EXPECT_CONTAINS(fault(bad), "there are 1 operands, but microprogram 'copy' has 1 inputs and 1 outputs");
  bad = exec;
  bad.operands[0].dtype = DType::I32;
  EXPECT_CONTAINS(fault(bad), "operand 0: has type 'i32', but the microprogram reads 'f32'");
  bad = exec;
  bad.operands[0].dtype = DType::I4;
  EXPECT_CONTAINS(fault(bad), "'operands' has element type 'i4', but must have one of b8, i8,");
  bad = exec;
  bad.operands[1].strides = {0};
  EXPECT_CONTAINS(fault(bad), "written by all points of dimension 0");
  bad.reductionMask = 1;
  EXPECT_EQ(fault(bad), "");
  bad = exec;
  bad.reductionMask = 2;
  EXPECT_CONTAINS(fault(bad), "'reduction_mask' is 2, but there are 1 dimensions");
  bad = exec;
  bad.operands[0].address = acc(0);
  EXPECT_CONTAINS(fault(bad), "must be in sram, but is in acc");
  bad = exec;
  bad.operands[1].strides = {2};
  EXPECT_CONTAINS(fault(bad), "misaligned");
}

TEST(poisonFindsUnwrittenBytes) {
  SimulatorOptions options;
  options.poison = true;
  Program program = makeProgram(8, 16);
  program.append(signalling(load(sram(0), dram(0), 8), {{0, 1}}));
  program.append(waiting(store(dram(1), sram(0), 16), {{0, 1}}), "out");
  program.append(Halt());
  EXPECT_CONTAINS(errorOf(program, Bytes(8), options),
                  "instruction 1 ('dma_st' on st, node 'out'): reads bytes that nobody has written");
  EXPECT_EQ(errorOf(program, Bytes(8)), "");
  MmLoadW weights;
  weights.dtype = DType::I8;
  weights.k = 2;
  weights.n = 2;
  weights.kStride = 2;
  weights.nStride = 1;
  MmExec exec;
  exec.dtype = DType::I8;
  exec.rows = {1};
  exec.rowStrides = {0};
  exec.accStrides = {0};
  exec.acc = acc(0);
  exec.k = 2;
  exec.n = 2;
  exec.kStride = 1;
  EXPECT_CONTAINS(errorOf(fenced(8, {weights, exec}), Bytes(8), options), "accumulates onto sums that nobody");
}
