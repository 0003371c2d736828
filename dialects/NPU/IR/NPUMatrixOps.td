// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Matrix ops: contractions on the matrix engine
//
// out = epilogue(sum over the reduction dimensions of (lhs - lhs_zero_point) * (rhs - rhs_zero_point)).
// The sum is taken in f32 by fused multiply-add for float operands, in wrapping i32 for integers, in ascending order
// of the reduction dimensions, starting from +0 or, with `accumulate`, from the init. The epilogue region is a
// scalar program applied to each sum (first block argument) with one element of each epilogue input; without
// it the init has the accumulator type (f32 or i32).
//===----------------------------------------------------------------------===//

class NPU_MatrixOp<string mnemonic, list<Trait> traits = []> : NPU_DestinationOp<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<NPU_StructuredOpInterface>], traits)> {
  dag matrixArguments = (ins NPU_Shaped:$lhs, NPU_Shaped:$rhs, Variadic<NPU_Shaped>:$epilogue_inputs, NPU_Shaped:$init,
    UnitAttr:$accumulate, UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
    DefaultValuedAttr<I32Attr, "0">:$lhs_zero_point, DefaultValuedAttr<I32Attr, "0">:$rhs_zero_point,
    OptionalAttr<AffineMapArrayAttr>:$epilogue_maps);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` `outs` `(` $init `:` type($init) `)` attr-dict
    (`epilogue` `(` ($epilogue_inputs^ `:` type($epilogue_inputs))? `)` $epilogue^)?
    (`->` type($results)^)?
  }];
  code matrixClassDeclaration = [{
    /// Whether an epilogue program stands between the accumulator and the init.
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// The maps of the epilogue inputs, from output dimensions to the elements that the program reads.
    ::llvm::SmallVector<::mlir::AffineMap> getEpilogueMapsArray();
    /// f32 for float operands, i32 for integers.
    ::mlir::Type getAccumulatorType();
  }];
  let extraClassDeclaration = matrixClassDeclaration;
}

def NPU_BatchMatmulOp : NPU_MatrixOp<"batch_matmul"> {
  let summary = "batch of matrix products";
  let description = [{
    `out[b, m, n] = epilogue(sum_k lhs[b, m, k] * rhs[b, k, n])`. With `transpose_lhs` the lhs is stored as
    `[b, k, m]`, with `transpose_rhs` the rhs as `[b, n, k]`. Iteration space: (b, m, n, k).

    Constraints:
    C1. the operands and the init have rank 3.
    C2. the operands agree in b, m, n and k.
    C3. the element types of lhs and rhs are equal and one of f32, f16, bf16, i8 (i8 may differ in signedness).
    C4. without epilogue, the init has the accumulator type.
    C5. the epilogue has one argument for the accumulator and one per epilogue input, as many maps, and yields one
        value of the init's element type.
    C6. zero points and unsigned flags need integer operands.

    ```mlir
    %r = npu.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%c : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = !con(matrixArguments, (ins UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs));
}

def NPU_Conv2dOp : NPU_MatrixOp<"conv2d"> {
  let summary = "two-dimensional convolution, NHWC by HWCF";
  let description = [{
    `out[n, oh, ow, f] = epilogue(sum_{kh, kw, c} lhs[n, oh * sh + kh * dh, ow * sw + kw * dw, c] * rhs[kh, kw, c, f])`.
    The input is padded beforehand (`npu.pad`); grouped convolutions are one op a group. Iteration space:
    (n, oh, ow, f, kh, kw, c). lhs is the input, rhs the filter.

    Constraints:
    C1. the operands and the init have rank 4.
    C2. input, filter and init agree in n, c, f, and the init's oh and ow are those that fit the input exactly or
        leave a remainder smaller than the stride.
    C3. strides and dilations are two positive numbers each.
    C4. the element types are as in `npu.matmul`, as are epilogue and zero points.

    ```mlir
    %r = npu.conv2d ins(%x, %w : tensor<1x10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
    ```
  }];
  let arguments = !con(matrixArguments, (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations));
}

def NPU_MatmulOp : NPU_MatrixOp<"matmul"> {
  let summary = "matrix product";
  let description = [{
    `out[m, n] = epilogue(sum_k lhs[m, k] * rhs[k, n])`. With `transpose_lhs` the lhs is stored as `[k, m]`, with
    `transpose_rhs` the rhs as `[n, k]`. Iteration space: (m, n, k).

    Constraints:
    C1. the operands and the init have rank 2.
    C2. the operands agree in m, n and k.
    C3. the element types of lhs and rhs are equal and one of f32, f16, bf16, i8 (i8 may differ in signedness).
    C4. without epilogue, the init has the accumulator type.
    C5. the epilogue has one argument for the accumulator and one per epilogue input, as many maps, and yields one
        value of the init's element type.
    C6. zero points and unsigned flags need integer operands.

    ```mlir
    %r = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%acc: f32, %b0: f32):
      %0 = arith.addf %acc, %b0 : f32
      npu.yield %0 : f32
    } -> tensor<4x16xf32>
    ```
  }];
  let arguments = !con(matrixArguments, (ins UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs));
}
