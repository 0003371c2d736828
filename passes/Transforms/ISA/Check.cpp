// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/Encoding/Encoder.h"
#include "dialects/NPUISA/IR/NPUISA.h"
#include "passes/Transforms/ISA/Passes.h"
#include "simulator/check/Checker.h"

#include "llvm/Support/DebugLog.h"

namespace mlir::npu {
#define GEN_PASS_DEF_CHECKPASS
#include "passes/Transforms/ISA/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npuisa-check"

using namespace mlir;
using namespace mlir::npuisa;

namespace {

/// The ops of a block in the order of their instructions in the encoded program; a loop is its first and its last one.
void collectInstructions(Block &block, SmallVectorImpl<Operation *> &instructions) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      instructions.push_back(loop);
      collectInstructions(loop.getBody().front(), instructions);
      instructions.push_back(loop);
    } else if (isInstruction(&op)) {
      instructions.push_back(&op);
    }
  }
}

struct CheckPass final : npu::impl::CheckPassBase<CheckPass> {
  using CheckPassBase::CheckPassBase;

  void runOnOperation() override {
    FailureOr<npuhw::Program> encoded = encodeProgram(getOperation());
    if (failed(encoded)) {
      return signalPassFailure();
    }
    npuhw::CheckReport report = npuhw::checkProgram(*encoded);
    if (report.violation) {
      explain(*report.violation);
      return signalPassFailure();
    }
    LDBG() << "program '" << encoded->name << "': " << report.str();
    numExecuted += report.executed;
    numFollowed += report.followed;
  }

private:
  /// The error is at the instruction to blame, and the notes are the execution that goes wrong.
  void explain(const npuhw::Violation &violation) {
    ProgramOp program = getOperation();
    SmallVector<Operation *> instructions;
    collectInstructions(program.getBody().front(), instructions);
    Operation *blamed = violation.sites.empty() ? program : instructions[violation.sites.front().instruction];
    InFlightDiagnostic diagnostic = blamed->emitError()
                                    << "program '" << program.getSymName() << "': " << npuhw::spell(violation.fault)
                                    << ": " << violation.message;
    for (const npuhw::Site &site : ArrayRef(violation.sites).drop_front(violation.sites.empty() ? 0 : 1)) {
      diagnostic.attachNote(instructions[site.instruction]->getLoc()) << "the other instruction is here";
    }
    for (auto [number, step] : llvm::enumerate(violation.steps)) {
      diagnostic.attachNote(blamed->getLoc()) << "step " << number + 1 << ": " << step;
    }
  }
};

} // namespace
