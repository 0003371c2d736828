// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sectioned file that device programs (.npuprog) and packages (.npux) are
// stored in. docs/program-format.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROGRAM_CONTAINER_H
#define NPU_SIMULATOR_PROGRAM_CONTAINER_H

#include "simulator/support/Bytes.h"

namespace npuhw {

/// What a file is, by its first eight bytes.
enum class FileKind : uint8_t { Program, Package };

/// What a section holds.
enum class SectionKind : uint32_t {
  Target = 1,   ///< program: hash and description of the target
  Code = 2,     ///< program: instructions
  Micro = 3,    ///< program: microprograms
  Const = 4,    ///< program: contents of the constant regions
  IO = 5,       ///< program: name and DRAM regions
  Debug = 6,    ///< program: source node of each instruction
  Manifest = 16, ///< package: JSON
  Host = 17,    ///< package: text of the host module
  Program = 18, ///< package: a program file
  Data = 19,    ///< package: a tensor or another blob
};

/// "target", "code", ...; "unknown" for other numbers.
const char *spell(SectionKind kind);

struct Section {
  SectionKind kind = SectionKind::Data;
  std::string name;
  Bytes bytes;

  bool operator==(const Section &o) const { return kind == o.kind && name == o.name && bytes == o.bytes; }
};

struct Container {
  FileKind kind = FileKind::Program;
  std::vector<Section> sections;

  /// The first section of this kind (and name, unless empty); nullptr if there is none.
  const Section *find(SectionKind kind, const std::string &name = "") const;
};

/// The version that is written; a reader takes the same major version and any
/// minor one up to its own. 1.1 added dma_scatter, v_gather, v_sort, the 8-bit
/// floats and packed weights to 1.0.
constexpr uint16_t kFormatMajor = 1;
constexpr uint16_t kFormatMinor = 1;

Bytes writeContainer(const Container &container);

/// Reads untrusted bytes: every offset, size and checksum is verified, and an
/// error names the byte.
Result<Container> readContainer(const uint8_t *data, size_t size);
inline Result<Container> readContainer(const Bytes &bytes) { return readContainer(bytes.data(), bytes.size()); }

/// CRC-32 (IEEE 802.3, reflected), as in zlib.
uint32_t crc32(const uint8_t *data, size_t size);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROGRAM_CONTAINER_H
