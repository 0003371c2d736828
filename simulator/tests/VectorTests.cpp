// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microprograms and iteration spaces: single operations at odd values, and
// random spaces against a point-by-point interpreter.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Verifier.h"
#include "simulator/numerics/Transcendental.h"
#include "simulator/tests/Builder.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace npuhw;
using namespace npuhw::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Applies one operation (its operands are inputs) to elements given as memory
/// bits, through a whole program; returns the memory bits of the results.
std::vector<uint32_t> apply(MicroOpcode opcode, DType in, DType out, const std::vector<std::vector<uint32_t>> &operands,
                            uint64_t imm = 0, DType first = DType::B8) {
  size_t count = operands[0].size();
  unsigned arity = microOperandCount(opcode);
  MicroProgram micro;
  micro.numInputs = static_cast<uint16_t>(arity);
  Program program = makeProgram(4096, 4 * count);
  VExec exec;
  exec.shape = {static_cast<int64_t>(count)};
  Bytes input(4096);
  int64_t at = 0;
  for (unsigned k = 0; k < arity; ++k) {
    DType type = opcode == MicroOpcode::Select && k == 0 ? first : in;
    unsigned bytes = dtypeBytes(type);
    at = (at + 7) / 8 * 8;
    micro.ops.push_back(op(MicroOpcode::Input, registerType(type), 0, 0, 0, k));
    exec.operands.push_back({sram(at), type, {static_cast<int64_t>(bytes)}});
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(input.data() + at + static_cast<int64_t>(i) * bytes, &operands[k][i], std::min(bytes, 4u));
    }
    at += static_cast<int64_t>(count * bytes);
  }
  micro.ops.push_back(op(opcode, registerType(out), 0, arity > 1 ? 1 : 0, arity > 2 ? 2 : 0, imm));
  micro.outputs = {static_cast<uint16_t>(arity)};
  program.micros.push_back(micro);
  int64_t outBytes = dtypeBytes(out);
  exec.operands.push_back({sram(8192), out, {outBytes}});
  program.append(signalling(load(sram(0), dram(0), 4096), {{0, 1}}));
  program.append(signalling(waiting(exec, {{0, 1}}), {{1, 1}}));
  program.append(waiting(store(dram(1), sram(8192), static_cast<int64_t>(count) * outBytes), {{1, 1}}));
  program.append(Halt());
  Bytes output = runProgram(program, input);
  std::vector<uint32_t> result(count);
  for (size_t i = 0; i < count && !output.empty(); ++i) {
    std::memcpy(&result[i], output.data() + i * static_cast<size_t>(outBytes), static_cast<size_t>(outBytes));
  }
  return result;
}

uint32_t bitsOf(float x) { return numerics::toBits(x); }

/// A float operation on f32 operands.
float f32(MicroOpcode opcode, float a, float b = 0, float c = 0) {
  return numerics::fromBits(apply(opcode, DType::F32, DType::F32, {{bitsOf(a)}, {bitsOf(b)}, {bitsOf(c)}})[0]);
}

/// An integer operation on values of one type.
int32_t integer(MicroOpcode opcode, DType type, int32_t a, int32_t b = 0) {
  uint32_t bits = apply(opcode, type, type, {{static_cast<uint32_t>(a)}, {static_cast<uint32_t>(b)}})[0];
  return type == DType::I8 ? static_cast<int8_t>(bits) : type == DType::I16 ? static_cast<int16_t>(bits)
                                                                            : static_cast<int32_t>(bits);
}

uint32_t convert(MicroOpcode opcode, DType from, DType to, uint32_t value) {
  return apply(opcode, from, to, {{value}})[0];
}

} // namespace

TEST(floatOperations) {
  EXPECT(std::isnan(f32(MicroOpcode::Maximumf, kNaN, 1)));
  EXPECT(std::isnan(f32(MicroOpcode::Minimumf, 1, kNaN)));
  EXPECT_EQ(f32(MicroOpcode::Maxnumf, kNaN, 1), 1.0f);
  EXPECT_EQ(f32(MicroOpcode::Minnumf, 2, kNaN), 2.0f);
  EXPECT(std::isnan(f32(MicroOpcode::Maxnumf, kNaN, kNaN)));
  EXPECT(!std::signbit(f32(MicroOpcode::Maximumf, -0.0f, 0.0f)));
  EXPECT(!std::signbit(f32(MicroOpcode::Maxnumf, 0.0f, -0.0f)));
  EXPECT(std::signbit(f32(MicroOpcode::Minimumf, 0.0f, -0.0f)));
  EXPECT(std::signbit(f32(MicroOpcode::Minnumf, -0.0f, 0.0f)));
  EXPECT_EQ(f32(MicroOpcode::Fma, 1 + 0x1p-12f, 1 + 0x1p-12f, -1), 0x1p-11f + 0x1p-24f);
  EXPECT(std::isnan(f32(MicroOpcode::Subf, kInf, kInf)));
  EXPECT_EQ(f32(MicroOpcode::Divf, 1, -0.0f), -kInf);
  EXPECT_EQ(f32(MicroOpcode::Remf, -5.5f, 2), -1.5f);
  EXPECT(std::isnan(f32(MicroOpcode::Remf, 1, 0)));
  EXPECT_EQ(f32(MicroOpcode::Mulf, 0x1p-100f, 0x1p-49f), 0x1p-149f);
  EXPECT_EQ(f32(MicroOpcode::Roundeven, 2.5f), 2.0f);
  EXPECT_EQ(f32(MicroOpcode::Roundeven, -1.5f), -2.0f);
  EXPECT_EQ(f32(MicroOpcode::Round, 2.5f), 3.0f);
  EXPECT_EQ(f32(MicroOpcode::Round, -0.5f), -1.0f);
  EXPECT_EQ(f32(MicroOpcode::Round, 0x1.fffffep-2f), 0.0f);
  EXPECT_EQ(f32(MicroOpcode::Round, 8388609.0f), 8388609.0f);
  EXPECT_EQ(f32(MicroOpcode::Floor, -0.25f), -1.0f);
  EXPECT(std::signbit(f32(MicroOpcode::Ceil, -0.25f)));
  EXPECT(std::signbit(f32(MicroOpcode::Trunc, -0.75f)));
  EXPECT(std::isnan(f32(MicroOpcode::Sqrt, -1)));
  EXPECT(std::signbit(f32(MicroOpcode::Sqrt, -0.0f)));
  EXPECT_EQ(f32(MicroOpcode::Copysign, 3, -0.0f), -3.0f);
  EXPECT_EQ(f32(MicroOpcode::Negf, kInf), -kInf);
  EXPECT_EQ(f32(MicroOpcode::Absf, -0x1p-149f), 0x1p-149f);
  EXPECT_EQ(f32(MicroOpcode::Tanh, 0.5f), numerics::tanh(0.5f));
  EXPECT_EQ(f32(MicroOpcode::Pow, 2.0f, 0.5f), numerics::pow(2.0f, 0.5f));
}

TEST(narrowFloatOperationsRoundOnce) {
  // 1 + 2^-11 is a tie in f16 and goes to the even 1; 2048 + 1 also.
  EXPECT_EQ(apply(MicroOpcode::Addf, DType::F16, DType::F16, {{0x3c00}, {0x1000}})[0], 0x3c00u);
  EXPECT_EQ(apply(MicroOpcode::Addf, DType::F16, DType::F16, {{0x7bff}, {0x7bff}})[0], 0x7c00u);
  EXPECT_EQ(apply(MicroOpcode::Mulf, DType::BF16, DType::BF16, {{0x3f81}, {0x3f81}})[0], 0x3f82u);
  EXPECT_EQ(apply(MicroOpcode::Exp, DType::F16, DType::F16, {{0x3c00}})[0], 0x4170u);
}

TEST(integerOperations) {
  EXPECT_EQ(integer(MicroOpcode::Addi, DType::I8, 127, 1), -128);
  EXPECT_EQ(integer(MicroOpcode::Muli, DType::I16, 300, 300), static_cast<int16_t>(90000));
  EXPECT_EQ(integer(MicroOpcode::Divsi, DType::I32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(integer(MicroOpcode::Divsi, DType::I8, -128, -1), -128);
  EXPECT_EQ(integer(MicroOpcode::Divsi, DType::I32, 7, 0), -1);
  EXPECT_EQ(integer(MicroOpcode::Divsi, DType::I32, -7, 2), -3);
  EXPECT_EQ(integer(MicroOpcode::Remsi, DType::I32, -7, 2), -1);
  EXPECT_EQ(integer(MicroOpcode::Remsi, DType::I32, INT32_MIN, -1), 0);
  EXPECT_EQ(integer(MicroOpcode::Remui, DType::I8, -1, 0), -1);
  EXPECT_EQ(integer(MicroOpcode::Divui, DType::I8, -1, 2), 127);
  EXPECT_EQ(integer(MicroOpcode::Maxui, DType::I8, -1, 5), -1);
  EXPECT_EQ(integer(MicroOpcode::Maxsi, DType::I8, -1, 5), 5);
  EXPECT_EQ(integer(MicroOpcode::Shli, DType::I8, 1, 7), -128);
  EXPECT_EQ(integer(MicroOpcode::Shli, DType::I8, 1, 8), 0);
  EXPECT_EQ(integer(MicroOpcode::Shli, DType::I32, 1, 32), 0);
  EXPECT_EQ(integer(MicroOpcode::Shrsi, DType::I16, -256, 99), -1);
  EXPECT_EQ(integer(MicroOpcode::Shrui, DType::I16, -1, 8), 255);
  EXPECT_EQ(integer(MicroOpcode::Shrui, DType::I8, -1, 8), 0);
  EXPECT_EQ(integer(MicroOpcode::Absi, DType::I8, -128), -128);
  EXPECT_EQ(integer(MicroOpcode::Absi, DType::I32, -5), 5);
}

TEST(comparisons) {
  auto cmpf = [](unsigned predicate, float a, float b) {
    return apply(MicroOpcode::Cmpf, DType::F32, DType::B8, {{bitsOf(a)}, {bitsOf(b)}}, predicate)[0];
  };
  const char *truth[] = {"0000", "0100", "0010", "0110", "1000", "1100", "1010", "1110",
                         "0101", "0011", "0111", "1001", "1101", "1011", "0001", "1111"};
  for (unsigned p = 0; p < kNumCmpfPredicates; ++p) {
    // Columns: less, equal, greater, unordered.
    EXPECT_EQ(cmpf(p, 1, 2), uint32_t(truth[p][0] - '0'));
    EXPECT_EQ(cmpf(p, -0.0f, 0.0f), uint32_t(truth[p][1] - '0'));
    EXPECT_EQ(cmpf(p, 2, 1), uint32_t(truth[p][2] - '0'));
    EXPECT_EQ(cmpf(p, kNaN, 1), uint32_t(truth[p][3] - '0'));
  }
  auto cmpi = [](unsigned predicate, DType type, int32_t a, int32_t b) {
    return apply(MicroOpcode::Cmpi, type, DType::B8, {{static_cast<uint32_t>(a)}, {static_cast<uint32_t>(b)}},
                 predicate)[0];
  };
  EXPECT_EQ(cmpi(2, DType::I8, -1, 1), 1u);
  EXPECT_EQ(cmpi(6, DType::I8, -1, 1), 0u);
  EXPECT_EQ(cmpi(8, DType::I16, -1, 1), 1u);
  EXPECT_EQ(cmpi(0, DType::I32, 5, 5), 1u);
  EXPECT_EQ(cmpi(2, DType::B8, 1, 0), 1u); // signed: true is -1
  EXPECT_EQ(apply(MicroOpcode::Select, DType::F32, DType::F32, {{2}, {7}, {9}})[0], 7u);
  EXPECT_EQ(apply(MicroOpcode::Select, DType::F32, DType::F32, {{0}, {7}, {9}})[0], 9u);
}

TEST(conversions) {
  auto toInt = [](MicroOpcode opcode, DType to, float x) { return convert(opcode, DType::F32, to, bitsOf(x)); };
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I8, 127.9f), 127u);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I8, 1000), 127u);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I8, -1000), 0x80u);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I32, kNaN), 0u);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I32, kInf), 0x7fffffffu);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I32, -kInf), 0x80000000u);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I32, 2147483648.0f), 0x7fffffffu);
  EXPECT_EQ(toInt(MicroOpcode::Fptosi, DType::I16, -3.9f), 0xfffdu);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I8, 255.5f), 255u);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I8, -3), 0u);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I8, 300), 255u);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I32, 3000000000.0f), 3000000000u);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I32, kInf), 0xffffffffu);
  EXPECT_EQ(toInt(MicroOpcode::Fptoui, DType::I32, kNaN), 0u);
  EXPECT_EQ(convert(MicroOpcode::Extsi, DType::B8, DType::I32, 1), 0xffffffffu);
  EXPECT_EQ(convert(MicroOpcode::Extui, DType::B8, DType::I32, 7), 1u);
  EXPECT_EQ(convert(MicroOpcode::Extsi, DType::I8, DType::I32, 0x80), 0xffffff80u);
  EXPECT_EQ(convert(MicroOpcode::Extui, DType::I8, DType::I32, 0x80), 0x80u);
  EXPECT_EQ(convert(MicroOpcode::Extui, DType::I16, DType::I32, 0x8000), 0x8000u);
  EXPECT_EQ(convert(MicroOpcode::Trunci, DType::I32, DType::I8, 0x1ff), 0xffu);
  EXPECT_EQ(convert(MicroOpcode::Trunci, DType::I32, DType::B8, 2), 0u);
  EXPECT_EQ(convert(MicroOpcode::Trunci, DType::I64, DType::I32, 0x80000001), 0x80000001u);
  EXPECT_EQ(convert(MicroOpcode::Sitofp, DType::I64, DType::F32, 16777217), bitsOf(16777216.0f));
  EXPECT_EQ(convert(MicroOpcode::Sitofp, DType::I8, DType::F32, 0xff), bitsOf(-1.0f));
  EXPECT_EQ(convert(MicroOpcode::Uitofp, DType::I8, DType::F32, 0xff), bitsOf(255.0f));
  EXPECT_EQ(convert(MicroOpcode::Uitofp, DType::I32, DType::F32, 0xffffffff), bitsOf(4294967296.0f));
  EXPECT_EQ(convert(MicroOpcode::Sitofp, DType::B8, DType::F32, 1), bitsOf(-1.0f));
  EXPECT_EQ(convert(MicroOpcode::Uitofp, DType::B8, DType::F32, 1), bitsOf(1.0f));
  EXPECT_EQ(convert(MicroOpcode::Sitofp, DType::B8, DType::F32, 0), 0u);
  EXPECT_EQ(convert(MicroOpcode::Sitofp, DType::I32, DType::F16, 65520), 0x7c00u);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F32, DType::BF16, bitsOf(1.0f + 0x1p-8f)), 0x3f80u);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F32, DType::F16, bitsOf(1e6f)), 0x7c00u);
  EXPECT_EQ(convert(MicroOpcode::Extf, DType::F16, DType::F32, 0x0001), bitsOf(0x1p-24f));
  EXPECT_EQ(convert(MicroOpcode::Extf, DType::F8E4M3, DType::F32, 0x01), bitsOf(0x1p-9f));
  EXPECT_EQ(convert(MicroOpcode::Extf, DType::F8E5M2, DType::F16, 0x7b), 0x7b00u);
  EXPECT_EQ(convert(MicroOpcode::Extf, DType::F8E4M3, DType::BF16, 0xfe), 0xc3e0u);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F32, DType::F8E4M3, bitsOf(464)), 0x7eu);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F32, DType::F8E4M3, bitsOf(-465)), 0xffu);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F32, DType::F8E5M2, bitsOf(-kInf)), 0xfcu);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::F16, DType::F8E5M2, 0x3c80), 0x3cu);
  EXPECT_EQ(convert(MicroOpcode::Truncf, DType::BF16, DType::F8E4M3, 0x3f88), 0x38u);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::I8, DType::F8E4M3, 0x81), 0x81u);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::F8E5M2, DType::I8, 0x81), 0x81u);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::F8E5M2, DType::F8E4M3, 0x3c), 0x3cu);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::F16, DType::I16, 0xbc00), 0xbc00u);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::I16, DType::BF16, 0xbf80), 0xbf80u);
  EXPECT_EQ(convert(MicroOpcode::Bitcast, DType::F32, DType::I32, 0x7fc00001), 0x7fc00001u);
}

namespace {

/// A random space with a program that sums products and keeps a maximum with
/// its index, run through the engine and, point by point, here.
void compareSpace(Random &random) {
  MicroProgram micro;
  micro.name = "dot and argmax";
  micro.numInputs = 2;
  micro.ops = {
      op(MicroOpcode::Input, DType::F32, 0, 0, 0, 0),                     // 0
      op(MicroOpcode::Input, DType::F32, 0, 0, 0, 1),                     // 1
      op(MicroOpcode::Current, DType::F32, 0, 0, 0, 0),                   // 2
      op(MicroOpcode::Current, DType::F32, 0, 0, 0, 1),                   // 3
      op(MicroOpcode::Fma, DType::F32, 0, 1, 2),                          // 4
      op(MicroOpcode::Iota, DType::I32, 0, 0, 0, 0),                      // 5, dimension set below
      op(MicroOpcode::Sitofp, DType::F32, 5),                             // 6
      op(MicroOpcode::Const, DType::F32, 0, 0, 0, bitsOf(0.125f)),        // 7
      op(MicroOpcode::Fma, DType::F32, 6, 7, 1),                          // 8
      op(MicroOpcode::Subf, DType::F32, 3, 8),                            // 9
  };
  micro.outputs = {4, 9};
  VExec exec;
  unsigned rank = static_cast<unsigned>(1 + random.below(4));
  for (unsigned d = 0; d < rank; ++d) {
    exec.shape.push_back(random.between(1, random.below(4) == 0 ? 300 : 7));
  }
  int64_t points = 1;
  for (int64_t extent : exec.shape) {
    points *= extent;
  }
  if (points > 4000) {
    return;
  }
  exec.reductionMask = static_cast<uint8_t>(random.below(uint64_t(1) << rank));
  micro.ops[5].imm = random.below(rank);
  // Inputs are dense or broadcast in some dimensions; outputs lack the reduction dimensions.
  int64_t bases[] = {0, 16384, 32768, 49152};
  for (unsigned k = 0; k < 4; ++k) {
    Operand operand;
    operand.address = sram(bases[k]);
    operand.dtype = DType::F32;
    operand.strides.resize(rank);
    // Half of them in an order of dimensions of their own.
    std::vector<unsigned> order(rank);
    for (unsigned d = 0; d < rank; ++d) {
      order[d] = d;
    }
    for (unsigned d = rank; d > 1 && random.below(2) == 0; --d) {
      std::swap(order[d - 1], order[random.below(d)]);
    }
    int64_t stride = 4;
    for (unsigned i = rank; i-- > 0;) {
      unsigned d = order[i];
      bool reduced = (exec.reductionMask >> d & 1) != 0;
      bool present = k < 2 ? random.below(4) != 0 : !reduced;
      operand.strides[d] = present ? stride : 0;
      stride *= present ? exec.shape[d] : 1;
    }
    exec.operands.push_back(operand);
  }
  if (exec.reductionMask == 0 && random.below(3) == 0) {
    // In place.
    exec.operands[0] = exec.operands[2];
    bases[0] = bases[2];
  }
  Program program = makeProgram(65536, 65536);
  program.micros.push_back(micro);
  program.append(signalling(load(sram(0), dram(0), 65536), {{0, 1}}));
  program.append(signalling(waiting(exec, {{0, 1}}), {{1, 1}}));
  program.append(waiting(store(dram(1), sram(0), 65536), {{1, 1}}));
  program.append(Halt());
  std::vector<float> memory(16384);
  for (float &x : memory) {
    x = static_cast<float>(random.between(-1000, 1000)) * 0.037f;
  }
  Bytes output = runProgram(program, toBytes(memory));
  // The meaning: one point after the other.
  std::vector<int64_t> index(rank);
  for (int64_t p = 0; p < points; ++p) {
    int64_t at[4];
    for (unsigned k = 0; k < 4; ++k) {
      at[k] = bases[k];
      for (unsigned d = 0; d < rank; ++d) {
        at[k] += index[d] * exec.operands[k].strides[d];
      }
      at[k] /= 4;
    }
    float a = memory[at[0]];
    float b = memory[at[1]];
    float sum = std::fma(a, b, memory[at[2]]);
    float other = memory[at[3]] - std::fma(static_cast<float>(index[micro.ops[5].imm]), 0.125f, b);
    memory[at[2]] = sum;
    memory[at[3]] = other;
    for (unsigned d = rank; d-- > 0;) {
      if (++index[d] < exec.shape[d]) {
        break;
      }
      index[d] = 0;
    }
  }
  EXPECT(output == toBytes(memory));
}

} // namespace

TEST(spacesMatchPointByPoint) {
  Random random(11);
  for (int i = 0; i < 400; ++i) {
    compareSpace(random);
  }
}

TEST(currentValuesThatCross) {
  // Two outputs that swap at every point: the registers must not be carried.
  MicroProgram micro;
  micro.ops = {op(MicroOpcode::Current, DType::F32, 0, 0, 0, 0), op(MicroOpcode::Current, DType::F32, 0, 0, 0, 1)};
  micro.outputs = {1, 0};
  VExec exec;
  exec.shape = {3};
  exec.reductionMask = 1;
  exec.operands = {{sram(0), DType::F32, {0}}, {sram(4), DType::F32, {0}}};
  Program program = makeProgram(8, 8);
  program.micros.push_back(micro);
  program.append(signalling(load(sram(0), dram(0), 8), {{0, 1}}));
  program.append(signalling(waiting(exec, {{0, 1}}), {{1, 1}}));
  program.append(waiting(store(dram(1), sram(0), 8), {{1, 1}}));
  program.append(Halt());
  EXPECT(fromBytes<float>(runProgram(program, toBytes<float>({1, 2}))) == std::vector<float>({2, 1}));
}

TEST(emptySpaces) {
  MicroProgram micro;
  micro.ops = {op(MicroOpcode::Const, DType::F32, 0, 0, 0, bitsOf(5))};
  micro.outputs = {0};
  for (int64_t extent : {0, 1}) {
    VExec exec;
    exec.shape = {extent, 3};
    exec.operands = {{sram(0), DType::F32, {12, 4}}};
    Program program = makeProgram(12, 12);
    program.micros.push_back(micro);
    program.append(signalling(load(sram(0), dram(0), 12), {{0, 1}}));
    program.append(signalling(waiting(exec, {{0, 1}}), {{1, 1}}));
    program.append(waiting(store(dram(1), sram(0), 12), {{1, 1}}));
    program.append(Halt());
    float expected = extent == 0 ? 1.0f : 5.0f;
    EXPECT(fromBytes<float>(runProgram(program, toBytes<float>({1, 1, 1}))) ==
           std::vector<float>({expected, expected, expected}));
  }
}

TEST(typingRules) {
  auto fault = [](std::vector<MicroOp> ops) {
    MicroProgram micro;
    micro.numInputs = 1;
    micro.ops = std::move(ops);
    micro.outputs = {static_cast<uint16_t>(micro.ops.size() - 1)};
    return verifyMicro(micro);
  };
  MicroOp f = op(MicroOpcode::Input, DType::F32);
  MicroOp i = op(MicroOpcode::Input, DType::I8);
  EXPECT_EQ(fault({f, op(MicroOpcode::Addf, DType::F32, 0, 0)}), "");
  EXPECT_CONTAINS(fault({i, op(MicroOpcode::Addf, DType::F32, 0, 0)}), "expected operands of type 'f32'");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Addf, DType::F32, 0, 1)}), "register 1 is not defined before");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Addi, DType::F32, 0, 0)}), "expected an integer type");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Extf, DType::F32, 0)}), "cannot convert 'f32' to 'f32'");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Exp, DType::F32, 0, 0, 0, 3)}), "immediate is not used");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Cmpf, DType::B8, 0, 0, 0, 16)}), "predicate 16 does not exist");
  EXPECT_CONTAINS(fault({op(MicroOpcode::Input, DType::F32, 0, 0, 0, 1)}), "input 1 does not exist");
  EXPECT_CONTAINS(fault({op(MicroOpcode::Input, DType::U8)}), "cannot have type 'u8'");
  EXPECT_CONTAINS(fault({op(MicroOpcode::Input, DType::I4)}), "cannot have type 'i4'");
  MicroOp f8 = op(MicroOpcode::Input, DType::F8E4M3);
  EXPECT_EQ(fault({f8, op(MicroOpcode::Extf, DType::BF16, 0)}), "");
  EXPECT_CONTAINS(fault({f8, op(MicroOpcode::Addf, DType::F8E4M3, 0, 0)}),
                  "expected a float type with arithmetic, but found 'f8e4m3'");
  EXPECT_CONTAINS(fault({f8, op(MicroOpcode::Cmpf, DType::B8, 0, 0)}), "cannot compare 'f8e4m3' with 'f8e4m3'");
  EXPECT_CONTAINS(fault({f8, op(MicroOpcode::Fptosi, DType::I8, 0)}), "cannot convert 'f8e4m3' to 'i8'");
  EXPECT_CONTAINS(fault({f8, op(MicroOpcode::Extf, DType::F8E5M2, 0)}), "cannot convert 'f8e4m3' to 'f8e5m2'");
  EXPECT_CONTAINS(fault({f, op(MicroOpcode::Sitofp, DType::F8E5M2, 0)}), "cannot convert 'f32' to 'f8e5m2'");
}

TEST(liveRegisters) {
  MicroProgram micro;
  micro.numInputs = 2;
  micro.ops = {op(MicroOpcode::Input, DType::F32, 0, 0, 0, 0), op(MicroOpcode::Input, DType::F32, 0, 0, 0, 1),
               op(MicroOpcode::Addf, DType::F32, 0, 1), op(MicroOpcode::Mulf, DType::F32, 2, 1),
               op(MicroOpcode::Exp, DType::F32, 3)};
  micro.outputs = {4};
  EXPECT_EQ(maxLiveRegisters(micro), 2u);
  micro.outputs = {4, 0};
  EXPECT_EQ(maxLiveRegisters(micro), 3u);
  EXPECT_EQ(microCycles(testTarget(), micro), 14u);
}
