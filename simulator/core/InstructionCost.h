// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of an instruction: its fields put into the formulas of
// machine/CostModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_INSTRUCTIONCOST_H
#define NPU_SIMULATOR_CORE_INSTRUCTIONCOST_H

#include "simulator/program/Program.h"

namespace npuhw {

struct InstructionCost {
  bool isDma = false;
  DmaCost dma;               ///< Of DMA instructions.
  CostParts parts;           ///< Of the others.
  uint64_t cycles = 0;       ///< parts.total().
  uint64_t hideable = 0;     ///< Part that can run behind the preceding instruction of the queue.
  uint64_t macs = 0;         ///< Multiply-accumulates.
  MacType macType = MacType::I8;
  uint64_t macCapacity = 0;  ///< Array cells times cycles at the rate of the type.
  uint64_t vectorOps = 0;    ///< Lane operations.
  uint64_t sramBytes = 0;    ///< Read and written on chip, the accumulator included.
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
};

/// `inst` was verified before.
InstructionCost instructionCost(const Program &program, const Instruction &inst);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_INSTRUCTIONCOST_H
