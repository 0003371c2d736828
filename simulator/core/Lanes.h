// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a block lie in memory, for one operand, and the moves
// between there and registers.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_LANES_H
#define NPU_SIMULATOR_CORE_LANES_H

#include "simulator/core/Kernels.h"
#include "simulator/core/Memory.h"

namespace npuhw {

/// Byte offsets of the lanes from the first one. All blocks of an instruction
/// share them; a block with fewer lanes has the first of them.
class LaneLayout {
public:
  /// `offsets` has one entry for each lane of a full block.
  LaneLayout(DType dtype, std::vector<int64_t> offsets);

  DType dtype() const { return type; }
  bool isContiguous() const { return run == lanes && stride == bytes; }
  /// The distance of neighbours, if it is the same for all.
  bool isRegular() const { return run == lanes; }
  int64_t laneStride() const { return stride; }

  /// Elements to register form. Not for i64.
  void load(const KernelTable &table, uint32_t *values, const uint8_t *base, int n) const;
  void store(const KernelTable &table, uint8_t *base, const uint32_t *values, int n) const;
  /// i64 elements.
  void loadWide(int64_t *values, const uint8_t *base, int n) const;

  bool wasWritten(const Place &base, int n) const;
  void markWritten(const Place &base, int n) const;

private:
  DType type;
  int64_t bytes;
  std::vector<int64_t> offsets;
  int lanes;
  /// Lanes come in runs: neighbours are `stride` apart, the runs `pitch`; the last one may be shorter.
  /// run == 1 says nothing about the offsets.
  int run = 1;
  int64_t stride = 0;
  int64_t pitch = 0;

  template <class T> void gather(T *out, const uint8_t *base, int n) const;
  template <class T> void scatter(uint8_t *base, const T *in, int n) const;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_LANES_H
