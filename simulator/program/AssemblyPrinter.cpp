// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/program/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace npuhw;

namespace {

/// A string literal that holds any bytes.
std::string literal(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7f) {
      char escape[5];
      std::snprintf(escape, sizeof(escape), "\\x%02x", c);
      out += escape;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string hexDigits(const uint8_t *data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) {
    out += digits[data[i] >> 4];
    out += digits[data[i] & 15];
  }
  return out;
}

std::string hexNumber(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Text for the rest of a line after ';': control characters become spaces.
std::string comment(const std::string &text) {
  std::string out;
  for (unsigned char c : text) {
    out += c < 0x20 ? ' ' : static_cast<char>(c);
  }
  return out;
}

std::string printList(const std::vector<int64_t> &values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    out += (i ? ", " : "") + std::to_string(values[i]);
  }
  return out + "]";
}

std::string printAddress(const Address &address) {
  std::string out = spell(address.space);
  if (address.space == Space::Dram) {
    out += std::to_string(address.region);
  }
  out += "[" + std::to_string(address.offset);
  for (const AddressTerm &term : address.terms) {
    out += ", " + std::to_string(term.stride) + "*i" + std::to_string(term.loop);
    if (term.modulus != 0) {
      out += "%" + std::to_string(term.modulus);
    }
  }
  return out + "]";
}

std::string printSyncs(const std::vector<SyncRef> &syncs) {
  std::string out = "[";
  for (size_t i = 0; i < syncs.size(); ++i) {
    out += (i ? ", " : "") + std::to_string(syncs[i].semaphore) + ":" + std::to_string(syncs[i].count);
  }
  return out + "]";
}

struct FieldPrinter {
  std::string &out;

  void name(const FieldInfo &info) { out += std::string(" ") + info.name + "="; }

  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &info, T value) {
    name(info);
    out += std::is_same_v<T, uint64_t> ? hexNumber(static_cast<uint64_t>(value)) : std::to_string(value);
  }
  void operator()(const FieldInfo &info, DType value) {
    name(info);
    out += spell(value);
  }
  void operator()(const FieldInfo &info, const Address &value) {
    name(info);
    out += printAddress(value);
  }
  void operator()(const FieldInfo &info, const std::vector<int64_t> &value) {
    name(info);
    out += printList(value);
  }
  void operator()(const FieldInfo &info, const std::vector<Operand> &value) {
    name(info);
    out += "{";
    for (size_t i = 0; i < value.size(); ++i) {
      out += (i ? ", " : "") + printAddress(value[i].address) + ":" + spell(value[i].dtype) + ":" +
             printList(value[i].strides);
    }
    out += "}";
  }
};

bool choosesQueue(const Instruction &inst) {
  unsigned queues = allowedQueues(inst);
  return (queues & (queues - 1)) != 0;
}

void printMicro(const MicroProgram &micro, size_t index, std::string &out) {
  out += "micro " + std::to_string(index) + " " + literal(micro.name) + " inputs=" +
         std::to_string(micro.numInputs) + " {\n";
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    const MicroOp &op = micro.ops[i];
    const MicroOpInfo *info = microOpInfo(op.opcode);
    out += "  %" + std::to_string(i) + " = " + spell(op.opcode) + " " + spell(op.type);
    if (op.opcode == MicroOpcode::Const) {
      out += " " + hexNumber(op.imm);
      if (op.type == DType::F32) {
        auto bits = static_cast<uint32_t>(op.imm);
        float value;
        std::memcpy(&value, &bits, sizeof(value));
        char text[32];
        std::snprintf(text, sizeof(text), " ; %.9g", static_cast<double>(value));
        out += text;
      }
    } else if (info->form == MicroForm::Leaf) {
      out += " " + std::to_string(op.imm);
    } else if (info->form == MicroForm::Cmpf) {
      out += std::string(" ") + kCmpfPredicates[op.imm];
    } else if (info->form == MicroForm::Cmpi) {
      out += std::string(" ") + kCmpiPredicates[op.imm];
    }
    const uint16_t regs[] = {op.a, op.b, op.c};
    for (unsigned k = 0; k < microOperandCount(op.opcode); ++k) {
      out += " %" + std::to_string(regs[k]);
    }
    out += "\n";
  }
  out += "  outputs";
  for (uint16_t reg : micro.outputs) {
    out += " %" + std::to_string(reg);
  }
  out += "\n}\n";
}

} // namespace

std::string npuhw::printInstruction(const Instruction &inst, const Program *program) {
  const InstructionHeader &head = header(inst);
  std::string out = mnemonic(inst);
  if (choosesQueue(inst)) {
    out += std::string(".") + spell(head.queue);
  }
  std::visit([&](const auto &i) { std::decay_t<decltype(i)>::visit(i, FieldPrinter{out}); }, inst);
  if (!head.waits.empty()) {
    out += " waits=" + printSyncs(head.waits);
  }
  if (!head.signals.empty()) {
    out += " signals=" + printSyncs(head.signals);
  }
  if (program) {
    uint16_t micro = 0;
    if (const auto *drain = std::get_if<Drain>(&inst)) {
      micro = drain->micro;
    } else if (const auto *vector = std::get_if<VExec>(&inst)) {
      micro = vector->micro;
    } else {
      return out;
    }
    if (micro < program->micros.size()) {
      out += " ; " + comment(program->micros[micro].name);
    }
  }
  return out;
}

namespace {
/// One line for each key of a target.
struct TargetPrinter {
  std::string out;

  void operator()(const TargetFieldInfo &info, const std::string &value) { line(info, literal(value)); }
  void operator()(const TargetFieldInfo &info, uint64_t value) { line(info, std::to_string(value)); }
  void operator()(const TargetFieldInfo &info, bool value) { line(info, value ? "true" : "false"); }
  void operator()(const TargetFieldInfo &info, double value) { line(info, formatReal(value)); }
  void operator()(const TargetFieldInfo &info, const std::vector<std::string> &values) {
    std::string list;
    for (const std::string &value : values) {
      list += (list.empty() ? "" : ", ") + literal(value);
    }
    line(info, "[" + list + "]");
  }

private:
  void line(const TargetFieldInfo &info, const std::string &value) {
    out += std::string("  ") + info.key + "=" + value + (*info.unit ? std::string(" ; ") + info.unit : "") + "\n";
  }
};
} // namespace

std::string npuhw::printAssembly(const Program &program) {
  std::string out = "program " + literal(program.name) + "\n";
  TargetPrinter target;
  visitTarget(program.target, target);
  out += "target { ; " + comment(program.target.name) + " " + hashTargetHex(program.target) + "\n" + target.out + "}\n";
  for (size_t i = 0; i < program.regions.size(); ++i) {
    const Region &region = program.regions[i];
    out += "region " + std::to_string(i) + " " + spell(region.role) + " " + literal(region.name) +
           " bytes=" + std::to_string(region.bytes) + " dtype=" + spell(region.dtype) +
           " shape=" + printList(region.shape) + "\n";
    constexpr size_t kBytesPerLine = 64;
    for (size_t at = 0; at < region.contents.size(); at += kBytesPerLine) {
      size_t size = std::min(kBytesPerLine, region.contents.size() - at);
      out += "  contents \"" + hexDigits(region.contents.data() + at, size) + "\"\n";
    }
  }
  for (size_t i = 0; i < program.micros.size(); ++i) {
    printMicro(program.micros[i], i, out);
  }
  for (size_t i = 0; i < program.sources.size(); ++i) {
    out += "source " + std::to_string(i) + " " + literal(program.sources[i]) + "\n";
  }
  out += "code {\n";
  size_t depth = 1;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction &inst = program.code[i];
    depth -= std::holds_alternative<LoopEnd>(inst) && depth > 1;
    out += std::string(2 * depth, ' ') + printInstruction(inst);
    if (i < program.sourceOf.size() && program.sourceOf[i] != kNoSource) {
      out += " @" + std::to_string(program.sourceOf[i]) + " ; " + comment(program.source(i));
    }
    out += "\n";
    depth += std::holds_alternative<LoopBegin>(inst);
  }
  return out + "}\n";
}
