// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of bytes that nobody has written, in program order.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_WRITTEN_H
#define NPU_SIMULATOR_CHECK_WRITTEN_H

#include "simulator/check/Checker.h"
#include "simulator/check/Footprints.h"

#include <memory>

namespace npuhw {

/// A set of bytes of one memory; pages that are empty or full take no room.
class ByteSet {
public:
  explicit ByteSet(int64_t size);

  void insert(int64_t begin, int64_t end);
  void insert(const Box &box, int64_t move);

  /// The first byte of a range that is not in the set, or `end`.
  int64_t findMissing(int64_t begin, int64_t end) const;

  /// The first missing range of a box, if one is missing.
  std::optional<ByteRange> findMissing(const Box &box, int64_t move) const;

private:
  static constexpr int kPageBits = 16;
  static constexpr int64_t kPageBytes = int64_t(1) << kPageBits;
  struct Page {
    uint64_t words[kPageBytes / 64] = {};
  };
  enum class State : uint8_t { Empty, Partial, Full };
  std::vector<State> states;
  std::vector<std::unique_ptr<Page>> pages;
};

/// The first read of unwritten bytes, or an output with unwritten bytes at the end.
std::optional<Violation> findUnwritten(const Footprints &footprints, uint64_t maxSteps);

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_WRITTEN_H
