// RUN: npu-opt %s --npu-fuse-epilogue --split-input-file | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Acts: bias, then rounding to f16, become one epilogue; the type of the result changes with it.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @bias_and_round
// CHECK: npu.matmul ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}} : tensor<4x16xf16>) {epilogue_maps = [#[[ROW]]]} epilogue(%arg2 : tensor<16xf32>) {
// CHECK: ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
// CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[B]]
// CHECK: %[[T:.*]] = arith.truncf %[[S]]
// CHECK: npu.yield %[[T]] : f16
// CHECK-NOT: npu.generic
func.func @bias_and_round(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %bias: tensor<16xf32>) -> tensor<4x16xf16> {
  %e = tensor.empty() : tensor<4x16xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = npu.generic ins(%m, %bias : tensor<4x16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    npu.yield %0 : f32
  } -> tensor<4x16xf32>
  %e16 = tensor.empty() : tensor<4x16xf16>
  %r = npu.generic ins(%s : tensor<4x16xf32>) outs(%e16 : tensor<4x16xf16>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f16):
    %0 = arith.truncf %x : f32 to f16
    npu.yield %0 : f16
  } -> tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Boundary: of two products that are added, the later one gets the epilogue and reads the other.
// CHECK-LABEL: func.func @sum_of_two
// CHECK: %[[A:.*]] = npu.matmul {{.*}} -> tensor<4x16xf32>
// CHECK: npu.matmul {{.*}} epilogue(%[[A]] : tensor<4x16xf32>)
// CHECK-NOT: npu.generic
func.func @sum_of_two(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %n = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = npu.generic ins(%m, %n : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>)
    attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    npu.yield %0 : f32
  } -> tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// Declines: a result with two uses, one read in another order, and a reduction.
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-3: npu.generic
func.func @declined(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %i: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %m = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %twice = npu.generic ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    npu.yield %0 : f32
  } -> tensor<4x4xf32>
  %n = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %swapped = npu.generic ins(%n : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = math.exp %x : f32
    npu.yield %0 : f32
  } -> tensor<4x4xf32>
  %p = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %sum = npu.generic ins(%p : tensor<4x4xf32>) outs(%i : tensor<4xf32>)
    attributes {extents = array<i64: 4, 4>, indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %o : f32
    npu.yield %0 : f32
  } -> tensor<4xf32>
  return %m, %twice, %swapped, %sum : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}
