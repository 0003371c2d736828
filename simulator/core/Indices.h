// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices in memory that choose what an instruction touches.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CORE_INDICES_H
#define NPU_SIMULATOR_CORE_INDICES_H

#include "simulator/core/Memory.h"

#include <cstring>
#include <string>

namespace npuhw {

/// Reads an index of type `dtype` (i32 or i64), the one at `position`, which must be below `rows`. Returns an
/// empty string or what is wrong with it.
inline std::string readIndex(const Place &place, DType dtype, int64_t position, int64_t rows, int64_t &index) {
  unsigned bytes = dtypeBytes(dtype);
  index = 0;
  if (!wasWritten(place, bytes)) {
    return "index " + std::to_string(position) + " reads bytes that nobody has written";
  }
  if (bytes == 8) {
    std::memcpy(&index, place.data, 8);
  } else {
    int32_t narrow;
    std::memcpy(&narrow, place.data, 4);
    index = narrow;
  }
  if (index < 0 || index >= rows) {
    return "index " + std::to_string(index) + " at position " + std::to_string(position) +
           " is out of range: the table has " + std::to_string(rows) + " rows";
  }
  return "";
}

} // namespace npuhw

#endif // NPU_SIMULATOR_CORE_INDICES_H
