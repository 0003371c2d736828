// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Vector ops: scalar programs over an iteration space
//===----------------------------------------------------------------------===//

def NPU_DepthwiseConv2dOp : NPU_DestinationOp<"depthwise_conv2d", [
    DeclareOpInterfaceMethods<NPU_StructuredOpInterface>]> {
  let summary = "depthwise convolution, NHWC by HWC";
  let description = [{
    `out[n, oh, ow, c] = init[n, oh, ow, c] + sum_{kh, kw} in[n, oh * sh + kh * dh, ow * sw + kw * dw, c] * filter[kh, kw, c]`,
    each product added by a fused multiply-add in f32 (a wrapping multiply and add in i32) in ascending order of
    (kh, kw). The vector engine runs it. Iteration space: (n, oh, ow, c, kh, kw).

    Constraints:
    C1. input and init have rank 4, the filter rank 3.
    C2. input, filter and init agree in n and c, and in oh and ow as in `npu.conv2d`.
    C3. strides and dilations are two positive numbers each.
    C4. input and filter have the same element type; the init has f32 for floats, i32 for integers.

    ```mlir
    %r = npu.depthwise_conv2d ins(%x, %w : tensor<1x10x10x8xf32>, tensor<3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
    ```
  }];
  let arguments = (ins NPU_Shaped:$input, NPU_Shaped:$filter, NPU_Shaped:$init,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let assemblyFormat = [{
    `ins` `(` $input `,` $filter `:` type($input) `,` type($filter) `)` `outs` `(` $init `:` type($init) `)` attr-dict
    (`->` type($results)^)?
  }];
}

def NPU_GenericOp : NPU_DestinationOp<"generic", [
    AttrSizedOperandSegments, SingleBlock, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<NPU_StructuredOpInterface, ["setTileExtents"]>]> {
  let summary = "scalar program over an iteration space";
  let description = [{
    For each point of the iteration space, in lexicographic order: reads one element of each input and of each init,
    addressed by their indexing maps, runs the body, and writes what it yields to the inits. Reduction
    dimensions are those that no init's map uses. The body holds scalar `arith` and `math` ops, constants and
    `linalg.index`-like `npu.index`. The vector engine runs it, or the drain when the first input lies in the accumulator.

    Constraints:
    C1. there is one indexing map per operand, all over the dimensions of `extents`, with as many results as the operand's rank.
    C2. `iterator_types` has one "parallel" or "reduction" per dimension.
    C3. every element that a map addresses lies inside its operand.
    C4. the maps of the inits are projected permutations and use no reduction dimension; an init map uses every parallel dimension.
    C5. the body has one argument per operand, of its element type, and yields one value per init.
    C6. the body holds only ops that the vector engine has: `arith`, `math`, constants, `npu.index`.

    ```mlir
    %r = npu.generic ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                  affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %c: f32, %unused: f32):
      %0 = arith.addf %a, %c : f32
      npu.yield %0 : f32
    } -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<NPU_Shaped>:$inputs, Variadic<NPU_Shaped>:$inits,
    AffineMapArrayAttr:$indexing_maps, StrArrayAttr:$iterator_types, DenseI64ArrayAttr:$extents);
  let regions = (region SizedRegion<1>:$body);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $inits `:` type($inits) `)` attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inits,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::llvm::ArrayRef<::mlir::utils::IteratorType>":$iterators, "::llvm::ArrayRef<int64_t>":$extents,
                   "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$bodyBuilder)>
  ];
  let extraClassDeclaration = [{
    /// Whether the body reads the current element of init `index` (a reduction or an update in place).
    bool readsInit(unsigned index);
    /// Whether every dimension is parallel.
    bool isElementwise();
  }];
}

def NPU_IndexOp : NPU_Op<"index", [Pure, HasParent<"GenericOp">]> {
  let summary = "position along a dimension of the iteration space";
  let description = [{
    Inside the body of `npu.generic`: the current value of dimension `dim`, plus `offset`, as i32. The offset is that of the
    tile that the op works on: a constant plus what the optional operand holds.

    Constraints:
    C1. the dimension exists in the parent.

    ```mlir
    %i = npu.index 1 : i32
    ```
  }];
  let arguments = (ins I64Attr:$dim, Optional<Index>:$offset);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NPU_YieldOp : NPU_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["GenericOp", "MatmulOp", "BatchMatmulOp", "Conv2dOp", "KernelOp", "HostRegionOp"]>]> {
  let summary = "result of a region";
  let description = "Ends the body of an npu op and hands its values to it, for example `npu.yield %0 : f32`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}
