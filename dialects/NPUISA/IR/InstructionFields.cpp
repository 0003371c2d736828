// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/InstructionFields.h"

#include "mlir/IR/Builders.h"
#include "simulator/isa/Encoding.h"

using namespace mlir;
using namespace mlir::npuisa;

//===----------------------------------------------------------------------===//
// Parts of instructions
//===----------------------------------------------------------------------===//

npuhw::Address npuisa::toAddress(AddressAttr attribute) {
  npuhw::Address address;
  address.space = static_cast<npuhw::Space>(attribute.getSpace());
  address.region = static_cast<uint16_t>(attribute.getRegion());
  address.offset = attribute.getOffset();
  for (TermAttr term : attribute.getTerms()) {
    address.terms.push_back({static_cast<uint8_t>(term.getLoop()), term.getStride(),
                             static_cast<uint16_t>(term.getModulus())});
  }
  return address;
}

AddressAttr npuisa::getAddressAttr(MLIRContext *context, const npuhw::Address &address) {
  SmallVector<TermAttr> terms;
  for (const npuhw::AddressTerm &term : address.terms) {
    terms.push_back(TermAttr::get(context, term.loop, term.stride, term.modulus));
  }
  return AddressAttr::get(context, static_cast<Space>(address.space), address.region, address.offset, terms);
}

static npuhw::Operand toOperand(OperandAttr attribute) {
  return {toAddress(attribute.getAddress()), static_cast<npuhw::DType>(attribute.getDtype()),
          std::vector<int64_t>(attribute.getStrides().begin(), attribute.getStrides().end())};
}

namespace {

/// Sets the fields of a structure from the attributes of an op.
struct FieldReader {
  Operation *op;
  function_ref<uint16_t(FlatSymbolRefAttr)> microIndex;

  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const npuhw::FieldInfo &info, T &field) {
    Attribute attribute = op->getAttr(info.name);
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute)) {
      field = static_cast<T>(microIndex(symbol));
    } else {
      field = static_cast<T>(cast<IntegerAttr>(attribute).getInt());
    }
  }
  void operator()(const npuhw::FieldInfo &info, npuhw::DType &field) {
    field = static_cast<npuhw::DType>(op->getAttrOfType<DTypeAttr>(info.name).getValue());
  }
  void operator()(const npuhw::FieldInfo &info, npuhw::Address &field) {
    field = toAddress(op->getAttrOfType<AddressAttr>(info.name));
  }
  void operator()(const npuhw::FieldInfo &info, std::vector<int64_t> &field) {
    ArrayRef<int64_t> numbers = op->getAttrOfType<DenseI64ArrayAttr>(info.name).asArrayRef();
    field.assign(numbers.begin(), numbers.end());
  }
  void operator()(const npuhw::FieldInfo &info, std::vector<npuhw::Operand> &field) {
    for (auto operand : op->getAttrOfType<ArrayAttr>(info.name).getAsRange<OperandAttr>()) {
      field.push_back(toOperand(operand));
    }
  }
};

/// Collects the attributes of an op from the fields of a structure.
struct FieldWriter {
  OpBuilder &builder;
  FlatSymbolRefAttr micro;
  NamedAttrList &attributes;

  template <class T>
  std::enable_if_t<std::is_integral_v<T>> operator()(const npuhw::FieldInfo &info, const T &field) {
    if (StringRef(info.name) == "micro") {
      attributes.append(info.name, micro);
    } else {
      attributes.append(info.name, builder.getI64IntegerAttr(static_cast<int64_t>(field)));
    }
  }
  void operator()(const npuhw::FieldInfo &info, const npuhw::DType &field) {
    attributes.append(info.name, DTypeAttr::get(builder.getContext(), static_cast<DType>(field)));
  }
  void operator()(const npuhw::FieldInfo &info, const npuhw::Address &field) {
    attributes.append(info.name, getAddressAttr(builder.getContext(), field));
  }
  void operator()(const npuhw::FieldInfo &info, const std::vector<int64_t> &field) {
    attributes.append(info.name, builder.getDenseI64ArrayAttr(field));
  }
  void operator()(const npuhw::FieldInfo &info, const std::vector<npuhw::Operand> &field) {
    SmallVector<Attribute> operands;
    for (const npuhw::Operand &operand : field) {
      operands.push_back(OperandAttr::get(builder.getContext(), getAddressAttr(builder.getContext(), operand.address),
                                          static_cast<DType>(operand.dtype), operand.strides));
    }
    attributes.append(info.name, builder.getArrayAttr(operands));
  }
};

/// Checks that the lists of a structure, which all describe one index space, have one length.
struct RankChecker {
  std::string fault;
  const char *first = nullptr;
  size_t rank = 0;

  template <class T> void operator()(const npuhw::FieldInfo &, const T &) {}
  void operator()(const npuhw::FieldInfo &info, const std::vector<int64_t> &field) { note(info.name, field.size()); }
  void operator()(const npuhw::FieldInfo &info, const std::vector<npuhw::Operand> &field) {
    for (const npuhw::Operand &operand : field) {
      note(info.name, operand.strides.size());
    }
  }

  void note(const char *name, size_t length) {
    if (!first) {
      first = name;
      rank = length;
    } else if (length != rank && fault.empty()) {
      fault = "expected as many entries in '" + std::string(name) + "' as in '" + first + "', which has " +
              std::to_string(rank) + ", but found " + std::to_string(length);
    }
  }
};

/// Checks extents: the only lists whose numbers have a lower bound are called "shape" or "rows".
struct ExtentChecker {
  std::string fault;

  template <class T> void operator()(const npuhw::FieldInfo &, const T &) {}
  void operator()(const npuhw::FieldInfo &info, const std::vector<int64_t> &field) {
    StringRef name = info.name;
    if (name != "shape" && name != "rows") {
      return;
    }
    for (int64_t extent : field) {
      if (extent < 0 && fault.empty()) {
        fault = "expected extents of at least 0 in '" + name.str() + "', but found " + std::to_string(extent);
      }
    }
  }
};

template <class Checker> std::string checkFields(const npuhw::Instruction &instruction) {
  Checker checker;
  std::visit([&](const auto &fields) { std::decay_t<decltype(fields)>::visit(fields, checker); }, instruction);
  return checker.fault;
}

} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The instruction with the mnemonic of an op, all fields at their defaults.
static bool makeInstruction(StringRef mnemonic, npuhw::Instruction &instruction) {
  for (npuhw::Opcode opcode : npuhw::kAllOpcodes) {
    if (mnemonic == npuhw::spell(opcode)) {
      return npuhw::makeInstruction(opcode, instruction);
    }
  }
  return false;
}

static std::vector<npuhw::SyncRef> readSyncs(Operation *op, StringRef name) {
  std::vector<npuhw::SyncRef> syncs;
  for (Attribute attribute : getSyncs(op, name)) {
    auto sync = cast<SyncAttr>(attribute);
    syncs.push_back({static_cast<uint8_t>(sync.getSemaphore()), static_cast<uint8_t>(sync.getCount())});
  }
  return syncs;
}

npuhw::Instruction npuisa::toInstruction(Operation *op, function_ref<uint16_t(FlatSymbolRefAttr)> microIndex) {
  npuhw::Instruction instruction;
  [[maybe_unused]] bool known = makeInstruction(op->getName().stripDialect(), instruction);
  assert(known && "the ops and the structures come from the same records");
  npuhw::InstructionHeader &header = npuhw::header(instruction);
  if (auto queue = op->getAttrOfType<QueueAttr>("queue")) {
    header.queue = static_cast<npuhw::Queue>(queue.getValue());
  }
  header.waits = readSyncs(op, kWaitsAttrName);
  header.signals = readSyncs(op, kSignalsAttrName);
  std::visit([&](auto &fields) { std::decay_t<decltype(fields)>::visit(fields, FieldReader{op, microIndex}); },
             instruction);
  return instruction;
}

static ArrayAttr getSyncArray(MLIRContext *context, ArrayRef<npuhw::SyncRef> syncs) {
  SmallVector<Attribute> attributes;
  for (const npuhw::SyncRef &sync : syncs) {
    attributes.push_back(SyncAttr::get(context, sync.semaphore, sync.count));
  }
  return ArrayAttr::get(context, attributes);
}

Operation *npuisa::createInstruction(OpBuilder &builder, Location loc, const npuhw::Instruction &instruction,
                                     FlatSymbolRefAttr micro, ValueRange after, bool withToken) {
  OperationState state(loc, ("npuisa." + StringRef(npuhw::mnemonic(instruction))).str());
  unsigned queues = npuhw::allowedQueues(instruction);
  const npuhw::InstructionHeader &header = npuhw::header(instruction);
  if ((queues & (queues - 1)) != 0) {
    state.addAttribute("queue", QueueAttr::get(builder.getContext(), static_cast<Queue>(header.queue)));
  }
  std::visit(
      [&](const auto &fields) {
        std::decay_t<decltype(fields)>::visit(fields, FieldWriter{builder, micro, state.attributes});
      },
      instruction);
  if (!header.waits.empty()) {
    state.addAttribute(kWaitsAttrName, getSyncArray(builder.getContext(), header.waits));
  }
  if (!header.signals.empty()) {
    state.addAttribute(kSignalsAttrName, getSyncArray(builder.getContext(), header.signals));
  }
  state.addOperands(after);
  if (withToken) {
    state.addTypes(TokenType::get(builder.getContext()));
  }
  return builder.create(state);
}

void npuisa::setSyncs(Operation *op, StringRef attributeName, ArrayRef<npuhw::SyncRef> syncs) {
  if (syncs.empty()) {
    op->removeAttr(attributeName);
  } else {
    op->setAttr(attributeName, getSyncArray(op->getContext(), syncs));
  }
}

bool npuisa::isInstruction(Operation *op) { return op->hasTrait<Instruction>(); }

std::optional<Queue> npuisa::getQueue(Operation *op) {
  if (auto queue = op->getAttrOfType<QueueAttr>("queue")) {
    return queue.getValue();
  }
  npuhw::Instruction instruction;
  if (!isInstruction(op) || !makeInstruction(op->getName().stripDialect(), instruction) ||
      npuhw::header(instruction).queue == npuhw::Queue::Control) {
    return std::nullopt;
  }
  return static_cast<Queue>(npuhw::header(instruction).queue);
}

Value npuisa::getToken(Operation *op) { return op->getNumResults() == 1 ? op->getResult(0) : Value(); }

ArrayRef<Attribute> npuisa::getSyncs(Operation *op, StringRef attributeName) {
  auto array = op->getAttrOfType<ArrayAttr>(attributeName);
  return array ? array.getValue() : ArrayRef<Attribute>();
}

LogicalResult npuisa::details::verifyInstruction(Operation *op) {
  for (StringRef name : {StringRef(kWaitsAttrName), StringRef(kSignalsAttrName)}) {
    for (Attribute attribute : getSyncs(op, name)) {
      auto sync = cast<SyncAttr>(attribute);
      if (sync.getSemaphore() > UINT8_MAX || sync.getCount() > UINT8_MAX) {
        return op->emitOpError() << "expected semaphores and counts of at most " << UINT8_MAX << " in '" << name
                                 << "', but found " << sync.getSemaphore() << ":" << sync.getCount();
      }
    }
  }
  // Verified after the op's own constraints: every attribute is there and has its type.
  npuhw::Instruction instruction = toInstruction(op, [](FlatSymbolRefAttr) { return uint16_t(0); });
  std::string fault = npuhw::verifyEncodable(instruction);
  if (fault.empty()) {
    fault = checkFields<ExtentChecker>(instruction);
  }
  // The gather has scalar strides only; the two sides of the matrix multiplication share their row extents.
  if (fault.empty()) {
    fault = checkFields<RankChecker>(instruction);
  }
  if (fault.empty()) {
    auto elementBytes = op->getAttrOfType<IntegerAttr>("element_bytes");
    if (elementBytes && !llvm::isPowerOf2_64(elementBytes.getInt())) {
      fault = "expected 1, 2, 4 or 8 'element_bytes', but found " + std::to_string(elementBytes.getInt());
    }
  }
  return fault.empty() ? success() : op->emitOpError() << "cannot be encoded: " << fault;
}
