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
  let summary = "prove that programs mean the same in every order of execution";
  let description = [{
    Checks that a program can be encoded, fits the limits of its target (array, operands, microprograms, loop depth,
    semaphores) and reads and writes only aligned bytes inside of its memories in every iteration. Then proves, for all
    iterations and for every order in which the queues may run: no two accesses of the same bytes, one of them a write,
    are unordered (race) or ordered against the program (order); no semaphore exceeds its largest value (overflow) or ends above
    0 (imbalance); the program ends, whatever the depths of the queues (deadlock); no byte is read that was not written
    (unwritten). Loops are followed until they reach a steady state, so that the cost does not grow with their iterations;
    `docs/checker.md` has the argument. The error stands at an instruction and names its source node; notes tell an
    execution that goes wrong:

    ```
    error: program 'main_0': race: instruction 4 ('mm_exec' on mm, node 'fc1', iteration 0) reads sram[0, 64), but does not
           wait for instruction 2 ('dma_ld' on ld, node 'fc1', iteration 0), which writes them
    note: the other instruction is here
    note: step 1: queue 'ld' is late: instruction 2 ('dma_ld' on ld, node 'fc1', iteration 0) has not completed
    note: step 2: queue 'mm' goes on: instruction 4 (...) has all that it waits for and reads sram[0, 64)
    ```

    The program stays as it is.
  }];
  let statistics = [
    Statistic<"numExecuted", "executed", "instructions that runs of the programs execute">,
    Statistic<"numFollowed", "followed", "instructions that the checker followed one by one">];
}

#endif // PASSES_TRANSFORMS_ISA_PASSES_TD
