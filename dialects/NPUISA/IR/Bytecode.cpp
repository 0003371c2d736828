// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/IR/Bytecode.h"

#include "dialects/NPUISA/IR/NPUISA.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace mlir::npuisa;

namespace {

/// Bytecode of the attributes that hold constants. The rest is written as text; but text inside of bytecode cannot refer
/// to the resources of the file, so that a region written that way would lose its contents.
struct NPUISABytecodeInterface : BytecodeDialectInterface {
  explicit NPUISABytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  /// Which attribute follows.
  enum Kind : uint64_t { kRegion = 0 };

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const override {
    auto region = dyn_cast<RegionAttr>(attribute);
    if (!region) {
      return failure();
    }
    writer.writeVarInt(kRegion);
    writer.writeVarInt(static_cast<uint64_t>(region.getRole()));
    writer.writeOwnedString(region.getName());
    writer.writeVarInt(region.getBytes());
    writer.writeVarInt(static_cast<uint64_t>(region.getDtype()));
    writer.writeSignedVarInts(region.getShape());
    writer.writeOptionalAttribute(region.getContents());
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t kind;
    if (failed(reader.readVarInt(kind))) {
      return {};
    }
    if (kind != kRegion) {
      reader.emitError() << "expected an attribute of kind " << static_cast<unsigned>(kRegion)
                         << " in the bytecode of npuisa, but found " << kind;
      return {};
    }
    uint64_t role, bytes, dtype;
    StringRef name;
    SmallVector<int64_t> shape;
    ElementsAttr contents;
    if (failed(reader.readVarInt(role)) || failed(reader.readString(name)) || failed(reader.readVarInt(bytes)) ||
        failed(reader.readVarInt(dtype)) || failed(reader.readSignedVarInts(shape)) ||
        failed(reader.readOptionalAttribute(contents))) {
      return {};
    }
    std::optional<Role> knownRole = symbolizeRole(role);
    std::optional<DType> knownType = symbolizeDType(dtype);
    if (!knownRole || !knownType) {
      reader.emitError() << "expected a region with a role and an element type, but found the numbers " << role << " and "
                         << dtype;
      return {};
    }
    return RegionAttr::getChecked([&] { return reader.emitError(); }, reader.getContext(), *knownRole, name, bytes,
                                  *knownType, ArrayRef<int64_t>(shape), contents);
  }
};

} // namespace

void npuisa::addBytecodeInterface(NPUISADialect &dialect) { dialect.addInterfaces<NPUISABytecodeInterface>(); }
