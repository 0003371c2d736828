// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_CONVERSION_NPUTOLINALG_PASSES_TD
#define PASSES_CONVERSION_NPUTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNPUToLinalgPass : Pass<"convert-npu-to-linalg", "::mlir::ModuleOp"> {
  let summary = "replace npu ops by the linalg, arith and math ops that define them";
  let description = [{
    The definition of the npu dialect, and the reference that the simulator is compared with. Takes a module at any level above
    npuisa: ops on tensors or on memrefs, kernels, host regions, device programs with or without tasks.

    - A contraction is a fill with zero and a `linalg.generic` with one `math.fma` (or integer multiply and add) for each
      point, its reduction dimensions innermost; its epilogue is a second `linalg.generic`.
    - Scalar programs become sequences of IEEE operations without freedom (docs/numerics.md): what follows may run
      them on any machine and gets the same bits.
    - A device program is a function of its inputs and outputs; tasks run in program order. Planned buffers are views
      of one arena for each memory, at their offsets, so that a plan with overlaps computes wrong values here, too.
    - Memory spaces disappear.

    ```mlir
    %r = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
    // becomes
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
    %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%0 : tensor<4x16xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %1 = math.fma %x, %y, %acc : f32
      linalg.yield %1 : f32
    } -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numOps", "ops", "Number of npu ops replaced">];
}

#endif // PASSES_CONVERSION_NPUTOLINALG_PASSES_TD
