// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that move elements as the data say: dma_scatter, v_gather and
// v_sort.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/InstructionCost.h"
#include "simulator/core/Kernels.h"
#include "simulator/core/Verifier.h"
#include "simulator/numerics/Transcendental.h"
#include "simulator/tests/Builder.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// The input in SRAM at 0, one instruction, the bytes of SRAM from `from` on.
Program around(const Instruction &inst, uint64_t inputBytes, int64_t from, uint64_t outputBytes) {
  Program program = makeProgram(inputBytes, outputBytes);
  program.append(load(sram(0), dram(0), static_cast<int64_t>(inputBytes)));
  program.append(Fence());
  program.append(inst, "node");
  program.append(Fence());
  program.append(store(dram(1), sram(from), static_cast<int64_t>(outputBytes)));
  program.append(Halt());
  return program;
}

std::string faultOf(const Instruction &inst) {
  auto info = verifyProgram(around(inst, 256, 0, 16));
  return info ? std::string() : info.error().str();
}

/// Indices as bytes of type i32 or i64.
Bytes indexBytes(DType type, const std::vector<int64_t> &indices) {
  return type == DType::I64 ? toBytes(indices) : toBytes(std::vector<int32_t>(indices.begin(), indices.end()));
}

} // namespace

//===----------------------------------------------------------------------===//
// dma_scatter
//===----------------------------------------------------------------------===//

namespace {

/// Four rows of 4 bytes at sram[64] to the rows of the output, which has six; indices at sram[0].
DmaScatter scatter(DType type, int64_t count) {
  DmaScatter inst;
  inst.table = dram(1);
  inst.tableRows = 6;
  inst.tableStride = 4;
  inst.src = sram(64);
  inst.srcStride = 8;
  inst.rowBytes = 4;
  inst.indices = sram(0);
  inst.indexDtype = type;
  inst.count = count;
  return inst;
}

Program scatterProgram(const DmaScatter &inst) {
  Program program = makeProgram(128, 24);
  program.append(load(sram(0), dram(0), 128));
  program.append(Fence());
  program.append(inst, "cache");
  program.append(Halt());
  return program;
}

Bytes scatterInput(DType type, const std::vector<int64_t> &indices) {
  Bytes input = indexBytes(type, indices);
  input.resize(128);
  for (size_t i = 64; i < input.size(); ++i) {
    input[i] = static_cast<uint8_t>(i);
  }
  return input;
}

} // namespace

TEST(dmaScatters) {
  for (DType type : {DType::I32, DType::I64}) {
    // Row 2 is written twice, the last one wins; rows 1, 3 and 4 keep what they hold.
    Bytes output = runProgram(scatterProgram(scatter(type, 4)), scatterInput(type, {2, 5, 2, 0}));
    EXPECT(output == Bytes({88, 89, 90, 91, 0xcc, 0xcc, 0xcc, 0xcc, 80, 81, 82, 83, //
                            0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 72, 73, 74, 75}));
    EXPECT(runProgram(scatterProgram(scatter(type, 0)), scatterInput(type, {9})) == Bytes(24, 0xcc));
    EXPECT_CONTAINS(errorOf(scatterProgram(scatter(type, 3)), scatterInput(type, {0, 1, 6})),
                    "'dma_scatter' on st, node 'cache'): index 6 at position 2 is out of range: the table has 6 rows");
    EXPECT_CONTAINS(errorOf(scatterProgram(scatter(type, 1)), scatterInput(type, {-1})), "index -1 at position 0");
  }
}

TEST(scatterIsChecked) {
  auto fault = [](const DmaScatter &inst) {
    auto info = verifyProgram(scatterProgram(inst));
    return info ? std::string() : info.error().str();
  };
  EXPECT_EQ(fault(scatter(DType::I32, 4)), "");
  EXPECT_CONTAINS(fault(scatter(DType::I16, 4)), "'index_dtype' has element type 'i16', but must have one of i32, i64");
  DmaScatter bad = scatter(DType::I32, 4);
  bad.table = sram(0);
  EXPECT_CONTAINS(fault(bad), "'table' must be in dram, but is in sram");
  bad.table = dram(0);
  EXPECT_CONTAINS(fault(bad), "'table' writes to region 0 ('x'), which is an input");
  bad = scatter(DType::I32, 4);
  bad.tableRows = 7;
  EXPECT_CONTAINS(fault(bad), "'table' reaches bytes 0 to 27 of region 1 ('y'), which has 24");
  bad = scatter(DType::I32, 4);
  bad.count = int64_t(1) << 40;
  EXPECT_CONTAINS(fault(bad), "copies more than");
}

TEST(scatterPosts) {
  Program program = scatterProgram(scatter(DType::I32, 4));
  InstructionCost cost = instructionCost(program, program.code[2]);
  // A row of 4 bytes touches a burst of 32, or two when it crosses one; nobody waits for writes.
  EXPECT_EQ(cost.dma.dramBytes, 4u * 64);
  EXPECT_EQ(cost.dma.latencyCycles, 0u);
  EXPECT_EQ(cost.dramWriteBytes, 16u);
  EXPECT_EQ(cost.sramBytes, 16u + 16);
  DmaScatter far = scatter(DType::I32, 4);
  far.indices = dram(0);
  cost = instructionCost(program, far);
  EXPECT_EQ(cost.dma.latencyCycles, 100u);
  EXPECT_EQ(cost.dramReadBytes, 16u);
}

TEST(scatterSeesUnwrittenRows) {
  SimulatorOptions options;
  options.poison = true;
  DmaScatter inst = scatter(DType::I32, 1);
  inst.src = sram(1024);
  EXPECT_CONTAINS(errorOf(scatterProgram(inst), scatterInput(DType::I32, {0}), options),
                  "row 0 of the source reads bytes that nobody has written");
}

//===----------------------------------------------------------------------===//
// v_gather
//===----------------------------------------------------------------------===//

TEST(vectorGathersAlongAnAxis) {
  // y[i][j] = x[index[i][j]][j]: GatherElements on axis 0 of a 4 x 3 table.
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    for (DType type : {DType::I32, DType::I64}) {
      auto e = static_cast<int64_t>(bytes);
      int64_t ib = dtypeBytes(type);
      VGather inst;
      inst.dst = sram(1024);
      inst.dstStrides = {3 * e, e};
      inst.table = sram(128);
      inst.tableStrides = {0, e};
      inst.tableRows = 4;
      inst.tableStride = 3 * e;
      inst.indices = sram(0);
      inst.indexStrides = {3 * ib, ib};
      inst.indexDtype = type;
      inst.shape = {2, 3};
      inst.elementBytes = static_cast<uint8_t>(bytes);
      std::vector<int64_t> indices = {3, 0, 2, 2, 1, 3};
      Bytes input = indexBytes(type, indices);
      input.resize(256);
      for (size_t i = 128; i < 256; ++i) {
        input[i] = static_cast<uint8_t>(i * 3);
      }
      Bytes output = runProgram(around(inst, 256, 1024, 6 * bytes), input);
      for (size_t p = 0; p < 6; ++p) {
        size_t at = 128 + (static_cast<size_t>(indices[p]) * 3 + p % 3) * bytes;
        EXPECT(std::memcmp(&output[p * bytes], &input[at], bytes) == 0);
      }
    }
  }
}

namespace {

/// `shape` elements of 4 bytes, indices at 0, table of two at 64.
VGather gatherOf(std::vector<int64_t> shape) {
  VGather inst;
  inst.dst = sram(128);
  inst.table = sram(64);
  inst.tableRows = 2;
  inst.tableStride = 4;
  inst.indices = sram(0);
  inst.indexDtype = DType::I32;
  inst.shape = std::move(shape);
  inst.elementBytes = 4;
  int64_t stride = 4;
  for (size_t d = inst.shape.size(); d-- > 0;) {
    inst.dstStrides.insert(inst.dstStrides.begin(), stride);
    inst.indexStrides.insert(inst.indexStrides.begin(), stride);
    inst.tableStrides.push_back(0);
    stride *= inst.shape[d];
  }
  return inst;
}

} // namespace

TEST(vectorGatherEdges) {
  Bytes input = toBytes<int32_t>({1, 0, -1, 2});
  input.resize(256, 7);
  EXPECT(runProgram(around(gatherOf({}), 256, 128, 4), input) == Bytes(4, 7)); // one point
  EXPECT(runProgram(around(gatherOf({0, 3}), 256, 0, 16), input) == Bytes(input.begin(), input.begin() + 16));
  EXPECT_CONTAINS(errorOf(around(gatherOf({3}), 256, 128, 4), input),
                  "'v_gather' on ve, node 'node'): index -1 at position 2 is out of range: the table has 2 rows");
  VGather late = gatherOf({2});
  late.indices = sram(8);
  late.tableRows = 3;
  EXPECT_CONTAINS(errorOf(around(late, 256, 128, 4), input), "index -1 at position 0");
  EXPECT_EQ(faultOf(gatherOf({2, 2})), "");
  VGather bad = gatherOf({2});
  bad.indexDtype = DType::I8;
  EXPECT_CONTAINS(faultOf(bad), "'index_dtype' has element type 'i8'");
  bad = gatherOf({2});
  bad.tableStrides = {};
  EXPECT_CONTAINS(faultOf(bad), "'table_strides' has 0 entries, but 'shape' has 1");
  bad = gatherOf({2});
  bad.tableStride = 2;
  EXPECT_CONTAINS(faultOf(bad), "'table' is misaligned");
  bad = gatherOf({2});
  bad.elementBytes = 3;
  EXPECT_CONTAINS(faultOf(bad), "'element_bytes' is 3");
  bad = gatherOf({2});
  bad.table = acc(0);
  EXPECT_CONTAINS(faultOf(bad), "'table' must be in sram, but is in acc");
  bad = gatherOf({2});
  bad.tableRows = 1 << 20;
  EXPECT_CONTAINS(faultOf(bad), "'table' reaches bytes 64 to");
  Program program = around(gatherOf({5, 8}), 256, 128, 4);
  EXPECT_EQ(instructionCost(program, program.code[2]).cycles, 4u + 40);
}

//===----------------------------------------------------------------------===//
// v_sort
//===----------------------------------------------------------------------===//

namespace {

/// Rows of n elements at sram[0], dense; the first k values at sram[8192], their positions at sram[16384].
VSort sortOf(DType dtype, int64_t rows, int64_t n, int64_t k, bool descending, unsigned results) {
  VSort inst;
  int64_t e = dtypeBytes(dtype);
  inst.src = sram(0);
  inst.srcStrides = {n * e, e};
  inst.dtype = dtype;
  inst.shape = {rows, n};
  inst.k = k;
  inst.descending = descending;
  inst.results = static_cast<uint8_t>(results);
  inst.dstStrides = {0, 0};
  inst.indexStrides = {0, 0};
  if ((results & kSortValues) != 0) {
    inst.dst = sram(8192);
    inst.dstStrides = {k * e, e};
  }
  if ((results & kSortIndices) != 0) {
    inst.indices = sram(16384);
    inst.indexStrides = {k * 4, 4};
  }
  return inst;
}

/// The value of an element, exactly; NaN for NaN.
double valueAt(DType dtype, const Bytes &bytes, size_t at) {
  uint32_t lane = 0;
  portableKernels().load(dtype)(&lane, bytes.data() + at * dtypeBytes(dtype), 1);
  if (isFloat(dtype)) {
    return numerics::fromBits(lane);
  }
  auto value = static_cast<int32_t>(lane);
  uint32_t mask = dtypeBytes(dtype) == 4 ? 0xffffffffu : (1u << (8 * dtypeBytes(dtype))) - 1;
  return isUnsigned(dtype) ? static_cast<double>(lane & mask) : static_cast<double>(value);
}

/// Whether a comes before b by the definition.
bool isBefore(double a, double b, bool descending) {
  double x = descending ? b : a;
  double y = descending ? a : b;
  return std::isnan(y) ? !std::isnan(x) : x < y;
}

} // namespace

TEST(vectorSortsByDefinition) {
  Random random(41);
  const DType types[] = {DType::I8,  DType::U8,   DType::I16, DType::U16,    DType::I32,   DType::U32,
                         DType::F16, DType::BF16, DType::F32, DType::F8E4M3, DType::F8E5M2};
  const uint32_t odd[] = {0, 0x80000000, 0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 1, 0x80000001, 0x3f800000};
  for (DType type : types) {
    for (int round = 0; round < 30; ++round) {
      auto rows = static_cast<int64_t>(1 + random.below(3));
      auto n = static_cast<int64_t>(1 + random.below(40));
      auto k = static_cast<int64_t>(random.below(static_cast<uint64_t>(n) + 1));
      bool descending = random.below(2) != 0;
      unsigned bytes = dtypeBytes(type);
      Bytes input(static_cast<size_t>(rows * n) * bytes);
      for (size_t i = 0; i < input.size() / bytes; ++i) {
        auto bits = static_cast<uint32_t>(random.below(3) ? odd[random.below(std::size(odd))] : random.next());
        // The high bits are sign and exponent in every float type.
        bits = bytes < 4 && random.below(2) ? bits >> (32 - 8 * bytes) : bits;
        std::memcpy(&input[i * bytes], &bits, bytes);
      }
      VSort inst = sortOf(type, rows, n, k, descending, kSortValues | kSortIndices);
      Program program = around(inst, input.size(), 16384, static_cast<uint64_t>(rows * k) * 4);
      auto positions = fromBytes<int32_t>(runProgram(program, input));
      Program values = around(inst, input.size(), 8192, static_cast<uint64_t>(rows * k) * bytes);
      Bytes sorted = runProgram(values, input);
      for (int64_t row = 0; row < rows; ++row) {
        std::vector<bool> taken(static_cast<size_t>(n));
        for (int64_t j = 0; j < k; ++j) {
          // The first of the remaining ones that no other remaining one precedes.
          int64_t best = -1;
          for (int64_t i = 0; i < n; ++i) {
            if (!taken[static_cast<size_t>(i)] &&
                (best < 0 || isBefore(valueAt(type, input, static_cast<size_t>(row * n + i)),
                                      valueAt(type, input, static_cast<size_t>(row * n + best)), descending))) {
              best = i;
            }
          }
          taken[static_cast<size_t>(best)] = true;
          auto at = static_cast<size_t>(row * k + j);
          EXPECT_EQ(positions[at], best);
          EXPECT(std::memcmp(&sorted[at * bytes], &input[static_cast<size_t>(row * n + best) * bytes], bytes) == 0);
        }
      }
    }
  }
}

TEST(vectorSortsInPlaceAndAcross) {
  // The columns of a 3 x 2 matrix, in place.
  VSort inst;
  inst.src = inst.dst = sram(0);
  inst.srcStrides = inst.dstStrides = {2, 4};
  inst.indexStrides = {0, 0};
  inst.dtype = DType::I16;
  inst.shape = {2, 3};
  inst.k = 3;
  inst.results = kSortValues;
  Bytes output = runProgram(around(inst, 12, 0, 12), toBytes<int16_t>({5, -1, -7, 9, 6, 0}));
  EXPECT(fromBytes<int16_t>(output) == std::vector<int16_t>({-7, -1, 5, 0, 6, 9}));
  inst.shape = {0, 3};
  EXPECT(runProgram(around(inst, 12, 0, 12), Bytes(12, 3)) == Bytes(12, 3));
}

TEST(sortIsChecked) {
  EXPECT_EQ(faultOf(sortOf(DType::F32, 2, 5, 3, true, 3)), "");
  EXPECT_EQ(faultOf(sortOf(DType::F32, 2, 5, 3, true, 2)), "");
  EXPECT_CONTAINS(faultOf(sortOf(DType::I64, 2, 5, 3, true, 3)), "'dtype' has element type 'i64', but must have one of i8, u8");
  EXPECT_CONTAINS(faultOf(sortOf(DType::B8, 2, 5, 3, true, 3)), "'dtype' has element type 'b8'");
  EXPECT_CONTAINS(faultOf(sortOf(DType::I4, 2, 5, 3, true, 3)), "'dtype' has element type 'i4'");
  EXPECT_CONTAINS(faultOf(sortOf(DType::I8, 2, 5, 6, true, 3)), "'k' is 6, but rows have 5 elements");
  VSort bad = sortOf(DType::I8, 2, 5, 3, true, 1);
  bad.indices = sram(64);
  EXPECT_CONTAINS(faultOf(bad), "'indices' is not in 'results': it must be sram[0] with strides of 0");
  bad = sortOf(DType::I8, 2, 5, 3, true, 2);
  bad.dstStrides = {1, 1};
  EXPECT_CONTAINS(faultOf(bad), "'dst' is not in 'results'");
  bad = sortOf(DType::I8, 2, 5, 3, true, 3);
  bad.shape = {};
  EXPECT_CONTAINS(faultOf(bad), "'shape' has no dimension to sort along");
  bad = sortOf(DType::F32, 2, 5, 3, true, 3);
  bad.indexStrides[1] = 2;
  EXPECT_CONTAINS(faultOf(bad), "'indices' is misaligned");
  bad = sortOf(DType::I8, 1, 5, 3, true, 3);
  bad.srcStrides = {0, 0};
  bad.shape = {1, 1 << 20};
  EXPECT_CONTAINS(faultOf(bad), "rows have 1048576 elements, but may have at most 65536");
  bad = sortOf(DType::F32, 2, 5, 3, true, 3);
  bad.dst = sram(65536 - 20);
  EXPECT_CONTAINS(faultOf(bad), "'dst' reaches bytes");
}

TEST(sortPrice) {
  // 100 elements are padded to 128: 7 * 8 / 2 stages of 64 comparators on 16 lanes, two operations each.
  Program program = around(sortOf(DType::F32, 3, 100, 10, true, 3), 1200, 0, 16);
  InstructionCost cost = instructionCost(program, program.code[2]);
  EXPECT_EQ(cost.cycles, 4u + 3 * 28 * 4 * 2);
  EXPECT_EQ(cost.vectorOps, 3u * 28 * 64 * 2);
  EXPECT_EQ(cost.sramBytes, 3u * (400 + 80));
  program = around(sortOf(DType::F32, 1, 1, 1, true, 1), 4, 0, 4);
  EXPECT_EQ(instructionCost(program, program.code[2]).cycles, 4u + 2);
}
