// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/InstructionFields.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::npuisa;

/// Numbers that `code` of a microprogram holds for each operation.
static constexpr size_t kNumbersPerOp = 6;

npuhw::MicroProgram npuisa::toMicroProgram(MicroprogramOp op) {
  npuhw::MicroProgram micro;
  micro.name = op.getSymName().str();
  micro.numInputs = static_cast<uint16_t>(op.getNumInputs());
  ArrayRef<int64_t> code = op.getCode();
  for (size_t i = 0; i + kNumbersPerOp <= code.size(); i += kNumbersPerOp) {
    npuhw::MicroOp m;
    m.opcode = static_cast<npuhw::MicroOpcode>(code[i]);
    m.type = static_cast<npuhw::DType>(code[i + 1]);
    m.a = static_cast<uint16_t>(code[i + 2]);
    m.b = static_cast<uint16_t>(code[i + 3]);
    m.c = static_cast<uint16_t>(code[i + 4]);
    m.imm = static_cast<uint64_t>(code[i + 5]);
    micro.ops.push_back(m);
  }
  for (int64_t output : op.getOutputs()) {
    micro.outputs.push_back(static_cast<uint16_t>(output));
  }
  return micro;
}

/// The numbers of `code`.
static SmallVector<int64_t> flatten(const npuhw::MicroProgram &micro) {
  SmallVector<int64_t> code;
  for (const npuhw::MicroOp &m : micro.ops) {
    code.append({static_cast<int64_t>(m.opcode), static_cast<int64_t>(m.type), m.a, m.b, m.c,
                 static_cast<int64_t>(m.imm)});
  }
  return code;
}

MicroprogramOp npuisa::createMicroprogram(OpBuilder &builder, Location loc, const npuhw::MicroProgram &micro) {
  SmallVector<int64_t> outputs(micro.outputs.begin(), micro.outputs.end());
  return MicroprogramOp::create(builder, loc, micro.name, micro.numInputs, flatten(micro), outputs);
}

LogicalResult MicroprogramOp::verify() {
  if (getCode().size() % kNumbersPerOp != 0) {
    return emitOpError() << "expected " << kNumbersPerOp << " numbers an operation in 'code', but found "
                         << getCode().size() << " in all";
  }
  for (auto [index, number] : llvm::enumerate(getCode())) {
    size_t column = index % kNumbersPerOp;
    int64_t most = column < 2 ? UINT8_MAX : UINT16_MAX;
    if (column + 1 != kNumbersPerOp && (number < 0 || number > most)) {
      return emitOpError() << "expected codes of at most " << UINT8_MAX << " and registers of at most " << UINT16_MAX
                           << " in 'code', but found " << number;
    }
  }
  for (int64_t output : getOutputs()) {
    if (output < 0 || output > UINT16_MAX) {
      return emitOpError() << "expected registers of at most " << UINT16_MAX << " in 'outputs', but found " << output;
    }
  }
  std::string fault = npuhw::verifyMicro(toMicroProgram(*this)); // micro_c1
  return fault.empty() ? success() : emitOpError() << "is not well-formed: " << fault;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// The spelling of the immediate's predicate, or nullptr if the operation has none.
static const char *const *predicates(npuhw::MicroForm form, unsigned &count) {
  if (form == npuhw::MicroForm::Cmpf) {
    count = npuhw::kNumCmpfPredicates;
    return npuhw::kCmpfPredicates;
  }
  if (form == npuhw::MicroForm::Cmpi) {
    count = npuhw::kNumCmpiPredicates;
    return npuhw::kCmpiPredicates;
  }
  return nullptr;
}

static ParseResult parseRegister(OpAsmParser &parser, uint16_t &number) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  if (!name.consume_front("r") || name.getAsInteger(10, number)) {
    return parser.emitError(loc, "expected a register 'r0' to 'r65535'");
  }
  return success();
}

/// Parses a keyword that is the spelling of one of the values.
template <class Enum, size_t N>
static ParseResult parseSpelling(OpAsmParser &parser, const Enum (&all)[N], StringRef what, Enum &value) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  for (Enum candidate : all) {
    if (name == npuhw::spell(candidate)) {
      value = candidate;
      return success();
    }
  }
  return parser.emitError(loc) << "'" << name << "' is not " << what;
}

static ParseResult parseImmediate(OpAsmParser &parser, npuhw::MicroForm form, npuhw::MicroOp &op) {
  unsigned count = 0;
  if (const char *const *names = predicates(form, count)) {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name)) {
      return failure();
    }
    for (unsigned i = 0; i < count; ++i) {
      if (name == names[i]) {
        op.imm = i;
        return success();
      }
    }
    return parser.emitError(loc) << "'" << name << "' is not a predicate of '" << npuhw::spell(op.opcode) << "'";
  }
  if (form != npuhw::MicroForm::Leaf) {
    return success();
  }
  APInt bits(64, 0);
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalInteger(bits);
  if (!parsed.has_value() || failed(*parsed)) {
    return parser.emitError(loc, "expected an integer");
  }
  if (bits.getActiveBits() > 64) {
    return parser.emitError(loc, "expected an immediate of at most 64 bits");
  }
  op.imm = bits.getZExtValue();
  return success();
}

static ParseResult parseMicroOp(OpAsmParser &parser, unsigned index, npuhw::MicroOp &op) {
  uint16_t result;
  SMLoc loc = parser.getCurrentLocation();
  if (parseRegister(parser, result)) {
    return failure();
  }
  if (result != index) {
    return parser.emitError(loc) << "expected operation " << index << " to define 'r" << index << "'";
  }
  if (parser.parseEqual() || parseSpelling(parser, npuhw::kAllMicroOpcodes, "a micro operation", op.opcode) ||
      parseSpelling(parser, npuhw::kAllDTypes, "an element type", op.type) ||
      parseImmediate(parser, npuhw::microOpInfo(op.opcode)->form, op)) {
    return failure();
  }
  uint16_t *registers[] = {&op.a, &op.b, &op.c};
  for (unsigned k = 0; k < npuhw::microOperandCount(op.opcode); ++k) {
    if ((k != 0 && parser.parseComma()) || parseRegister(parser, *registers[k])) {
      return failure();
    }
  }
  return success();
}

ParseResult MicroprogramOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  npuhw::MicroProgram micro;
  if (parser.parseSymbolName(name) || parser.parseKeyword("inputs") || parser.parseInteger(micro.numInputs) ||
      parser.parseLBrace()) {
    return failure();
  }
  while (failed(parser.parseOptionalRBrace())) {
    micro.ops.emplace_back();
    if (parseMicroOp(parser, micro.ops.size() - 1, micro.ops.back())) {
      return failure();
    }
  }
  if (parser.parseKeyword("outputs") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parseRegister(parser, micro.outputs.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes)) {
    return failure();
  }
  MLIRContext *context = parser.getContext();
  Builder builder(context);
  result.addAttribute(getSymNameAttrName(result.name), name);
  result.addAttribute(getNumInputsAttrName(result.name), builder.getI64IntegerAttr(micro.numInputs));
  result.addAttribute(getCodeAttrName(result.name), builder.getDenseI64ArrayAttr(flatten(micro)));
  SmallVector<int64_t> outputs(micro.outputs.begin(), micro.outputs.end());
  result.addAttribute(getOutputsAttrName(result.name), builder.getDenseI64ArrayAttr(outputs));
  return success();
}

void MicroprogramOp::print(OpAsmPrinter &printer) {
  npuhw::MicroProgram micro = toMicroProgram(*this);
  printer << ' ';
  printer.printSymbolName(micro.name);
  printer << " inputs " << micro.numInputs << " {";
  printer.increaseIndent();
  for (auto [index, op] : llvm::enumerate(micro.ops)) {
    printer.printNewline();
    printer << "r" << index << " = " << npuhw::spell(op.opcode) << " " << npuhw::spell(op.type);
    npuhw::MicroForm form = npuhw::microOpInfo(op.opcode)->form;
    unsigned count = 0;
    if (const char *const *names = predicates(form, count)) {
      printer << " " << names[op.imm];
    } else if (op.opcode == npuhw::MicroOpcode::Const) {
      printer << " 0x" << llvm::utohexstr(op.imm);
    } else if (form == npuhw::MicroForm::Leaf) {
      printer << " " << op.imm;
    }
    const uint16_t registers[] = {op.a, op.b, op.c};
    for (unsigned k = 0; k < npuhw::microOperandCount(op.opcode); ++k) {
      printer << (k == 0 ? " r" : ", r") << registers[k];
    }
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << "} outputs [";
  llvm::interleaveComma(micro.outputs, printer, [&](uint16_t output) { printer << "r" << output; });
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getNumInputsAttrName(), getCodeAttrName(), getOutputsAttrName()});
}
