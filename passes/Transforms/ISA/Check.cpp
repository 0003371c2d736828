// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/Encoding/Encoder.h"
#include "dialects/NPUISA/IR/NPUISA.h"
#include "passes/Transforms/ISA/Passes.h"
#include "simulator/core/Verifier.h"

#include <map>

namespace mlir::npu {
#define GEN_PASS_DEF_CHECKPASS
#include "passes/Transforms/ISA/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "npuisa-check"

using namespace mlir;
using namespace mlir::npuisa;

namespace {

/// Signals minus waits of each semaphore.
using Balance = std::map<unsigned, int64_t>;

/// Sums up a block; every loop inside must leave all semaphores as it found them.
LogicalResult addBalance(Block &block, Balance &balance) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      Balance inner;
      if (failed(addBalance(loop.getBody().front(), inner))) {
        return failure();
      }
      for (auto [semaphore, count] : inner) {
        if (count != 0) {
          return loop.emitError() << "expected each iteration to signal semaphore " << semaphore
                                  << " as often as it waits for it, but found " << (count > 0 ? count : -count)
                                  << (count > 0 ? " signals" : " waits") << " more (node '"
                                  << getSourceName(loop.getLoc()) << "')";
        }
      }
      continue;
    }
    for (Attribute sync : getSyncs(&op, kSignalsAttrName)) {
      balance[cast<SyncAttr>(sync).getSemaphore()] += cast<SyncAttr>(sync).getCount();
    }
    for (Attribute sync : getSyncs(&op, kWaitsAttrName)) {
      balance[cast<SyncAttr>(sync).getSemaphore()] -= cast<SyncAttr>(sync).getCount();
    }
  }
  return success();
}

struct CheckPass final : npu::impl::CheckPassBase<CheckPass> {
  using CheckPassBase::CheckPassBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<npuhw::Program> encoded = encodeProgram(program);
    if (failed(encoded)) {
      return signalPassFailure();
    }
    npuhw::Result<npuhw::ProgramInfo> info = npuhw::verifyProgram(*encoded);
    if (!info) {
      program.emitError() << "program '" << program.getSymName() << "': " << info.error().str();
      return signalPassFailure();
    }
    Balance balance;
    if (failed(addBalance(program.getBody().front(), balance))) {
      return signalPassFailure();
    }
    for (auto [semaphore, count] : balance) {
      if (count != 0) {
        program.emitError() << "expected program '" << program.getSymName() << "' to signal semaphore " << semaphore
                            << " as often as it waits for it, but found " << (count > 0 ? count : -count)
                            << (count > 0 ? " signals" : " waits") << " more";
        return signalPassFailure();
      }
    }
  }
};

} // namespace
