// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_ISA_PASSES_TD
#define PASSES_TRANSFORMS_ISA_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignSemaphoresPass : Pass<"npuisa-assign-semaphores", "::mlir::npuisa::ProgramOp"> {
  let summary = "replace tokens by counting semaphores";
  let description = [{
    Dependences between two queues count on one semaphore for each nesting depth of loops; those that loops carry count
    on another one for each distance. Both queues are in order, so that the n-th wait is for the n-th signal. What a
    loop carries over d iterations starts with d credits before the loop, and is drained after it. Uses of a loop's
    result wait for an `npuisa.sync` behind the loop, and uses inside a loop of what stands before it become an
    `npuisa.sync` in front of it. Dependences that another one between the same queues implies are dropped.

    ```mlir
    %t = npuisa.dma_ld ... -> !npuisa.token
    npuisa.mm_load_w ... after(%t)
    ```
    becomes
    ```mlir
    npuisa.dma_ld ... signals [0:1]
    npuisa.mm_load_w ... waits [0:1]
    ```
  }];
  let dependentDialects = ["::mlir::npuisa::NPUISADialect"];
  let statistics = [
    Statistic<"numSemaphores", "semaphores", "semaphores used">,
    Statistic<"numDependences", "dependences", "dependences kept">,
    Statistic<"numImplied", "implied", "dependences dropped because others imply them">,
    Statistic<"numSyncs", "syncs", "sync instructions added">];
}

def CheckPass : Pass<"npuisa-check", "::mlir::npuisa::ProgramOp"> {
  let summary = "check programs against their target";
  let description = [{
    Checks that a program can be encoded, fits the limits of its target (array, operands, microprograms, loop depth,
    semaphores), reads and writes only inside of its memories in every iteration, and that each loop and the whole
    program signals every semaphore as often as it waits for it. Errors name the instruction and its source node.
  }];
}

#endif // PASSES_TRANSFORMS_ISA_PASSES_TD
