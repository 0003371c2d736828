// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions as plain structures, generated from the TableGen records.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_ISA_INSTRUCTION_H
#define NPU_SIMULATOR_ISA_INSTRUCTION_H

#include "simulator/isa/Types.h"

#include <variant>

namespace npuhw {

#include "simulator/isa/Instructions.inc"

/// The header of any instruction.
inline const InstructionHeader &header(const Instruction &inst) {
  return std::visit([](const auto &i) -> const InstructionHeader & { return i; }, inst);
}
inline InstructionHeader &header(Instruction &inst) {
  return std::visit([](auto &i) -> InstructionHeader & { return i; }, inst);
}

inline Opcode opcode(const Instruction &inst) {
  return std::visit([](const auto &i) { return std::decay_t<decltype(i)>::kOpcode; }, inst);
}

/// "mm_exec" and so on.
inline const char *mnemonic(const Instruction &inst) { return spell(opcode(inst)); }

/// Queues (queueBit) that the kind of instruction may name.
inline unsigned allowedQueues(const Instruction &inst) {
  return std::visit([](const auto &i) { return std::decay_t<decltype(i)>::kQueues; }, inst);
}

/// Field-wise equality, headers included.
bool operator==(const Instruction &a, const Instruction &b);
inline bool operator!=(const Instruction &a, const Instruction &b) { return !(a == b); }

} // namespace npuhw

#endif // NPU_SIMULATOR_ISA_INSTRUCTION_H
