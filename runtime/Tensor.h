// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a caller has to know of a tensor to hand over its bytes.

#ifndef RUNTIME_TENSOR_H
#define RUNTIME_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::npu {

/// An input or output. Its bytes lie in row-major order; a truth value (i1) takes one byte, 0 or 1.
struct TensorInfo {
  std::string name;
  std::string dtype; ///< "f32", "i8", ...: the spelling of the element type in MLIR.
  std::vector<int64_t> shape;

  int64_t elementBytes() const;
  int64_t numElements() const;
  int64_t bytes() const { return elementBytes() * numElements(); }
  /// "'x' tensor<4x8xf32>"
  std::string str() const;
};

/// The info of a statically shaped tensor or memref of an element type that callers can hold; nothing for others.
std::optional<TensorInfo> getTensorInfo(Type type, StringRef name);

/// Bytes of an element of this spelling; 0 for a spelling that is unknown.
int64_t elementBytesOf(StringRef dtype);

} // namespace mlir::npu

#endif // RUNTIME_TENSOR_H
