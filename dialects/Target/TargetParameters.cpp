// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Target/TargetParameters.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using npuhw::TargetDesc;
using npuhw::TargetFieldInfo;

namespace {

/// Calls of visitTarget() that turn each field into an attribute.
struct DictionaryWriter {
  Builder builder;
  SmallVector<NamedAttribute> entries;

  Attribute convert(const std::string &value) { return builder.getStringAttr(value); }
  Attribute convert(uint64_t value) { return builder.getI64IntegerAttr(static_cast<int64_t>(value)); }
  Attribute convert(double value) { return builder.getF64FloatAttr(value); }
  Attribute convert(bool value) { return builder.getBoolAttr(value); }
  Attribute convert(const std::vector<std::string> &values) {
    return builder.getStrArrayAttr(SmallVector<StringRef>(values.begin(), values.end()));
  }
  template <typename T> void operator()(const TargetFieldInfo &info, const T &field) {
    if (StringRef(info.key) != "name") {
      entries.push_back(builder.getNamedAttr(info.key, convert(field)));
    }
  }
};

/// Calls of visitTarget() that take each field from its attribute. Stops at the first fault.
struct DictionaryReader {
  DictionaryAttr parameters;
  size_t numRead = 0;
  std::string error;

  bool convert(Attribute attribute, std::string &field) {
    auto text = dyn_cast<StringAttr>(attribute);
    return text && (field = text.getValue().str(), true);
  }
  bool convert(Attribute attribute, uint64_t &field) {
    auto number = dyn_cast<IntegerAttr>(attribute);
    return number && number.getType().isSignlessInteger(64) && number.getInt() >= 0 && (field = number.getInt(), true);
  }
  bool convert(Attribute attribute, double &field) {
    auto number = dyn_cast<FloatAttr>(attribute);
    return number && number.getType().isF64() && (field = number.getValueAsDouble(), true);
  }
  bool convert(Attribute attribute, bool &field) {
    auto flag = dyn_cast<BoolAttr>(attribute);
    return flag && (field = flag.getValue(), true);
  }
  bool convert(Attribute attribute, std::vector<std::string> &field) {
    auto list = dyn_cast<ArrayAttr>(attribute);
    if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>)) {
      return false;
    }
    for (Attribute item : list) {
      field.push_back(cast<StringAttr>(item).getValue().str());
    }
    return true;
  }
  template <typename T> void operator()(const TargetFieldInfo &info, T &field) {
    if (!error.empty() || StringRef(info.key) == "name") {
      return;
    }
    Attribute attribute = parameters.get(info.key);
    if (!attribute) {
      error = "key '" + std::string(info.key) + "' (" + info.doc + ") is missing";
      return;
    }
    ++numRead;
    if (!convert(attribute, field)) {
      llvm::raw_string_ostream(error) << "key '" << info.key << "' (" << info.doc << ") has the unfit value "
                                      << attribute;
    }
  }
};

} // namespace

DictionaryAttr npu::targetToDictionary(MLIRContext *context, const TargetDesc &desc) {
  DictionaryWriter writer{Builder(context), {}};
  npuhw::visitTarget(desc, writer);
  return writer.builder.getDictionaryAttr(writer.entries);
}

FailureOr<TargetDesc> npu::targetFromDictionary(StringRef name, StringRef hash, DictionaryAttr parameters,
                                                std::string &error) {
  TargetDesc desc;
  desc.name = name.str();
  DictionaryReader reader{parameters, 0, {}};
  npuhw::visitTarget(desc, reader);
  if (!reader.error.empty()) {
    error = reader.error;
    return failure();
  }
  if (reader.numRead != parameters.size()) {
    // Find the key that no field has.
    SmallVector<StringRef> known;
    npuhw::visitTarget(desc, [&](const TargetFieldInfo &info, const auto &) { known.push_back(info.key); });
    for (NamedAttribute entry : parameters) {
      if (entry.getName() == "name" || !llvm::is_contained(known, entry.getName().getValue())) {
        error = "key '" + entry.getName().str() + "' is unknown";
        return failure();
      }
    }
  }
  std::vector<std::string> faults;
  if (!npuhw::validate(desc, faults)) {
    error = faults.front();
    return failure();
  }
  std::string expected = npuhw::hashTargetHex(desc);
  if (hash != expected) {
    error = "the hash is \"" + hash.str() + "\", but that of the values is \"" + expected + "\"";
    return failure();
  }
  return desc;
}
