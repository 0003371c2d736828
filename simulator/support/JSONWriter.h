// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_SIMULATOR_SUPPORT_JSONWRITER_H
#define NPU_SIMULATOR_SUPPORT_JSONWRITER_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace npuhw {

/// Builds nested JSON objects and lists without a tree.
class JSONWriter {
public:
  std::string out;

  void open(char bracket) {
    out += bracket;
    first = true;
  }
  void close(char bracket) {
    out += bracket;
    first = false;
  }
  void item() {
    if (!first) {
      out += ", ";
    }
    first = false;
  }
  void key(const char *name) {
    item();
    out += "\"" + std::string(name) + "\": ";
    first = true;
  }
  void field(const char *name, uint64_t value) {
    key(name);
    out += std::to_string(value);
    first = false;
  }
  void field(const char *name, double value) {
    key(name);
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", value);
    out += text;
    first = false;
  }
  void field(const char *name, const std::string &value) {
    key(name);
    text(value);
    first = false;
  }
  void text(const std::string &value) {
    out += '"';
    for (unsigned char c : value) {
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
    out += '"';
    first = false;
  }

private:
  bool first = true;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_SUPPORT_JSONWRITER_H
