// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of the vector engine that move elements: v_gather and
// v_sort. Places are verified to be in bounds before; each function returns an
// empty string or what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_VECTORMOVES_H
#define NPU_SIMULATOR_CORE_VECTORMOVES_H

#include "simulator/core/Kernels.h"
#include "simulator/core/Memory.h"
#include "simulator/isa/Instruction.h"

namespace npuhw {

std::string vectorGather(const VGather &inst, const Place &dst, const Place &table, const Place &indices);

/// `kernels` widens the elements; the table does not change the result.
std::string vectorSort(const VSort &inst, const KernelTable &kernels, const Place &dst, const Place &indices,
                       const Place &src);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_VECTORMOVES_H
