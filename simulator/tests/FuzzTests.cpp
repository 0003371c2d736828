// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that use every instruction, damaged at random: whatever the verifier
// lets through must run without touching foreign memory. Meant for a build with
// sanitizers, and cheap enough for every build.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/InstructionCost.h"
#include "simulator/core/Verifier.h"
#include "simulator/tests/Builder.h"

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// One of everything, in loops, in bounds.
Program fullProgram() {
  Program program = makeProgram(512, 512);
  Region table{RegionRole::Constant, "table", 64, DType::I8, {8, 8}, Bytes(64, 5)};
  program.regions.push_back(table);
  program.regions.push_back({RegionRole::Arena, "arena", 256, DType::I8, {256}, {}});
  MicroProgram micro;
  micro.name = "scale and add";
  micro.numInputs = 2;
  micro.ops = {op(MicroOpcode::Input, DType::F32, 0, 0, 0, 0), op(MicroOpcode::Input, DType::F32, 0, 0, 0, 1),
               op(MicroOpcode::Current, DType::F32, 0, 0, 0, 0), op(MicroOpcode::Iota, DType::I32, 0, 0, 0, 1),
               op(MicroOpcode::Sitofp, DType::F32, 3), op(MicroOpcode::Fma, DType::F32, 0, 4, 2),
               op(MicroOpcode::Maximumf, DType::F32, 5, 1)};
  micro.outputs = {6};
  program.micros.push_back(micro);
  MicroProgram quantize;
  quantize.name = "quantize";
  quantize.numInputs = 1;
  quantize.ops = {op(MicroOpcode::Input, DType::I32), op(MicroOpcode::Sitofp, DType::F32, 0),
                  op(MicroOpcode::Fptosi, DType::I8, 1)};
  quantize.outputs = {2};
  program.micros.push_back(quantize);
  LoopBegin loop;
  loop.count = 3;
  program.append(loop);
  program.append(signalling(load(sram(0, {{0, 64, 2}}), dram(0, 0, {{0, 64, 0}}), 256), {{0, 1}}), "load");
  DmaFill fill;
  fill.queue = Queue::ST;
  fill.dst = dram(3);
  fill.shape = {4, 8};
  fill.dstStrides = {64, 4};
  fill.elementBytes = 4;
  fill.value = 0;
  program.append(fill, "fill");
  DmaGather gather;
  gather.dst = sram(1024);
  gather.dstStride = 8;
  gather.table = dram(2);
  gather.tableRows = 8;
  gather.tableStride = 8;
  gather.rowBytes = 8;
  gather.indices = dram(0);
  gather.indexDtype = DType::I32;
  gather.count = 4;
  program.append(gather, "gather");
  DmaScatter scatter;
  scatter.table = dram(3, 128);
  scatter.tableRows = 8;
  scatter.tableStride = 8;
  scatter.src = sram(0);
  scatter.srcStride = 8;
  scatter.rowBytes = 8;
  scatter.indices = dram(0);
  scatter.indexDtype = DType::I64;
  scatter.count = 2;
  program.append(scatter, "scatter");
  MmClear clear;
  clear.acc = acc(0);
  clear.shape = {4, 8};
  clear.strides = {32, 4};
  program.append(clear);
  MmLoadW weights;
  weights.dtype = DType::I8;
  weights.src = sram(64);
  weights.k = 8;
  weights.n = 8;
  weights.kStride = 8;
  weights.nStride = 1;
  program.append(waiting(weights, {{0, 1}}));
  MmExec exec;
  exec.dtype = DType::I8;
  exec.src = sram(0);
  exec.rows = {2, 2};
  exec.rowStrides = {32, 8};
  exec.k = 8;
  exec.n = 8;
  exec.kStride = 1;
  exec.acc = acc(0);
  exec.accStrides = {64, 32};
  program.append(exec, "matmul");
  weights.dtype = DType::I4;
  program.append(weights);
  program.append(signalling(exec, {{1, 1}}), "packed matmul");
  Drain drain;
  drain.micro = 1;
  drain.shape = {4, 8};
  drain.operands = {{acc(0), DType::I32, {32, 4}}, {sram(2048), DType::I8, {8, 1}}};
  program.append(signalling(waiting(drain, {{1, 1}}), {{2, 1}}), "drain");
  VExec vector;
  vector.micro = 0;
  vector.shape = {3, 5, 2};
  vector.reductionMask = 4;
  vector.operands = {{sram(0), DType::F32, {40, 8, 4}}, {sram(512), DType::F32, {20, 4, 0}},
                     {sram(3072), DType::F32, {20, 4, 0}}};
  program.append(signalling(waiting(vector, {{2, 1}}), {{3, 1}}), "vector");
  VGather elements;
  elements.dst = sram(4096);
  elements.dstStrides = {8, 2};
  elements.table = sram(2048);
  elements.tableStrides = {0, 2};
  elements.tableRows = 3;
  elements.tableStride = 8;
  elements.indices = sram(512);
  elements.indexStrides = {4, 0};
  elements.indexDtype = DType::I32;
  elements.shape = {2, 4};
  elements.elementBytes = 2;
  program.append(elements, "elements");
  VSort sort;
  sort.dst = sram(5120);
  sort.dstStrides = {12, 4};
  sort.indices = sram(6144);
  sort.indexStrides = {12, 4};
  sort.src = sram(2048);
  sort.srcStrides = {28, 4};
  sort.dtype = DType::F32;
  sort.shape = {2, 7};
  sort.k = 3;
  sort.descending = 1;
  sort.results = kSortValues | kSortIndices;
  program.append(sort, "top");
  DmaCp copy;
  copy.queue = Queue::ST;
  copy.dst = sram(7168);
  copy.src = sram(2048);
  copy.shape = {4, 3};
  copy.dstStrides = {4, 16};
  copy.srcStrides = {12, 4};
  copy.elementBytes = 4;
  Sync sync;
  sync.queue = Queue::ST;
  program.append(waiting(sync, {{3, 1}}));
  program.append(copy, "copy");
  program.append(store(dram(1), sram(2048), 32), "store");
  program.append(LoopEnd());
  program.append(Fence());
  program.append(Mark());
  program.append(Halt());
  return program;
}

/// Whether a run would be short. Damaged extents can ask for billions of points.
bool isShort(const Program &program) {
  uint64_t total = 0;
  for (const Instruction &inst : program.code) {
    InstructionCost cost = instructionCost(program, inst);
    total += cost.cycles + cost.dma.usefulBytes + cost.macs + cost.vectorOps;
  }
  uint64_t memory = 0;
  for (const Region &region : program.regions) {
    memory += region.bytes;
  }
  return total < 1000000 && memory < 1000000;
}

} // namespace

TEST(everyInstructionRuns) {
  Program program = fullProgram();
  for (Opcode wanted : kAllOpcodes) {
    bool found = false;
    for (const Instruction &inst : program.code) {
      found |= opcode(inst) == wanted;
    }
    EXPECT_EQ(std::string(found ? "" : spell(wanted)), "");
  }
  EXPECT_EQ(errorOf(program, Bytes(512)), "");
  SimulatorOptions portable;
  portable.portableKernels = true;
  Bytes input(512);
  for (size_t i = 32; i < input.size(); ++i) {
    input[i] = static_cast<uint8_t>(i * 37);
  }
  EXPECT(runProgram(program, input) == runProgram(program, input, portable));
}

TEST(whatVerifiesStaysInBounds) {
  Random random(31);
  Bytes file = writeProgram(fullProgram());
  Result<Container> container = readContainer(file);
  uint64_t ran = 0;
  for (int round = 0; round < 6000; ++round) {
    Container damaged = *container;
    for (Section &section : damaged.sections) {
      if (section.kind != SectionKind::Code && section.kind != SectionKind::Micro &&
          (section.kind != SectionKind::IO || random.below(4) != 0)) {
        continue;
      }
      for (uint64_t n = random.below(3); n > 0; --n) {
        uint8_t &byte = section.bytes[random.below(section.bytes.size())];
        byte = random.below(2) ? static_cast<uint8_t>(random.next()) : static_cast<uint8_t>(byte + random.between(-2, 2));
      }
    }
    Result<Program> program = readProgram(writeContainer(damaged));
    if (!program || !verifyProgram(*program) || !isShort(*program) || program->regions.empty()) {
      continue;
    }
    ++ran;
    SimulatorOptions options;
    options.maxInstructions = 500;
    options.poison = random.below(2) != 0;
    options.perturbSeed = random.below(3);
    errorOf(*program, Bytes(program->regions[0].bytes), options);
  }
  EXPECT(ran > 500);
}
