// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::npu;

/// The name of an argument or result: what an attribute says, or the location, or its number.
static std::string nameOf(DictionaryAttr attributes, Location loc, StringRef kind, unsigned index) {
  if (attributes) {
    if (auto name = attributes.getAs<StringAttr>("npu.name")) {
      return name.str();
    }
  }
  if (auto name = dyn_cast<NameLoc>(loc)) {
    return name.getName().str();
  }
  return (kind + Twine(index)).str();
}

static func::FuncOp findEntry(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    return module.lookupSymbol<func::FuncOp>(name);
  }
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic()) {
      continue;
    }
    if (entry) {
      return nullptr;
    }
    entry = function;
  }
  return entry;
}

FailureOr<Signature> npu::readSignature(ModuleOp module, StringRef name) {
  Signature signature;
  func::FuncOp entry = findEntry(module, name);
  if (!entry || entry.isExternal()) {
    if (!name.empty()) {
      return module.emitError() << "expected a function '" << name << "' with a body to run, but the module has none";
    }
    return module.emitError() << "expected exactly one public function to run; name the one that is meant";
  }
  signature.entry = entry.getSymName().str();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::string argumentName = nameOf(entry.getArgAttrDict(index), argument.getLoc(), "input", index);
    std::optional<TensorInfo> info = getTensorInfo(argument.getType(), argumentName);
    if (!info) {
      return entry.emitError() << "expected input " << index << " of '" << signature.entry
                               << "' to be a statically shaped tensor of a plain element type, but found "
                               << argument.getType();
    }
    signature.inputs.push_back(*info);
  }
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    std::string resultName = nameOf(entry.getResultAttrDict(index), UnknownLoc::get(entry.getContext()), "output", index);
    std::optional<TensorInfo> info = getTensorInfo(type, resultName);
    if (!info) {
      return entry.emitError() << "expected output " << index << " of '" << signature.entry
                               << "' to be a statically shaped tensor of a plain element type, but found " << type;
    }
    signature.outputs.push_back(*info);
  }
  return signature;
}
