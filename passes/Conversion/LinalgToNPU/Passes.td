// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_CONVERSION_LINALGTONPU_PASSES_TD
#define PASSES_CONVERSION_LINALGTONPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToNPUPass : Pass<"convert-linalg-to-npu", "::mlir::func::FuncOp"> {
  let summary = "turn linalg ops that the device runs into npu ops";
  let description = [{
    Converts every op that `npu-place` left outside of `npu.host_region`. Sums of products become `npu.matmul`,
    `npu.batch_matmul`, `npu.conv2d` or `npu.depthwise_conv2d`, whatever order their loops have: operands are
    transposed and reshaped, or the transposition becomes a flag. Rows chosen by indices become `npu.gather`, other
    linalg ops `npu.generic`, `tensor.pad` becomes `npu.pad`. A contraction onto an init that is not zero becomes a
    contraction from zero and an `npu.generic` that adds the init.

    ```mlir
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x16xf32>) outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32>
    ```

    becomes

    ```mlir
    %0 = tensor.empty() : tensor<8x16xf32>
    %1 = npu.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x16xf32>) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numMatrixOps", "matrix-ops", "ops that became a matrix op">,
    Statistic<"numVectorOps", "vector-ops", "ops that became a vector op">,
    Statistic<"numDataOps", "data-ops", "ops that became a data op">,
  ];
}

#endif // PASSES_CONVERSION_LINALGTONPU_PASSES_TD
