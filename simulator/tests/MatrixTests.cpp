// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix engine with every compilation of the inner loops that this
// processor runs, against the definition, value by value.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/MatrixEngine.h"
#include "simulator/tests/Builder.h"

#include <cmath>
#include <cstring>

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// A tile product of random shape, types, strides and zero points, with its memories.
struct Product {
  MmLoadW load;
  MmExec exec;
  std::vector<uint8_t> sram;
  std::vector<uint32_t> acc;
  int64_t weightsAt = 0;
  int64_t activationsAt = 0;
  int64_t sumsAt = 0;
};

int64_t pick(Random &random, std::initializer_list<int64_t> values) {
  return *(values.begin() + random.below(values.size()));
}

Product randomProduct(Random &random, bool floating) {
  Product p;
  auto k = static_cast<uint16_t>(random.between(1, 70));
  auto n = static_cast<uint16_t>(random.between(1, 150));
  const DType ints[] = {DType::I8, DType::U8};
  const DType floats[] = {DType::F16, DType::BF16, DType::F32};
  p.load.dtype = floating ? floats[random.below(3)] : ints[random.below(2)];
  p.exec.dtype = floating ? p.load.dtype : ints[random.below(2)];
  p.load.k = p.exec.k = k;
  p.load.n = p.exec.n = n;
  int64_t bytes = dtypeBytes(p.load.dtype);
  bool transposed = random.below(3) == 0;
  p.load.kStride = bytes * (transposed ? 1 : n + static_cast<int64_t>(random.below(3)));
  p.load.nStride = bytes * (transposed ? k + static_cast<int64_t>(random.below(3)) : 1);
  p.exec.kStride = bytes * pick(random, {1, 1, 2});
  int64_t rowSpan = p.exec.kStride * k;
  p.exec.rows = {random.between(1, 3), random.between(1, 40)};
  // Rows of activations may overlap, as those of a convolution do.
  p.exec.rowStrides = {bytes * static_cast<int64_t>(random.below(50)), pick(random, {bytes, rowSpan})};
  if (random.below(4) == 0) {
    // All rows add to the same sums.
    p.exec.accStrides = {0, 0};
  } else {
    p.exec.accStrides = {4 * (n + 1) * p.exec.rows[1], 4 * (n + 1)};
  }
  if (!floating) {
    p.load.zeroPoint = static_cast<int32_t>(pick(random, {0, 0, 128, -128, 3, 65535, -32768}));
    p.exec.zeroPoint = static_cast<int32_t>(pick(random, {0, 0, 128, -128, 7, 65535, -32768}));
  }
  p.activationsAt = bytes * 40000;
  p.sram.resize(static_cast<size_t>(bytes) * 80000);
  for (size_t i = 0; i < p.sram.size(); i += static_cast<size_t>(bytes)) {
    uint64_t bits = random.next();
    if (p.load.dtype == DType::F32) {
      float value = static_cast<float>(random.between(-1000, 1000)) * 0.01f;
      std::memcpy(&bits, &value, 4);
    } else if (floating) {
      // Exponents around zero of either type.
      bits = (bits & 0x80ff) | (p.load.dtype == DType::F16 ? 0x3800 : 0x3f00);
    } else if (random.below(2) == 0) {
      bits = static_cast<uint64_t>(pick(random, {0, 127, 128, 255}));
    }
    std::memcpy(p.sram.data() + i, &bits, static_cast<size_t>(bytes));
  }
  p.acc.resize(size_t(3) * 40 * (n + 1) + 8);
  for (uint32_t &sum : p.acc) {
    float value = static_cast<float>(random.between(-1000, 1000)) * 0.1f;
    sum = static_cast<uint32_t>(random.next());
    if (floating) {
      std::memcpy(&sum, &value, 4);
    }
  }
  p.sumsAt = 16;
  return p;
}

/// The sums by their definition.
std::vector<uint32_t> expectedSums(const Product &p) {
  const KernelTable &table = portableKernels();
  auto element = [&](DType dtype, int64_t at) {
    uint32_t value = 0;
    table.load(dtype)(&value, p.sram.data() + at, 1);
    return isUnsigned(dtype) ? value & 0xff : value;
  };
  std::vector<uint32_t> acc = p.acc;
  for (int64_t r = 0; r < p.exec.rows[0] * p.exec.rows[1]; ++r) {
    int64_t outer = r / p.exec.rows[1];
    int64_t inner = r % p.exec.rows[1];
    int64_t a = p.activationsAt + outer * p.exec.rowStrides[0] + inner * p.exec.rowStrides[1];
    int64_t sums = (p.sumsAt + outer * p.exec.accStrides[0] + inner * p.exec.accStrides[1]) / 4;
    for (int j = 0; j < p.load.n; ++j) {
      uint32_t &sum = acc[static_cast<size_t>(sums) + static_cast<size_t>(j)];
      for (int kk = 0; kk < p.load.k; ++kk) {
        uint32_t x = element(p.exec.dtype, a + kk * p.exec.kStride);
        uint32_t w = element(p.load.dtype, p.weightsAt + kk * p.load.kStride + j * p.load.nStride);
        if (isFloat(p.load.dtype)) {
          float values[3];
          std::memcpy(values, &x, 4);
          std::memcpy(values + 1, &w, 4);
          std::memcpy(values + 2, &sum, 4);
          float result = std::fma(values[0], values[1], values[2]);
          std::memcpy(&sum, &result, 4);
        } else {
          sum += (x - static_cast<uint32_t>(p.exec.zeroPoint)) * (w - static_cast<uint32_t>(p.load.zeroPoint));
        }
      }
    }
  }
  return acc;
}

void compareProducts(uint64_t seed, bool floating, int rounds) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    Product p = randomProduct(random, floating);
    std::vector<uint32_t> expected = expectedSums(p);
    for (const KernelTable *table : runnableKernels()) {
      MatrixEngine engine(*table);
      std::vector<uint32_t> acc = p.acc;
      EXPECT_EQ(engine.loadWeights(p.load, {p.sram.data() + p.weightsAt, nullptr}), std::string());
      auto *sums = reinterpret_cast<uint8_t *>(acc.data()) + p.sumsAt;
      EXPECT_EQ(engine.execute(p.exec, {p.sram.data() + p.activationsAt, nullptr}, {sums, nullptr}), std::string());
      EXPECT_EQ(std::string(acc == expected ? "" : table->name), std::string());
    }
  }
}

} // namespace

TEST(integerProductsAgree) { compareProducts(21, false, 150); }

TEST(floatProductsAgree) { compareProducts(22, true, 100); }

TEST(weightsServeDifferentActivations) {
  // The same weights with signed and unsigned activations, with and without a zero point.
  Random random(23);
  Product p = randomProduct(random, false);
  std::vector<uint32_t> expected = p.acc;
  for (const KernelTable *table : runnableKernels()) {
    MatrixEngine engine(*table);
    std::vector<uint32_t> acc = p.acc;
    Product now = p;
    EXPECT_EQ(engine.loadWeights(p.load, {p.sram.data() + p.weightsAt, nullptr}), std::string());
    for (int32_t zeroPoint : {0, 9, 0, -100}) {
      now.exec.dtype = now.exec.dtype == DType::I8 ? DType::U8 : DType::I8;
      now.exec.zeroPoint = zeroPoint;
      now.acc = acc;
      expected = expectedSums(now);
      auto *sums = reinterpret_cast<uint8_t *>(acc.data()) + p.sumsAt;
      EXPECT_EQ(engine.execute(now.exec, {p.sram.data() + p.activationsAt, nullptr}, {sums, nullptr}), std::string());
      EXPECT_EQ(std::string(acc == expected ? "" : table->name), std::string());
    }
  }
}
