// RUN: npu-opt %s --npu-tile --split-input-file | filecheck %s

#id = affine_map<(i) -> (i)>

// Whole tiles in a loop, what remains in a tile of its own behind it: all shapes are static. The loop keeps the depth.
// CHECK-LABEL: func.func @remainder
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<160xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK: %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[ZERO]] to %[[END]] step %[[STEP]] iter_args(%[[DEST:.*]] = %[[OUT]]) -> (tensor<160xf32>) {
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[DEST]][%[[I]]] [64] [1]
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[I]]] [64] [1]
// CHECK: %[[TILE:.*]] = npu.generic ins(%[[X]] : tensor<64xf32>) outs(%[[PLACE]] : tensor<64xf32>) attributes {extents = array<i64: 64>
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[TILE]] into %[[DEST]][%[[I]]] [64] [1]
// CHECK: scf.yield %[[NEXT]]
// CHECK-NEXT: } {npu.depth = 2 : i64}
// CHECK: npu.generic ins(%{{.*}} : tensor<32xf32>) outs(%{{.*}} : tensor<32xf32>) attributes {extents = array<i64: 32>
// CHECK: %[[END2:.*]] = tensor.insert_slice %{{.*}} into %[[LOOP]][128] [32] [1]
// CHECK: npu.yield %[[END2]]
func.func @remainder(%x: tensor<160xf32>) -> tensor<160xf32> {
  %0 = npu.kernel "exp" ins(%x : tensor<160xf32>) schedule(<tiles = [64], depth = 2>) {
  ^bb0(%in: tensor<160xf32>):
    %1 = tensor.empty() : tensor<160xf32>
    %2 = npu.generic ins(%in : tensor<160xf32>) outs(%1 : tensor<160xf32>)
        attributes {extents = array<i64: 160>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %3 = math.exp %a : f32
        npu.yield %3 : f32
      } -> tensor<160xf32>
    npu.yield %2 : tensor<160xf32>
  } -> tensor<160xf32>
  return %0 : tensor<160xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// One whole tile and a rest need no loop. A position inside the tile counts from where the tile begins.
// CHECK-LABEL: func.func @no_loop
// CHECK-NOT: scf.for
// CHECK: npu.generic {{.*}}extents = array<i64: 6>
// CHECK: npu.index 0 : i32
// CHECK: %[[SIX:.*]] = arith.constant 6 : index
// CHECK: npu.generic {{.*}}extents = array<i64: 4>
// CHECK: npu.index 0 offset(%[[SIX]]) : i32
func.func @no_loop(%x: tensor<10xi32>) -> tensor<10xi32> {
  %0 = npu.kernel "iota" ins(%x : tensor<10xi32>) schedule(<tiles = [6], depth = 1>) {
  ^bb0(%in: tensor<10xi32>):
    %1 = tensor.empty() : tensor<10xi32>
    %2 = npu.generic ins(%in : tensor<10xi32>) outs(%1 : tensor<10xi32>)
        attributes {extents = array<i64: 10>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: i32, %unused: i32):
        %i = npu.index 0 : i32
        %3 = arith.addi %a, %i : i32
        npu.yield %3 : i32
      } -> tensor<10xi32>
    npu.yield %2 : tensor<10xi32>
  } -> tensor<10xi32>
  return %0 : tensor<10xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A contraction: the result's dimensions outside, the reduction inside. The first reduction tile sets the sums, the
// loop behind it adds to them, then the drain takes them out.
// CHECK: #[[AFTER:.*]] = affine_map<(d0) -> (d0 + 16)>
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for %[[M:.*]] = %{{.*}} iter_args(%[[DEST:.*]] = %{{.*}}) -> (tensor<32x24xf32>) {
// CHECK: %[[ACC:.*]] = tensor.empty() : tensor<16x24xf32, #npu.space<acc>>
// CHECK: %[[FIRST:.*]] = npu.matmul ins(%{{.*}}, %{{.*}} : tensor<16x16xf32>, tensor<16x24xf32>) outs(%[[ACC]] : tensor<16x24xf32, #npu.space<acc>>) ->
// CHECK: %[[SUMS:.*]] = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[PARTIAL:.*]] = %[[FIRST]]) -> (tensor<16x24xf32, #npu.space<acc>>) {
// CHECK: %[[FROM:.*]] = affine.apply #[[AFTER]](%[[K]])
// CHECK: tensor.extract_slice %{{.*}}[%[[M]], %[[FROM]]] [16, 16]
// CHECK: npu.matmul {{.*}} outs(%[[PARTIAL]] : {{.*}}) {accumulate}
// CHECK: %[[ALL:.*]] = npu.matmul ins(%{{.*}}, %{{.*}} : tensor<16x6xf32>, tensor<6x24xf32>) outs(%[[SUMS]] : {{.*}}) {accumulate}
// CHECK: npu.generic ins(%[[ALL]] : tensor<16x24xf32, #npu.space<acc>>) outs(%{{.*}} : tensor<16x24xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[DEST]][%[[M]], 0] [16, 24]
func.func @matmul(%x: tensor<32x70xf32>, %w: tensor<70x24xf32>) -> tensor<32x24xf32> {
  %0 = npu.kernel "fc" ins(%x, %w : tensor<32x70xf32>, tensor<70x24xf32>) schedule(<tiles = [16, 0, 16], depth = 2>) {
  ^bb0(%a: tensor<32x70xf32>, %b: tensor<70x24xf32>):
    %1 = tensor.empty() : tensor<32x24xf32, #npu.space<acc>>
    %2 = npu.matmul ins(%a, %b : tensor<32x70xf32>, tensor<70x24xf32>) outs(%1 : tensor<32x24xf32, #npu.space<acc>>) -> tensor<32x24xf32, #npu.space<acc>>
    %3 = tensor.empty() : tensor<32x24xf32>
    %4 = npu.generic ins(%2 : tensor<32x24xf32, #npu.space<acc>>) outs(%3 : tensor<32x24xf32>)
        attributes {extents = array<i64: 32, 24>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
      ^bb0(%sum: f32, %unused: f32):
        npu.yield %sum : f32
      } -> tensor<32x24xf32>
    npu.yield %4 : tensor<32x24xf32>
  } -> tensor<32x24xf32>
  return %0 : tensor<32x24xf32>
}

// -----

#id = affine_map<(n, i, j, k) -> (n, i, j, k)>

// The window of a convolution: a tile of 3 rows at stride 2 reads 7 rows, that begin at twice the tile's row.
// CHECK: #[[TWICE:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-LABEL: func.func @conv
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(
// CHECK: %[[FROM:.*]] = affine.apply #[[TWICE]](%[[ROW]])
// CHECK: tensor.extract_slice %{{.*}}[0, %[[FROM]], 0, 0] [1, 7, 9, 4]
// CHECK: npu.conv2d ins(%{{.*}}, %{{.*}} : tensor<1x7x9x4xf32>, tensor<3x3x4x8xf32>) outs(%{{.*}} : tensor<1x3x4x8xf32, #npu.space<acc>>)
func.func @conv(%x: tensor<1x13x9x4xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<1x6x4x8xf32> {
  %0 = npu.kernel "conv" ins(%x, %w : tensor<1x13x9x4xf32>, tensor<3x3x4x8xf32>) schedule(<tiles = [0, 3, 0, 0, 0, 0, 0], depth = 2>) {
  ^bb0(%a: tensor<1x13x9x4xf32>, %b: tensor<3x3x4x8xf32>):
    %1 = tensor.empty() : tensor<1x6x4x8xf32, #npu.space<acc>>
    %2 = npu.conv2d ins(%a, %b : tensor<1x13x9x4xf32>, tensor<3x3x4x8xf32>) outs(%1 : tensor<1x6x4x8xf32, #npu.space<acc>>)
        {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} -> tensor<1x6x4x8xf32, #npu.space<acc>>
    %3 = tensor.empty() : tensor<1x6x4x8xf32>
    %4 = npu.generic ins(%2 : tensor<1x6x4x8xf32, #npu.space<acc>>) outs(%3 : tensor<1x6x4x8xf32>)
        attributes {extents = array<i64: 1, 6, 4, 8>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} {
      ^bb0(%sum: f32, %unused: f32):
        npu.yield %sum : f32
      } -> tensor<1x6x4x8xf32>
    npu.yield %4 : tensor<1x6x4x8xf32>
  } -> tensor<1x6x4x8xf32>
  return %0 : tensor<1x6x4x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A reduction: the tile of the init goes through the reduction's loop; the results get a tensor of their own.
// CHECK-LABEL: func.func @reduction
// CHECK: ^bb0(%[[X:.*]]: tensor<8x12xf32>, %[[INIT:.*]]: tensor<8xf32>):
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[DEST:.*]] = %[[OUT]]) -> (tensor<8xf32>) {
// CHECK: %[[START:.*]] = tensor.extract_slice %[[INIT]][%[[I]]] [4] [1]
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[PARTIAL:.*]] = %[[START]]) -> (tensor<4xf32>) {
// CHECK: npu.generic ins(%{{.*}} : tensor<4x4xf32>) outs(%[[PARTIAL]] : tensor<4xf32>)
// CHECK: tensor.insert_slice %[[SUM]] into %[[DEST]][%[[I]]] [4] [1]
func.func @reduction(%x: tensor<8x12xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "sum" ins(%x, %s : tensor<8x12xf32>, tensor<8xf32>) schedule(<tiles = [4, 4], depth = 2>) {
  ^bb0(%in: tensor<8x12xf32>, %init: tensor<8xf32>):
    %1 = npu.generic ins(%in : tensor<8x12xf32>) outs(%init : tensor<8xf32>)
        attributes {extents = array<i64: 8, 12>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} {
      ^bb0(%a: f32, %sum: f32):
        %2 = arith.addf %sum, %a : f32
        npu.yield %2 : f32
      } -> tensor<8xf32>
    npu.yield %1 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Declines: a schedule that cuts nothing, and no schedule, leave the kernel whole; so does a tile as large as the extent.
// CHECK-LABEL: func.func @declines
// CHECK-NOT: scf.for
// CHECK-NOT: tensor.extract_slice
// CHECK-COUNT-3: npu.generic {{.*}}extents = array<i64: 8>
func.func @declines(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "whole" ins(%x : tensor<8xf32>) schedule(<tiles = [0], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  %3 = npu.kernel "unscheduled" ins(%0 : tensor<8xf32>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  %4 = npu.kernel "large_tile" ins(%3 : tensor<8xf32>) schedule(<tiles = [64], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The boundary, outside: a tile as large as the extent is the whole.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: tensor.extract_slice
// CHECK: npu.generic {{.*}}extents = array<i64: 8>
// CHECK: return
func.func @whole(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "exp" ins(%x : tensor<8xf32>) schedule(<tiles = [8], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %3 = math.exp %a : f32
        npu.yield %3 : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The boundary, inside: a tile of one element less leaves that one behind it.
// CHECK-LABEL: func.func @almost
// CHECK: npu.generic {{.*}}extents = array<i64: 7>
// CHECK: npu.generic {{.*}}extents = array<i64: 1>
// CHECK-NOT: npu.generic
// CHECK: return
func.func @almost(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "exp" ins(%x : tensor<8xf32>) schedule(<tiles = [7], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %3 = math.exp %a : f32
        npu.yield %3 : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
