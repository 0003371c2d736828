// RUN: npu-opt %s --convert-linalg-to-npu --split-input-file | filecheck %s

// Acts: onto zero, the fill goes.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: linalg
// CHECK: npu.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK-NOT: npu.generic
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}

// -----

// Boundary: an init other than zero is added afterwards.
// CHECK-LABEL: func.func @onto_init
// CHECK: %[[M:.*]] = npu.matmul
// CHECK: npu.generic ins(%[[M]], %arg2 : tensor<4x16xf32>, tensor<4x16xf32>)
// CHECK: arith.addf
func.func @onto_init(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}

// -----

// Acts: a transposed operand is a flag, not a copy.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: npu.transpose
// CHECK: npu.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<16x8xf32>) {{.*}}transpose_rhs
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<8x16xf32>
  %bt = linalg.transpose ins(%b : tensor<16x8xf32>) outs(%t : tensor<8x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%a, %bt : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}

// -----

// Acts: a generic sum of products with two batch loops and the result stored as [n, m] is a batch_matmul of swapped operands.
// CHECK-LABEL: func.func @disguised
// CHECK-NOT: npu.transpose
// CHECK: npu.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<6x5x6xf32>, tensor<6x4x5xf32>) outs(%{{.*}} : tensor<6x6x4xf32>) {{.*}}transpose_lhs, transpose_rhs
// CHECK: tensor.expand_shape {{.*}} into tensor<2x3x6x4xf32>
func.func @disguised(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x5x6xf32>) -> tensor<2x3x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x6x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x4xf32>) -> tensor<2x3x6x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(b, c, n, m, k) -> (b, c, m, k)>, affine_map<(b, c, n, m, k) -> (b, c, k, n)>,
                                        affine_map<(b, c, n, m, k) -> (b, c, n, m)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32>) outs(%f : tensor<2x3x6x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x6x4xf32>
  return %c : tensor<2x3x6x4xf32>
}

// -----

// Acts: zero points become attributes.
// CHECK-LABEL: func.func @quantized
// CHECK: npu.matmul {{.*}} {lhs_zero_point = 3 : i32, rhs_zero_point = -5 : i32}
func.func @quantized(%a: tensor<4x8xi8>, %b: tensor<8x16xi8>) -> tensor<4x16xi32> {
  %zero = arith.constant 0 : i32
  %za = arith.constant 3 : i32
  %zb = arith.constant -5 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %m = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<4x8xi8>, tensor<8x16xi8>, i32, i32) outs(%f : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %m : tensor<4x16xi32>
}

// -----

// Acts: a narrow result is rounded by an epilogue.
// CHECK-LABEL: func.func @half
// CHECK: npu.matmul {{.*}} outs(%{{.*}} : tensor<4x16xf16>) {epilogue_maps = []} epilogue() {
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4x16xf16>) -> tensor<4x16xf16>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x16xf16>) outs(%f : tensor<4x16xf16>) -> tensor<4x16xf16>
  return %m : tensor<4x16xf16>
}

// -----

// Boundary: an input that the windows do not reach is cut off.
// CHECK-LABEL: func.func @conv
// CHECK: tensor.extract_slice %arg0[0, 0, 0, 0] [1, 5, 6, 3] [1, 1, 1, 1]
// CHECK: npu.conv2d {{.*}} outs(%{{.*}} : tensor<1x2x2x4xf32>) {dilations = array<i64: 1, 1>, {{.*}}strides = array<i64: 2, 3>}
func.func @conv(%x: tensor<1x9x6x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>}
    ins(%x, %w : tensor<1x9x6x3xf32>, tensor<3x3x3x4xf32>) outs(%f : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %c : tensor<1x2x2x4xf32>
}

// -----

// Acts: pooling is a generic with a map over the window; each of two reductions gets a fill of its own.
// CHECK-LABEL: func.func @pooling
// CHECK: %[[F0:.*]] = npu.generic outs({{.*}} : tensor<1x2x2x3xf32>)
// CHECK: npu.generic ins(%arg0 : tensor<1x4x4x3xf32>) outs(%[[F0]] : {{.*}} {extents = array<i64: 1, 2, 2, 3, 2, 2>
// CHECK: arith.maximumf
// CHECK: %[[F1:.*]] = npu.generic outs({{.*}} : tensor<1x2x2x3xf32>)
// CHECK: npu.generic ins(%arg1 : tensor<1x4x4x3xf32>) outs(%[[F1]] : {{.*}} {extents = array<i64: 1, 2, 2, 3, 2, 2>
func.func @pooling(%x: tensor<1x4x4x3xf32>, %y: tensor<1x4x4x3xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x2x2x3xf32>
  %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x4x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  %q = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%y, %w : tensor<1x4x4x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  return %p, %q : tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>
}

// -----

// Acts: rows chosen by indices are a gather.
// CHECK-LABEL: func.func @embedding
// CHECK: tensor.collapse_shape %arg1 {{.*}} into tensor<6xi64>
// CHECK: npu.gather ins(%arg0, %{{.*}} : tensor<10x4xf32>, tensor<6xi64>)
// CHECK: tensor.expand_shape {{.*}} into tensor<2x3x4xf32>
func.func @embedding(%t: tensor<10x4xf32>, %ids: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%ids : tensor<2x3xi64>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %k = linalg.index 2 : index
    %v = tensor.extract %t[%i, %k] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

// Acts: a position is npu.index; pad, transpose and copy are data ops.
// CHECK-LABEL: func.func @others
// CHECK: npu.index 1 : i32
// CHECK: npu.pad ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x5xf32>) {high = array<i64: 0, 2>, low = array<i64: 1, 0>, value = 0.000000e+00 : f32}
// CHECK: npu.transpose {{.*}} {permutation = array<i64: 1, 0>} -> tensor<5x3xf32>
// CHECK: npu.copy
func.func @others(%c: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x3xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %a = arith.index_cast %j : index to i32
    %s = arith.sitofp %a : i32 to f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %p = tensor.pad %r low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
  %e1 = tensor.empty() : tensor<5x3xf32>
  %t = linalg.transpose ins(%p : tensor<3x5xf32>) outs(%e1 : tensor<5x3xf32>) permutation = [1, 0]
  %y = linalg.copy ins(%t : tensor<5x3xf32>) outs(%c : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// Declines: what no rule admits stays, as does everything inside of a host region.
// CHECK-LABEL: func.func @declined
// CHECK: npu.host_region
// CHECK: linalg.exp
// CHECK: linalg.add {{.*}} tensor<4xf64>
func.func @declined(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %h = npu.host_region reason("a test") {
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    npu.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf64>
  %a = linalg.add ins(%y, %y : tensor<4xf64>, tensor<4xf64>) outs(%e1 : tensor<4xf64>) -> tensor<4xf64>
  return %h, %a : tensor<4xf32>, tensor<4xf64>
}
