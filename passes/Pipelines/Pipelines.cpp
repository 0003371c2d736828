// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::npu;

static constexpr PipelineStep kSteps[] = {
    {Phase::Linalg, "npu-verify-linalg"},
    {Phase::Linalg, "npu-prepare-linalg"},
    {Phase::Linalg, "func.func(npu-place)"},
    {Phase::Tensor, "func.func(convert-linalg-to-npu)"},
    {Phase::Tensor, "func.func(npu-fuse-epilogue)"},
    {Phase::Tensor, "func.func(npu-form-kernels)"},
    {Phase::Tensor, "func.func(npu-set-schedule)"},
    {Phase::Tensor, "func.func(npu-tile)"},
    {Phase::Tensor, "func.func(npu-promote)"},
    {Phase::Tensor, "npu-outline-programs"},
    {Phase::Tensor, "npu-verify-tensor"},
    {Phase::Buffer, "npu.program(npu-bufferize)"},
    {Phase::Buffer, "npu.program(npu-multi-buffer)"},
    {Phase::Buffer, "npu.program(npu-plan-memory)"},
    {Phase::Buffer, "npu.program(npu-schedule)"},
    {Phase::Buffer, "npu.program(npu-verify-buffers)"},
    {Phase::ISA, "convert-npu-to-npuisa"},
    {Phase::ISA, "npuisa.program(npuisa-assign-semaphores)"},
    {Phase::ISA, "npuisa.program(npuisa-check)"},
};

static constexpr Phase kPhases[] = {Phase::Linalg, Phase::Tensor, Phase::Buffer, Phase::ISA};

ArrayRef<PipelineStep> npu::getPipelineSteps() { return kSteps; }

StringRef npu::stringifyPhase(Phase phase) {
  switch (phase) {
  case Phase::Linalg:
    return "linalg";
  case Phase::Tensor:
    return "tensor";
  case Phase::Buffer:
    return "buffer";
  case Phase::ISA:
    return "isa";
  }
  llvm_unreachable("all phases are listed");
}

std::optional<Phase> npu::symbolizePhase(StringRef name) {
  for (Phase phase : kPhases) {
    if (stringifyPhase(phase) == name) {
      return phase;
    }
  }
  return std::nullopt;
}

LogicalResult npu::buildPipeline(OpPassManager &manager, Phase from, Phase to, raw_ostream &errors) {
  for (const PipelineStep &step : kSteps) {
    if (step.phase >= from && step.phase <= to && failed(parsePassPipeline(step.text, manager, errors))) {
      return failure();
    }
  }
  return success();
}

namespace {
struct CompileOptions : PassPipelineOptions<CompileOptions> {
  Option<Phase> from{*this, "from", llvm::cl::desc("first phase to run"), llvm::cl::init(Phase::Linalg),
                     llvm::cl::values(clEnumValN(Phase::Linalg, "linalg", "place ops of the linalg level"),
                                      clEnumValN(Phase::Tensor, "tensor", "npu ops on tensors, tiled, in programs"),
                                      clEnumValN(Phase::Buffer, "buffer", "npu ops on planned buffers, in tasks"),
                                      clEnumValN(Phase::ISA, "isa", "instructions with semaphores"))};
  Option<Phase> to{*this, "to", llvm::cl::desc("last phase to run"), llvm::cl::init(Phase::ISA),
                   llvm::cl::values(clEnumValN(Phase::Linalg, "linalg", "place ops of the linalg level"),
                                    clEnumValN(Phase::Tensor, "tensor", "npu ops on tensors, tiled, in programs"),
                                    clEnumValN(Phase::Buffer, "buffer", "npu ops on planned buffers, in tasks"),
                                    clEnumValN(Phase::ISA, "isa", "instructions with semaphores"))};
};
} // namespace

/// The steps are fixed text over passes that are registered beside them: a failure to parse one is a fault of this file.
static void addPhases(OpPassManager &manager, Phase from, Phase to) {
  if (failed(buildPipeline(manager, from, to, llvm::errs()))) {
    llvm::report_fatal_error("a step of the npu pipeline does not parse");
  }
}

void npu::registerPipelines() {
  PassPipelineRegistration<CompileOptions>(
      "npu-compile", "all phases, or those from `from` to `to`, from linalg on tensors to checked instructions",
      [](OpPassManager &manager, const CompileOptions &options) { addPhases(manager, options.from, options.to); });
  for (Phase phase : kPhases) {
    PassPipelineRegistration<>("npu-" + stringifyPhase(phase).str() + "-phase",
                               "the passes of the " + stringifyPhase(phase).str() + " phase",
                               [phase](OpPassManager &manager) { addPhases(manager, phase, phase); });
  }
}
