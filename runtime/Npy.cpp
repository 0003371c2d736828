// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::npu;

static constexpr StringLiteral kMagic = "\x93NUMPY";

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (int64_t extent : shape) {
    text += std::to_string(extent) + ", ";
  }
  return StringRef(text).rtrim(", ").str() + (shape.size() == 1 ? ",)" : ")");
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// The names under which an element type may be stored; the first one is written.
static SmallVector<StringRef> descrsOf(StringRef dtype) {
  return llvm::StringSwitch<SmallVector<StringRef>>(dtype)
      .Case("i1", {"|b1"})
      .Case("i8", {"|i1", "|u1"})
      .Case("ui8", {"|u1"})
      .Case("i16", {"<i2", "<u2"})
      .Case("i32", {"<i4", "<u4"})
      .Cases({"i64", "index"}, {"<i8", "<u8"})
      .Case("f16", {"<f2"})
      .Case("bf16", {"|V2", "<V2", "<u2"})
      .Case("f32", {"<f4"})
      .Case("f64", {"<f8"})
      .Case("complex<f32>", {"<c8"})
      .Case("complex<f64>", {"<c16"})
      .Default({"|V1", "<V1", "|u1"});
}

/// Bytes of an element; 0 for a type that is not supported.
static int64_t elementBytes(StringRef descr) {
  int64_t bytes;
  bool known = descr.size() >= 3 && StringRef("<|").contains(descr[0]) && StringRef("biufcV").contains(descr[1]) &&
               !descr.drop_front(2).getAsInteger(10, bytes) && bytes >= 1 && bytes <= 16;
  return known ? bytes : 0;
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {
/// Takes apart the header, a Python dictionary of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  llvm::Error parse(NpyArray &array) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    expect("{");
    while (!failed && !accept("}")) {
      std::string key = quoted();
      expect(":");
      if (key == "descr" && !hasDescr) {
        hasDescr = true;
        array.descr = quoted();
      } else if (key == "fortran_order" && !hasOrder) {
        hasOrder = true;
        columnMajor = accept("True");
        if (!columnMajor) {
          expect("False");
        }
      } else if (key == "shape" && !hasShape) {
        hasShape = true;
        shape(array.shape);
      } else {
        failed = true;
      }
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    if (failed || !hasDescr || !hasOrder || !hasShape || !rest.trim().empty()) {
      return makeError("the header of the .npy file is invalid near '" + llvm::toHex(rest.take_front(20)) +
                       "' (in hexadecimal digits)");
    }
    if (columnMajor && array.shape.size() > 1) {
      return makeError("the array is stored in column-major order; store np.ascontiguousarray(x)");
    }
    return llvm::Error::success();
  }

private:
  bool accept(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  void expect(StringRef token) { failed |= !accept(token); }
  std::string quoted() {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) {
      failed = true;
      return "";
    }
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos) {
      failed = true;
      return "";
    }
    std::string text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }
  void shape(std::vector<int64_t> &extents) {
    expect("(");
    while (!failed && !accept(")")) {
      int64_t extent;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent) || extent < 0) {
        failed = true;
        return;
      }
      extents.push_back(extent);
      if (!accept(",")) {
        expect(")");
        return;
      }
    }
  }

  StringRef rest;
  bool failed = false;
  bool columnMajor = false;
};
} // namespace

llvm::Expected<NpyArray> npu::readNpy(ArrayRef<uint8_t> bytes) {
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!text.consume_front(kMagic) || text.size() < 4) {
    return makeError("the file is no .npy file: it does not begin with \\x93NUMPY and a version");
  }
  unsigned major = static_cast<uint8_t>(text[0]);
  text = text.drop_front(2);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || text.size() < lengthBytes) {
    return makeError("expected version 1, 2 or 3 of the .npy format, but found " + Twine(major));
  }
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>(text[i])) << (8 * i);
  }
  text = text.drop_front(lengthBytes);
  if (length > text.size()) {
    return makeError("the file ends inside its header of " + Twine(length) + " bytes");
  }
  NpyArray array;
  if (llvm::Error error = HeaderParser(text.take_front(length)).parse(array)) {
    return error;
  }
  text = text.drop_front(length);
  int64_t size = elementBytes(array.descr);
  if (size == 0) {
    return makeError("arrays of type '" + array.descr + "' are not supported; store little-endian numbers");
  }
  for (int64_t extent : array.shape) {
    if (extent > 0 && size > static_cast<int64_t>(text.size()) / extent) {
      size = -1; // More than the file holds, whatever follows.
      break;
    }
    size *= extent;
  }
  if (llvm::is_contained(array.shape, 0)) {
    size = 0;
  }
  if (size != static_cast<int64_t>(text.size())) {
    return makeError("expected the data of an array of shape " + shapeText(array.shape) + " and type '" + array.descr +
                     "', but the file holds " + Twine(text.size()) + " bytes of data");
  }
  array.data.assign(text.bytes_begin(), text.bytes_end());
  return array;
}

std::vector<uint8_t> npu::writeNpy(const TensorInfo &info, ArrayRef<uint8_t> data) {
  std::string header = ("{'descr': '" + descrsOf(info.dtype).front() + "', 'fortran_order': False, 'shape': " +
                        shapeText(info.shape) + ", }")
                           .str();
  // Version 1: the data begins at a multiple of 64 bytes, and the header ends in a line feed.
  constexpr size_t kPrefix = 10;
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';
  std::vector<uint8_t> bytes(kMagic.bytes_begin(), kMagic.bytes_end());
  bytes.insert(bytes.end(), {1, 0, static_cast<uint8_t>(header.size() & 0xff), static_cast<uint8_t>(header.size() >> 8)});
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

llvm::Error npu::checkNpy(const NpyArray &array, const TensorInfo &info) {
  SmallVector<StringRef> allowed = descrsOf(info.dtype);
  if (!llvm::is_contained(allowed, StringRef(array.descr))) {
    return makeError("expected an array of type '" + allowed.front() + "' for input " + info.str() + ", but found '" +
                     array.descr + "'");
  }
  if (array.shape != info.shape) {
    return makeError("expected an array of shape " + shapeText(info.shape) + " for input " + info.str() +
                     ", but found " + shapeText(array.shape));
  }
  return llvm::Error::success();
}
