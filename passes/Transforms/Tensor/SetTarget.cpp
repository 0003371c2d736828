// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "dialects/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::npu {
#define GEN_PASS_DEF_SETTARGETPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

namespace {
struct SetTargetPass : npu::impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<TargetDesc> desc = loadTarget(target);
    if (!desc) {
      module.emitError() << llvm::toString(desc.takeError());
      return signalPassFailure();
    }
    TargetAttr attribute = getTargetAttr(&getContext(), *desc);
    auto present = module->getAttrOfType<TargetAttr>(NPUDialect::kTargetAttrName);
    if (present && present != attribute) {
      module.emitError() << "expected a module without a target or with target '" << attribute.getName() << "' (hash "
                         << attribute.getHash() << "), but found target '" << present.getName() << "' (hash "
                         << present.getHash() << "): compile again from the model to change the target";
      return signalPassFailure();
    }
    module->setAttr(NPUDialect::kTargetAttrName, attribute);
  }
};
} // namespace
