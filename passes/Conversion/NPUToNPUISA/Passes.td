// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_CONVERSION_NPUTONPUISA_PASSES_TD
#define PASSES_CONVERSION_NPUTONPUISA_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNPUToNPUISAPass : Pass<"convert-npu-to-npuisa", "::mlir::ModuleOp"> {
  let summary = "turn scheduled programs into instructions";
  let description = [{
    Each `npu.program` becomes an `npuisa.program` of the same name. Its arguments become the DRAM regions, in order, called by their `npu.name` (names that appear again get a number);
    buffers in DRAM lie in one more region, the arena. Views become addresses with byte strides, loops hardware loops,
    and index arithmetic the terms of addresses. A task becomes one or several instructions: the waits are those of the
    first, the token is that of the last.

    A matrix op becomes loops over blocks of the array's size: columns, then the reduction in its order, so that each
    sum is accumulated as the reference does. Reduction dimensions that operands walk as one (a kernel's columns and
    channels) are cut as one. A loop whose index a microprogram reads (`npu.index`), and loops beyond those that the
    target counts, are copied for each iteration.

    ```mlir
    %t = npu.task queue(ld) {
      npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
    ```
    becomes
    ```mlir
    %t = npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [8] element_bytes = 4
      -> !npuisa.token
    ```
  }];
  let dependentDialects = ["::mlir::npuisa::NPUISADialect"];
  let statistics = [
    Statistic<"numPrograms", "programs", "programs converted">,
    Statistic<"numInstructions", "instructions", "instructions made">];
}

#endif // PASSES_CONVERSION_NPUTONPUISA_PASSES_TD
