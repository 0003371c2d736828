// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CAPI/NPUTarget.h"

#include "dialects/Target/Target.h"
#include "machine/TargetFigures.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace mlir::npu;

intptr_t npuTargetGetNumPresets() { return getTargetPresets().size(); }

MlirStringRef npuTargetGetPreset(intptr_t index) { return wrap(getTargetPresets()[index]); }

bool npuTargetLoad(MlirStringRef nameOrPath, MlirStringCallback json, void *jsonData, MlirStringCallback hash,
                   void *hashData, MlirStringCallback explanation, void *explanationData, MlirStringCallback report,
                   void *userData) {
  llvm::Expected<TargetDesc> target = loadTarget(unwrap(nameOrPath));
  if (!target) {
    report(wrap(StringRef(llvm::toString(target.takeError()))), userData);
    return false;
  }
  json(wrap(StringRef(npuhw::toJSON(*target))), jsonData);
  hash(wrap(StringRef(npuhw::hashTargetHex(*target))), hashData);
  explanation(wrap(StringRef(npuhw::explainTargetJSON(*target))), explanationData);
  return true;
}

MlirAttribute npuTargetGetAttribute(MlirContext context, MlirStringRef nameOrPath, MlirStringCallback report,
                                    void *userData) {
  llvm::Expected<TargetDesc> target = loadTarget(unwrap(nameOrPath));
  if (!target) {
    report(wrap(StringRef(llvm::toString(target.takeError()))), userData);
    return {nullptr};
  }
  unwrap(context)->getOrLoadDialect<NPUDialect>();
  return wrap(Attribute(getTargetAttr(unwrap(context), *target)));
}
