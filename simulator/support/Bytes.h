// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little-endian reading of untrusted bytes, and writing.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_SUPPORT_BYTES_H
#define NPU_SIMULATOR_SUPPORT_BYTES_H

#include "simulator/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace npuhw {

using Bytes = std::vector<uint8_t>;

/// Appends values to a byte string.
class ByteWriter {
public:
  template <class T> void integer(T value) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (size_t i = 0; i < sizeof(T); ++i) {
      out.push_back(static_cast<uint8_t>(bits & 0xff));
      bits = static_cast<std::make_unsigned_t<T>>(sizeof(T) > 1 ? bits >> (8 % (8 * sizeof(T))) : 0);
    }
  }
  void raw(const void *data, size_t size) {
    const auto *p = static_cast<const uint8_t *>(data);
    out.insert(out.end(), p, p + size);
  }
  /// A length in 4 bytes, then the bytes.
  void text(const std::string &s) {
    integer(static_cast<uint32_t>(s.size()));
    raw(s.data(), s.size());
  }
  /// Overwrites two bytes written before.
  void patch16(size_t at, uint16_t value) {
    out[at] = static_cast<uint8_t>(value & 0xff);
    out[at + 1] = static_cast<uint8_t>(value >> 8);
  }
  size_t size() const { return out.size(); }

  Bytes out;
};

/// Reads values from a range of bytes. The first fault is remembered with its
/// offset; everything read after it is 0.
class ByteReader {
public:
  /// `base` is the offset of the range in the file, for messages.
  ByteReader(const uint8_t *data, size_t size, size_t base) : data(data), length(size), base(base) {}

  template <class T> T integer() {
    if (!need(sizeof(T))) {
      return 0;
    }
    std::make_unsigned_t<T> bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      bits = static_cast<std::make_unsigned_t<T>>(
          bits | (static_cast<std::make_unsigned_t<T>>(data[position + i]) << (8 * i)));
    }
    position += sizeof(T);
    return static_cast<T>(bits);
  }

  std::string text() {
    auto size = integer<uint32_t>();
    if (!need(size)) {
      return "";
    }
    std::string s(reinterpret_cast<const char *>(data + position), size);
    position += size;
    return s;
  }

  Bytes raw(uint64_t size) {
    if (!need(size)) {
      return {};
    }
    Bytes bytes(data + position, data + position + size);
    position += size;
    return bytes;
  }

  /// A count of items of at least `itemBytes` each: a count that the rest of
  /// the range cannot hold is a fault, so that nobody allocates for it.
  template <class T> T count(size_t itemBytes, const char *what) {
    T n = integer<T>();
    if (ok() && static_cast<uint64_t>(n) * itemBytes > remaining()) {
      fail(std::to_string(n) + " " + what + " do not fit into the remaining " + std::to_string(remaining()) +
           " bytes");
      return 0;
    }
    return n;
  }

  bool need(uint64_t size) {
    if (failed) {
      return false;
    }
    if (size > length - position) {
      fail("expected " + std::to_string(size) + " more bytes, but only " + std::to_string(length - position) +
           " remain");
      return false;
    }
    return true;
  }

  void fail(const std::string &message) {
    if (!failed) {
      failed = true;
      fault.message = message;
      fault.offset = static_cast<int64_t>(base + position);
    }
  }

  bool ok() const { return !failed; }
  const Error &error() const { return fault; }
  size_t remaining() const { return failed ? 0 : length - position; }
  size_t offset() const { return position; }

private:
  const uint8_t *data;
  size_t length;
  size_t base;
  size_t position = 0;
  bool failed = false;
  Error fault;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_SUPPORT_BYTES_H
