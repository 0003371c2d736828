// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value or the reason why there is none.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_SUPPORT_RESULT_H
#define NPU_SIMULATOR_SUPPORT_RESULT_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace npuhw {

/// What went wrong, and where: a byte offset in a file or a line of assembly.
struct Error {
  std::string message;
  int64_t offset = -1; ///< Byte in the file; -1 where there is none.
  int64_t line = -1;   ///< Line of assembly, from 1; -1 where there is none.

  std::string str() const {
    if (offset >= 0) {
      return "byte " + std::to_string(offset) + ": " + message;
    }
    if (line >= 0) {
      return "line " + std::to_string(line) + ": " + message;
    }
    return message;
  }
};

/// Holds a T or an Error. Test it before it is dereferenced.
template <class T> class Result {
public:
  Result(T v) : content(std::move(v)) {}
  Result(Error e) : failure(std::move(e)) {}

  explicit operator bool() const { return content.has_value(); }
  T &operator*() { return *content; }
  const T &operator*() const { return *content; }
  T *operator->() { return &*content; }
  const T *operator->() const { return &*content; }
  const Error &error() const { return failure; }

private:
  std::optional<T> content;
  Error failure;
};

} // namespace npuhw

#endif // NPU_SIMULATOR_SUPPORT_RESULT_H
