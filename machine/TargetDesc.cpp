// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "machine/TargetDesc.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace npuhw;

std::string npuhw::formatReal(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.15g", value);
  if (std::strtod(text, nullptr) != value) {
    std::snprintf(text, sizeof(text), "%.17g", value);
  }
  return text;
}

namespace {

/// Element types that a target may list.
constexpr const char *kKnownDTypes[] = {"i8", "i16", "i32", "f16", "bf16", "f32"};

std::string formatNumber(uint64_t value) { return std::to_string(value); }

std::string formatNumber(double value) { return formatReal(value); }

std::string jsonString(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      out += escape;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string jsonList(const std::vector<std::string> &items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    out += (i ? ", " : "") + jsonString(items[i]);
  }
  return out + "]";
}

/// A value as JSON, which is also a YAML scalar or flow list.
struct ValueText {
  std::string operator()(const std::string &v) const { return jsonString(v); }
  std::string operator()(uint64_t v) const { return formatNumber(v); }
  std::string operator()(double v) const { return formatNumber(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::vector<std::string> &v) const { return jsonList(v); }
};

struct RangeChecker {
  std::vector<std::string> &errors;

  void number(const TargetFieldInfo &info, double value, const std::string &text) {
    if (value >= info.minimum && value <= info.maximum) {
      return;
    }
    errors.push_back(std::string("'") + info.key + "' is " + text + ", but must be between " +
                     formatNumber(info.minimum) + " and " + formatNumber(info.maximum) +
                     (*info.unit ? std::string(" ") + info.unit : ""));
  }
  void operator()(const TargetFieldInfo &info, uint64_t v) { number(info, static_cast<double>(v), formatNumber(v)); }
  void operator()(const TargetFieldInfo &info, double v) { number(info, v, formatNumber(v)); }
  void operator()(const TargetFieldInfo &, bool) {}
  void operator()(const TargetFieldInfo &, const std::string &) {}
  void operator()(const TargetFieldInfo &, const std::vector<std::string> &) {}
};

bool isPowerOfTwo(uint64_t v) { return v != 0 && (v & (v - 1)) == 0; }

/// Tags of the value types in the binary form.
enum class Tag : uint8_t { String = 1, Integer = 2, Real = 3, Flag = 4, List = 5 };

struct Serializer {
  std::vector<uint8_t> out;

  void bytes(const void *data, size_t size) {
    const auto *p = static_cast<const uint8_t *>(data);
    out.insert(out.end(), p, p + size);
  }
  void fixed(uint64_t v, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      out.push_back(static_cast<uint8_t>(v >> (8 * i)));
    }
  }
  void text(const std::string &s) {
    fixed(s.size(), 4);
    bytes(s.data(), s.size());
  }
  void head(const TargetFieldInfo &info, Tag tag) {
    text(info.key);
    fixed(static_cast<uint8_t>(tag), 1);
  }
  void operator()(const TargetFieldInfo &info, const std::string &v) {
    head(info, Tag::String);
    text(v);
  }
  void operator()(const TargetFieldInfo &info, uint64_t v) {
    head(info, Tag::Integer);
    fixed(v, 8);
  }
  void operator()(const TargetFieldInfo &info, double v) {
    head(info, Tag::Real);
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    fixed(bits, 8);
  }
  void operator()(const TargetFieldInfo &info, bool v) {
    head(info, Tag::Flag);
    fixed(v ? 1 : 0, 1);
  }
  void operator()(const TargetFieldInfo &info, const std::vector<std::string> &v) {
    head(info, Tag::List);
    fixed(v.size(), 4);
    for (const std::string &s : v) {
      text(s);
    }
  }
};

/// Reads the fields in file order; after the first fault it does nothing more.
struct Deserializer {
  const uint8_t *data;
  size_t size;
  size_t pos = 0;
  std::string error;

  void fail(const std::string &what) {
    if (error.empty()) {
      error = what + " at byte " + std::to_string(pos) + " of the target section";
    }
  }
  uint64_t fixed(unsigned bytes) {
    if (!error.empty() || size - pos < bytes) {
      fail("unexpected end");
      return 0;
    }
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      v |= static_cast<uint64_t>(data[pos + i]) << (8 * i);
    }
    pos += bytes;
    return v;
  }
  std::string text() {
    uint64_t length = fixed(4);
    if (!error.empty() || length > size - pos) {
      fail("text of " + std::to_string(length) + " bytes runs past the end");
      return "";
    }
    std::string s(reinterpret_cast<const char *>(data + pos), length);
    pos += length;
    return s;
  }
  bool head(const TargetFieldInfo &info, Tag tag) {
    std::string key = text();
    if (error.empty() && key != info.key) {
      fail(std::string("expected key '") + info.key + "', but found '" + key.substr(0, 64) + "'");
    }
    uint64_t found = fixed(1);
    if (error.empty() && found != static_cast<uint8_t>(tag)) {
      fail(std::string("wrong type ") + std::to_string(found) + " of key '" + info.key + "'");
    }
    return error.empty();
  }
  void operator()(const TargetFieldInfo &info, std::string &v) {
    if (head(info, Tag::String)) {
      v = text();
    }
  }
  void operator()(const TargetFieldInfo &info, uint64_t &v) {
    if (head(info, Tag::Integer)) {
      v = fixed(8);
    }
  }
  void operator()(const TargetFieldInfo &info, double &v) {
    if (head(info, Tag::Real)) {
      uint64_t bits = fixed(8);
      std::memcpy(&v, &bits, sizeof(v));
    }
  }
  void operator()(const TargetFieldInfo &info, bool &v) {
    if (head(info, Tag::Flag)) {
      uint64_t flag = fixed(1);
      if (flag > 1) {
        fail("flag '" + std::string(info.key) + "' is " + std::to_string(flag));
      }
      v = flag != 0;
    }
  }
  void operator()(const TargetFieldInfo &info, std::vector<std::string> &v) {
    if (!head(info, Tag::List)) {
      return;
    }
    uint64_t count = fixed(4);
    v.clear();
    for (uint64_t i = 0; i < count && error.empty(); ++i) {
      v.push_back(text());
    }
  }
};

} // namespace

bool TargetDesc::supports(const std::string &dtype) const {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

bool TargetDesc::operator==(const TargetDesc &other) const { return canonicalText(*this) == canonicalText(other); }

bool npuhw::validate(const TargetDesc &desc, std::vector<std::string> &errors) {
  size_t before = errors.size();
  visitTarget(desc, RangeChecker{errors});
  auto rule = [&](bool holds, const std::string &message) {
    if (!holds) {
      errors.push_back(message);
    }
  };
  rule(!desc.name.empty(), "'name' is empty, but must name the target");
  rule(!desc.dtypes.empty(), "'dtypes' is empty, but must list at least one element type");
  for (const std::string &dtype : desc.dtypes) {
    bool known = std::find(std::begin(kKnownDTypes), std::end(kKnownDTypes), dtype) != std::end(kKnownDTypes);
    rule(known, "'dtypes' lists '" + dtype + "', but must be from i8, i16, i32, f16, bf16, f32");
  }
  rule(isPowerOfTwo(desc.alignmentBytes),
       "'alignment_bytes' is " + formatNumber(desc.alignmentBytes) + ", but must be a power of two");
  rule(isPowerOfTwo(desc.dramBurstBytes),
       "'dram_burst_bytes' is " + formatNumber(desc.dramBurstBytes) + ", but must be a power of two");
  // One bank has to hold at least one row of partial sums.
  rule(desc.accBanks == 0 || desc.accBytes / desc.accBanks >= 4 * desc.arrayCols,
       "'acc_bytes' is " + formatNumber(desc.accBytes) + ", but each of the " + formatNumber(desc.accBanks) +
           " banks must hold a row of " + formatNumber(desc.arrayCols) + " 4-byte sums");
  rule(desc.accBanks == 0 || desc.accBytes % (4 * desc.accBanks) == 0,
       "'acc_bytes' is " + formatNumber(desc.accBytes) + ", but must be a multiple of 4 bytes times " +
           formatNumber(desc.accBanks) + " banks");
  rule(desc.alignmentBytes == 0 || desc.sramBytes % desc.alignmentBytes == 0,
       "'sram_bytes' is " + formatNumber(desc.sramBytes) + ", but must be a multiple of 'alignment_bytes' (" +
           formatNumber(desc.alignmentBytes) + ")");
  return errors.size() == before;
}

std::string npuhw::canonicalText(const TargetDesc &desc) {
  std::string out;
  visitTarget(desc, [&](const TargetFieldInfo &info, const auto &field) {
    out += std::string(info.key) + ": " + ValueText()(field) + "\n";
  });
  return out;
}

uint64_t npuhw::hashTarget(const TargetDesc &desc) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : canonicalText(desc)) {
    hash = (hash ^ c) * 0x100000001b3ull;
  }
  return hash;
}

std::string npuhw::hashTargetHex(const TargetDesc &desc) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hashTarget(desc)));
  return text;
}

std::string npuhw::toJSON(const TargetDesc &desc) {
  std::string out = "{";
  visitTarget(desc, [&](const TargetFieldInfo &info, const auto &field) {
    out += (out.size() > 1 ? ", " : "") + jsonString(info.key) + ": " + ValueText()(field);
  });
  return out + "}";
}

std::vector<uint8_t> npuhw::serializeTarget(const TargetDesc &desc) {
  Serializer serializer;
  visitTarget(desc, serializer);
  return std::move(serializer.out);
}

bool npuhw::deserializeTarget(const uint8_t *data, size_t size, TargetDesc &desc, std::string &error) {
  Deserializer reader{data, size, 0, {}};
  TargetDesc result;
  visitTarget(result, reader);
  if (reader.error.empty() && reader.pos != size) {
    reader.fail("unexpected extra bytes");
  }
  if (!reader.error.empty()) {
    error = reader.error;
    return false;
  }
  std::vector<std::string> faults;
  if (!validate(result, faults)) {
    error = faults.front();
    return false;
  }
  desc = std::move(result);
  return true;
}

namespace {

struct TypeText {
  const char *operator()(const std::string &) const { return "text"; }
  const char *operator()(uint64_t) const { return "integer"; }
  const char *operator()(double) const { return "number"; }
  const char *operator()(bool) const { return "true or false"; }
  const char *operator()(const std::vector<std::string> &) const { return "list"; }
};

} // namespace

std::string npuhw::targetReferenceMarkdown() {
  std::string out = "| key | type | unit | range | meaning |\n|---|---|---|---|---|\n";
  TargetDesc desc;
  visitTarget(desc, [&](const TargetFieldInfo &info, const auto &field) {
    bool ranged = info.maximum > info.minimum;
    out += std::string("| `") + info.key + "` | " + TypeText()(field) + " | " + info.unit + " | " +
           (ranged ? formatNumber(info.minimum) + " to " + formatNumber(info.maximum) : "") + " | " + info.doc + " |\n";
  });
  return out;
}
