// RUN: npu-opt %s --canonicalize | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>

// A copy of a tensor onto itself is the tensor.
// CHECK-LABEL: func.func @copy_self(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: return %[[X]]
func.func @copy_self(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.copy ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// On buffers it disappears.
// CHECK-LABEL: func.func @copy_self_memref
// CHECK-NEXT: return
func.func @copy_self_memref(%x: memref<8xf32>) {
  npu.copy ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  return
}

// A copy to another buffer stays.
// CHECK-LABEL: func.func @copy_other
// CHECK: npu.copy
func.func @copy_other(%x: memref<8xf32>, %y: memref<8xf32>) {
  npu.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// A transpose that moves nothing is its source.
// CHECK-LABEL: func.func @transpose_identity(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>,
// CHECK-NEXT: return %[[X]]
func.func @transpose_identity(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {permutation = array<i64: 0, 1>} -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// On buffers it is a copy that has to be made.
// CHECK-LABEL: func.func @transpose_identity_memref
// CHECK: npu.transpose
func.func @transpose_identity_memref(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  npu.transpose ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {permutation = array<i64: 0, 1>}
  return
}

// Two transposes are one: dimension d of the result is dimension p1[p2[d]] of the source.
// CHECK-LABEL: func.func @transpose_twice(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK: npu.transpose ins(%[[X]] : tensor<2x3x4xf32>) outs({{.*}} : tensor<4x3x2xf32>) {permutation = array<i64: 2, 1, 0>}
// CHECK-NOT: npu.transpose
func.func @transpose_twice(%x: tensor<2x3x4xf32>, %y: tensor<3x4x2xf32>, %z: tensor<4x3x2xf32>) -> tensor<4x3x2xf32> {
  %0 = npu.transpose ins(%x : tensor<2x3x4xf32>) outs(%y : tensor<3x4x2xf32>) {permutation = array<i64: 1, 2, 0>} -> tensor<3x4x2xf32>
  %1 = npu.transpose ins(%0 : tensor<3x4x2xf32>) outs(%z : tensor<4x3x2xf32>) {permutation = array<i64: 1, 0, 2>} -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// Two transposes that undo each other leave the source.
// CHECK-LABEL: func.func @transpose_back(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>,
// CHECK-NEXT: return %[[X]]
func.func @transpose_back(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %z: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = npu.transpose ins(%x : tensor<2x3xf32>) outs(%y : tensor<3x2xf32>) {permutation = array<i64: 1, 0>} -> tensor<3x2xf32>
  %1 = npu.transpose ins(%0 : tensor<3x2xf32>) outs(%z : tensor<2x3xf32>) {permutation = array<i64: 1, 0>} -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// A generic that yields its input unchanged is the input.
// CHECK-LABEL: func.func @generic_identity(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>,
// CHECK-NEXT: return %[[X]]
func.func @generic_identity(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = npu.generic ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      npu.yield %a : f32
    } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Not if it transposes, takes sums out of the accumulator, or yields the init.
// CHECK-LABEL: func.func @generic_not_identity
// CHECK-COUNT-3: npu.generic
func.func @generic_not_identity(%x: tensor<4x4xf32>, %s: tensor<4x4xf32, #npu.space<acc>>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = npu.generic ins(%x : tensor<4x4xf32>) outs(%y : tensor<4x4xf32>)
      attributes {extents = array<i64: 4, 4>, indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      npu.yield %a : f32
    } -> tensor<4x4xf32>
  %1 = npu.generic ins(%s : tensor<4x4xf32, #npu.space<acc>>) outs(%y : tensor<4x4xf32>)
      attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      npu.yield %a : f32
    } -> tensor<4x4xf32>
  %2 = npu.generic ins(%x : tensor<4x4xf32>) outs(%y : tensor<4x4xf32>)
      attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32):
      npu.yield %b : f32
    } -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
