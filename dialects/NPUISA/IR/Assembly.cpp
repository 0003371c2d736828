// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/Assembly.h"

using namespace mlir;
using namespace mlir::npuisa;

//===----------------------------------------------------------------------===//
// Bodies of attributes, as they stand in instructions: sram[0, 4096 * l0]
//===----------------------------------------------------------------------===//

/// stride * l<loop> [mod modulus]
static ParseResult parseTerm(AsmParser &parser, TermAttr &term) {
  int64_t stride = 0;
  StringRef counter;
  unsigned loop = 0;
  unsigned modulus = 0;
  SMLoc loc = parser.getCurrentLocation();
  SMLoc counterLoc;
  if (parser.parseInteger(stride) || parser.parseStar()) {
    return failure();
  }
  counterLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&counter)) {
    return failure();
  }
  if (!counter.consume_front("l") || counter.getAsInteger(10, loop)) {
    return parser.emitError(counterLoc, "expected the counter of a loop: 'l0' for the outermost");
  }
  if (succeeded(parser.parseOptionalKeyword("mod")) && parser.parseInteger(modulus)) {
    return failure();
  }
  term = TermAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), loop, stride, modulus);
  return success(term != nullptr);
}

ParseResult details::parseAddressBody(AsmParser &parser, AddressAttr &address) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<Space> space = FieldParser<Space>::parse(parser);
  if (failed(space)) {
    return failure();
  }
  unsigned region = 0;
  int64_t offset = 0;
  SmallVector<TermAttr> terms;
  if ((*space == Space::Dram && parser.parseInteger(region)) || parser.parseLSquare() || parser.parseInteger(offset)) {
    return failure();
  }
  while (succeeded(parser.parseOptionalComma())) {
    if (parseTerm(parser, terms.emplace_back())) {
      return failure();
    }
  }
  if (parser.parseRSquare()) {
    return failure();
  }
  address = AddressAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), *space, region, offset,
                                    ArrayRef<TermAttr>(terms));
  return success(address != nullptr);
}

void details::printAddressBody(AsmPrinter &printer, AddressAttr address) {
  printer << stringifySpace(address.getSpace());
  if (address.getSpace() == Space::Dram) {
    printer << ' ' << address.getRegion();
  }
  printer << '[' << address.getOffset();
  for (TermAttr term : address.getTerms()) {
    printer << ", " << term.getStride() << " * l" << term.getLoop();
    if (term.getModulus() != 0) {
      printer << " mod " << term.getModulus();
    }
  }
  printer << ']';
}

ParseResult details::parseNumbersBody(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

void details::printNumbersBody(AsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

ParseResult details::parseOperandBody(AsmParser &parser, OperandAttr &operand) {
  AddressAttr address;
  SmallVector<int64_t> strides;
  if (parseAddressBody(parser, address)) {
    return failure();
  }
  FailureOr<DType> dtype = FieldParser<DType>::parse(parser);
  if (failed(dtype) || parseNumbersBody(parser, strides)) {
    return failure();
  }
  operand = OperandAttr::get(parser.getContext(), address, *dtype, strides);
  return success();
}

void details::printOperandBody(AsmPrinter &printer, OperandAttr operand) {
  printAddressBody(printer, operand.getAddress());
  printer << ' ' << stringifyDType(operand.getDtype()) << ' ';
  printNumbersBody(printer, operand.getStrides());
}

//===----------------------------------------------------------------------===//
// Directives of the instructions' assembly formats
//===----------------------------------------------------------------------===//

ParseResult npuisa::parseAddress(OpAsmParser &parser, AddressAttr &address) {
  return details::parseAddressBody(parser, address);
}

void npuisa::printAddress(OpAsmPrinter &printer, Operation *, AddressAttr address) {
  details::printAddressBody(printer, address);
}

ParseResult npuisa::parseNumbers(OpAsmParser &parser, DenseI64ArrayAttr &numbers) {
  SmallVector<int64_t> values;
  if (details::parseNumbersBody(parser, values)) {
    return failure();
  }
  numbers = DenseI64ArrayAttr::get(parser.getContext(), values);
  return success();
}

void npuisa::printNumbers(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr numbers) {
  details::printNumbersBody(printer, numbers);
}

ParseResult npuisa::parseOperands(OpAsmParser &parser, ArrayAttr &operands) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    OperandAttr operand;
    if (details::parseOperandBody(parser, operand)) {
      return failure();
    }
    values.push_back(operand);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne)) {
    return failure();
  }
  operands = ArrayAttr::get(parser.getContext(), values);
  return success();
}

void npuisa::printOperands(OpAsmPrinter &printer, Operation *, ArrayAttr operands) {
  printer << '(';
  llvm::interleaveComma(operands.getAsRange<OperandAttr>(), printer,
                        [&](OperandAttr operand) { details::printOperandBody(printer, operand); });
  printer << ')';
}

static ParseResult parseSyncs(OpAsmParser &parser, StringRef keyword, ArrayAttr &syncs) {
  if (failed(parser.parseOptionalKeyword(keyword))) {
    return success();
  }
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    unsigned semaphore = 0;
    unsigned count = 0;
    if (parser.parseInteger(semaphore) || parser.parseColon() || parser.parseInteger(count)) {
      return failure();
    }
    values.push_back(SyncAttr::get(parser.getContext(), semaphore, count));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  syncs = ArrayAttr::get(parser.getContext(), values);
  return success();
}

static void printSyncs(OpAsmPrinter &printer, StringRef keyword, ArrayAttr syncs) {
  if (!syncs) {
    return;
  }
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(syncs.getAsRange<SyncAttr>(), printer,
                        [&](SyncAttr sync) { printer << sync.getSemaphore() << ':' << sync.getCount(); });
  printer << ']';
}

ParseResult npuisa::parseWaits(OpAsmParser &parser, ArrayAttr &syncs) { return parseSyncs(parser, kWaitsAttrName, syncs); }

void npuisa::printWaits(OpAsmPrinter &printer, Operation *, ArrayAttr syncs) {
  printSyncs(printer, kWaitsAttrName, syncs);
}

ParseResult npuisa::parseSignals(OpAsmParser &parser, ArrayAttr &syncs) {
  return parseSyncs(parser, kSignalsAttrName, syncs);
}

void npuisa::printSignals(OpAsmPrinter &printer, Operation *, ArrayAttr syncs) {
  printSyncs(printer, kSignalsAttrName, syncs);
}

ParseResult npuisa::parseRegions(OpAsmParser &parser, ArrayAttr &regions) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    auto region = dyn_cast_or_null<RegionAttr>(RegionAttr::parse(parser, Type()));
    if (!region) {
      return failure();
    }
    values.push_back(region);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  regions = ArrayAttr::get(parser.getContext(), values);
  return success();
}

void npuisa::printRegions(OpAsmPrinter &printer, Operation *, ArrayAttr regions) {
  printer << '[';
  printer.increaseIndent();
  for (auto [index, region] : llvm::enumerate(regions.getAsRange<RegionAttr>())) {
    if (index != 0) {
      printer << ',';
    }
    printer.printNewline();
    printer.printStrippedAttrOrType(region);
  }
  printer.decreaseIndent();
  if (!regions.empty()) {
    printer.printNewline();
  }
  printer << ']';
}
