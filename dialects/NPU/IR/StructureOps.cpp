// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/OpDetails.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// HostRegionOp, KernelOp
//===----------------------------------------------------------------------===//

LogicalResult HostRegionOp::verify() { return details::verifyBody(*this, getBody(), {}, llvm::to_vector(getResultTypes())); }

LogicalResult KernelOp::verify() { // c1
  return details::verifyBody(*this, getBody(), llvm::to_vector(getInputs().getTypes()),
                            llvm::to_vector(getResultTypes()));
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    setName(argument, "in");
  }
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(details::Effects &effects) {
  details::addOperandEffects(*this, effects, /*readsInits=*/false);
}

MutableOperandRange LaunchOp::getDpsInitsMutable() { return getInitsMutable(); }

LogicalResult LaunchOp::verify() { return details::verifyDestinations(*this); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getProgramAttr());
  // The program as instructions: its signature was checked before it became that. This dialect does not know the other.
  if (symbol && symbol->getName().getStringRef() == "npuisa.program") {
    return success();
  }
  auto program = dyn_cast_or_null<ProgramOp>(symbol);
  if (!program) { // c1
    return emitOpError() << "expected the symbol of an npu.program, but found '" << getProgram() << "'";
  }
  SmallVector<Type> inputs, outputs;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    StringRef role = program.getRole(i);
    if (role == "input") {
      inputs.push_back(program.getArgumentTypes()[i]);
    } else if (role == "output") {
      outputs.push_back(program.getArgumentTypes()[i]);
    }
  }
  auto check = [&](StringRef what, ArrayRef<Type> expected, ValueRange found) -> LogicalResult { // c2
    if (expected.size() != found.size()) {
      return emitOpError() << "expected " << expected.size() << " " << what << " for program '" << getProgram()
                           << "', but found " << found.size();
    }
    for (auto [type, value] : llvm::zip(expected, found)) {
      auto a = cast<ShapedType>(type), b = cast<ShapedType>(value.getType());
      if (a.getShape() != b.getShape() || a.getElementType() != b.getElementType()) {
        return emitOpError() << "expected " << what << " of " << type << " for program '" << getProgram()
                             << "', but found " << value.getType();
      }
    }
    return success();
  };
  return failure(failed(check("inputs", inputs, getInputs())) || failed(check("outputs", outputs, getInits())));
}

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                      ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  if (!argAttrs.empty()) {
    state.addAttribute(getArgAttrsAttrName(state.name),
                       builder.getArrayAttr(SmallVector<Attribute>(argAttrs.begin(), argAttrs.end())));
  }
  Region *region = state.addRegion();
  Block *block = new Block();
  region->push_back(block);
  for (Type input : type.getInputs()) {
    block->addArgument(input, state.location);
  }
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

StringRef ProgramOp::getRole(unsigned argument) {
  auto role = getArgAttrOfType<StringAttr>(argument, NPUDialect::kRoleAttrName);
  return role ? role.getValue() : StringRef();
}

ElementsAttr ProgramOp::getConstantValue(unsigned argument) {
  return getArgAttrOfType<ElementsAttr>(argument, NPUDialect::kValueAttrName);
}

LogicalResult ProgramOp::verify() {
  if (getBody().empty()) {
    return emitOpError() << "expected a body";
  }
  if (!getResultTypes().empty()) {
    return emitOpError() << "expected no results, but found " << getResultTypes().size()
                         << ": a program writes to its output arguments";
  }
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape() || getSpace(memref) != Space::Dram) { // c1
      return emitOpError() << "expected argument " << index << " to be a statically shaped DRAM memref, but found "
                           << type;
    }
    StringRef role = getRole(index);
    if (role != "input" && role != "output" && role != "constant") { // c1
      return emitOpError() << "expected '" << NPUDialect::kRoleAttrName << "' of argument " << index
                           << " to be \"input\", \"output\" or \"constant\", but found \"" << role << "\"";
    }
    ElementsAttr value = getConstantValue(index);
    if ((role == "constant") != static_cast<bool>(value)) { // c2
      return emitOpError() << "expected '" << NPUDialect::kValueAttrName << "' on constant arguments only, but argument "
                           << index << " is \"" << role << "\"" << (value ? " with" : " without") << " a value";
    }
    if (value && (value.getShapedType().getShape() != memref.getShape() ||
                  value.getShapedType().getElementType() != memref.getElementType())) { // c2
      return emitOpError() << "expected the value of argument " << index << " to be of " << memref << ", but found "
                           << value.getShapedType();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

static LogicalResult verifyStorage(Operation *op, MemRefType type, std::optional<uint64_t> offset) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity()) { // c1
    return op->emitOpError() << "expected a statically shaped memref of identity layout, but found " << type;
  }
  if (offset && static_cast<int64_t>(*offset) < 0) { // c2
    return op->emitOpError() << "expected an offset of at least 0, but found " << static_cast<int64_t>(*offset);
  }
  return success();
}

void BufferOp::getEffects(details::Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), cast<OpResult>(getResult()));
}

LogicalResult BufferOp::verify() { return verifyStorage(*this, cast<MemRefType>(getResult().getType()), getOffset()); }

void RingOp::getEffects(details::Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), cast<OpResult>(getResult()));
}

LogicalResult RingOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (type.getRank() < 1 || type.getDimSize(0) < 1) { // c1
    return emitOpError() << "expected a memref with the depth as its first dimension, but found " << type;
  }
  return verifyStorage(*this, type, getOffset());
}

MemRefType RingSlotOp::slotType(MemRefType ring) {
  ArrayRef<int64_t> shape = ring.getShape().drop_front();
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * shape[i + 1];
  }
  auto layout = StridedLayoutAttr::get(ring.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shape, ring.getElementType(), layout, ring.getMemorySpace());
}

Value RingSlotOp::getViewSource() { return getRing(); }

LogicalResult RingSlotOp::verify() {
  auto ring = cast<MemRefType>(getRing().getType());
  if (ring.getRank() < 1 || getResult().getType() != slotType(ring)) { // c1
    return emitOpError() << "expected a slot of " << ring << ", but found " << getResult().getType();
  }
  if (static_cast<int64_t>(getStep()) < 1) { // c2
    return emitOpError() << "expected a step of at least 1, but found " << static_cast<int64_t>(getStep());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// TaskOp
//===----------------------------------------------------------------------===//

void TaskOp::build(OpBuilder &builder, OperationState &state, Queue queue, ValueRange waits) {
  build(builder, state, TokenType::get(builder.getContext()), queue, waits);
  state.regions.front()->emplaceBlock();
}

/// The queues that may run an op.
static SmallVector<Queue> queuesOf(Operation *op) {
  if (isa<LoadOp, GatherOp>(op)) {
    return {Queue::LD};
  }
  if (isa<StoreOp>(op)) {
    return {Queue::ST};
  }
  if (isa<CopyOp, PadOp, TransposeOp>(op)) {
    return {Queue::LD, Queue::ST};
  }
  if (auto structured = dyn_cast<StructuredOpInterface>(op)) {
    return {structured.getQueue()};
  }
  return {};
}

LogicalResult TaskOp::verify() { // c1
  Block &block = getBody().front();
  if (!llvm::hasSingleElement(block) || block.getNumArguments() != 0) {
    return emitOpError() << "expected exactly one op inside, but found " << block.getOperations().size();
  }
  Operation &op = block.front();
  if (!llvm::is_contained(queuesOf(&op), getQueue())) {
    return emitOpError() << "expected an op of queue " << stringifyQueue(getQueue()) << " inside, but found '"
                         << op.getName() << "'";
  }
  if (op.getNumResults() != 0) {
    return emitOpError() << "expected an op on memrefs inside, but found one with tensor results";
  }
  return success();
}
