// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary form of instructions and microprograms; docs/program-format.md
// describes it.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_ISA_ENCODING_H
#define NPU_SIMULATOR_ISA_ENCODING_H

#include "simulator/isa/Instruction.h"
#include "simulator/support/Bytes.h"

namespace npuhw {

void encode(const Instruction &inst, ByteWriter &writer);
void encode(const MicroProgram &micro, ByteWriter &writer);

/// Reads one instruction; on a fault the reader holds the error and the result
/// is unspecified.
Instruction decodeInstruction(ByteReader &reader);
MicroProgram decodeMicro(ByteReader &reader);

/// Checks that fields are in the ranges of the encoding; empty if they are.
std::string verifyEncodable(const Instruction &inst);

} // namespace npuhw

#endif // NPU_SIMULATOR_ISA_ENCODING_H
