// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/debug/Places.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace npuhw;

static bool parseNumber(const std::string &text, uint64_t &value) {
  bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  std::string digits = hex ? text.substr(2) : text;
  if (digits.empty() || digits.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") != std::string::npos ||
      digits.size() > (hex ? 16u : 19u)) {
    return false;
  }
  value = std::stoull(digits, nullptr, hex ? 16 : 10);
  return true;
}

static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The names that are most like `text`, as a list for a message.
static std::string nearest(const std::string &text, std::vector<std::string> names) {
  constexpr size_t kShown = 4;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::stable_sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return editDistance(text, a) < editDistance(text, b);
  });
  std::string list;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    list += (i ? ", '" : "'") + names[i] + "'";
  }
  return list;
}

static bool isQueued(const Program &program, size_t index) {
  return static_cast<unsigned>(header(program.code[index]).queue) < kNumQueues;
}

/// -1 if no instruction of a queue belongs to the node.
static int64_t firstOfNode(const Program &program, const std::string &node) {
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (isQueued(program, i) && program.sourceOf[i] != kNoSource && program.sources[program.sourceOf[i]] == node) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

Result<CodePlace> npuhw::parseCodePlace(const std::string &text, const std::vector<const Program *> &programs) {
  for (const Program *program : programs) {
    int64_t first = firstOfNode(*program, text);
    if (first >= 0) {
      return CodePlace{program->name, static_cast<uint32_t>(first)};
    }
  }
  const Program *chosen = programs.size() == 1 ? programs.front() : nullptr;
  std::string place = text;
  for (const Program *program : programs) {
    if (text.compare(0, program->name.size() + 1, program->name + ":") == 0) {
      chosen = program;
      place = text.substr(program->name.size() + 1);
    }
  }
  uint64_t number = 0;
  if (!parseNumber(place, number)) {
    std::vector<std::string> names;
    for (const Program *program : programs) {
      if (!chosen || chosen == program) {
        int64_t first = firstOfNode(*program, place);
        if (first >= 0) {
          return CodePlace{program->name, static_cast<uint32_t>(first)};
        }
        names.insert(names.end(), program->sources.begin(), program->sources.end());
      }
    }
    return Error{"'" + text + "' is neither an instruction nor a source node" +
                 (names.empty() ? ", and the programs name no nodes" : "; the nearest nodes are " + nearest(place, names))};
  }
  if (!chosen) {
    std::vector<std::string> names;
    for (const Program *program : programs) {
      names.push_back(program->name);
    }
    return Error{"instruction " + place + " of which program? Say PROGRAM:" + place + " with one of " +
                 nearest(text, names)};
  }
  if (number >= chosen->code.size()) {
    return Error{"there is no instruction " + place + "; program '" + chosen->name + "' has instructions 0 to " +
                 std::to_string(chosen->code.size() - 1)};
  }
  if (!isQueued(*chosen, number)) {
    size_t next = number;
    while (next < chosen->code.size() && !isQueued(*chosen, next)) {
      ++next;
    }
    return Error{"instruction " + place + " is '" + mnemonic(chosen->code[number]) +
                 "', which the control unit does by itself" +
                 (next < chosen->code.size() ? "; the next one of a queue is " + std::to_string(next) : "")};
  }
  return CodePlace{chosen->name, static_cast<uint32_t>(number)};
}

Result<MemoryRange> npuhw::parseMemoryRange(const std::string &text, const Program &program) {
  // From the right: names of regions may hold colons.
  size_t second = text.rfind(':');
  size_t first = second == std::string::npos || second == 0 ? std::string::npos : text.rfind(':', second - 1);
  MemoryRange range;
  if (first == std::string::npos || !parseNumber(text.substr(first + 1, second - first - 1), range.offset) ||
      !parseNumber(text.substr(second + 1), range.size) || range.size == 0) {
    return Error{"'" + text + "' is no range of memory; write MEMORY:OFFSET:SIZE in bytes, as in sram:0x100:64"};
  }
  std::string memory = text.substr(0, first);
  uint64_t limit = 0;
  uint64_t number = 0;
  auto named = std::find_if(program.regions.begin(), program.regions.end(),
                            [&](const Region &region) { return region.name == memory; });
  if (memory == "sram" || memory == "acc") {
    range.space = memory == "sram" ? Space::Sram : Space::Acc;
    limit = memory == "sram" ? program.target.sramBytes : program.target.accBytes;
  } else if (named != program.regions.end() ||
             (memory.compare(0, 4, "dram") == 0 && parseNumber(memory.substr(4), number) &&
              number < program.regions.size())) {
    range.space = Space::Dram;
    range.region = named != program.regions.end() ? static_cast<unsigned>(named - program.regions.begin())
                                                  : static_cast<unsigned>(number);
    limit = program.regions[range.region].bytes;
  } else {
    std::string known = "sram, acc";
    for (size_t i = 0; i < program.regions.size(); ++i) {
      known += ", dram" + std::to_string(i) + " ('" + program.regions[i].name + "')";
    }
    return Error{"program '" + program.name + "' has no memory '" + memory + "'; it has " + known};
  }
  if (range.offset > limit || range.size > limit - range.offset) {
    return Error{"'" + text + "' reaches past the end of '" + memory + "', which has " + std::to_string(limit) +
                 " bytes"};
  }
  return range;
}

template <class T> static T valueAt(const Bytes &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T> static std::string integers(const Bytes &bytes) {
  std::string text;
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    text += (i ? " " : "") + std::to_string(valueAt<T>(bytes, i));
  }
  return text;
}

/// Exact: every half is a double.
static double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int mantissa = bits & 1023;
  double magnitude = exponent == 31  ? (mantissa ? std::nan("") : HUGE_VAL)
                     : exponent == 0 ? std::ldexp(mantissa, -24)
                                     : std::ldexp(mantissa + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

static std::string floats(const Bytes &bytes, const std::string &type) {
  size_t width = type == "f32" ? 4 : 2;
  std::string text;
  for (size_t i = 0; i + width <= bytes.size(); i += width) {
    double value;
    if (type == "f16") {
      value = halfValue(valueAt<uint16_t>(bytes, i));
    } else {
      uint32_t bits = type == "f32" ? valueAt<uint32_t>(bytes, i) : uint32_t(valueAt<uint16_t>(bytes, i)) << 16;
      float single;
      std::memcpy(&single, &bits, sizeof(single));
      value = single;
    }
    char spelled[32];
    std::snprintf(spelled, sizeof(spelled), "%.9g", value);
    text += (i ? " " : "") + std::string(spelled);
  }
  return text;
}

static const char *const kValueTypes[] = {"hex", "f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64"};

bool npuhw::isValueType(const std::string &type) {
  return std::find(std::begin(kValueTypes), std::end(kValueTypes), type) != std::end(kValueTypes);
}

std::string npuhw::formatValues(const Bytes &bytes, const std::string &type) {
  if (type == "f32" || type == "f16" || type == "bf16") {
    return floats(bytes, type);
  }
  if (type == "i8") {
    return integers<int8_t>(bytes);
  }
  if (type == "u8") {
    return integers<uint8_t>(bytes);
  }
  if (type == "i16") {
    return integers<int16_t>(bytes);
  }
  if (type == "u16") {
    return integers<uint16_t>(bytes);
  }
  if (type == "i32") {
    return integers<int32_t>(bytes);
  }
  if (type == "u32") {
    return integers<uint32_t>(bytes);
  }
  if (type == "i64") {
    return integers<int64_t>(bytes);
  }
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char spelled[4];
    std::snprintf(spelled, sizeof(spelled), "%02x", bytes[i]);
    text += (i ? " " : "") + std::string(spelled);
  }
  return text;
}

std::string npuhw::describePlace(const Program &program, uint32_t instruction) {
  std::string node = program.source(instruction);
  return std::to_string(instruction) + " (" + printInstruction(program.code[instruction], &program) + ")" +
         (node.empty() ? "" : " of node '" + node + "'");
}
