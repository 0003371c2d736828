// RUN: npu-opt %s --split-input-file --verify-diagnostics

// Every numbered constraint of the dialect's descriptions, named by its tag.

// -----

func.func @matmul_c1(%a: tensor<4x8x1xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected lhs, rhs and init of rank 2, 2 and 2, but found 3, 2 and 2}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8x1xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c2_m(%a: tensor<5x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected operands that agree in m, but found 5 and 4}}
  %0 = npu.matmul ins(%a, %b : tensor<5x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c2_n(%a: tensor<4x8xf32>, %b: tensor<8x17xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected operands that agree in n, but found 17 and 16}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x17xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c2_k(%a: tensor<4x8xf32>, %b: tensor<9x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected operands that agree in k, but found 8 and 9}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<9x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c2_transposed(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected operands that agree in n, but found 8 and 16}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) {transpose_rhs} -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<4x8xf16>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected lhs and rhs of one element type out of f32, f16, bf16 and i8, but found 'f16' and 'f32'}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c3_unknown(%a: tensor<4x8xi16>, %b: tensor<8x16xi16>, %c: tensor<4x16xi32>) {
  // expected-error @below {{expected lhs and rhs of one element type out of f32, f16, bf16 and i8, but found 'i16' and 'i16'}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xi16>, tensor<8x16xi16>) outs(%c : tensor<4x16xi32>) -> tensor<4x16xi32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>, %c: tensor<4x16xf16>) {
  // expected-error @below {{expected an init of the accumulator type 'f32', but found 'f16'}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x16xf16>) outs(%c : tensor<4x16xf16>) -> tensor<4x16xf16>
  return
}

// -----

func.func @matmul_c5_no_region(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected no epilogue inputs and maps without an epilogue region}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) {epilogue_maps = [affine_map<(m, n) -> (n)>]} -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c6(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected no zero point and no unsigned operand with element type 'f32'}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) {lhs_zero_point = 1 : i32} -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c6_unsigned(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected no zero point and no unsigned operand with element type 'bf16'}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%c : tensor<4x16xf32>) {rhs_unsigned} -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c5_maps(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>, %bias: tensor<16xf32>) {
  // expected-error @below {{expected 1 epilogue maps, but found 0}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = []} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%sum: f32, %x: f32):
      npu.yield %sum : f32
    } -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c5_inside(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>, %bias: tensor<15xf32>) {
  // expected-error @below {{expected an indexing map that stays inside 'tensor<15xf32>', but affine_map<(d0, d1) -> (d1)> addresses 15 in dimension 0}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue(%bias : tensor<15xf32>) {
    ^bb0(%sum: f32, %x: f32):
      npu.yield %sum : f32
    } -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c5_arguments(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>, %bias: tensor<16xf32>) {
  // expected-error @below {{expected a region with arguments ('f32', 'f32'), but found ('f32')}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%sum: f32):
      npu.yield %sum : f32
    } -> tensor<4x16xf32>
  return
}

// -----

func.func @matmul_c5_yield(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>, %bias: tensor<16xf32>) {
  // expected-error @below {{expected a region with results ('f32'), but found ()}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%sum: f32, %x: f32):
      npu.yield 
    } -> tensor<4x16xf32>
  return
}

// -----

// The results of an op are its tensor inits.
func.func @destinations(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected one result for each tensor in outs, of its type ('tensor<4x16xf32>'), but found ()}}
  npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
  return
}

// -----

// Operands are tensors or memrefs, never both.
func.func @mixed(%a: memref<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{expected operands that are all tensors or all memrefs, but found both}}
  %0 = npu.matmul ins(%a, %b : memref<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @batch_matmul_c1(%a: tensor<4x8xf32>, %b: tensor<2x8x16xf32>, %c: tensor<2x4x16xf32>) {
  // expected-error @below {{expected lhs, rhs and init of rank 3, 3 and 3, but found 2, 3 and 3}}
  %0 = npu.batch_matmul ins(%a, %b : tensor<4x8xf32>, tensor<2x8x16xf32>) outs(%c : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @batch_matmul_c2(%a: tensor<2x4x8xf32>, %b: tensor<3x8x16xf32>, %c: tensor<2x4x16xf32>) {
  // expected-error @below {{expected operands that agree in b, but found 3 and 2}}
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<3x8x16xf32>) outs(%c : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @batch_matmul_c3(%a: tensor<2x4x8xf64>, %b: tensor<2x8x16xf64>, %c: tensor<2x4x16xf64>) {
  // expected-error @below {{expected lhs and rhs of one element type out of f32, f16, bf16 and i8, but found 'f64' and 'f64'}}
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xf64>, tensor<2x8x16xf64>) outs(%c : tensor<2x4x16xf64>) -> tensor<2x4x16xf64>
  return
}

// -----

func.func @batch_matmul_c4(%a: tensor<2x4x8xi8>, %b: tensor<2x8x16xi8>, %c: tensor<2x4x16xi8>) {
  // expected-error @below {{expected an init of the accumulator type 'i32', but found 'i8'}}
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xi8>, tensor<2x8x16xi8>) outs(%c : tensor<2x4x16xi8>) -> tensor<2x4x16xi8>
  return
}

// -----

func.func @conv2d_c1(%a: tensor<10x10x3xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected lhs, rhs and init of rank 4, 4 and 4, but found 3, 4 and 4}}
  %0 = npu.conv2d ins(%a, %b : tensor<10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @conv2d_c2_channels(%a: tensor<1x10x10x4xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected operands that agree in c, but found 4 and 3}}
  %0 = npu.conv2d ins(%a, %b : tensor<1x10x10x4xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @conv2d_c2_window(%a: tensor<1x10x10x3xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x9x8x8xf32>) {
  // expected-error @below {{expected an output extent that the window fits, but extent 9 with window 3, stride 1 and dilation 1 needs 11 input elements of 10}}
  %0 = npu.conv2d ins(%a, %b : tensor<1x10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x9x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x9x8x8xf32>
  return
}

// -----

func.func @conv2d_c2_short(%a: tensor<1x10x10x3xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x7x8x8xf32>) {
  // expected-error @below {{expected an output extent that the window fits, but extent 7 with window 3, stride 1 and dilation 1 needs 9 input elements of 10}}
  %0 = npu.conv2d ins(%a, %b : tensor<1x10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x7x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x7x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%a: tensor<1x10x10x3xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected two positive strides and dilations, but found [0, 1]}}
  %0 = npu.conv2d ins(%a, %b : tensor<1x10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 0, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<1x10x10x3xf16>, %b: tensor<3x3x3x8xf16>, %c: tensor<1x8x8x8xf16>) {
  // expected-error @below {{expected an init of the accumulator type 'f32', but found 'f16'}}
  %0 = npu.conv2d ins(%a, %b : tensor<1x10x10x3xf16>, tensor<3x3x3x8xf16>) outs(%c : tensor<1x8x8x8xf16>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf16>
  return
}

// -----

func.func @depthwise_conv2d_c1(%a: tensor<1x10x10x8xf32>, %b: tensor<3x3x8x1xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected input, filter and init of rank 4, 3 and 4, but found 4, 4 and 4}}
  %0 = npu.depthwise_conv2d ins(%a, %b : tensor<1x10x10x8xf32>, tensor<3x3x8x1xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @depthwise_conv2d_c2(%a: tensor<1x10x10x8xf32>, %b: tensor<3x3x4xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected operands that agree in n and c, but found}}
  %0 = npu.depthwise_conv2d ins(%a, %b : tensor<1x10x10x8xf32>, tensor<3x3x4xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @depthwise_conv2d_c3(%a: tensor<1x10x10x8xf32>, %b: tensor<3x3x8xf32>, %c: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expected two positive strides and dilations, but found [1, -1]}}
  %0 = npu.depthwise_conv2d ins(%a, %b : tensor<1x10x10x8xf32>, tensor<3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, -1>} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @depthwise_conv2d_c4(%a: tensor<1x10x10x8xi8>, %b: tensor<3x3x8xi8>, %c: tensor<1x8x8x8xi8>) {
  // expected-error @below {{expected input and filter of one element type and an init of 'i32', but found 'i8', 'i8' and 'i8'}}
  %0 = npu.depthwise_conv2d ins(%a, %b : tensor<1x10x10x8xi8>, tensor<3x3x8xi8>) outs(%c : tensor<1x8x8x8xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xi8>
  return
}

// -----

func.func @generic_c1_count(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 indexing maps, but found 1}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c1_dims(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected an indexing map over 2 dimensions, but found affine_map<(d0) -> (d0)>}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c1_rank(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected an indexing map with 2 results for 'tensor<4x8xf32>', but found affine_map<(d0, d1) -> (d0)>}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c2_count(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 iterator types, but found 1}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c2_name(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected iterator types "parallel" or "reduction", but found "window"}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "window"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c3(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected an indexing map that stays inside 'tensor<4x8xf32>', but affine_map<(d0, d1) -> (d0 + 1, d1)> addresses 4 in dimension 0}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c3_negative(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected an indexing map of affine sums with non-negative factors, but found affine_map<(d0, d1) -> (-d0 + 3, d1)>}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (3 - i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c4_permutation(%x: tensor<4x8xf32>, %o: tensor<11xf32>) {
  // expected-error @below {{expected the map of an init to be a projected permutation, but found affine_map<(d0, d1) -> (d0 + d1)>}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<11xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<11xf32>
  return
}

// -----

func.func @generic_c4_reduction(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected the map of an init to use exactly the parallel dimensions, but affine_map<(d0, d1) -> (d0, d1)> uses dimension 1}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c4_parallel(%x: tensor<4x8xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{expected the map of an init to use exactly the parallel dimensions, but affine_map<(d0, d1) -> (d0)> lacks dimension 1}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a : f32
    } -> tensor<4xf32>
  return
}

// -----

func.func @generic_c5_arguments(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected a region with arguments ('f32', 'f32'), but found ('f32')}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c5_results(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected a region with results ('f32'), but found ('f32', 'f32')}}
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %a, %a : f32, f32
    } -> tensor<4x8xf32>
  return
}

// -----

func.func @generic_c6(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{expected only arith, math and 'npu.index' ops in the body, but found 'tensor.empty'}}
  %0 = npu.generic ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %b: f32):
      // expected-note @below {{the op is here}}
      %1 = tensor.empty() : tensor<4xf32>
      npu.yield %a : f32
    } -> tensor<8xf32>
  return
}

// -----

func.func @index_c1(%o: tensor<8xi32>) {
  %0 = npu.generic outs(%o : tensor<8xi32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%b: i32):
      // expected-error @below {{expected a dimension below 1, but found 1}}
      %1 = npu.index 1 : i32
      npu.yield %1 : i32
    } -> tensor<8xi32>
  return
}

// -----

func.func @copy_c1(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  // expected-error @below {{expected source and init of one shape and element type, but found 'tensor<8xf32>' and 'tensor<9xf32>'}}
  %0 = npu.copy ins(%x : tensor<8xf32>) outs(%y : tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @copy_c2(%x: tensor<8xf32>, %y: tensor<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected source and init in one space, but found dram and sram}}
  %0 = npu.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
  return
}

// -----

func.func @copy_c2_acc(%x: tensor<8xf32, #npu.space<acc>>, %y: tensor<8xf32, #npu.space<acc>>) {
  // expected-error @below {{expected operands in dram or sram, but found acc}}
  %0 = npu.copy ins(%x : tensor<8xf32, #npu.space<acc>>) outs(%y : tensor<8xf32, #npu.space<acc>>) -> tensor<8xf32, #npu.space<acc>>
  return
}

// -----

func.func @load_c1(%x: tensor<8xf16>, %y: tensor<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected source and init of one shape and element type, but found}}
  %0 = npu.load ins(%x : tensor<8xf16>) outs(%y : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
  return
}

// -----

func.func @load_c2(%x: tensor<8xf32, #npu.space<sram>>, %y: tensor<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected a source in dram and an init in sram, but found sram and sram}}
  %0 = npu.load ins(%x : tensor<8xf32, #npu.space<sram>>) outs(%y : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
  return
}

// -----

func.func @store_c1(%x: tensor<9xf32, #npu.space<sram>>, %y: tensor<8xf32>) {
  // expected-error @below {{expected source and init of one shape and element type, but found}}
  %0 = npu.store ins(%x : tensor<9xf32, #npu.space<sram>>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @store_c2(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{expected a source in sram and an init in dram, but found dram and dram}}
  %0 = npu.store ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  // expected-error @below {{expected 1 numbers of at least 0 in low and in high}}
  %0 = npu.pad ins(%x : tensor<8xf32>) outs(%y : tensor<9xf32>) {low = array<i64: -1>, high = array<i64: 2>, value = 0.0 : f32} -> tensor<9xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  // expected-error @below {{expected an init of extent 10 in dimension 0, but found 9}}
  %0 = npu.pad ins(%x : tensor<8xf32>) outs(%y : tensor<9xf32>) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} -> tensor<9xf32>
  return
}

// -----

func.func @pad_c2_rank(%x: tensor<8xf32>, %y: tensor<1x10xf32>) {
  // expected-error @below {{expected an init of rank 1, but found 2}}
  %0 = npu.pad ins(%x : tensor<8xf32>) outs(%y : tensor<1x10xf32>) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} -> tensor<1x10xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<8xf32>, %y: tensor<10xf32>) {
  // expected-error @below {{expected source, init and value of one element type, but found 'f32', 'f32' and 'i32'}}
  %0 = npu.pad ins(%x : tensor<8xf32>) outs(%y : tensor<10xf32>) {low = array<i64: 1>, high = array<i64: 1>, value = 0 : i32} -> tensor<10xf32>
  return
}

// -----

func.func @pad_c4(%x: tensor<8xf32, #npu.space<sram>>, %y: tensor<10xf32>) {
  // expected-error @below {{expected source and init in one space, but found sram and dram}}
  %0 = npu.pad ins(%x : tensor<8xf32, #npu.space<sram>>) outs(%y : tensor<10xf32>) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} -> tensor<10xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expected a permutation of 2 dimensions, but found [1, 1]}}
  %0 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) {permutation = array<i64: 1, 1>} -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expected an init of the permuted shape and the element type of 'tensor<4x8xf32>', but found 'tensor<4x8xf32>'}}
  %0 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {permutation = array<i64: 1, 0>} -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<4x8xf32, #npu.space<sram>>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expected source and init in one space, but found sram and dram}}
  %0 = npu.transpose ins(%x : tensor<4x8xf32, #npu.space<sram>>) outs(%y : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_c1_rank(%t: tensor<10xf32>, %i: tensor<4xi32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected table, indices and init of rank 2, 1 and 2, but found 1, 1 and 2}}
  %0 = npu.gather ins(%t, %i : tensor<10xf32>, tensor<4xi32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_c1_type(%t: tensor<10x8xf32>, %i: tensor<4xi8>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected indices of i32 or i64, but found 'i8'}}
  %0 = npu.gather ins(%t, %i : tensor<10x8xf32>, tensor<4xi8>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_c2(%t: tensor<10x8xf32>, %i: tensor<4xi32>, %o: tensor<5x8xf32>) {
  // expected-error @below {{expected an init of 4 rows of 8 elements of 'f32', but found 'tensor<5x8xf32>'}}
  %0 = npu.gather ins(%t, %i : tensor<10x8xf32>, tensor<4xi32>) outs(%o : tensor<5x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @kernel_c1_arguments(%x: tensor<8xf32>) {
  // expected-error @below {{expected a region with arguments ('tensor<8xf32>'), but found ()}}
  npu.kernel "k" ins(%x : tensor<8xf32>) {
    npu.yield
  }
  return
}

// -----

func.func @kernel_c1_results(%x: tensor<8xf32>) {
  // expected-error @below {{expected a region with results ('tensor<8xf32>'), but found ()}}
  %0 = npu.kernel "k" {
    npu.yield
  } -> tensor<8xf32>
  return
}

// -----

func.func @schedule_c1() {
  // expected-error @below {{expected tile sizes of at least 0, but found -4}}
  npu.kernel "k" schedule(<tiles = [-4], depth = 1>) {
    npu.yield
  }
  return
}

// -----

func.func @schedule_c2() {
  // expected-error @below {{expected a depth of at least 1, but found 0}}
  npu.kernel "k" schedule(<tiles = [], depth = 0>) {
    npu.yield
  }
  return
}

// -----

func.func @launch_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected the symbol of an npu.program, but found 'nowhere'}}
  npu.launch @nowhere ins(%x : tensor<8xf32>)
  return
}

// -----

npu.program @program(%x: memref<8xf32> {npu.role = "input"}) {
  npu.return
}
func.func @launch_c2_count() {
  // expected-error @below {{expected 1 inputs for program 'program', but found 0}}
  npu.launch @program
  return
}

// -----

npu.program @program(%x: memref<8xf32> {npu.role = "input"}) {
  npu.return
}
func.func @launch_c2_type(%x: tensor<9xf32>) {
  // expected-error @below {{expected inputs of 'memref<8xf32>' for program 'program', but found 'tensor<9xf32>'}}
  npu.launch @program ins(%x : tensor<9xf32>)
  return
}

// -----

// expected-error @below {{expected argument 0 to be a statically shaped DRAM memref, but found 'memref<8xf32, #npu.space<sram>>'}}
npu.program @program_c1_space(%x: memref<8xf32, #npu.space<sram>> {npu.role = "input"}) {
  npu.return
}

// -----

// expected-error @below {{expected argument 0 to be a statically shaped DRAM memref, but found 'memref<?xf32>'}}
npu.program @program_c1_shape(%x: memref<?xf32> {npu.role = "input"}) {
  npu.return
}

// -----

// expected-error @below {{expected 'npu.role' of argument 0 to be "input", "output" or "constant", but found ""}}
npu.program @program_c1_role(%x: memref<8xf32>) {
  npu.return
}

// -----

// expected-error @below {{expected 'npu.value' on constant arguments only, but argument 0 is "constant" without a value}}
npu.program @program_c2_missing(%x: memref<8xf32> {npu.role = "constant"}) {
  npu.return
}

// -----

// expected-error @below {{expected 'npu.value' on constant arguments only, but argument 0 is "input" with a value}}
npu.program @program_c2_extra(%x: memref<2xf32> {npu.role = "input", npu.value = dense<1.0> : tensor<2xf32>}) {
  npu.return
}

// -----

// expected-error @below {{expected the value of argument 0 to be of 'memref<8xf32>', but found 'tensor<2xf32>'}}
npu.program @program_c2_type(%x: memref<8xf32> {npu.role = "constant", npu.value = dense<1.0> : tensor<2xf32>}) {
  npu.return
}

// -----

func.func @buffer_c1() {
  // expected-error @below {{expected a statically shaped memref of identity layout, but found 'memref<?xf32>'}}
  %0 = npu.buffer : memref<?xf32>
  return
}

// -----

func.func @buffer_c1_layout() {
  // expected-error @below {{expected a statically shaped memref of identity layout, but found}}
  %0 = npu.buffer : memref<8xf32, strided<[2]>>
  return
}

// -----

func.func @buffer_c2() {
  // expected-error @below {{expected an offset of at least 0, but found -4}}
  %0 = npu.buffer offset(-4) : memref<8xf32>
  return
}

// -----

func.func @ring_c1() {
  // expected-error @below {{expected a memref with the depth as its first dimension, but found 'memref<f32>'}}
  %0 = npu.ring : memref<f32>
  return
}

// -----

func.func @ring_c2() {
  // expected-error @below {{expected an offset of at least 0, but found -4}}
  %0 = npu.ring offset(-4) : memref<2x8xf32>
  return
}

// -----

func.func @ring_slot_c1(%r: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected a slot of 'memref<2x8xf32>', but found 'memref<8xf32>'}}
  %0 = npu.ring_slot %r[%i step 8] : memref<2x8xf32> to memref<8xf32>
  return
}

// -----

func.func @ring_slot_c2(%r: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected a step of at least 1, but found 0}}
  %0 = npu.ring_slot %r[%i step 0] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @task_c1_queue(%x: memref<8xf32>, %y: memref<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected an op of queue st inside, but found 'npu.load'}}
  %0 = npu.task queue(st) {
    npu.load ins(%x : memref<8xf32>) outs(%y : memref<8xf32, #npu.space<sram>>)
  }
  return
}

// -----

func.func @task_c1_count(%x: memref<8xf32>, %y: memref<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected exactly one op inside, but found 2}}
  %0 = npu.task queue(ld) {
    npu.load ins(%x : memref<8xf32>) outs(%y : memref<8xf32, #npu.space<sram>>)
    npu.load ins(%x : memref<8xf32>) outs(%y : memref<8xf32, #npu.space<sram>>)
  }
  return
}

// -----

func.func @task_c1_tensor(%x: tensor<8xf32>, %y: tensor<8xf32, #npu.space<sram>>) {
  // expected-error @below {{expected an op on memrefs inside, but found one with tensor results}}
  %0 = npu.task queue(ld) {
    %1 = npu.load ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
  }
  return
}

// -----

func.func @queue_name(%t: !npu.token) {
  // expected-error @below {{expected an instruction queue (ld, st, mm, dr or ve), but found 'dma'}}
  npu.wait queue(dma) on(%t)
  return
}

// -----

// expected-error @below {{expected 'npu.target' to be a #npu.target, but found "tiny"}}
module attributes {npu.target = "tiny"} {
}

// -----

// expected-error @below {{expected a complete target in 'npu.target', but key 'description' (one sentence on what it models) is missing; 'npu-set-target' makes one from a target file}}
module attributes {npu.target = #npu.target<"mine", hash = "0", {}>} {
}

// -----

// expected-error @below {{unknown attribute 'npu.targets' of the npu dialect; known: 'npu.target', 'npu.depth'}}
module attributes {npu.targets = 1} {
}

// -----

func.func @depth_without_loop() {
  // expected-error @below {{expected 'npu.depth' on a loop, but found it on 'arith.constant'}}
  %0 = arith.constant {npu.depth = 2 : i64} 0 : index
  return
}

// -----

func.func @depth_type() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{expected 'npu.depth' to be an i64 of at least 1, but found 2 : i32}}
  scf.for %i = %c0 to %c8 step %c8 {
  } {npu.depth = 2 : i32}
  return
}

// -----

func.func @depth_value() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{expected 'npu.depth' to be an i64 of at least 1, but found 0 : i64}}
  scf.for %i = %c0 to %c8 step %c8 {
  } {npu.depth = 0 : i64}
  return
}
