// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device programs as ops and as the structure that the program file, the assembler and the simulator share.

#ifndef DIALECTS_NPUISA_ENCODING_ENCODER_H
#define DIALECTS_NPUISA_ENCODING_ENCODER_H

#include "dialects/NPUISA/IR/NPUISA.h"
#include "simulator/program/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::npuisa {

/// The program of an op, for the target of its module; npuhw::writeProgram() makes the file of it. Fails with a
/// diagnostic if tokens are left, constants have no data at hand or the result is not well-formed.
FailureOr<npuhw::Program> encodeProgram(ProgramOp op);

/// Appends the op of a program to a module whose target is that of the program. Fails with a diagnostic at `loc` if
/// names are not unique, which symbols must be.
FailureOr<ProgramOp> decodeProgram(Location loc, const npuhw::Program &program, ModuleOp module);

} // namespace mlir::npuisa

#endif // DIALECTS_NPUISA_ENCODING_ENCODER_H
