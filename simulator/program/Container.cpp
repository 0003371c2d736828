// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/program/Container.h"

#include <array>
#include <cstring>

using namespace npuhw;

namespace {

constexpr char kProgramMagic[8] = {'N', 'P', 'U', 'P', 'R', 'O', 'G', '\n'};
constexpr char kPackageMagic[8] = {'N', 'P', 'U', 'X', 'P', 'K', 'G', '\n'};

// magic 8, major 2, minor 2, section count 4, file size 8, names size 4,
// checksum of everything up to the first section 4.
constexpr size_t kHeaderSize = 32;
constexpr size_t kChecksumAt = 28;

// kind 4, checksum 4, offset 8, size 8, name offset 4, name size 4.
constexpr size_t kEntrySize = 32;

constexpr size_t kSectionAlignment = 8;

size_t aligned(size_t offset) { return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment; }

Error at(size_t offset, const std::string &message) {
  Error error;
  error.message = message;
  error.offset = static_cast<int64_t>(offset);
  return error;
}

/// Checksum of the header and the table, with the checksum itself taken as 0.
uint32_t tableChecksum(const uint8_t *data, size_t size) {
  Bytes copy(data, data + size);
  std::memset(copy.data() + kChecksumAt, 0, 4);
  return crc32(copy.data(), copy.size());
}

std::array<uint32_t, 256> makeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) {
      c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    table[i] = c;
  }
  return table;
}

} // namespace

uint32_t npuhw::crc32(const uint8_t *data, size_t size) {
  static const std::array<uint32_t, 256> table = makeCrcTable();
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; ++i) {
    crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
  }
  return crc ^ 0xffffffffu;
}

const char *npuhw::spell(SectionKind kind) {
  switch (kind) {
  case SectionKind::Target:
    return "target";
  case SectionKind::Code:
    return "code";
  case SectionKind::Micro:
    return "micro";
  case SectionKind::Const:
    return "const";
  case SectionKind::IO:
    return "io";
  case SectionKind::Debug:
    return "debug";
  case SectionKind::Manifest:
    return "manifest";
  case SectionKind::Host:
    return "host";
  case SectionKind::Program:
    return "program";
  case SectionKind::Data:
    return "data";
  }
  return "unknown";
}

const Section *Container::find(SectionKind wanted, const std::string &name) const {
  for (const Section &section : sections) {
    if (section.kind == wanted && (name.empty() || section.name == name)) {
      return &section;
    }
  }
  return nullptr;
}

Bytes npuhw::writeContainer(const Container &container) {
  std::string names;
  for (const Section &section : container.sections) {
    names += section.name;
  }
  size_t tableEnd = kHeaderSize + kEntrySize * container.sections.size() + names.size();
  ByteWriter writer;
  writer.raw(container.kind == FileKind::Program ? kProgramMagic : kPackageMagic, 8);
  writer.integer(kFormatMajor);
  writer.integer(kFormatMinor);
  writer.integer(static_cast<uint32_t>(container.sections.size()));
  size_t total = aligned(tableEnd);
  for (const Section &section : container.sections) {
    total = aligned(total + section.bytes.size());
  }
  writer.integer(static_cast<uint64_t>(total));
  writer.integer(static_cast<uint32_t>(names.size()));
  writer.integer(uint32_t(0));
  size_t offset = aligned(tableEnd);
  size_t nameOffset = 0;
  for (const Section &section : container.sections) {
    writer.integer(static_cast<uint32_t>(section.kind));
    writer.integer(crc32(section.bytes.data(), section.bytes.size()));
    writer.integer(static_cast<uint64_t>(offset));
    writer.integer(static_cast<uint64_t>(section.bytes.size()));
    writer.integer(static_cast<uint32_t>(nameOffset));
    writer.integer(static_cast<uint32_t>(section.name.size()));
    offset = aligned(offset + section.bytes.size());
    nameOffset += section.name.size();
  }
  writer.raw(names.data(), names.size());
  writer.out.resize(aligned(writer.size()));
  uint32_t checksum = tableChecksum(writer.out.data(), writer.size());
  for (int i = 0; i < 4; ++i) {
    writer.out[kChecksumAt + i] = static_cast<uint8_t>(checksum >> (8 * i));
  }
  for (const Section &section : container.sections) {
    writer.raw(section.bytes.data(), section.bytes.size());
    writer.out.resize(aligned(writer.size()));
  }
  return std::move(writer.out);
}

Result<Container> npuhw::readContainer(const uint8_t *data, size_t size) {
  Container container;
  if (size < kHeaderSize) {
    return at(size, "the file ends after " + std::to_string(size) + " bytes, inside its header of " +
                        std::to_string(kHeaderSize));
  }
  if (std::memcmp(data, kProgramMagic, 8) == 0) {
    container.kind = FileKind::Program;
  } else if (std::memcmp(data, kPackageMagic, 8) == 0) {
    container.kind = FileKind::Package;
  } else {
    return at(0, "this is neither a program (NPUPROG) nor a package (NPUXPKG)");
  }
  ByteReader head(data, kHeaderSize, 0);
  head.raw(8);
  auto major = head.integer<uint16_t>();
  auto minor = head.integer<uint16_t>();
  auto count = head.integer<uint32_t>();
  auto total = head.integer<uint64_t>();
  auto namesSize = head.integer<uint32_t>();
  auto checksum = head.integer<uint32_t>();
  if (major != kFormatMajor || minor > kFormatMinor) {
    return at(8, "format version " + std::to_string(major) + "." + std::to_string(minor) +
                     " is not supported; this reader takes " + std::to_string(kFormatMajor) + ".0 to " +
                     std::to_string(kFormatMajor) + "." + std::to_string(kFormatMinor));
  }
  if (total != size) {
    return at(16, "the header states a file of " + std::to_string(total) + " bytes, but there are " +
                      std::to_string(size));
  }
  if (count > (size - kHeaderSize) / kEntrySize) {
    return at(12, "a table of " + std::to_string(count) + " sections does not fit into the file");
  }
  size_t namesAt = kHeaderSize + kEntrySize * size_t(count);
  if (namesSize > size - namesAt || aligned(namesAt + namesSize) > size) {
    return at(24, "section names of " + std::to_string(namesSize) + " bytes do not fit into the file");
  }
  size_t tableEnd = aligned(namesAt + namesSize);
  if (tableChecksum(data, tableEnd) != checksum) {
    return at(kChecksumAt, "the checksum of the section table is wrong: the file is damaged");
  }
  for (size_t pad = namesAt + namesSize; pad < tableEnd; ++pad) {
    if (data[pad] != 0) {
      return at(pad, "expected zero padding after the section names");
    }
  }
  ByteReader table(data + kHeaderSize, namesAt - kHeaderSize, kHeaderSize);
  size_t expectedOffset = tableEnd;
  size_t expectedName = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size_t entryAt = kHeaderSize + kEntrySize * size_t(i);
    Section section;
    section.kind = static_cast<SectionKind>(table.integer<uint32_t>());
    auto crc = table.integer<uint32_t>();
    auto offset = table.integer<uint64_t>();
    auto length = table.integer<uint64_t>();
    auto nameOffset = table.integer<uint32_t>();
    auto nameSize = table.integer<uint32_t>();
    std::string where = "section " + std::to_string(i) + " ('" + npuhw::spell(section.kind) + "')";
    // Sections and names follow one another without overlap, in table order.
    if (offset != expectedOffset || length > size - offset || aligned(offset + length) > size) {
      return at(entryAt, where + " of " + std::to_string(length) + " bytes at " + std::to_string(offset) +
                             " is out of place or does not fit into the file of " + std::to_string(size) + " bytes");
    }
    if (nameOffset != expectedName || nameSize > namesSize - nameOffset) {
      return at(entryAt, where + " has a name outside of the name table");
    }
    if (crc32(data + offset, length) != crc) {
      return at(offset, "the checksum of " + where + " is wrong: the file is damaged");
    }
    section.name.assign(reinterpret_cast<const char *>(data + namesAt + nameOffset), nameSize);
    section.bytes.assign(data + offset, data + offset + length);
    expectedOffset = aligned(offset + length);
    for (size_t pad = offset + length; pad < expectedOffset; ++pad) {
      if (data[pad] != 0) {
        return at(pad, "expected zero padding after " + where);
      }
    }
    expectedName = nameOffset + nameSize;
    container.sections.push_back(std::move(section));
  }
  if (expectedOffset != size || expectedName != namesSize) {
    return at(expectedOffset, "the file holds bytes that belong to no section");
  }
  return container;
}
