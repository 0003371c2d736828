// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs microprograms over iteration spaces, for v_exec and drain.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_VECTORENGINE_H
#define NPU_SIMULATOR_CORE_VECTORENGINE_H

#include "simulator/core/Kernels.h"
#include "simulator/core/Memory.h"

#include <memory>

namespace npuhw {

/// A microprogram prepared for one iteration space. Lanes are points that
/// differ in the parallel dimensions; for each block of them the reduction
/// dimensions run in lexicographic order, so that every output element is
/// combined in the order that the instruction defines.
class VectorPlan {
public:
  /// The arguments were verified before.
  VectorPlan(const KernelTable &table, const MicroProgram &micro, const std::vector<int64_t> &shape,
             unsigned reductionMask, const std::vector<Operand> &operands);
  ~VectorPlan();
  VectorPlan(VectorPlan &&) noexcept;

  /// Runs with the operands at these places; returns an empty string or what
  /// went wrong.
  std::string run(const std::vector<Place> &places);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_VECTORENGINE_H
