// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a program against its target that need no run.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_VERIFIER_H
#define NPU_SIMULATOR_CORE_VERIFIER_H

#include "simulator/program/Program.h"

namespace npuhw {

/// One memory operand of an instruction: an element at each index of `shape`.
struct Access {
  const char *name;         ///< Of the field; operands are "operands".
  int operand = -1;         ///< Number among the operands, else -1.
  const Address *address;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< Bytes.
  uint64_t elementBytes = 1;
  bool reads = false;
  bool writes = false;
  bool chosen = false; ///< Only some of the elements, which the run chooses by indices.
};

/// All memory operands, in the order of the fields. The table of a gather
/// counts as a whole. `inst` must be structurally valid in `program`.
std::vector<Access> accessesOf(const Program &program, const Instruction &inst);

/// The addresses of an instruction in the order of accessesOf.
std::vector<const Address *> addressesOf(const Instruction &inst);

/// What verification learns on the way.
struct ProgramInfo {
  uint64_t sramHighWater = 0; ///< First SRAM byte that is never touched.
  uint64_t accHighWater = 0;
  std::vector<uint64_t> regionHighWater; ///< Of each region; its other bytes need no memory.
  std::vector<unsigned> depth; ///< Loops around each instruction.
};

/// "instruction 12 ('mm_exec' on mm, node 'fc1')".
std::string describeInstruction(const Program &program, size_t index);

/// Checks structure, limits of the target, types, alignment, and bounds of
/// every access in every iteration. Returns what it learned, or the first fault
/// with the instruction, its queue and its source node.
Result<ProgramInfo> verifyProgram(const Program &program);

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_VERIFIER_H
