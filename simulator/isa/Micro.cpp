// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typing rules and prices of microprograms.
//
//===----------------------------------------------------------------------===//

#include "simulator/isa/Types.h"

#include <algorithm>

using namespace npuhw;

unsigned npuhw::microOperandCount(MicroOpcode opcode) {
  const MicroOpInfo *info = microOpInfo(opcode);
  if (!info) {
    return 0;
  }
  switch (info->form) {
  case MicroForm::Leaf:
    return 0;
  case MicroForm::FloatUnary:
  case MicroForm::IntUnary:
  case MicroForm::Cast:
    return 1;
  case MicroForm::FloatBinary:
  case MicroForm::IntBinary:
  case MicroForm::Cmpf:
  case MicroForm::Cmpi:
    return 2;
  case MicroForm::FloatTernary:
  case MicroForm::Select:
    return 3;
  }
  return 0;
}

namespace {

bool isInteger(DType type) { return !isFloat(type); }

/// Floats that arithmetic works on.
bool isArithmeticFloat(DType type) { return isFloat(type) && !isStorageFloat(type); }

/// Integers that arithmetic works on: neither truth values nor 64-bit indices.
bool isWord(DType type) { return type == DType::I8 || type == DType::I16 || type == DType::I32; }

unsigned valueBits(DType type) { return type == DType::B8 ? 1 : 8 * dtypeBytes(type); }

std::string typed(const char *what, DType type) { return std::string(what) + " '" + spell(type) + "'"; }

std::string verifyLeaf(const MicroProgram &micro, const MicroOp &op, unsigned rank) {
  switch (op.opcode) {
  case MicroOpcode::Input:
    if (op.imm >= micro.numInputs) {
      return "input " + std::to_string(op.imm) + " does not exist: there are " + std::to_string(micro.numInputs);
    }
    return "";
  case MicroOpcode::Current:
    if (op.imm >= micro.outputs.size()) {
      return "output " + std::to_string(op.imm) + " does not exist: there are " +
             std::to_string(micro.outputs.size());
    }
    return "";
  case MicroOpcode::Iota:
    if (op.type != DType::I32) {
      return typed("expected type 'i32', but found", op.type);
    }
    return op.imm >= rank ? "dimension " + std::to_string(op.imm) + " does not exist: there are " +
                                std::to_string(rank)
                          : "";
  default:
    return "";
  }
}

std::string verifyCast(MicroOpcode opcode, DType to, DType from) {
  bool fits = false;
  switch (opcode) {
  case MicroOpcode::Extsi:
  case MicroOpcode::Extui:
    fits = isInteger(from) && isWord(to) && valueBits(to) > valueBits(from);
    break;
  case MicroOpcode::Trunci:
    fits = isInteger(from) && isInteger(to) && valueBits(to) < valueBits(from);
    break;
  case MicroOpcode::Sitofp:
  case MicroOpcode::Uitofp:
    fits = isInteger(from) && isArithmeticFloat(to);
    break;
  case MicroOpcode::Fptosi:
  case MicroOpcode::Fptoui:
    fits = isArithmeticFloat(from) && isWord(to);
    break;
  case MicroOpcode::Extf:
    fits = isFloat(from) && isFloat(to) && valueBits(from) < valueBits(to);
    break;
  case MicroOpcode::Truncf:
    fits = isFloat(from) && isFloat(to) && valueBits(from) > valueBits(to);
    break;
  case MicroOpcode::Bitcast:
    fits = valueBits(from) == valueBits(to) && valueBits(from) >= 8 && from != DType::I64;
    break;
  default:
    break;
  }
  return fits ? "" : std::string("cannot convert '") + spell(from) + "' to '" + spell(to) + "'";
}

std::string verifyTypes(const MicroProgram &micro, const MicroOp &op, MicroForm form, unsigned rank) {
  auto type = [&](uint16_t reg) { return micro.ops[reg].type; };
  auto same = [&](unsigned count) -> std::string {
    const uint16_t regs[] = {op.a, op.b, op.c};
    for (unsigned i = 0; i < count; ++i) {
      if (type(regs[i]) != op.type) {
        return typed("expected operands of type", op.type) + ", but found '" + spell(type(regs[i])) + "'";
      }
    }
    return "";
  };
  switch (form) {
  case MicroForm::Leaf:
    return verifyLeaf(micro, op, rank);
  case MicroForm::FloatUnary:
  case MicroForm::FloatBinary:
  case MicroForm::FloatTernary:
    if (!isArithmeticFloat(op.type)) {
      return typed(isFloat(op.type) ? "expected a float type with arithmetic, but found"
                                    : "expected a float type, but found",
                   op.type);
    }
    return same(microOperandCount(op.opcode));
  case MicroForm::IntUnary:
  case MicroForm::IntBinary: {
    bool logic = op.opcode == MicroOpcode::Andi || op.opcode == MicroOpcode::Ori || op.opcode == MicroOpcode::Xori;
    if (!isWord(op.type) && !(logic && op.type == DType::B8)) {
      return typed("expected an integer type, but found", op.type);
    }
    return same(microOperandCount(op.opcode));
  }
  case MicroForm::Cmpf:
  case MicroForm::Cmpi: {
    unsigned predicates = form == MicroForm::Cmpf ? kNumCmpfPredicates : kNumCmpiPredicates;
    if (op.imm >= predicates) {
      return "predicate " + std::to_string(op.imm) + " does not exist: there are " + std::to_string(predicates);
    }
    if (op.type != DType::B8) {
      return typed("a comparison gives 'b8', not", op.type);
    }
    bool fits = form == MicroForm::Cmpf ? isArithmeticFloat(type(op.a)) : isWord(type(op.a)) || type(op.a) == DType::B8;
    if (!fits || type(op.a) != type(op.b)) {
      return std::string("cannot compare '") + spell(type(op.a)) + "' with '" + spell(type(op.b)) + "'";
    }
    return "";
  }
  case MicroForm::Select:
    if (type(op.a) != DType::B8) {
      return typed("expected a condition of type 'b8', but found", type(op.a));
    }
    if (type(op.b) != op.type || type(op.c) != op.type || op.type == DType::I64) {
      return typed("expected two values of type", op.type) + " of at most 32 bits";
    }
    return "";
  case MicroForm::Cast:
    return verifyCast(op.opcode, op.type, type(op.a));
  }
  return "unknown form";
}

} // namespace

std::string npuhw::verifyMicro(const MicroProgram &micro, unsigned rank) {
  if (micro.ops.size() > UINT16_MAX || micro.outputs.size() > UINT16_MAX) {
    return "there are more than " + std::to_string(UINT16_MAX) + " operations or outputs";
  }
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    const MicroOp &op = micro.ops[i];
    std::string where = "operation " + std::to_string(i) + ": ";
    const MicroOpInfo *info = microOpInfo(op.opcode);
    if (!info) {
      return where + "unknown code " + std::to_string(static_cast<unsigned>(op.opcode));
    }
    where += std::string("'") + spell(op.opcode) + "': ";
    bool known = std::find(std::begin(kAllDTypes), std::end(kAllDTypes), op.type) != std::end(kAllDTypes);
    if (!known || isUnsigned(op.type) || isPacked(op.type)) {
      return where + "a register cannot have type " +
             (known ? std::string("'") + spell(op.type) + "'" : std::to_string(static_cast<unsigned>(op.type)));
    }
    if (op.type == DType::I64 && op.opcode != MicroOpcode::Input && op.opcode != MicroOpcode::Const) {
      return where + "type 'i64' is only for inputs and constants";
    }
    const uint16_t regs[] = {op.a, op.b, op.c};
    unsigned count = microOperandCount(op.opcode);
    for (unsigned k = 0; k < 3; ++k) {
      if (k < count && regs[k] >= i) {
        return where + "register " + std::to_string(regs[k]) + " is not defined before";
      }
      // One value, one encoding: what is not used is 0.
      if (k >= count && regs[k] != 0) {
        return where + "operand " + std::to_string(k) + " is not used and must be 0";
      }
    }
    bool usesImm = info->form == MicroForm::Leaf || info->form == MicroForm::Cmpf || info->form == MicroForm::Cmpi;
    if (!usesImm && op.imm != 0) {
      return where + "the immediate is not used and must be 0";
    }
    std::string fault = verifyTypes(micro, op, info->form, rank);
    if (!fault.empty()) {
      return where + fault;
    }
  }
  for (size_t i = 0; i < micro.outputs.size(); ++i) {
    if (micro.outputs[i] >= micro.ops.size()) {
      return "output " + std::to_string(i) + " names register " + std::to_string(micro.outputs[i]) +
             ", but there are " + std::to_string(micro.ops.size());
    }
    if (micro.ops[micro.outputs[i]].type == DType::I64) {
      return "output " + std::to_string(i) + " has type 'i64', which cannot be stored";
    }
  }
  return "";
}

unsigned npuhw::maxLiveRegisters(const MicroProgram &micro) {
  std::vector<size_t> lastUse(micro.ops.size());
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    lastUse[i] = i;
    const MicroOp &op = micro.ops[i];
    const uint16_t regs[] = {op.a, op.b, op.c};
    for (unsigned k = 0; k < microOperandCount(op.opcode); ++k) {
      lastUse[regs[k]] = i;
    }
  }
  for (uint16_t output : micro.outputs) {
    lastUse[output] = micro.ops.size();
  }
  // An operand that dies in an operation leaves its register to the result.
  std::vector<int> change(micro.ops.size() + 2);
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    change[i] += 1;
    change[std::max(lastUse[i], i + 1)] -= 1;
  }
  int live = 0;
  int most = 0;
  for (int c : change) {
    live += c;
    most = std::max(most, live);
  }
  return static_cast<unsigned>(most);
}

uint64_t npuhw::microCycles(const TargetDesc &desc, const MicroProgram &micro) {
  uint64_t cycles = 0;
  for (const MicroOp &op : micro.ops) {
    const MicroOpInfo *info = microOpInfo(op.opcode);
    cycles += opClassCycles(desc, info ? info->price : OpClass::Pow);
  }
  return cycles;
}
