// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_NPUISA_IR_BYTECODE_H
#define DIALECTS_NPUISA_IR_BYTECODE_H

namespace mlir::npuisa {
class NPUISADialect;

/// Lets the dialect write its constants as bytecode.
void addBytecodeInterface(NPUISADialect &dialect);
} // namespace mlir::npuisa

#endif // DIALECTS_NPUISA_IR_BYTECODE_H
