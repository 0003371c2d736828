// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Instructions and microprograms as plain structures of the program file, and as ops. Both forms have the same
// fields under the same names, so that the conversion walks the structures' fields.

#ifndef DIALECTS_NPUISA_IR_INSTRUCTIONFIELDS_H
#define DIALECTS_NPUISA_IR_INSTRUCTIONFIELDS_H

#include "dialects/NPUISA/IR/NPUISA.h"
#include "simulator/isa/Instruction.h"

namespace mlir::npuisa {

npuhw::Address toAddress(AddressAttr attribute);
AddressAttr getAddressAttr(MLIRContext *context, const npuhw::Address &address);

/// The structure of an instruction whose attributes were verified; `microIndex` gives the number of a microprogram.
npuhw::Instruction toInstruction(Operation *op, function_ref<uint16_t(FlatSymbolRefAttr)> microIndex);

/// Creates the op of an instruction. `micro` is the microprogram of a drain or v_exec. With `withToken` it gives a token.
Operation *createInstruction(OpBuilder &builder, Location loc, const npuhw::Instruction &instruction,
                             FlatSymbolRefAttr micro = {}, ValueRange after = {}, bool withToken = false);

/// Sets the semaphores of an instruction; an empty list removes the attribute.
void setSyncs(Operation *op, StringRef attributeName, ArrayRef<npuhw::SyncRef> syncs);

npuhw::MicroProgram toMicroProgram(MicroprogramOp op);
MicroprogramOp createMicroprogram(OpBuilder &builder, Location loc, const npuhw::MicroProgram &micro);

} // namespace mlir::npuisa

#endif // DIALECTS_NPUISA_IR_INSTRUCTIONFIELDS_H
