// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/SourceName.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

StringRef npu::getSourceName(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      name = named.getName().getValue();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

SmallVector<StringRef> npu::getSourceNames(Location location) {
  llvm::SetVector<StringRef, SmallVector<StringRef>> names;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      names.insert(named.getName().getValue());
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  return names.takeVector();
}
