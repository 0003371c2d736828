// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that instructions are made of.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_ISA_TYPES_H
#define NPU_SIMULATOR_ISA_TYPES_H

#include "machine/CostModel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace npuhw {

#include "simulator/isa/Enums.inc"

/// Queues that hold instructions; Queue::Control is not one of them.
constexpr unsigned kNumQueues = 5;

constexpr unsigned queueBit(Queue queue) { return 1u << static_cast<unsigned>(queue); }

/// Whether two elements share a byte, the first in its low half. Strides then count half bytes.
constexpr bool isPacked(DType dtype) { return dtype == DType::I4 || dtype == DType::U4; }

/// Bytes of an element in memory; of two elements of a packed type.
constexpr unsigned dtypeBytes(DType dtype) {
  switch (dtype) {
  case DType::B8:
  case DType::I8:
  case DType::U8:
  case DType::F8E4M3:
  case DType::F8E5M2:
  case DType::I4:
  case DType::U4:
    return 1;
  case DType::I16:
  case DType::U16:
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::I32:
  case DType::U32:
  case DType::F32:
    return 4;
  case DType::I64:
    return 8;
  }
  return 0;
}

/// Floats that are stored and converted, but not computed with.
constexpr bool isStorageFloat(DType dtype) { return dtype == DType::F8E4M3 || dtype == DType::F8E5M2; }

constexpr bool isFloat(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 || isStorageFloat(dtype);
}

constexpr bool isUnsigned(DType dtype) {
  return dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U4;
}

/// The type that a value of `dtype` has in a microprogram, where signedness
/// belongs to the operations.
constexpr DType registerType(DType dtype) {
  switch (dtype) {
  case DType::U8:
    return DType::I8;
  case DType::U16:
    return DType::I16;
  case DType::U32:
    return DType::I32;
  case DType::U4:
    return DType::I4;
  default:
    return dtype;
  }
}

/// Bits of `results` of v_sort.
constexpr unsigned kSortValues = 1;
constexpr unsigned kSortIndices = 2;

/// Limits of the encoding (a target may have smaller ones).
constexpr unsigned kMaxRank = 6;
constexpr unsigned kMaxTerms = 8;
constexpr unsigned kMaxSyncs = 2;
constexpr unsigned kMaxLoopDepth = 16;

/// Adds stride * (counter mod modulus) of the loop at absolute depth `loop`;
/// modulus 0 is none.
struct AddressTerm {
  uint8_t loop = 0;
  int64_t stride = 0;
  uint16_t modulus = 0;

  bool operator==(const AddressTerm &o) const {
    return loop == o.loop && stride == o.stride && modulus == o.modulus;
  }
};

/// A byte address, affine in the counters of the enclosing loops.
struct Address {
  Space space = Space::Sram;
  uint16_t region = 0; ///< DRAM region; 0 in the other spaces.
  int64_t offset = 0;
  std::vector<AddressTerm> terms;

  bool operator==(const Address &o) const {
    return space == o.space && region == o.region && offset == o.offset && terms == o.terms;
  }
};

/// A memory operand of a microprogram: one byte stride for each dimension.
struct Operand {
  Address address;
  DType dtype = DType::B8;
  std::vector<int64_t> strides;

  bool operator==(const Operand &o) const {
    return address == o.address && dtype == o.dtype && strides == o.strides;
  }
};

/// A semaphore with the count to wait for (and take) or to add.
struct SyncRef {
  uint8_t semaphore = 0;
  uint8_t count = 1;

  bool operator==(const SyncRef &o) const { return semaphore == o.semaphore && count == o.count; }
};

/// What every instruction carries.
struct InstructionHeader {
  Queue queue = Queue::Control;
  std::vector<SyncRef> waits;
  std::vector<SyncRef> signals;
};

/// Name and range of a field: of the value for integers, of the length (upper
/// bound only) for lists; bit d of `dtypes`: it takes elements of type d.
struct FieldInfo {
  const char *name;
  int64_t minimum;
  int64_t maximum;
  uint32_t dtypes;

  bool takes(DType dtype) const { return (dtypes >> static_cast<unsigned>(dtype) & 1) != 0; }
};

/// What there is to know about `opcode`; nullptr if it is none.
inline const MicroOpInfo *microOpInfo(MicroOpcode opcode) {
  for (const MicroOpInfo &info : kMicroOpInfos) {
    if (info.opcode == opcode) {
      return &info;
    }
  }
  return nullptr;
}

/// One operation of a microprogram. It defines the register with its own index.
struct MicroOp {
  MicroOpcode opcode = MicroOpcode::Const;
  DType type = DType::F32; ///< Of the result.
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
  uint64_t imm = 0; ///< Bits of a constant, operand number, dimension or predicate.

  bool operator==(const MicroOp &o) const {
    return opcode == o.opcode && type == o.type && a == o.a && b == o.b && c == o.c && imm == o.imm;
  }
};

/// Straight-line code in single-assignment form.
struct MicroProgram {
  std::string name;
  uint16_t numInputs = 0;
  std::vector<MicroOp> ops;
  std::vector<uint16_t> outputs; ///< Registers written to the output operands.

  bool operator==(const MicroProgram &o) const {
    return name == o.name && numInputs == o.numInputs && ops == o.ops && outputs == o.outputs;
  }
};

/// Spellings of the predicates, in the order of arith.cmpf and arith.cmpi.
constexpr unsigned kNumCmpfPredicates = 16;
constexpr const char *kCmpfPredicates[kNumCmpfPredicates] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                                             "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
constexpr unsigned kNumCmpiPredicates = 10;
constexpr const char *kCmpiPredicates[kNumCmpiPredicates] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                             "sge", "ult", "ule", "ugt", "uge"};

/// Registers that an operation reads: the first 0 to 3 of a, b, c.
unsigned microOperandCount(MicroOpcode opcode);

/// Checks types, register order and immediates; `rank` bounds iota. Returns an
/// empty string or what is wrong.
std::string verifyMicro(const MicroProgram &micro, unsigned rank = kMaxRank);

/// The most values alive at once.
unsigned maxLiveRegisters(const MicroProgram &micro);

/// Cycles that one point takes on one lane.
uint64_t microCycles(const TargetDesc &desc, const MicroProgram &micro);

} // namespace npuhw

#endif // NPU_SIMULATOR_ISA_TYPES_H
