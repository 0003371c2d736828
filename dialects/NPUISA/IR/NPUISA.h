// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_NPUISA_IR_NPUISA_H
#define DIALECTS_NPUISA_IR_NPUISA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/NPUISA/IR/NPUISAEnums.h.inc"

#include "dialects/NPUISA/IR/NPUISADialect.h.inc"

namespace mlir::npuisa {

namespace details {
/// Checks that the fields of an instruction fit the encoding and agree with each other.
LogicalResult verifyInstruction(Operation *op);
} // namespace details

/// The trait of every op that is one instruction.
template <class ConcreteOp> struct Instruction : OpTrait::TraitBase<ConcreteOp, Instruction> {
  static LogicalResult verifyTrait(Operation *op) { return details::verifyInstruction(op); }
};

/// The name of the source node that a location names; empty if it names none.
StringRef getSourceName(Location location);

} // namespace mlir::npuisa

#define GET_ATTRDEF_CLASSES
#include "dialects/NPUISA/IR/NPUISAAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NPUISA/IR/NPUISATypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/NPUISA/IR/NPUISAOps.h.inc"

namespace mlir::npuisa {

/// Whether the op is one instruction.
bool isInstruction(Operation *op);

/// The queue of an instruction; none for an instruction of the control unit or another op.
std::optional<Queue> getQueue(Operation *op);

/// The token of an instruction, or null if it has none.
Value getToken(Operation *op);

/// Semaphores that an instruction waits for or signals: empty if it has none.
ArrayRef<Attribute> getSyncs(Operation *op, StringRef attributeName);

inline constexpr llvm::StringLiteral kWaitsAttrName = "waits";
inline constexpr llvm::StringLiteral kSignalsAttrName = "signals";

} // namespace mlir::npuisa

#endif // DIALECTS_NPUISA_IR_NPUISA_H
