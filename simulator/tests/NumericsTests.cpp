// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of docs/numerics.md against binary64, and the two compilations
// of the inner loops against one another.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Kernels.h"
#include "simulator/numerics/Transcendental.h"
#include "simulator/tests/Builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// Distance in units in the last place of the exact value.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) && std::isnan(got) ? 0 : 1e9;
  }
  auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(got)) {
    // Overflow may begin one number early or late.
    return got == rounded || std::fabs(exact) > 0x1.fffff8p+127 ? 0 : 1e9;
  }
  int exponent;
  std::frexp(exact, &exponent);
  int unit = std::max(exponent - 24, -149);
  bool signOfZero = got != 0 || exact != 0 || std::signbit(got) == std::signbit(exact);
  return signOfZero ? std::ldexp(std::fabs(static_cast<double>(got) - exact), -(exact == 0 ? -149 : unit)) : 1e8;
}

/// Every 4099th bit pattern: all exponents, both signs, NaN and infinity.
constexpr uint32_t kStep = 4099;

template <class F, class R> double worst(F function, R reference, float limit = 0) {
  double most = 0;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += kStep) {
    float x = numerics::fromBits(static_cast<uint32_t>(bits));
    if (limit != 0 && std::fabs(x) > limit) {
      continue;
    }
    most = std::max(most, ulps(function(x), reference(static_cast<double>(x))));
  }
  return most;
}

} // namespace

TEST(functionsKeepTheirBounds) {
#define BOUND(name, reference, bound)                                                                                \
  EXPECT(worst([](float x) { return numerics::name(x); }, [](double x) { return reference; }) <= (bound))
  BOUND(exp, std::exp(x), 0.98);
  BOUND(exp2, std::exp2(x), 0.87);
  BOUND(expm1, std::expm1(x), 1.44);
  BOUND(log, std::log(x), 0.83);
  BOUND(log1p, std::log1p(x), 0.83);
  BOUND(rsqrt, 1 / std::sqrt(x), 1.50);
  BOUND(tanh, std::tanh(x), 1.34);
  BOUND(erf, std::erf(x), 1.10);
#undef BOUND
  EXPECT(worst([](float x) { return numerics::sin(x); }, [](double x) { return std::sin(x); }, 0x1p+22f) <= 2.23);
  EXPECT(worst([](float x) { return numerics::cos(x); }, [](double x) { return std::cos(x); }, 0x1p+22f) <= 2.32);
  Random random(1);
  double most = 0;
  for (int i = 0; i < 500000; ++i) {
    float x = numerics::fromBits(static_cast<uint32_t>(random.next()));
    float y = numerics::fromBits(static_cast<uint32_t>(random.next()));
    if (i % 2 == 0) {
      x = std::ldexp(1.0f, static_cast<int>(random.between(-10, 10))) * (1.0f + float(random.below(1 << 23)) * 0x1p-23f);
      y = static_cast<float>(random.between(-100000, 100000)) * 0x1p-10f;
    }
    most = std::max(most, ulps(numerics::pow(x, y), std::pow(static_cast<double>(x), static_cast<double>(y))));
  }
  EXPECT(most <= 4.7);
}

TEST(exactCases) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(numerics::exp(0.0f), 1.0f);
  EXPECT_EQ(numerics::exp(-inf), 0.0f);
  EXPECT_EQ(numerics::exp(89.0f), inf);
  EXPECT_EQ(numerics::exp2(-149.0f), 0x1p-149f);
  EXPECT_EQ(numerics::exp2(10.0f), 1024.0f);
  EXPECT(std::signbit(numerics::expm1(-0.0f)));
  EXPECT_EQ(numerics::expm1(-inf), -1.0f);
  EXPECT_EQ(numerics::log(1.0f), 0.0f);
  EXPECT_EQ(numerics::log(-0.0f), -inf);
  EXPECT(std::isnan(numerics::log(-1.0f)));
  EXPECT_EQ(numerics::log1p(-1.0f), -inf);
  EXPECT_EQ(numerics::rsqrt(-0.0f), -inf);
  EXPECT_EQ(numerics::rsqrt(0.25f), 2.0f);
  EXPECT_EQ(numerics::tanh(20.0f), 1.0f);
  EXPECT_EQ(numerics::tanh(-inf), -1.0f);
  EXPECT(std::signbit(numerics::tanh(-0.0f)));
  EXPECT_EQ(numerics::tanh(0x1p-149f), 0x1p-149f);
  EXPECT_EQ(numerics::erf(inf), 1.0f);
  EXPECT(std::signbit(numerics::erf(-0.0f)));
  EXPECT(std::signbit(numerics::sin(-0.0f)));
  EXPECT_EQ(numerics::cos(0.0f), 1.0f);
  EXPECT(std::isnan(numerics::sin(inf)));
  EXPECT(std::isnan(numerics::cos(0x1p+23f)));
  EXPECT_EQ(numerics::pow(nan, 0.0f), 1.0f);
  EXPECT_EQ(numerics::pow(1.0f, nan), 1.0f);
  EXPECT_EQ(numerics::pow(-2.0f, 3.0f), -8.0f);
  EXPECT(std::isnan(numerics::pow(-2.0f, 0.5f)));
  EXPECT_EQ(numerics::pow(-0.0f, -3.0f), -inf);
  EXPECT_EQ(numerics::pow(0.5f, -inf), inf);
}

namespace {

/// Values that break things, and random ones.
std::vector<uint32_t> interestingLanes(Random &random, DType type) {
  const uint32_t specials[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                               0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f000000, 0x3fc00000, 0x40200000,
                               0xbf000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x43000000, 0x477fe000};
  std::vector<uint32_t> lanes(kLanes);
  for (int i = 0; i < kLanes; ++i) {
    uint64_t r = random.next();
    uint32_t value = i < 128 ? specials[random.below(std::size(specials))] : static_cast<uint32_t>(r);
    switch (type) {
    case DType::B8:
      value &= 1;
      break;
    case DType::I8:
      value = static_cast<uint32_t>(static_cast<int8_t>(r));
      break;
    case DType::I16:
      value = static_cast<uint32_t>(static_cast<int16_t>(r));
      break;
    case DType::F16:
    case DType::BF16:
    case DType::F8E4M3:
    case DType::F8E5M2:
      kernels().roundTo(type, &value, 1);
      break;
    default:
      break;
    }
    lanes[i] = value;
  }
  return lanes;
}

bool sameLane(uint32_t a, uint32_t b, bool floating) {
  bool bothNaN = floating && (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
  return a == b || bothNaN;
}

} // namespace

TEST(compilationsAgree) {
  Random random(2);
  const KernelTable &slow = portableKernels();
  const DType types[] = {DType::B8, DType::I8, DType::I16, DType::I32, DType::F16,
                         DType::BF16, DType::F32, DType::F8E4M3, DType::F8E5M2};
  for (const MicroOpInfo &info : kMicroOpInfos) {
    for (DType type : types) {
      for (DType result : types) {
        for (uint64_t imm = 0; imm < 16; ++imm) {
          LaneKernel s = info.form == MicroForm::Leaf ? nullptr : slow.lane(info.opcode, type, result, imm);
          bool compares = info.form == MicroForm::Cmpf || info.form == MicroForm::Cmpi;
          bool floats = info.form == MicroForm::FloatUnary || info.form == MicroForm::FloatBinary ||
                        info.form == MicroForm::FloatTernary;
          if (!s || (floats && !isFloat(type)) || (imm != 0 && !compares) || (type != result && info.form != MicroForm::Cast)) {
            continue;
          }
          auto a = interestingLanes(random, type);
          auto b = interestingLanes(random, type);
          auto c = interestingLanes(random, type);
          std::vector<uint32_t> rf(kLanes);
          std::vector<uint32_t> rs(kLanes);
          s(rs.data(), a.data(), b.data(), c.data(), kLanes);
          std::string difference;
          for (const KernelTable *table : runnableKernels()) {
            table->lane(info.opcode, type, result, imm)(rf.data(), a.data(), b.data(), c.data(), kLanes);
            for (int i = 0; i < kLanes && difference.empty(); ++i) {
              if (!sameLane(rf[i], rs[i], isFloat(result))) {
                difference = std::string(table->name) + ": " + spell(info.opcode) + " of " + spell(type) +
                             ", operand " + std::to_string(a[i]) + ": " + std::to_string(rf[i]) + " and " +
                             std::to_string(rs[i]);
              }
            }
          }
          EXPECT_EQ(difference, std::string());
        }
      }
    }
  }
}

namespace {

/// Rows of a matrix with room before and behind, which must not be touched.
template <class T> struct GuardedRows {
  static constexpr int kGuard = 3;
  int pitch;
  std::vector<T> values;
  std::vector<T *> rows;

  GuardedRows(int count, int columns) : pitch(columns + 2 * kGuard), values(size_t(count) * pitch) {
    for (int r = 0; r < count; ++r) {
      rows.push_back(values.data() + size_t(r) * pitch + kGuard);
    }
  }
};

} // namespace

TEST(floatTilesAgree) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    int rows = static_cast<int>(1 + random.below(20));
    int k = static_cast<int>(1 + random.below(40));
    int n = static_cast<int>(1 + random.below(150));
    std::vector<float> a(size_t(rows) * k);
    std::vector<float> w(size_t(k) * n);
    GuardedRows<float> start(rows, n);
    for (auto *v : {&a, &w, &start.values}) {
      for (float &x : *v) {
        x = static_cast<float>(random.between(-1000, 1000)) * 0.01f;
      }
    }
    GuardedRows<float> expected(rows, n);
    expected.values = start.values;
    for (int r = 0; r < rows; ++r) {
      for (int kk = 0; kk < k; ++kk) {
        for (int j = 0; j < n; ++j) {
          float &sum = expected.rows[r][j];
          sum = std::fma(a[size_t(r) * k + kk], w[size_t(kk) * n + j], sum);
        }
      }
    }
    std::vector<const float *> aRows;
    for (int r = 0; r < rows; ++r) {
      aRows.push_back(a.data() + size_t(r) * k);
    }
    for (const KernelTable *table : runnableKernels()) {
      const FloatTileKernel &tile = table->floatTile;
      GuardedRows<float> sums(rows, n);
      sums.values = start.values;
      for (int column = 0; column < n; column += tile.columns) {
        int columns = std::min(tile.columns, n - column);
        int width = (columns + tile.vector - 1) / tile.vector * tile.vector;
        std::vector<float> panel(size_t(k) * width);
        for (int kk = 0; kk < k; ++kk) {
          std::copy_n(w.data() + size_t(kk) * n + column, columns, panel.data() + size_t(kk) * width);
        }
        tile.run(sums.rows.data(), aRows.data(), panel.data(), rows, k, column, columns);
      }
      EXPECT_EQ(std::string(sums.values == expected.values ? "" : table->name), std::string());
    }
  }
}

TEST(intTilesAgree) {
  Random random(4);
  for (int round = 0; round < 400; ++round) {
    int rows = static_cast<int>(1 + random.below(20));
    int k = static_cast<int>(1 + random.below(70));
    int n = static_cast<int>(1 + random.below(150));
    int64_t kStride = random.below(4) == 0 ? 3 : 1;
    int64_t pitch = n + static_cast<int64_t>(random.below(5));
    bool signedA = random.below(2) == 0;
    bool signedW = random.below(2) == 0;
    // Extreme bytes in half of the rounds: they are where a product of bytes could saturate.
    bool extreme = random.below(2) == 0;
    auto draw = [&] {
      const uint8_t edges[] = {0, 127, 128, 255};
      return extreme ? edges[random.below(4)] : static_cast<uint8_t>(random.below(256));
    };
    std::vector<uint8_t> a(size_t(rows) * k * kStride);
    std::vector<uint8_t> w(size_t(k) * pitch);
    for (auto *v : {&a, &w}) {
      for (uint8_t &x : *v) {
        x = draw();
      }
    }
    GuardedRows<int32_t> start(rows, n);
    for (int32_t &x : start.values) {
      x = static_cast<int32_t>(random.next());
    }
    std::vector<const uint8_t *> aRows;
    for (int r = 0; r < rows; ++r) {
      aRows.push_back(a.data() + size_t(r) * k * kStride);
    }
    for (const KernelTable *table : runnableKernels()) {
      const IntTileKernel &tile = table->intTile;
      int groups = (k + tile.group - 1) / tile.group;
      int padded = (n + tile.vector - 1) / tile.vector * tile.vector;
      // What the kernel multiplies: bytes are shifted so that activations are unsigned and weights signed.
      auto activation = [&](int r, int kk) {
        uint8_t byte = aRows[r][kk * kStride];
        return (signedA ? static_cast<int8_t>(byte) : byte) + (tile.bytes && signedA ? 128 : 0);
      };
      auto weight = [&](int kk, int j) {
        uint8_t byte = w[size_t(kk) * pitch + j];
        return (signedW ? static_cast<int8_t>(byte) : byte) - (tile.bytes && !signedW ? 128 : 0);
      };
      std::vector<uint8_t> packedA(size_t(rows) * groups * 4 + 1);
      std::vector<uint8_t> packedW(size_t(padded) * groups * 4 + 1);
      std::vector<int32_t> rowSums(rows), columnSums(padded), columnTerm(padded), rowTerm(rows);
      tile.packRows(packedA.data(), aRows.data(), rows, k, kStride, signedA);
      tile.packWeights(packedW.data(), w.data(), pitch, k, n, signedW);
      tile.sumRows(rowSums.data(), aRows.data(), rows, k, kStride, signedA);
      tile.sumColumns(columnSums.data(), packedW.data(), k, n);
      for (auto *terms : {&columnTerm, &rowTerm}) {
        for (int32_t &term : *terms) {
          term = static_cast<int32_t>(random.next());
        }
      }
      GuardedRows<int32_t> sums(rows, n), expected(rows, n);
      sums.values = start.values;
      expected.values = start.values;
      bool sumsAgree = true;
      for (int r = 0; r < rows; ++r) {
        int32_t sum = 0;
        for (int kk = 0; kk < k; ++kk) {
          sum += activation(r, kk);
        }
        sumsAgree &= sum == rowSums[r];
        for (int j = 0; j < n; ++j) {
          auto total = static_cast<uint32_t>(columnTerm[j]) + static_cast<uint32_t>(rowTerm[r]);
          for (int kk = 0; kk < k; ++kk) {
            total += static_cast<uint32_t>(activation(r, kk) * weight(kk, j));
          }
          expected.rows[r][j] = static_cast<int32_t>(static_cast<uint32_t>(expected.rows[r][j]) + total);
        }
      }
      for (int j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int kk = 0; kk < k; ++kk) {
          sum += weight(kk, j);
        }
        sumsAgree &= sum == columnSums[j];
      }
      EXPECT_EQ(std::string(sumsAgree ? "" : table->name), std::string());
      std::vector<const void *> packedRows;
      for (int r = 0; r < rows; ++r) {
        packedRows.push_back(packedA.data() + size_t(r) * groups * 4);
      }
      for (int column = 0; column < n; column += tile.columns) {
        tile.run(sums.rows.data(), packedRows.data(), packedW.data() + size_t(column) * groups * 4, columnTerm.data(),
                 rowTerm.data(), rows, groups, column, std::min(tile.columns, n - column));
      }
      EXPECT_EQ(std::string(sums.values == expected.values ? "" : table->name), std::string());
    }
  }
}

TEST(narrowFloats) {
  // Every half and bfloat survives a round trip; NaN stays NaN.
  for (const KernelTable *table : runnableKernels()) {
    for (DType type : {DType::F16, DType::BF16}) {
      for (uint32_t h = 0; h < 65536; ++h) {
        auto half = static_cast<uint16_t>(h);
        uint32_t lane;
        uint16_t back;
        table->load(type)(&lane, &half, 1);
        table->store(type)(&back, &lane, 1);
        bool nan = (lane & 0x7fffffff) > 0x7f800000;
        uint16_t mantissa = type == DType::F16 ? 0x3ff : 0x7f;
        EXPECT(nan ? (back & mantissa) != 0 : back == half);
      }
    }
    auto half = [&](float x) {
      uint32_t lane = numerics::toBits(x);
      uint16_t h;
      table->store(DType::F16)(&h, &lane, 1);
      return h;
    };
    EXPECT_EQ(half(65504.0f), 0x7bff);
    EXPECT_EQ(half(65519.9f), 0x7bff);
    EXPECT_EQ(half(65520.0f), 0x7c00);
    EXPECT_EQ(half(0x1p-24f), 0x0001);
    EXPECT_EQ(half(0x1p-25f), 0x0000);
    EXPECT_EQ(half(0x1.8p-25f), 0x0001);
    EXPECT_EQ(half(0x1.8p-24f), 0x0002);
    EXPECT_EQ(half(1.0f + 0x1p-11f), 0x3c00);
    EXPECT_EQ(half(1.0f + 0x1.8p-10f), 0x3c02);
    EXPECT_EQ(half(-0.0f), 0x8000);
  }
}

namespace {

/// The value of an 8-bit float by its definition.
double valueOf(DType type, uint8_t code) {
  bool e4m3 = type == DType::F8E4M3;
  int mantissaBits = e4m3 ? 3 : 2;
  int bias = e4m3 ? 7 : 15;
  int exponent = (code & 0x7f) >> mantissaBits;
  int mantissa = code & ((1 << mantissaBits) - 1);
  double sign = code & 0x80 ? -1 : 1;
  if (e4m3 ? (code & 0x7f) == 0x7f : exponent == 31) {
    return !e4m3 && mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
  }
  int whole = exponent == 0 ? mantissa : mantissa + (1 << mantissaBits);
  return sign * std::ldexp(whole, std::max(exponent, 1) - bias - mantissaBits);
}

/// The code nearest to `x`, even codes for ties. What would be the next number above the largest one stands for
/// infinity, or for NaN in a format without infinity.
uint8_t nearestCode(DType type, float x) {
  uint8_t sign = std::signbit(x) ? 0x80 : 0;
  int past = type == DType::F8E4M3 ? 0x7f : 0x7c;
  if (std::isnan(x)) {
    return sign | 0x7f;
  }
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int code = 0; code <= past; ++code) {
    double value = code < past ? valueOf(type, static_cast<uint8_t>(code))
                               : 2 * valueOf(type, static_cast<uint8_t>(past - 1)) - valueOf(type, static_cast<uint8_t>(past - 2));
    double distance = std::fabs(std::min<double>(std::fabs(x), 1e6) - value);
    if (distance < least || (distance == least && code % 2 == 0)) {
      best = code;
      least = distance;
    }
  }
  return static_cast<uint8_t>(sign | best);
}

} // namespace

TEST(eightBitFloats) {
  Random random(5);
  for (const KernelTable *table : runnableKernels()) {
    for (DType type : {DType::F8E4M3, DType::F8E5M2}) {
      std::vector<float> values;
      for (int code = 0; code < 256; ++code) {
        auto byte = static_cast<uint8_t>(code);
        uint32_t lane;
        table->load(type)(&lane, &byte, 1);
        double expected = valueOf(type, byte);
        float got = numerics::fromBits(lane);
        EXPECT(std::isnan(expected) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected));
        if (!std::isfinite(got)) {
          values.push_back(got);
          continue;
        }
        // The number, the tie above it, and the neighbours of both in f32.
        float next = static_cast<float>(valueOf(type, static_cast<uint8_t>(code + 1)));
        float tie = std::isfinite(next) ? (got + next) / 2 : got * 1.0625f;
        for (float x : {got, tie}) {
          values.insert(values.end(), {x, std::nextafter(x, 1e30f), std::nextafter(x, -1e30f)});
        }
      }
      values.insert(values.end(), {464, 480, 512, 61440, 65536, 1e30f, INFINITY, -INFINITY, 0x1p-149f, -0x1p-149f});
      for (uint32_t h = 0; h < 65536; ++h) {
        auto half = static_cast<uint16_t>(h);
        uint32_t lane;
        table->load(DType::F16)(&lane, &half, 1);
        values.push_back(numerics::fromBits(lane));
      }
      for (int i = 0; i < 20000; ++i) {
        values.push_back(numerics::fromBits(static_cast<uint32_t>(random.next())));
      }
      size_t wrong = 0;
      for (float x : values) {
        uint32_t lane = numerics::toBits(x);
        uint8_t code;
        table->store(type)(&code, &lane, 1);
        uint8_t expected = nearestCode(type, x);
        bool bothNaN = std::isnan(valueOf(type, code)) && std::isnan(valueOf(type, expected));
        wrong += !bothNaN && code != expected;
        // The value in a register is that of memory.
        table->roundTo(type, &lane, 1);
        double kept = numerics::fromBits(lane);
        wrong += !(kept == valueOf(type, code) || (std::isnan(kept) && std::isnan(valueOf(type, code))));
      }
      EXPECT_EQ(wrong, size_t(0));
    }
  }
}
