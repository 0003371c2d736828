// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device program in memory, its file and its assembly.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROGRAM_PROGRAM_H
#define NPU_SIMULATOR_PROGRAM_PROGRAM_H

#include "simulator/isa/Instruction.h"
#include "simulator/program/Container.h"

namespace npuhw {

/// Who fills a DRAM region.
enum class RegionRole : uint8_t {
  Input = 0,    ///< the caller, before the run
  Output = 1,   ///< the program; the caller reads it after the run
  Constant = 2, ///< the program file
  Arena = 3,    ///< the program; temporary
  State = 4,    ///< the program; the caller keeps it from run to run
};

const char *spell(RegionRole role);

/// One DRAM region; its number is its place in Program::regions.
struct Region {
  RegionRole role = RegionRole::Arena;
  std::string name;
  uint64_t bytes = 0;
  DType dtype = DType::B8;    ///< Of the tensor that it holds; for the caller.
  std::vector<int64_t> shape; ///< Of the tensor that it holds; for the caller.
  Bytes contents;             ///< Exactly `bytes` long for a constant, else empty.

  bool operator==(const Region &o) const {
    return role == o.role && name == o.name && bytes == o.bytes && dtype == o.dtype && shape == o.shape &&
           contents == o.contents;
  }
};

/// `Program::sourceOf` of an instruction without a source.
constexpr uint32_t kNoSource = 0xffffffffu;

struct Program {
  std::string name;
  TargetDesc target;
  std::vector<Region> regions;
  std::vector<MicroProgram> micros;
  std::vector<Instruction> code;
  std::vector<std::string> sources; ///< Names of source nodes.
  std::vector<uint32_t> sourceOf;   ///< Index into `sources` for each instruction, or kNoSource.

  /// The source node of an instruction; "" if there is none.
  std::string source(size_t instruction) const;

  /// Appends an instruction with its source node ("" for none).
  void append(Instruction inst, const std::string &source = "");

  bool operator==(const Program &o) const {
    return name == o.name && target == o.target && regions == o.regions && micros == o.micros && code == o.code &&
           sources == o.sources && sourceOf == o.sourceOf;
  }
};

/// The file of a program.
Bytes writeProgram(const Program &program);

/// Reads untrusted bytes. A program that is returned is well-formed (fields in
/// range, loops balanced, indices valid); whether it fits its target and stays
/// in bounds is checked by verifyProgram (simulator/core/Verifier.h).
Result<Program> readProgram(const uint8_t *data, size_t size);
inline Result<Program> readProgram(const Bytes &bytes) { return readProgram(bytes.data(), bytes.size()); }

/// Text that parseAssembly turns into an equal program.
std::string printAssembly(const Program &program);

/// The text of one instruction, without its source.
std::string printInstruction(const Instruction &inst, const Program *program = nullptr);

Result<Program> parseAssembly(const std::string &text);

/// Checks what both readers promise; an empty string if all is well.
std::string verifyStructure(const Program &program);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROGRAM_PROGRAM_H
