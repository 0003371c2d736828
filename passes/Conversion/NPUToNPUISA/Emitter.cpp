// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Emitter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::npu;

void Emitter::repeat(int64_t count, function_ref<void(const CounterForm &counter)> body) {
  if (count <= 1 || !canNest()) {
    for (int64_t i = 0; i < count; ++i) {
      body(CounterForm{i, {}});
    }
    return;
  }
  // A wait inside of the loop would wait in every iteration.
  if (!pendingWaits.empty()) {
    emitSync(std::exchange(pendingWaits, {}), /*withToken=*/false);
  }
  OpBuilder::InsertionGuard guard(builder);
  auto loop = npuisa::LoopOp::create(builder, taskLoc, count);
  builder.setInsertionPointToStart(&loop.getBody().front());
  CounterForm counter = CounterForm::counter(depth, 1);
  enterLoop();
  body(counter);
  leaveLoop();
  lastInstruction = nullptr;
}

void Emitter::beginTask(Location loc, npuisa::Queue queue, ValueRange waits) {
  taskLoc = loc;
  taskQueue = queue;
  pendingWaits.assign(waits.begin(), waits.end());
  lastInstruction = nullptr;
}

void Emitter::emit(npuhw::Instruction instruction, FlatSymbolRefAttr micro) {
  npuhw::header(instruction).queue = static_cast<npuhw::Queue>(taskQueue);
  lastInstruction = npuisa::createInstruction(builder, taskLoc, instruction, micro, std::exchange(pendingWaits, {}));
}

Operation *Emitter::emitSync(ValueRange waits, bool withToken) {
  npuhw::Sync sync;
  sync.queue = static_cast<npuhw::Queue>(taskQueue);
  return npuisa::createInstruction(builder, taskLoc, sync, {}, waits, withToken);
}

Value Emitter::endTask(bool wantsToken) {
  // Nothing was emitted: later instructions of the queue still rely on the waits.
  if (!pendingWaits.empty() || (wantsToken && !lastInstruction)) {
    Operation *sync = emitSync(std::exchange(pendingWaits, {}), wantsToken);
    return npuisa::getToken(sync);
  }
  if (!wantsToken) {
    return {};
  }
  OperationState state(lastInstruction->getLoc(), lastInstruction->getName());
  state.addOperands(lastInstruction->getOperands());
  state.addAttributes(lastInstruction->getAttrs());
  state.addTypes(npuisa::TokenType::get(builder.getContext()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(lastInstruction);
  Operation *withToken = builder.create(state);
  lastInstruction->erase();
  return npuisa::getToken(withToken);
}

FlatSymbolRefAttr Emitter::getMicro(npuhw::MicroProgram micro) {
  for (const npuhw::MicroProgram &known : micros) {
    if (known.numInputs == micro.numInputs && known.ops == micro.ops && known.outputs == micro.outputs) {
      return FlatSymbolRefAttr::get(builder.getContext(), known.name);
    }
  }
  std::string proposal = micro.name;
  // A program may have thousands: the search for a free number goes on where the last one ended.
  for (unsigned &i = nextSuffix[proposal]; !microNames.insert(micro.name).second;) {
    micro.name = proposal + "_" + std::to_string(++i);
  }
  OpBuilder::InsertionGuard guard(builder);
  if (lastMicro) {
    builder.setInsertionPointAfter(lastMicro);
  } else {
    builder.setInsertionPointToStart(&program.getBody().front());
  }
  lastMicro = npuisa::createMicroprogram(builder, taskLoc, micro);
  micros.push_back(micro);
  return FlatSymbolRefAttr::get(builder.getContext(), micro.name);
}
