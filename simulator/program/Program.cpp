// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/program/Program.h"

#include "simulator/isa/Encoding.h"

#include <algorithm>

using namespace npuhw;

const char *npuhw::spell(RegionRole role) {
  switch (role) {
  case RegionRole::Input:
    return "input";
  case RegionRole::Output:
    return "output";
  case RegionRole::Constant:
    return "constant";
  case RegionRole::Arena:
    return "arena";
  case RegionRole::State:
    return "state";
  }
  return nullptr;
}

std::string Program::source(size_t instruction) const {
  if (instruction >= sourceOf.size() || sourceOf[instruction] >= sources.size()) {
    return "";
  }
  return sources[sourceOf[instruction]];
}

void Program::append(Instruction inst, const std::string &source) {
  uint32_t index = kNoSource;
  if (!source.empty()) {
    // Neighbours mostly share their source, so that the search is short.
    auto it = std::find(sources.rbegin(), sources.rend(), source);
    index = it == sources.rend() ? static_cast<uint32_t>(sources.size())
                                 : static_cast<uint32_t>(sources.rend() - it - 1);
    if (it == sources.rend()) {
      sources.push_back(source);
    }
  }
  code.push_back(std::move(inst));
  sourceOf.push_back(index);
}

std::string npuhw::verifyStructure(const Program &program) {
  for (size_t i = 0; i < program.regions.size(); ++i) {
    const Region &region = program.regions[i];
    std::string where = "region " + std::to_string(i) + " ('" + region.name + "')";
    if (region.role == RegionRole::Constant && region.contents.size() != region.bytes) {
      return where + " is constant with " + std::to_string(region.bytes) + " bytes, but " +
             std::to_string(region.contents.size()) + " bytes of contents";
    }
    if (isPacked(region.dtype)) {
      return where + " has elements of type '" + spell(region.dtype) +
             "', but must be described as the whole bytes that hold them";
    }
    if (region.role != RegionRole::Constant && !region.contents.empty()) {
      return where + " is not constant, but has contents";
    }
  }
  for (size_t i = 0; i < program.micros.size(); ++i) {
    std::string fault = verifyMicro(program.micros[i]);
    if (!fault.empty()) {
      return "microprogram " + std::to_string(i) + " ('" + program.micros[i].name + "'): " + fault;
    }
  }
  if (program.sourceOf.size() != program.code.size()) {
    return "there are " + std::to_string(program.code.size()) + " instructions, but sources for " +
           std::to_string(program.sourceOf.size());
  }
  size_t depth = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction &inst = program.code[i];
    std::string where = "instruction " + std::to_string(i) + ": ";
    std::string fault = verifyEncodable(inst);
    if (!fault.empty()) {
      return where + fault;
    }
    if (program.sourceOf[i] != kNoSource && program.sourceOf[i] >= program.sources.size()) {
      return where + "source " + std::to_string(program.sourceOf[i]) + " does not exist: there are " +
             std::to_string(program.sources.size());
    }
    if (std::holds_alternative<LoopBegin>(inst)) {
      if (++depth > kMaxLoopDepth) {
        return where + "loops are nested deeper than " + std::to_string(kMaxLoopDepth);
      }
    } else if (std::holds_alternative<LoopEnd>(inst)) {
      if (depth == 0) {
        return where + "'loop_end' without 'loop_begin'";
      }
      --depth;
    } else if (std::holds_alternative<Halt>(inst) && (i + 1 != program.code.size() || depth != 0)) {
      return where + "'halt' must be the last instruction, outside of all loops";
    }
  }
  if (depth != 0) {
    return "'loop_begin' without 'loop_end': " + std::to_string(depth) + " loops are open at the end";
  }
  if (program.code.empty() || !std::holds_alternative<Halt>(program.code.back())) {
    return "the last instruction must be 'halt'";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Bytes npuhw::writeProgram(const Program &program) {
  Container container;
  auto add = [&](SectionKind kind, ByteWriter writer) {
    container.sections.push_back({kind, spell(kind), std::move(writer.out)});
  };

  ByteWriter target;
  target.integer(hashTarget(program.target));
  Bytes description = serializeTarget(program.target);
  target.raw(description.data(), description.size());
  add(SectionKind::Target, std::move(target));

  ByteWriter io;
  io.text(program.name);
  io.integer(static_cast<uint32_t>(program.regions.size()));
  for (const Region &region : program.regions) {
    io.integer(static_cast<uint8_t>(region.role));
    io.integer(static_cast<uint8_t>(region.dtype));
    io.integer(region.bytes);
    io.text(region.name);
    io.integer(static_cast<uint32_t>(region.shape.size()));
    for (int64_t extent : region.shape) {
      io.integer(extent);
    }
  }
  add(SectionKind::IO, std::move(io));

  ByteWriter micro;
  micro.integer(static_cast<uint32_t>(program.micros.size()));
  for (const MicroProgram &m : program.micros) {
    encode(m, micro);
  }
  add(SectionKind::Micro, std::move(micro));

  ByteWriter code;
  code.integer(static_cast<uint32_t>(program.code.size()));
  for (const Instruction &inst : program.code) {
    encode(inst, code);
  }
  add(SectionKind::Code, std::move(code));

  ByteWriter constants;
  for (const Region &region : program.regions) {
    constants.raw(region.contents.data(), region.contents.size());
  }
  add(SectionKind::Const, std::move(constants));

  ByteWriter debug;
  debug.integer(static_cast<uint32_t>(program.sources.size()));
  for (const std::string &source : program.sources) {
    debug.text(source);
  }
  for (uint32_t index : program.sourceOf) {
    debug.integer(index);
  }
  add(SectionKind::Debug, std::move(debug));
  return writeContainer(container);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads one section after the other into a program; stops at the first fault.
class ProgramReader {
public:
  explicit ProgramReader(const Container &container) : container(container) {}

  Result<Program> read() {
    if (container.kind != FileKind::Program) {
      return Error{"this is a package; a program was expected"};
    }
    bool ok = section(SectionKind::Target, &ProgramReader::readTarget) &&
              section(SectionKind::IO, &ProgramReader::readIO) &&
              section(SectionKind::Micro, &ProgramReader::readMicro) &&
              section(SectionKind::Code, &ProgramReader::readCode) &&
              section(SectionKind::Const, &ProgramReader::readConst) &&
              section(SectionKind::Debug, &ProgramReader::readDebug);
    if (!ok) {
      return failure;
    }
    for (const Section &s : container.sections) {
      if (&s != container.find(s.kind) || s.kind > SectionKind::Debug) {
        return Error{std::string("unexpected second or foreign section '") + spell(s.kind) + "'"};
      }
    }
    std::string fault = verifyStructure(program);
    if (!fault.empty()) {
      return Error{fault};
    }
    return std::move(program);
  }

private:
  const Container &container;
  Program program;
  Error failure;

  bool section(SectionKind kind, void (ProgramReader::*parse)(ByteReader &)) {
    const Section *s = container.find(kind);
    if (!s) {
      failure = Error{std::string("section '") + spell(kind) + "' is missing"};
      return false;
    }
    if (s->name != spell(kind)) {
      failure = Error{std::string("section '") + spell(kind) + "' has the name '" + s->name + "'"};
      return false;
    }
    ByteReader reader(s->bytes.data(), s->bytes.size(), 0);
    (this->*parse)(reader);
    if (reader.ok() && reader.remaining() != 0) {
      reader.fail(std::to_string(reader.remaining()) + " unexpected bytes at the end");
    }
    if (!reader.ok()) {
      failure = reader.error();
      failure.message = std::string("section '") + spell(kind) + "': " + failure.message;
      return false;
    }
    return true;
  }

  void readTarget(ByteReader &reader) {
    auto hash = reader.integer<uint64_t>();
    Bytes description = reader.raw(reader.remaining());
    std::string fault;
    if (!reader.ok()) {
      return;
    }
    if (!deserializeTarget(description.data(), description.size(), program.target, fault)) {
      reader.fail(fault);
    } else if (hash != hashTarget(program.target)) {
      reader.fail("the hash of the target description does not match");
    }
  }

  void readIO(ByteReader &reader) {
    program.name = reader.text();
    auto count = reader.count<uint32_t>(18, "regions");
    if (count > 65536) {
      reader.fail(std::to_string(count) + " regions, but addresses can name only 65536");
    }
    for (uint32_t i = 0; i < count && reader.ok(); ++i) {
      Region region;
      auto role = reader.integer<uint8_t>();
      auto dtype = reader.integer<uint8_t>();
      region.role = static_cast<RegionRole>(role);
      region.dtype = static_cast<DType>(dtype);
      region.bytes = reader.integer<uint64_t>();
      region.name = reader.text();
      auto rank = reader.count<uint32_t>(8, "extents");
      for (uint32_t d = 0; d < rank; ++d) {
        region.shape.push_back(reader.integer<int64_t>());
      }
      if (reader.ok() && !spell(region.role)) {
        reader.fail("region " + std::to_string(i) + " has the unknown role " + std::to_string(role));
      }
      if (reader.ok() && !spell(region.dtype)) {
        reader.fail("region " + std::to_string(i) + " has the unknown element type " + std::to_string(dtype));
      }
      program.regions.push_back(std::move(region));
    }
  }

  void readMicro(ByteReader &reader) {
    auto count = reader.count<uint32_t>(10, "microprograms");
    for (uint32_t i = 0; i < count && reader.ok(); ++i) {
      program.micros.push_back(decodeMicro(reader));
    }
  }

  void readCode(ByteReader &reader) {
    auto count = reader.count<uint32_t>(6, "instructions");
    for (uint32_t i = 0; i < count && reader.ok(); ++i) {
      program.code.push_back(decodeInstruction(reader));
    }
  }

  void readConst(ByteReader &reader) {
    for (Region &region : program.regions) {
      if (region.role == RegionRole::Constant) {
        region.contents = reader.raw(region.bytes);
      }
    }
  }

  void readDebug(ByteReader &reader) {
    auto count = reader.count<uint32_t>(4, "source names");
    for (uint32_t i = 0; i < count && reader.ok(); ++i) {
      program.sources.push_back(reader.text());
    }
    if (!reader.need(program.code.size() * 4)) {
      return;
    }
    for (size_t i = 0; i < program.code.size(); ++i) {
      program.sourceOf.push_back(reader.integer<uint32_t>());
    }
  }
};

} // namespace

Result<Program> npuhw::readProgram(const uint8_t *data, size_t size) {
  Result<Container> container = readContainer(data, size);
  if (!container) {
    return container.error();
  }
  return ProgramReader(*container).read();
}
