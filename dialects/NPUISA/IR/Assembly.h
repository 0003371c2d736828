// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The hand-written parts of the npuisa assembly.

#ifndef DIALECTS_NPUISA_IR_ASSEMBLY_H
#define DIALECTS_NPUISA_IR_ASSEMBLY_H

#include "dialects/NPUISA/IR/NPUISA.h"

namespace mlir::npuisa {

namespace details {

ParseResult parseAddressBody(AsmParser &parser, AddressAttr &address);
void printAddressBody(AsmPrinter &printer, AddressAttr address);
ParseResult parseNumbersBody(AsmParser &parser, SmallVectorImpl<int64_t> &numbers);
void printNumbersBody(AsmPrinter &printer, ArrayRef<int64_t> numbers);
ParseResult parseOperandBody(AsmParser &parser, OperandAttr &operand);
void printOperandBody(AsmPrinter &printer, OperandAttr operand);

} // namespace details

// What the generated parsers and printers call for custom<...> directives.
ParseResult parseAddress(OpAsmParser &parser, AddressAttr &address);
void printAddress(OpAsmPrinter &printer, Operation *op, AddressAttr address);
ParseResult parseNumbers(OpAsmParser &parser, DenseI64ArrayAttr &numbers);
void printNumbers(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr numbers);
ParseResult parseOperands(OpAsmParser &parser, ArrayAttr &operands);
void printOperands(OpAsmPrinter &printer, Operation *op, ArrayAttr operands);
ParseResult parseWaits(OpAsmParser &parser, ArrayAttr &syncs);
void printWaits(OpAsmPrinter &printer, Operation *op, ArrayAttr syncs);
ParseResult parseSignals(OpAsmParser &parser, ArrayAttr &syncs);
void printSignals(OpAsmPrinter &printer, Operation *op, ArrayAttr syncs);
ParseResult parseRegions(OpAsmParser &parser, ArrayAttr &regions);
void printRegions(OpAsmPrinter &printer, Operation *op, ArrayAttr regions);

} // namespace mlir::npuisa

#endif // DIALECTS_NPUISA_IR_ASSEMBLY_H
