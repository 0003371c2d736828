// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the instructions of one program: hardware loops, groups of instructions that stand for one task, and the
// microprograms that they share.

#ifndef PASSES_CONVERSION_NPUTONPUISA_EMITTER_H
#define PASSES_CONVERSION_NPUTONPUISA_EMITTER_H

#include "dialects/NPUISA/IR/InstructionFields.h"
#include "dialects/NPUISA/IR/NPUISA.h"
#include "dialects/Target/Target.h"
#include "passes/Conversion/NPUToNPUISA/Addresses.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::npu {

class Emitter {
public:
  Emitter(OpBuilder &builder, npuisa::ProgramOp program, TargetDesc target)
      : builder(builder), program(program), target(std::move(target)) {}

  OpBuilder &getBuilder() { return builder; }
  const TargetDesc &getTarget() const { return target; }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// The depth that the next loop would have.
  unsigned getLoopDepth() const { return depth; }
  /// Whether the target has a counter for one more loop.
  bool canNest() const { return depth < target.loopDepth; }
  void enterLoop() { ++depth; }
  void leaveLoop() { --depth; }

  /// Runs `body` for each value of a counter from 0 to count - 1: once with its hardware counter in a loop, or, if
  /// there is a single iteration or no loop left, once for each value.
  void repeat(int64_t count, function_ref<void(const CounterForm &counter)> body);

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  /// Starts a group of instructions: the first of them starts after `waits`.
  void beginTask(Location loc, npuisa::Queue queue, ValueRange waits);
  /// Ends the group; returns a token of its last instruction if one is wanted, else null.
  Value endTask(bool wantsToken);
  /// Adds an instruction; its queue is that of the task.
  void emit(npuhw::Instruction instruction, FlatSymbolRefAttr micro = {});

  //===--------------------------------------------------------------------===//
  // Microprograms
  //===--------------------------------------------------------------------===//

  /// The symbol of a microprogram; equal ones are stored once. Its name is a proposal.
  FlatSymbolRefAttr getMicro(npuhw::MicroProgram micro);

private:
  OpBuilder &builder;
  npuisa::ProgramOp program;
  TargetDesc target;
  unsigned depth = 0;
  std::vector<npuhw::MicroProgram> micros;
  llvm::StringSet<> microNames;
  llvm::StringMap<unsigned> nextSuffix;
  Operation *lastMicro = nullptr;

  Location taskLoc = builder.getUnknownLoc();
  npuisa::Queue taskQueue = npuisa::Queue::LD;
  SmallVector<Value> pendingWaits;
  /// The last instruction of the task if it stands outside of the task's own loops.
  Operation *lastInstruction = nullptr;

  Operation *emitSync(ValueRange waits, bool withToken);
};

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTONPUISA_EMITTER_H
