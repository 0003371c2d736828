// RUN: npu-opt %s --npu-form-kernels --split-input-file | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

// A contraction with epilogue becomes the contraction into the accumulator and the drain, named after its source node. What the
// destination held does not matter, so it is not an operand.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x16xf32>, %[[BIAS:.*]]: tensor<16xf32>, %{{.*}}: tensor<4x16xf32>)
// CHECK: npu.kernel "fc1" ins(%[[A]], %[[B]], %[[BIAS]] : tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) {
// CHECK-NEXT: ^bb0(%[[INA:.*]]: tensor<4x8xf32>, %[[INB:.*]]: tensor<8x16xf32>, %[[INBIAS:.*]]: tensor<16xf32>):
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<4x16xf32, #npu.space<acc>>
// CHECK: %[[SUMS:.*]] = npu.matmul ins(%[[INA]], %[[INB]] : {{.*}}) outs(%[[INIT]] : {{.*}}) -> tensor<4x16xf32, #npu.space<acc>>
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<4x16xf32>
// CHECK: %[[OUT:.*]] = npu.generic ins(%[[SUMS]], %[[INBIAS]] : tensor<4x16xf32, #npu.space<acc>>, tensor<16xf32>) outs(%[[PLACE]] : tensor<4x16xf32>)
// CHECK-SAME: extents = array<i64: 4, 16>
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[B0:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[B0]] : f32
// CHECK: npu.yield %[[OUT]] : tensor<4x16xf32>
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %bias: tensor<16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>)
      {epilogue_maps = [#cols]} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%sum: f32, %b0: f32):
      %1 = arith.addf %sum, %b0 : f32
      npu.yield %1 : f32
    } -> tensor<4x16xf32> loc("fc1")
  return %0 : tensor<4x16xf32>
}

// -----

// Without epilogue the drain copies. Zero points and flags stay with the contraction; the name is that of the op.
// CHECK-LABEL: func.func @plain
// CHECK: npu.kernel "batch_matmul" ins
// CHECK: npu.batch_matmul {{.*}} {lhs_zero_point = 2 : i32, transpose_rhs} -> tensor<2x4x16xi32, #npu.space<acc>>
// CHECK: npu.generic
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: npu.yield %[[SUM]] : i32
func.func @plain(%a: tensor<2x4x8xi8>, %b: tensor<2x16x8xi8>, %c: tensor<2x4x16xi32>) -> tensor<2x4x16xi32> {
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xi8>, tensor<2x16x8xi8>) outs(%c : tensor<2x4x16xi32>)
      {lhs_zero_point = 2 : i32, transpose_rhs} -> tensor<2x4x16xi32>
  return %0 : tensor<2x4x16xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A reduction reads its init, which is an operand; a tensor that is read twice is one operand; equal names get numbers.
// CHECK-LABEL: func.func @generic(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<4xf32>
// CHECK: npu.kernel "sum" ins(%[[X]], %[[S]] : tensor<4x8xf32>, tensor<4xf32>) {
// CHECK: npu.generic ins(%[[IN:.*]], %[[IN]] : tensor<4x8xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: npu.kernel "sum_1" ins(%[[X]] : tensor<4x8xf32>) {
// CHECK: tensor.empty() : tensor<4x8xf32>
func.func @generic(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0 = npu.generic ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s : tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #id, #rows], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %sum, %1 : f32
      npu.yield %2 : f32
    } -> tensor<4xf32> loc("sum")
  %3 = npu.generic ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      %4 = math.exp %a : f32
      npu.yield %4 : f32
    } -> tensor<4x8xf32> loc("sum")
  return %0, %3 : tensor<4xf32>, tensor<4x8xf32>
}

// -----

// A constant that the body takes from outside becomes its own.
// CHECK-LABEL: func.func @constant
// CHECK: npu.generic
// CHECK: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @constant(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %0 = npu.generic ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      %1 = arith.mulf %a, %two : f32
      npu.yield %1 : f32
    } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Declines: data ops, views, host regions and kernels that are there already stay as they are.
// CHECK-LABEL: func.func @declines
// CHECK-NOT: npu.kernel "
// CHECK: npu.transpose
// CHECK: tensor.expand_shape
// CHECK: npu.host_region
// CHECK: npu.kernel "mine"
// CHECK-NOT: npu.kernel "
func.func @declines(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<2x2x8xf32> {
  %0 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %1 = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %2 = npu.host_region reason("test") {
    npu.yield %1 : tensor<2x2x8xf32>
  } -> tensor<2x2x8xf32>
  %3 = npu.kernel "mine" ins(%2 : tensor<2x2x8xf32>) {
  ^bb0(%in: tensor<2x2x8xf32>):
    npu.yield %in : tensor<2x2x8xf32>
  } -> tensor<2x2x8xf32>
  return %3 : tensor<2x2x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#row = affine_map<(i) -> (i)>

// What fills the init of one reduction goes into its kernel; what two ops start from has a kernel of its own.
// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK: npu.kernel "sum" ins(%[[X]] : tensor<4x8xf32>) {
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[ZEROS:.*]] = npu.generic outs(%[[PLACE]] : tensor<4xf32>)
// CHECK: npu.generic ins(%{{.*}} : tensor<4x8xf32>) outs(%[[ZEROS]] : tensor<4xf32>)
// CHECK: %[[SHARED:.*]] = npu.kernel "shared"
// CHECK: npu.kernel "sum_1" ins(%[[X]], %[[SHARED]] :
// CHECK: npu.kernel "sum_2" ins(%[[X]], %[[SHARED]] :
func.func @fill(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %own = npu.generic outs(%e : tensor<4xf32>) attributes {extents = array<i64: 4>, indexing_maps = [#row], iterator_types = ["parallel"]} {
    ^bb0(%unused: f32):
      npu.yield %zero : f32
    } -> tensor<4xf32> loc("own")
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%own : tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %sum: f32):
      %1 = arith.addf %sum, %a : f32
      npu.yield %1 : f32
    } -> tensor<4xf32> loc("sum")
  %shared = npu.generic outs(%e : tensor<4xf32>) attributes {extents = array<i64: 4>, indexing_maps = [#row], iterator_types = ["parallel"]} {
    ^bb0(%unused: f32):
      npu.yield %zero : f32
    } -> tensor<4xf32> loc("shared")
  %2 = npu.generic ins(%x : tensor<4x8xf32>) outs(%shared : tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %sum: f32):
      %1 = arith.addf %sum, %a : f32
      npu.yield %1 : f32
    } -> tensor<4xf32> loc("sum")
  %3 = npu.generic ins(%x : tensor<4x8xf32>) outs(%shared : tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %max: f32):
      %1 = arith.maximumf %max, %a : f32
      npu.yield %1 : f32
    } -> tensor<4xf32> loc("sum")
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Declines: an op on buffers belongs to a later phase.
// CHECK-LABEL: func.func @buffers
// CHECK-NEXT: npu.matmul
func.func @buffers(%a: memref<4x8xf32, #npu.space<sram>>, %b: memref<8x16xf32, #npu.space<sram>>, %c: memref<4x16xf32, #npu.space<acc>>) {
  npu.matmul ins(%a, %b : memref<4x8xf32, #npu.space<sram>>, memref<8x16xf32, #npu.space<sram>>) outs(%c : memref<4x16xf32, #npu.space<acc>>)
  return
}
