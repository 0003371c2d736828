// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_BUFFER_PASSES_TD
#define PASSES_TRANSFORMS_BUFFER_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizePass : Pass<"npu-bufferize", "::mlir::npu::ProgramOp"> {
  let summary = "give the tensors of a program memory";
  let description = [{
    One-shot bufferization of the body of a program. A tensor lies in the space of its encoding; results are computed
    where they are wanted: in the output arguments and in the carried tensors of loops. A copy that remains (counted by the
    statistic) becomes `npu.copy`, `npu.load` or `npu.store`. Allocations stay where their `tensor.empty` stood.

    ```mlir
    %e = tensor.empty() : tensor<8xf32, #npu.space<sram>>
    %0 = npu.load ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
    ```
    becomes
    ```mlir
    %0 = memref.alloc() : memref<8xf32, #npu.space<sram>>
    npu.load ins(%arg0 : memref<8xf32>) outs(%0 : memref<8xf32, #npu.space<sram>>)
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::npu::NPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numAllocations", "allocations", "Number of allocations">,
    Statistic<"numCopies", "copies", "Number of copies that bufferization had to add">];
}

def MultiBufferPass : Pass<"npu-multi-buffer", "::mlir::npu::ProgramOp"> {
  let summary = "let the iterations of a loop alternate between buffers";
  let description = [{
    An allocation inside a loop is written anew in each iteration. It becomes an `npu.ring` at the top of the program and a slot of
    it, chosen by the induction variable of the innermost loop around it. All other allocations become `npu.buffer`.

    A ring has as many slots as the attribute `npu.depth` of its loop says (from the kernel's schedule), or the option
    `depth` where the loop has none; but one if only one queue touches it (nothing would overlap), and never more than its
    loop has iterations. Where the buffers do not fit a memory of the target, the largest rings at the moment of highest use
    get fewer slots until they do; a remark and a statistic tell.

    ```mlir
    scf.for %i = %c0 to %c256 step %c64 {
      %0 = memref.alloc() : memref<64xf32, #npu.space<sram>>
    ```
    becomes
    ```mlir
    %r = npu.ring : memref<2x64xf32, #npu.space<sram>>
    scf.for %i = %c0 to %c256 step %c64 {
      %0 = npu.ring_slot %r[%i step 64] : memref<2x64xf32, #npu.space<sram>> to memref<64xf32, strided<[1], offset: ?>, #npu.space<sram>>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::npu::NPUDialect"];
  let options = [Option<"depth", "depth", "int64_t", "2", "slots of a ring whose loop has no npu.depth, where the memory allows it; at least 1">];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers for the whole program">,
    Statistic<"numRings", "rings", "Number of rings">,
    Statistic<"numReduced", "reduced-rings", "Number of rings with fewer slots than asked for, for lack of memory">];
}

def PlanMemoryPass : Pass<"npu-plan-memory", "::mlir::npu::ProgramOp"> {
  let summary = "give buffers and rings their addresses";
  let description = [{
    Packs the buffers of each memory by their lifetimes in program order, the largest first, each in the smallest gap that holds it.
    Buffers that are not alive at the same time may share memory; `npu-schedule` runs after this pass and orders what overlaps.
    If there is room, buffers of neighbouring steps of the program (outermost loops) do not share, so that one step can start before
    the last one ends. A program that does not fit the target is an error.

    ```mlir
    %0 = npu.buffer : memref<64xf32, #npu.space<sram>>
    ```
    becomes
    ```mlir
    %0 = npu.buffer offset(0) : memref<64xf32, #npu.space<sram>>
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect"];
  let statistics = [
    Statistic<"peakSram", "peak-sram-bytes", "Bytes of SRAM that the programs of the module need, the largest one">,
    Statistic<"peakAcc", "peak-acc-bytes", "Bytes of accumulator memory that they need, the largest one">,
    Statistic<"arenaDram", "arena-dram-bytes", "Bytes of the DRAM arena that they need, the largest one">];
}

def SchedulePass : Pass<"npu-schedule", "::mlir::npu::ProgramOp"> {
  let summary = "make tasks of the ops of a program and order them by tokens";
  let description = [{
    Puts each npu op in an `npu.task` of its queue. Where two ops of different queues touch the same bytes, one of them writing, the
    later one in program order waits for the token of the earlier one: directly in one block, through a loop's result after a
    loop, by `npu.wait` before a loop, through carried tokens from one iteration to a later one. A dependence that others imply is left out.

    Two slots of a ring of depth d conflict only at a distance of d iterations. With offsets, storage conflicts by its address range;
    without, by its name.

    ```mlir
    npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
    npu.store ins(%s : memref<8xf32, #npu.space<sram>>) outs(%y : memref<8xf32>)
    ```
    becomes
    ```mlir
    %0 = npu.task queue(ld) {
      npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
    %1 = npu.task queue(st) waits(%0) {
      npu.store ins(%s : memref<8xf32, #npu.space<sram>>) outs(%y : memref<8xf32>)
    }
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numTasks", "tasks", "Number of tasks">,
    Statistic<"numForward", "forward-dependences", "Number of dependences inside one iteration">,
    Statistic<"numCarried", "carried-dependences", "Number of dependences between iterations">,
    Statistic<"numImplied", "implied-dependences", "Number of dependences left out because others imply them">];
}

def VerifyBuffersPass : Pass<"npu-verify-buffers", "::mlir::npu::ProgramOp"> {
  let summary = "check the contract of the buffer phase";
  let description = [{
    Checks that a program holds no tensor and only ops that code generation knows, that each npu op is in a task, that every
    buffer and ring has an aligned address inside its memory, that loops have constant bounds and carry only tokens, and that no two
    tasks of different queues touch the same bytes unordered. For the last, it runs the program's tasks through logical clocks, with
    long loops cut to a few iterations that visit every combination of ring slots.
  }];
  let options = [Option<"checkRaces", "check-races", "bool", "true", "whether to check the order of tasks">];
}

#endif // PASSES_TRANSFORMS_BUFFER_PASSES_TD
