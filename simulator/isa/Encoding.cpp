// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/isa/Encoding.h"

#include <algorithm>

using namespace npuhw;

namespace {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

struct FieldWriter {
  ByteWriter &writer;

  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &, T value) {
    writer.integer(value);
  }
  void operator()(const FieldInfo &, DType value) { writer.integer(static_cast<uint8_t>(value)); }
  void operator()(const FieldInfo &, const Address &value) { address(value); }
  void operator()(const FieldInfo &, const std::vector<int64_t> &value) { list(value); }
  void operator()(const FieldInfo &, const std::vector<Operand> &value) {
    writer.integer(static_cast<uint8_t>(value.size()));
    for (const Operand &operand : value) {
      address(operand.address);
      writer.integer(static_cast<uint8_t>(operand.dtype));
      list(operand.strides);
    }
  }

  void list(const std::vector<int64_t> &value) {
    writer.integer(static_cast<uint8_t>(value.size()));
    for (int64_t v : value) {
      writer.integer(v);
    }
  }
  void address(const Address &value) {
    writer.integer(static_cast<uint8_t>(value.space));
    writer.integer(value.region);
    writer.integer(value.offset);
    writer.integer(static_cast<uint8_t>(value.terms.size()));
    for (const AddressTerm &term : value.terms) {
      writer.integer(term.loop);
      writer.integer(term.stride);
      writer.integer(term.modulus);
    }
  }
};

void writeSyncs(ByteWriter &writer, const std::vector<SyncRef> &syncs) {
  for (const SyncRef &sync : syncs) {
    writer.integer(sync.semaphore);
    writer.integer(sync.count);
  }
}

//===----------------------------------------------------------------------===//
// Checking: shared by the reader and by verifyEncodable
//===----------------------------------------------------------------------===//

std::string quoted(const char *name) { return std::string("'") + name + "'"; }

template <class Enum, size_t N> bool isOneOf(Enum value, const Enum (&all)[N]) {
  return std::find(std::begin(all), std::end(all), value) != std::end(all);
}

std::string checkAddress(const Address &address, const char *name) {
  if (!isOneOf(address.space, kAllSpaces)) {
    return quoted(name) + " has the unknown space " + std::to_string(static_cast<unsigned>(address.space));
  }
  if (address.space != Space::Dram && address.region != 0) {
    return quoted(name) + " names region " + std::to_string(address.region) + ", but only DRAM has regions";
  }
  if (address.terms.size() > kMaxTerms) {
    return quoted(name) + " has " + std::to_string(address.terms.size()) + " address terms, but at most " +
           std::to_string(kMaxTerms) + " are allowed";
  }
  for (const AddressTerm &term : address.terms) {
    if (term.loop >= kMaxLoopDepth) {
      return quoted(name) + " names the loop at depth " + std::to_string(term.loop) +
             ", but the depth must be below " + std::to_string(kMaxLoopDepth);
    }
  }
  return "";
}

std::string checkDType(DType dtype, const FieldInfo &info) {
  if (!isOneOf(dtype, kAllDTypes)) {
    return quoted(info.name) + " has the unknown element type " + std::to_string(static_cast<unsigned>(dtype));
  }
  if (info.takes(dtype)) {
    return "";
  }
  std::string taken;
  for (DType other : kAllDTypes) {
    if (info.takes(other)) {
      taken += (taken.empty() ? "" : ", ") + std::string(spell(other));
    }
  }
  return quoted(info.name) + " has element type '" + spell(dtype) + "', but must have one of " + taken;
}

std::string checkLength(size_t length, int64_t maximum, const char *name) {
  if (static_cast<int64_t>(length) > maximum) {
    return quoted(name) + " has " + std::to_string(length) + " entries, but at most " + std::to_string(maximum) +
           " are allowed";
  }
  return "";
}

/// Collects the first fault of a field.
struct FieldChecker {
  std::string fault;

  void note(std::string message) {
    if (fault.empty()) {
      fault = std::move(message);
    }
  }
  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &info, T value) {
    // Fields without a range (bits, strides) have an empty one or the full one.
    if (info.minimum == info.maximum || (info.minimum == INT64_MIN && info.maximum == INT64_MAX)) {
      return;
    }
    auto v = static_cast<int64_t>(value);
    if (v < info.minimum || v > info.maximum) {
      note(quoted(info.name) + " is " + std::to_string(v) + ", but must be between " +
           std::to_string(info.minimum) + " and " + std::to_string(info.maximum));
    }
  }
  void operator()(const FieldInfo &info, DType value) { note(checkDType(value, info)); }
  void operator()(const FieldInfo &info, const Address &value) { note(checkAddress(value, info.name)); }
  void operator()(const FieldInfo &info, const std::vector<int64_t> &value) {
    note(checkLength(value.size(), info.maximum, info.name));
  }
  void operator()(const FieldInfo &info, const std::vector<Operand> &value) {
    note(checkLength(value.size(), info.maximum, info.name));
    for (const Operand &operand : value) {
      note(checkAddress(operand.address, info.name));
      note(checkDType(operand.dtype, info));
      note(checkLength(operand.strides.size(), kMaxRank, info.name));
    }
  }
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

struct FieldReader {
  ByteReader &reader;

  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &, T &value) {
    value = reader.integer<T>();
  }
  void operator()(const FieldInfo &, DType &value) { value = static_cast<DType>(reader.integer<uint8_t>()); }
  void operator()(const FieldInfo &, Address &value) { value = address(); }
  void operator()(const FieldInfo &, std::vector<int64_t> &value) { value = list(); }
  void operator()(const FieldInfo &, std::vector<Operand> &value) {
    auto count = reader.count<uint8_t>(14, "operands");
    for (unsigned i = 0; i < count && reader.ok(); ++i) {
      Operand operand;
      operand.address = address();
      operand.dtype = static_cast<DType>(reader.integer<uint8_t>());
      operand.strides = list();
      value.push_back(std::move(operand));
    }
  }

  std::vector<int64_t> list() {
    auto count = reader.count<uint8_t>(8, "numbers");
    std::vector<int64_t> values;
    for (unsigned i = 0; i < count; ++i) {
      values.push_back(reader.integer<int64_t>());
    }
    return values;
  }
  Address address() {
    Address result;
    result.space = static_cast<Space>(reader.integer<uint8_t>());
    result.region = reader.integer<uint16_t>();
    result.offset = reader.integer<int64_t>();
    auto count = reader.count<uint8_t>(11, "address terms");
    for (unsigned i = 0; i < count; ++i) {
      AddressTerm term;
      term.loop = reader.integer<uint8_t>();
      term.stride = reader.integer<int64_t>();
      term.modulus = reader.integer<uint16_t>();
      result.terms.push_back(term);
    }
    return result;
  }
};

std::vector<SyncRef> readSyncs(ByteReader &reader, unsigned count) {
  std::vector<SyncRef> syncs;
  for (unsigned i = 0; i < count && reader.ok(); ++i) {
    SyncRef sync;
    sync.semaphore = reader.integer<uint8_t>();
    sync.count = reader.integer<uint8_t>();
    syncs.push_back(sync);
  }
  return syncs;
}

} // namespace

std::string npuhw::verifyEncodable(const Instruction &inst) {
  const InstructionHeader &head = header(inst);
  if (!isOneOf(head.queue, kAllQueues) || (allowedQueues(inst) & queueBit(head.queue)) == 0) {
    const char *name = isOneOf(head.queue, kAllQueues) ? spell(head.queue) : "unknown";
    return std::string("'") + mnemonic(inst) + "' cannot run on queue '" + name + "'";
  }
  for (const auto *syncs : {&head.waits, &head.signals}) {
    const char *what = syncs == &head.waits ? "waits" : "signals";
    if (head.queue == Queue::Control && !syncs->empty()) {
      return std::string("'") + mnemonic(inst) + "' runs in the control unit and has no semaphores, but has " + what;
    }
    if (syncs->size() > kMaxSyncs) {
      return std::string("'") + mnemonic(inst) + "' has " + std::to_string(syncs->size()) + " " + what +
             ", but at most " + std::to_string(kMaxSyncs) + " are allowed";
    }
    for (const SyncRef &sync : *syncs) {
      if (sync.count == 0) {
        return std::string("'") + mnemonic(inst) + "' has a count of 0 in its " + what;
      }
    }
  }
  FieldChecker checker;
  std::visit([&](const auto &i) { std::decay_t<decltype(i)>::visit(i, checker); }, inst);
  return checker.fault.empty() ? "" : std::string("'") + mnemonic(inst) + "': " + checker.fault;
}

void npuhw::encode(const Instruction &inst, ByteWriter &writer) {
  const InstructionHeader &head = header(inst);
  size_t start = writer.size();
  writer.integer(static_cast<uint8_t>(opcode(inst)));
  writer.integer(static_cast<uint8_t>(head.queue));
  writer.integer(uint16_t(0));
  writer.integer(static_cast<uint8_t>(head.waits.size()));
  writer.integer(static_cast<uint8_t>(head.signals.size()));
  writeSyncs(writer, head.waits);
  writeSyncs(writer, head.signals);
  std::visit([&](const auto &i) { std::decay_t<decltype(i)>::visit(i, FieldWriter{writer}); }, inst);
  writer.patch16(start + 2, static_cast<uint16_t>(writer.size() - start));
}

Instruction npuhw::decodeInstruction(ByteReader &reader) {
  Instruction inst;
  size_t start = reader.offset();
  auto code = reader.integer<uint8_t>();
  if (!reader.ok()) {
    return inst;
  }
  if (!makeInstruction(static_cast<Opcode>(code), inst)) {
    reader.fail("unknown opcode " + std::to_string(code));
    return inst;
  }
  InstructionHeader &head = header(inst);
  head.queue = static_cast<Queue>(reader.integer<uint8_t>());
  auto length = reader.integer<uint16_t>();
  auto waits = reader.integer<uint8_t>();
  auto signals = reader.integer<uint8_t>();
  head.waits = readSyncs(reader, waits);
  head.signals = readSyncs(reader, signals);
  std::visit([&](auto &i) { std::decay_t<decltype(i)>::visit(i, FieldReader{reader}); }, inst);
  if (!reader.ok()) {
    return inst;
  }
  if (reader.offset() - start != length) {
    reader.fail(std::string("'") + mnemonic(inst) + "' states a length of " + std::to_string(length) +
                " bytes, but its fields take " + std::to_string(reader.offset() - start));
    return inst;
  }
  std::string fault = verifyEncodable(inst);
  if (!fault.empty()) {
    reader.fail(fault);
  }
  return inst;
}

void npuhw::encode(const MicroProgram &micro, ByteWriter &writer) {
  writer.text(micro.name);
  writer.integer(micro.numInputs);
  writer.integer(static_cast<uint16_t>(micro.ops.size()));
  writer.integer(static_cast<uint16_t>(micro.outputs.size()));
  for (const MicroOp &op : micro.ops) {
    writer.integer(static_cast<uint8_t>(op.opcode));
    writer.integer(static_cast<uint8_t>(op.type));
    writer.integer(op.a);
    writer.integer(op.b);
    writer.integer(op.c);
    writer.integer(op.imm);
  }
  for (uint16_t output : micro.outputs) {
    writer.integer(output);
  }
}

MicroProgram npuhw::decodeMicro(ByteReader &reader) {
  MicroProgram micro;
  micro.name = reader.text();
  micro.numInputs = reader.integer<uint16_t>();
  auto numOps = reader.integer<uint16_t>();
  auto numOutputs = reader.integer<uint16_t>();
  if (!reader.need(size_t(numOps) * 16 + size_t(numOutputs) * 2)) {
    return micro;
  }
  for (unsigned i = 0; i < numOps; ++i) {
    MicroOp op;
    op.opcode = static_cast<MicroOpcode>(reader.integer<uint8_t>());
    op.type = static_cast<DType>(reader.integer<uint8_t>());
    op.a = reader.integer<uint16_t>();
    op.b = reader.integer<uint16_t>();
    op.c = reader.integer<uint16_t>();
    op.imm = reader.integer<uint64_t>();
    micro.ops.push_back(op);
  }
  for (unsigned i = 0; i < numOutputs; ++i) {
    micro.outputs.push_back(reader.integer<uint16_t>());
  }
  if (reader.ok()) {
    std::string fault = verifyMicro(micro);
    if (!fault.empty()) {
      reader.fail("microprogram '" + micro.name + "': " + fault);
    }
  }
  return micro;
}

bool npuhw::operator==(const Instruction &a, const Instruction &b) {
  // The encoding is a function of the fields and has no two forms of one value.
  ByteWriter ea;
  ByteWriter eb;
  encode(a, ea);
  encode(b, eb);
  return ea.out == eb.out;
}
