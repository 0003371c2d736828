// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Tensor.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::npu;

int64_t npu::elementBytesOf(StringRef dtype) {
  return llvm::StringSwitch<int64_t>(dtype)
      .Cases({"i1", "i8", "ui8", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}, 1)
      .Cases({"f16", "bf16", "i16", "ui16"}, 2)
      .Cases({"f32", "i32", "ui32"}, 4)
      .Cases({"f64", "i64", "ui64", "index", "complex<f32>"}, 8)
      .Case("complex<f64>", 16)
      .Default(0);
}

int64_t TensorInfo::elementBytes() const { return elementBytesOf(dtype); }

int64_t TensorInfo::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

std::string TensorInfo::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << name << "' tensor<";
  for (int64_t extent : shape) {
    stream << extent << "x";
  }
  stream << dtype << ">";
  return text;
}

std::optional<TensorInfo> npu::getTensorInfo(Type type, StringRef name) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape()) {
    return std::nullopt;
  }
  TensorInfo info;
  info.name = name.str();
  llvm::raw_string_ostream(info.dtype) << shaped.getElementType();
  info.shape = shaped.getShape().vec();
  if (info.elementBytes() == 0) {
    return std::nullopt;
  }
  return info;
}
