// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short ways to write programs in tests.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_TESTS_BUILDER_H
#define NPU_SIMULATOR_TESTS_BUILDER_H

#include "simulator/core/Simulator.h"
#include "simulator/tests/Test.h"

namespace npuhw::test {

/// A small target with round numbers.
TargetDesc testTarget();

inline Address sram(int64_t offset, std::vector<AddressTerm> terms = {}) {
  return {Space::Sram, 0, offset, std::move(terms)};
}
inline Address acc(int64_t offset, std::vector<AddressTerm> terms = {}) {
  return {Space::Acc, 0, offset, std::move(terms)};
}
inline Address dram(uint16_t region, int64_t offset = 0, std::vector<AddressTerm> terms = {}) {
  return {Space::Dram, region, offset, std::move(terms)};
}

/// Contiguous bytes.
DmaLd load(Address dst, Address src, int64_t bytes);
DmaSt store(Address dst, Address src, int64_t bytes);

template <class Inst> Inst waiting(Inst inst, std::vector<SyncRef> waits) {
  inst.waits = std::move(waits);
  return inst;
}
template <class Inst> Inst signalling(Inst inst, std::vector<SyncRef> signals) {
  inst.signals = std::move(signals);
  return inst;
}

/// A program with one input region of `inputBytes` and one output region.
Program makeProgram(uint64_t inputBytes, uint64_t outputBytes);

MicroOp op(MicroOpcode opcode, DType type, uint16_t a = 0, uint16_t b = 0, uint16_t c = 0, uint64_t imm = 0);

/// Runs and returns the output region; a failed run counts as a failed
/// expectation and gives an empty one.
Bytes runProgram(const Program &program, const Bytes &input, SimulatorOptions options = {}, Report *report = nullptr);

/// The error of a run, or of the verification before it; "" if there is none.
std::string errorOf(const Program &program, const Bytes &input, SimulatorOptions options = {});

/// Values as bytes and back.
template <class T> Bytes toBytes(const std::vector<T> &values) {
  const auto *p = reinterpret_cast<const uint8_t *>(values.data());
  return Bytes(p, p + values.size() * sizeof(T));
}
template <class T> std::vector<T> fromBytes(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    __builtin_memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

/// A random program that is structurally valid (not one that runs).
Program randomProgram(Random &random);

} // namespace npuhw::test

#endif // NPU_SIMULATOR_TESTS_BUILDER_H
