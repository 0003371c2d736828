// RUN: npu-opt %s --npu-promote --split-input-file | filecheck %s
// RUN: npu-opt %s --npu-tile --npu-promote --split-input-file | filecheck %s --check-prefix=TILED

#id = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

// An operand that is read twice is loaded once; the destination, which the op does not read, is not loaded.
// Tiled, what the loop does not change (the bias) is loaded in front of it.
// CHECK-LABEL: func.func @elementwise
// CHECK: ^bb0(%[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<8x4xf32, #npu.space<sram>>
// CHECK: %[[XS:.*]] = npu.load ins(%[[X]] : tensor<8x4xf32>)
// CHECK: %[[BS:.*]] = npu.load ins(%[[B]] : tensor<4xf32>)
// CHECK-NOT: npu.load
// CHECK: %[[R:.*]] = npu.generic ins(%[[XS]], %[[BS]], %[[XS]] : {{.*}}) outs(%[[PLACE]] : tensor<8x4xf32, #npu.space<sram>>)
// CHECK: %[[DRAM:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: %[[STORED:.*]] = npu.store ins(%[[R]] : tensor<8x4xf32, #npu.space<sram>>) outs(%[[DRAM]] : tensor<8x4xf32>)
// CHECK: npu.yield %[[STORED]]

// TILED-LABEL: func.func @elementwise
// TILED: %[[BS:.*]] = npu.load ins(%{{.*}} : tensor<4xf32>)
// TILED: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[DEST:.*]] = %{{.*}}) -> (tensor<8x4xf32>) {
// TILED: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 0] [2, 4] [1, 1]
// TILED: %[[XS:.*]] = npu.load ins(%[[SLICE]] : tensor<2x4xf32>)
// TILED-NOT: npu.load
// TILED: npu.generic ins(%[[XS]], %[[BS]], %[[XS]] :
// TILED: %[[TO:.*]] = tensor.extract_slice %[[DEST]][%[[I]], 0] [2, 4] [1, 1]
// TILED: %[[STORED:.*]] = npu.store {{.*}} outs(%[[TO]] : tensor<2x4xf32>)
// TILED: tensor.insert_slice %[[STORED]] into %[[DEST]][%[[I]], 0]
func.func @elementwise(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = npu.kernel "k" ins(%x, %b : tensor<8x4xf32>, tensor<4xf32>) schedule(<tiles = [2, 0], depth = 2>) {
  ^bb0(%in: tensor<8x4xf32>, %bias: tensor<4xf32>):
    %1 = tensor.empty() : tensor<8x4xf32>
    %2 = npu.generic ins(%in, %bias, %in : tensor<8x4xf32>, tensor<4xf32>, tensor<8x4xf32>) outs(%1 : tensor<8x4xf32>)
        attributes {extents = array<i64: 8, 4>, indexing_maps = [#id, #cols, #id, #id], iterator_types = ["parallel", "parallel"]} {
      ^bb0(%a: f32, %c: f32, %d: f32, %unused: f32):
        %3 = arith.addf %a, %c : f32
        %4 = arith.mulf %3, %d : f32
        npu.yield %4 : f32
      } -> tensor<8x4xf32>
    npu.yield %2 : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// The init of a reduction is loaded, once for all tiles of the reduction: the partial sums stay on chip.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[INIT:.*]] = npu.load ins(%{{.*}} : tensor<8xf32>)
// CHECK: npu.generic ins(%{{.*}} : tensor<8x12xf32, #npu.space<sram>>) outs(%[[INIT]] : tensor<8xf32, #npu.space<sram>>)

// TILED-LABEL: func.func @reduction
// TILED: scf.for
// TILED: %[[INIT:.*]] = npu.load ins(%{{.*}} : tensor<4xf32>)
// TILED: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[PARTIAL:.*]] = %[[INIT]]) -> (tensor<4xf32, #npu.space<sram>>) {
// TILED: npu.load ins(%{{.*}} : tensor<4x5xf32>)
// TILED: npu.generic {{.*}} outs(%[[PARTIAL]] : tensor<4xf32, #npu.space<sram>>)
// TILED: npu.load ins(%{{.*}} : tensor<4x2xf32>)
// TILED: %[[LAST:.*]] = npu.generic {{.*}} outs(%[[SUM]] : tensor<4xf32, #npu.space<sram>>)
// TILED: npu.store ins(%[[LAST]] : tensor<4xf32, #npu.space<sram>>)
func.func @reduction(%x: tensor<8x12xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "sum" ins(%x, %s : tensor<8x12xf32>, tensor<8xf32>) schedule(<tiles = [4, 5], depth = 2>) {
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

#id = affine_map<(i, j) -> (i, j)>

// The sums of a contraction stay in the accumulator. Tiled by columns, the rows are loaded once in front of the loop.
// CHECK-LABEL: func.func @matmul
// CHECK: npu.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32, #npu.space<sram>>, tensor<8x16xf32, #npu.space<sram>>) outs(%{{.*}} : tensor<4x16xf32, #npu.space<acc>>)
// CHECK: npu.generic ins(%{{.*}} : tensor<4x16xf32, #npu.space<acc>>) outs(%{{.*}} : tensor<4x16xf32, #npu.space<sram>>)

// TILED-LABEL: func.func @matmul
// TILED: npu.load ins(%{{.*}} : tensor<4x8xf32>)
// TILED: scf.for
// TILED: npu.load ins(%{{.*}} : tensor<8x8xf32>)
// TILED-NOT: npu.load
// TILED: npu.matmul
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = npu.kernel "fc" ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) schedule(<tiles = [0, 8, 0], depth = 2>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %1 = tensor.empty() : tensor<4x16xf32, #npu.space<acc>>
    %2 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%1 : tensor<4x16xf32, #npu.space<acc>>) -> tensor<4x16xf32, #npu.space<acc>>
    %3 = tensor.empty() : tensor<4x16xf32>
    %4 = npu.generic ins(%2 : tensor<4x16xf32, #npu.space<acc>>) outs(%3 : tensor<4x16xf32>)
        attributes {extents = array<i64: 4, 16>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
      ^bb0(%sum: f32, %unused: f32):
        npu.yield %sum : f32
      } -> tensor<4x16xf32>
    npu.yield %4 : tensor<4x16xf32>
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// Rank 0 works as any rank. Data ops, which move DRAM to DRAM, stay.
// CHECK-LABEL: func.func @rank0
// CHECK: npu.load ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<f32, #npu.space<sram>>)
// CHECK: npu.generic ins(%{{.*}} : tensor<f32, #npu.space<sram>>) outs(%{{.*}} : tensor<f32, #npu.space<sram>>)
// CHECK: npu.copy ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<f32>)
// TILED-LABEL: func.func @rank0
// TILED-NOT: scf.for
// TILED: npu.load ins(%{{.*}} : tensor<f32>)
func.func @rank0(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = npu.kernel "exp" ins(%x : tensor<f32>) schedule(<tiles = [], depth = 1>) {
  ^bb0(%in: tensor<f32>):
    %1 = tensor.empty() : tensor<f32>
    %2 = npu.generic ins(%in : tensor<f32>) outs(%1 : tensor<f32>)
        attributes {extents = array<i64>, indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} {
      ^bb0(%a: f32, %unused: f32):
        %3 = math.exp %a : f32
        npu.yield %3 : f32
      } -> tensor<f32>
    npu.yield %2 : tensor<f32>
  } -> tensor<f32>
  %4 = npu.copy ins(%0 : tensor<f32>) outs(%y : tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#row = affine_map<(i) -> (i)>

// A reduction that starts from a fill of its own kernel: each tile is filled on chip, and nothing but the input is loaded.
// CHECK-LABEL: func.func @filled
// CHECK: %[[ZEROS:.*]] = npu.generic outs(%{{.*}} : tensor<8xf32, #npu.space<sram>>)
// CHECK: npu.load ins(%{{.*}} : tensor<8x12xf32>)
// CHECK-NOT: npu.load
// CHECK: npu.generic {{.*}} outs(%[[ZEROS]] : tensor<8xf32, #npu.space<sram>>)

// TILED-LABEL: func.func @filled
// TILED: scf.for
// TILED: %[[ZEROS:.*]] = npu.generic outs(%{{.*}} : tensor<4xf32, #npu.space<sram>>) attributes {extents = array<i64: 4>
// TILED: scf.for {{.*}} iter_args(%[[PARTIAL:.*]] = %[[ZEROS]]) -> (tensor<4xf32, #npu.space<sram>>) {
// TILED: npu.load ins(%{{.*}} : tensor<4x6xf32>)
// TILED-NOT: npu.load
// TILED: npu.store
func.func @filled(%x: tensor<8x12xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "sum" ins(%x : tensor<8x12xf32>) schedule(<tiles = [4, 6], depth = 2>) {
  ^bb0(%in: tensor<8x12xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#row], iterator_types = ["parallel"]} {
      ^bb0(%unused: f32):
        %zero = arith.constant 0.0 : f32
        npu.yield %zero : f32
      } -> tensor<8xf32>
    %3 = npu.generic ins(%in : tensor<8x12xf32>) outs(%2 : tensor<8xf32>)
        attributes {extents = array<i64: 8, 12>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} {
      ^bb0(%a: f32, %sum: f32):
        %4 = arith.addf %sum, %a : f32
        npu.yield %4 : f32
      } -> tensor<8xf32>
    npu.yield %3 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Declines: what is on chip stays there, and nothing is added.
// CHECK-LABEL: func.func @on_chip
// CHECK-NOT: npu.load
// CHECK-NOT: npu.store
// CHECK: return
// TILED-LABEL: func.func @on_chip
// TILED-NOT: npu.load
// TILED-NOT: npu.store
// TILED: return
func.func @on_chip(%x: tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>> {
  %0 = npu.kernel "exp" ins(%x : tensor<8xf32, #npu.space<sram>>) schedule(<tiles = [0], depth = 1>) {
  ^bb0(%in: tensor<8xf32, #npu.space<sram>>):
    %1 = tensor.empty() : tensor<8xf32, #npu.space<sram>>
    %2 = npu.generic ins(%in : tensor<8xf32, #npu.space<sram>>) outs(%1 : tensor<8xf32, #npu.space<sram>>)
        attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %3 = math.exp %a : f32
        npu.yield %3 : f32
      } -> tensor<8xf32, #npu.space<sram>>
    npu.yield %2 : tensor<8xf32, #npu.space<sram>>
  } -> tensor<8xf32, #npu.space<sram>>
  return %0 : tensor<8xf32, #npu.space<sram>>
}
