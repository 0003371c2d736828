// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each instruction touches, prepared for all its iterations.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_FOOTPRINTS_H
#define NPU_SIMULATOR_CHECK_FOOTPRINTS_H

#include "simulator/check/Box.h"
#include "simulator/core/Verifier.h"

#include <array>

namespace npuhw {

/// Values of the loop counters, outermost first.
using Counters = std::array<int64_t, kMaxLoopDepth>;

/// An access of one instruction in any iteration.
struct Footprint {
  uint32_t instruction;
  uint8_t queue;
  bool reads;
  bool writes;
  bool chosen;    ///< Only some of the bytes, which the run chooses.
  uint32_t place; ///< 0 SRAM, 1 accumulator, 2 + r region r.
  Box box;        ///< Where all counters are 0.
  std::vector<AddressTerm> terms;

  /// How far the counters move the box.
  int64_t moved(const Counters &counters) const;

  /// Bytes that one more iteration of a loop moves the box, apart from terms with a modulus.
  int64_t linearStride(unsigned loop) const;

  /// The first and past the last byte, if the loops [0, outer) stand at `counters` and the counter of loop
  /// outer + i takes all values in ranges[i] (begin, end).
  ByteRange hull(const Counters &counters, unsigned outer, const std::vector<ByteRange> &ranges) const;

  /// The same as a box (moved by `counters`), or nothing if one loop moves it in two ways.
  std::optional<Box> sweep(const Counters &counters, unsigned outer, const std::vector<ByteRange> &ranges) const;
};

/// Loops and accesses of a program. Refers to the program, which verifyProgram() has accepted.
class Footprints {
public:
  explicit Footprints(const Program &program);

  struct Loop {
    size_t begin;
    size_t end;        ///< Its loop_end.
    unsigned depth;    ///< Loops around it.
    int64_t count;
    int64_t period;    ///< Iterations after which all moduli of its counter start again.
  };

  const Program &program;
  std::vector<Footprint> accesses;
  std::vector<std::pair<uint32_t, uint32_t>> accessesOf; ///< For each instruction [begin, end) in `accesses`.
  std::vector<Loop> loops;                               ///< In order of their begins.
  std::vector<int> loopAt;                               ///< For each instruction that begins a loop its number, else -1.
  std::vector<unsigned> depth;                           ///< Loops around each instruction.
  std::vector<std::vector<int64_t>> trips;               ///< Their counts, outermost first.

  size_t numPlaces() const { return 2 + program.regions.size(); }
  bool isFixed(uint32_t place) const; ///< Nobody writes there.
  std::string placeName(uint32_t place) const;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_FOOTPRINTS_H
