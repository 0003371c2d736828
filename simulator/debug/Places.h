// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in programs and memories as text, and the other way.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_DEBUG_PLACES_H
#define NPU_SIMULATOR_DEBUG_PLACES_H

#include "simulator/program/Program.h"

namespace npuhw {

/// An instruction of one of several programs.
struct CodePlace {
  std::string program;
  uint32_t instruction = 0;
};

/// `N`, the name of a source node (its first instruction), or either after `PROGRAM:`. Only instructions of queues are
/// places: those of the control unit take no time of an engine.
Result<CodePlace> parseCodePlace(const std::string &text, const std::vector<const Program *> &programs);

struct MemoryRange {
  Space space = Space::Sram;
  unsigned region = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// `sram:OFFSET:SIZE`, `acc:...`, `dramN:...` or `REGION:...` in a program; numbers may be hexadecimal.
Result<MemoryRange> parseMemoryRange(const std::string &text, const Program &program);

/// Whether formatValues knows the type.
bool isValueType(const std::string &type);

/// Values of a type (f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64) with spaces between; `hex` are bytes. Bytes that
/// make no whole value at the end are left out.
std::string formatValues(const Bytes &bytes, const std::string &type);

/// "17 (mm_exec ...) of node 'fc1'": an instruction for people.
std::string describePlace(const Program &program, uint32_t instruction);

} // namespace npuhw

#endif // NPU_SIMULATOR_DEBUG_PLACES_H
