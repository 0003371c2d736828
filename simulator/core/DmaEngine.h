// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the DMA instructions do to memory. Places are verified to be in bounds
// before; each function returns an empty string or what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_DMAENGINE_H
#define NPU_SIMULATOR_CORE_DMAENGINE_H

#include "simulator/core/Memory.h"
#include "simulator/isa/Instruction.h"

namespace npuhw {

std::string dmaCopy(const std::vector<int64_t> &shape, unsigned elementBytes, const Place &dst,
                    const std::vector<int64_t> &dstStrides, const Place &src,
                    const std::vector<int64_t> &srcStrides);

std::string dmaFill(const DmaFill &inst, const Place &dst);

std::string dmaGather(const DmaGather &inst, const Place &dst, const Place &table, const Place &indices);

std::string dmaScatter(const DmaScatter &inst, const Place &table, const Place &src, const Place &indices);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_DMAENGINE_H
