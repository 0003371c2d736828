// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/InstructionFields.h"
#include "dialects/NPUISA/IR/NPUISA.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::npuisa;

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

void LoopOp::build(OpBuilder &builder, OperationState &state, int64_t count, ValueRange inits) {
  OpBuilder::InsertionGuard guard(builder);
  state.addAttribute(getCountAttrName(state.name), builder.getI64IntegerAttr(count));
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Block *body = builder.createBlock(state.addRegion());
  for (Value init : inits) {
    body->addArgument(init.getType(), init.getLoc());
  }
  if (inits.empty()) {
    YieldOp::create(builder, state.location, ValueRange());
  }
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  int64_t count = 0;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  Type token = TokenType::get(parser.getContext());
  if (parser.parseKeyword("count") || parser.parseLParen() || parser.parseInteger(count) || parser.parseRParen()) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("carries")) && parser.parseAssignmentList(arguments, inits)) {
    return failure();
  }
  for (OpAsmParser::Argument &argument : arguments) {
    argument.type = token;
  }
  if (parser.resolveOperands(inits, token, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments)) {
    return failure();
  }
  if (body->empty()) {
    body->emplaceBlock();
  }
  Block &block = body->front();
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
    // The region has no op around it yet.
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    YieldOp::create(builder, result.location, ValueRange());
  }
  result.addAttribute(getCountAttrName(result.name), parser.getBuilder().getI64IntegerAttr(count));
  result.addTypes(SmallVector<Type>(inits.size(), token));
  return success();
}

void LoopOp::print(OpAsmPrinter &printer) {
  printer << " count(" << getCount() << ")";
  if (!getInits().empty()) {
    printer << " carries(";
    llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInits()), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair);
    });
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getCountAttrName()});
  printer << ' ';
  // The yield of a loop without tokens shows only where it names a source of its own.
  Operation *terminator = getBody().front().getTerminator();
  StringRef source = getSourceName(terminator->getLoc());
  bool implied = getInits().empty() && terminator->getAttrs().empty() &&
                 (source.empty() || source == getSourceName(getLoc()));
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!implied);
}

LogicalResult LoopOp::verify() { // loop_c2
  Block &body = getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield) {
    return emitOpError() << "expected a body that ends in 'npuisa.yield'";
  }
  size_t expected = getInits().size();
  for (auto [what, found] : {std::pair<StringRef, size_t>("body arguments", body.getNumArguments()),
                             std::pair<StringRef, size_t>("yielded tokens", yield.getTokens().size()),
                             std::pair<StringRef, size_t>("results", getNumResults())}) {
    if (found != expected) {
      return emitOpError() << "expected as many " << what << " as initial tokens, which are " << expected
                           << ", but found " << found;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

namespace {

/// Checks the instructions of a program against what they name.
class ProgramVerifier {
public:
  explicit ProgramVerifier(ProgramOp program) : program(program) {}

  LogicalResult verify() {
    Block &body = program.getBody().front();
    if (body.empty() || !isa<HaltOp>(body.back())) { // program_c1
      return program.emitOpError() << "expected 'npuisa.halt' as the last op";
    }
    for (Operation &op : body) {
      if (auto micro = dyn_cast<MicroprogramOp>(op)) {
        micros[micro.getSymNameAttr()] = micro;
      }
    }
    return verifyBlock(body, 0);
  }

private:
  ProgramOp program;
  DenseMap<StringAttr, MicroprogramOp> micros;

  LogicalResult verifyBlock(Block &block, unsigned depth) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<LoopOp>(op)) {
        if (depth >= npuhw::kMaxLoopDepth) {
          return loop.emitOpError() << "expected at most " << npuhw::kMaxLoopDepth << " nested loops";
        }
        if (failed(verifyBlock(loop.getBody().front(), depth + 1))) {
          return failure();
        }
      } else if (isInstruction(&op)) {
        if (isa<HaltOp>(op) && &op != &program.getBody().front().back()) { // program_c1
          return op.emitOpError() << "expected only at the end of the program";
        }
        if (failed(verifyNames(&op, depth))) {
          return failure();
        }
      } else if (!isa<MicroprogramOp, ReadyOp, YieldOp>(op)) { // program_c1
        return op.emitOpError() << "is not allowed in 'npuisa.program'";
      }
    }
    return success();
  }

  LogicalResult verifyNames(Operation *op, unsigned depth) {
    for (NamedAttribute attribute : op->getAttrs()) {
      if (auto address = dyn_cast<AddressAttr>(attribute.getValue())) {
        if (failed(verifyAddress(op, address, depth))) {
          return failure();
        }
      }
    }
    auto operands = op->getAttrOfType<ArrayAttr>("operands");
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("micro");
    if (!operands || !symbol) {
      return success();
    }
    for (auto operand : operands.getAsRange<OperandAttr>()) {
      if (failed(verifyAddress(op, operand.getAddress(), depth))) {
        return failure();
      }
    }
    MicroprogramOp micro = micros.lookup(symbol.getAttr());
    if (!micro) { // program_c3
      return op->emitOpError() << "expected the symbol of a microprogram of the program, but found '"
                               << symbol.getValue() << "'";
    }
    size_t expected = micro.getNumInputs() + micro.getOutputs().size();
    if (operands.size() != expected) { // program_c3
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "expected " << expected << " operands, the inputs and outputs of '"
                                      << symbol.getValue() << "', but found " << operands.size();
      diagnostic.attachNote(micro.getLoc()) << "the microprogram is here";
      return diagnostic;
    }
    return success();
  }

  LogicalResult verifyAddress(Operation *op, AddressAttr address, unsigned depth) {
    if (address.getSpace() == Space::Dram && address.getRegion() >= program.getRegions().size()) { // program_c2
      return op->emitOpError() << "expected a DRAM region below " << program.getRegions().size() << ", but found "
                               << address.getRegion();
    }
    for (TermAttr term : address.getTerms()) {
      if (term.getLoop() >= depth) { // program_c4
        return op->emitOpError() << "expected address terms of the " << depth
                                 << " enclosing loops, but found one of the loop at depth " << term.getLoop();
      }
    }
    return success();
  }
};

} // namespace

LogicalResult ProgramOp::verifyRegions() { return ProgramVerifier(*this).verify(); }
