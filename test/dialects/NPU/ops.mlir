// RUN: npu-opt %s | npu-opt | filecheck %s
// RUN: npu-opt %s --mlir-print-op-generic | npu-opt | filecheck %s

#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

//===----------------------------------------------------------------------===//
// Matrix ops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK: npu.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: npu.matmul {{.*}} {accumulate} -> tensor<4x16xf32>
  %1 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%0 : tensor<4x16xf32>) {accumulate} -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @matmul_epilogue
func.func @matmul_epilogue(%a: tensor<8x4xi8>, %b: tensor<16x8xi8>, %bias: tensor<16xi32>, %c: tensor<4x16xi8>) -> tensor<4x16xi8> {
  // CHECK: npu.matmul ins({{.*}}) outs({{.*}}) {epilogue_maps = [#{{.*}}], lhs_unsigned, lhs_zero_point = 3 : i32, rhs_zero_point = -1 : i32, transpose_lhs, transpose_rhs} epilogue(%{{.*}} : tensor<16xi32>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[BIAS:.*]]: i32):
  // CHECK-NEXT: arith.addi %[[SUM]], %[[BIAS]] : i32
  %0 = npu.matmul ins(%a, %b : tensor<8x4xi8>, tensor<16x8xi8>) outs(%c : tensor<4x16xi8>)
      {epilogue_maps = [#cols], lhs_unsigned, lhs_zero_point = 3 : i32, rhs_zero_point = -1 : i32, transpose_lhs, transpose_rhs}
      epilogue(%bias : tensor<16xi32>) {
    ^bb0(%sum: i32, %b0: i32):
      %1 = arith.addi %sum, %b0 : i32
      %2 = arith.trunci %1 : i32 to i8
      npu.yield %2 : i8
    } -> tensor<4x16xi8>
  return %0 : tensor<4x16xi8>
}

// CHECK-LABEL: func.func @matmul_empty_epilogue
func.func @matmul_empty_epilogue(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>, %c: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  // CHECK: npu.matmul ins({{.*}}) outs({{.*}}) {epilogue_maps = []} epilogue() {
  %0 = npu.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%c : tensor<4x16xbf16>) {epilogue_maps = []} epilogue() {
    ^bb0(%sum: f32):
      %1 = arith.truncf %sum : f32 to bf16
      npu.yield %1 : bf16
    } -> tensor<4x16xbf16>
  return %0 : tensor<4x16xbf16>
}

// CHECK-LABEL: func.func @batch_matmul
func.func @batch_matmul(%a: tensor<2x4x8xf16>, %b: tensor<2x16x8xf16>, %c: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  // CHECK: npu.batch_matmul ins({{.*}} : tensor<2x4x8xf16>, tensor<2x16x8xf16>) outs({{.*}}) {transpose_rhs} -> tensor<2x4x16xf32>
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xf16>, tensor<2x16x8xf16>) outs(%c : tensor<2x4x16xf32>) {transpose_rhs} -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: func.func @conv2d
func.func @conv2d(%x: tensor<1x11x10x3xf32>, %w: tensor<3x3x3x8xf32>, %c: tensor<1x5x6x8xf32>) -> tensor<1x5x6x8xf32> {
  // CHECK: npu.conv2d ins({{.*}}) outs({{.*}}) {dilations = array<i64: 1, 2>, strides = array<i64: 2, 1>} -> tensor<1x5x6x8xf32>
  %0 = npu.conv2d ins(%x, %w : tensor<1x11x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x5x6x8xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>} -> tensor<1x5x6x8xf32>
  return %0 : tensor<1x5x6x8xf32>
}

// CHECK-LABEL: func.func @matrix_on_memrefs
func.func @matrix_on_memrefs(%a: memref<4x8xf32, #npu.space<sram>>, %b: memref<8x16xf32, #npu.space<sram>>, %c: memref<4x16xf32, #npu.space<acc>>) {
  // CHECK: npu.matmul ins(%{{.*}}, %{{.*}} : memref<4x8xf32, #npu.space<sram>>, memref<8x16xf32, #npu.space<sram>>) outs(%{{.*}} : memref<4x16xf32, #npu.space<acc>>)
  // CHECK-NOT: ->
  npu.matmul ins(%a, %b : memref<4x8xf32, #npu.space<sram>>, memref<8x16xf32, #npu.space<sram>>) outs(%c : memref<4x16xf32, #npu.space<acc>>)
  return
}

//===----------------------------------------------------------------------===//
// Vector ops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @depthwise_conv2d
func.func @depthwise_conv2d(%x: tensor<1x10x10x8xf32>, %w: tensor<3x3x8xf32>, %c: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  // CHECK: npu.depthwise_conv2d ins({{.*}}) outs({{.*}}) {dilations = array<i64: 1, 1>, strides = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  %0 = npu.depthwise_conv2d ins(%x, %w : tensor<1x10x10x8xf32>, tensor<3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// CHECK-LABEL: func.func @generic
func.func @generic(%x: tensor<4x8xf32>, %b: tensor<8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: npu.generic ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<4x8xf32>) attributes {extents = array<i64: 4, 8>
  // CHECK: npu.index 1 : i32
  %0 = npu.generic ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%o : tensor<4x8xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id2, #cols, #id2], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %c: f32, %unused: f32):
      %i = npu.index 1 : i32
      %f = arith.sitofp %i : i32 to f32
      %1 = arith.addf %a, %c : f32
      %2 = arith.mulf %1, %f : f32
      npu.yield %2 : f32
    } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A generic without inputs, and one of rank 0.
// CHECK-LABEL: func.func @generic_small
func.func @generic_small(%o: tensor<8xi32>, %x: tensor<f32>, %y: tensor<f32>, %at: index) -> (tensor<8xi32>, tensor<f32>) {
  // CHECK: npu.generic outs(%{{.*}} : tensor<8xi32>)
  // CHECK: npu.index 0 offset(%{{.*}}) : i32
  %0 = npu.generic outs(%o : tensor<8xi32>) attributes {extents = array<i64: 8>, indexing_maps = [#id1], iterator_types = ["parallel"]} {
    ^bb0(%unused: i32):
      %i = npu.index 0 offset(%at) : i32
      npu.yield %i : i32
    } -> tensor<8xi32>
  // CHECK: npu.generic ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<f32>)
  %1 = npu.generic ins(%x : tensor<f32>) outs(%y : tensor<f32>)
      attributes {extents = array<i64>, indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} {
    ^bb0(%a: f32, %unused: f32):
      %2 = math.exp %a : f32
      npu.yield %2 : f32
    } -> tensor<f32>
  return %0, %1 : tensor<8xi32>, tensor<f32>
}

// Two results, one of them a reduction that reads its init.
// CHECK-LABEL: func.func @generic_two_results
func.func @generic_two_results(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %m: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: -> tensor<4xf32>, tensor<4xf32>
  %0:2 = npu.generic ins(%x : tensor<4x8xf32>) outs(%s, %m : tensor<4xf32>, tensor<4xf32>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [#id2, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %sum: f32, %max: f32):
      %1 = arith.addf %sum, %a : f32
      %2 = arith.maximumf %max, %a : f32
      npu.yield %1, %2 : f32, f32
    } -> tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Data ops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @data
func.func @data(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %s: tensor<4x8xf32, #npu.space<sram>>, %t: tensor<8x4xf32>, %p: tensor<6x9xf32>,
                %ids: tensor<3xi64>, %g: tensor<3x8xf32>) {
  // CHECK: npu.copy ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = npu.copy ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: npu.load ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32, #npu.space<sram>>) -> tensor<4x8xf32, #npu.space<sram>>
  %1 = npu.load ins(%x : tensor<4x8xf32>) outs(%s : tensor<4x8xf32, #npu.space<sram>>) -> tensor<4x8xf32, #npu.space<sram>>
  // CHECK: npu.store ins(%{{.*}} : tensor<4x8xf32, #npu.space<sram>>) outs(%{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = npu.store ins(%1 : tensor<4x8xf32, #npu.space<sram>>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: npu.transpose ins({{.*}}) outs({{.*}}) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %3 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  // CHECK: npu.pad ins({{.*}}) outs({{.*}}) {high = array<i64: 1, 1>, low = array<i64: 1, 0>, value = 0.000000e+00 : f32} -> tensor<6x9xf32>
  %4 = npu.pad ins(%x : tensor<4x8xf32>) outs(%p : tensor<6x9xf32>) {low = array<i64: 1, 0>, high = array<i64: 1, 1>, value = 0.0 : f32} -> tensor<6x9xf32>
  // CHECK: npu.gather ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<3xi64>) outs(%{{.*}} : tensor<3x8xf32>) -> tensor<3x8xf32>
  %5 = npu.gather ins(%x, %ids : tensor<4x8xf32>, tensor<3xi64>) outs(%g : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: npu.kernel "relu" ins(%{{.*}} : tensor<8xf32>) schedule(<tiles = [4], depth = 2>) {
  %0 = npu.kernel "relu" ins(%x : tensor<8xf32>) schedule(<tiles = [4], depth = 2>) {
  ^bb0(%in: tensor<8xf32>):
    npu.yield %in : tensor<8xf32>
  } -> tensor<8xf32>
  // CHECK: npu.kernel "nothing" schedule(<tiles = [], depth = 1>) {
  npu.kernel "nothing" schedule(<tiles = [], depth = 1>) {
    npu.yield
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @host_region
func.func @host_region(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: npu.host_region reason("no such function") {
  // CHECK: } -> tensor<8xf32>
  %0 = npu.host_region reason("no such function") {
    npu.yield %x : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @launch
func.func @launch(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: npu.launch @program ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
  %0 = npu.launch @program ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: npu.program @program
// CHECK-SAME: memref<8xf32> {npu.role = "input"}
// CHECK-SAME: memref<8xf32> {npu.role = "output"}
// CHECK-SAME: memref<8xf32> {npu.role = "constant", npu.value = dense<1.000000e+00> : tensor<8xf32>}
npu.program @program(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"},
                     %c: memref<8xf32> {npu.role = "constant", npu.value = dense<1.0> : tensor<8xf32>}) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  // CHECK: npu.buffer offset(4096) : memref<8xf32, #npu.space<sram>>
  %0 = npu.buffer offset(4096) : memref<8xf32, #npu.space<sram>>
  // CHECK: npu.buffer : memref<8xf32>
  %1 = npu.buffer : memref<8xf32>
  // CHECK: npu.ring offset(0) : memref<2x4xf32, #npu.space<sram>>
  %2 = npu.ring offset(0) : memref<2x4xf32, #npu.space<sram>>
  // CHECK: npu.ring : memref<3x4xf32, #npu.space<acc>>
  %3 = npu.ring : memref<3x4xf32, #npu.space<acc>>
  // CHECK: %[[READY:.*]] = npu.ready
  %ready = npu.ready
  // CHECK: %[[LOADED:.*]] = npu.task queue(ld) waits(%[[READY]]) {
  %loaded = npu.task queue(ld) waits(%ready) {
    npu.load ins(%x : memref<8xf32>) outs(%0 : memref<8xf32, #npu.space<sram>>)
  }
  // CHECK: npu.wait queue(st) on(%[[LOADED]])
  npu.wait queue(st) on(%loaded)
  scf.for %i = %zero to %eight step %four {
    // CHECK: npu.ring_slot %{{.*}}[%{{.*}} step 4] : memref<2x4xf32, #npu.space<sram>> to memref<4xf32, strided<[1], offset: ?>, #npu.space<sram>>
    %slot = npu.ring_slot %2[%i step 4] : memref<2x4xf32, #npu.space<sram>> to memref<4xf32, strided<[1], offset: ?>, #npu.space<sram>>
  }
  // CHECK: npu.task queue(st) {
  %stored = npu.task queue(st) {
    npu.store ins(%0 : memref<8xf32, #npu.space<sram>>) outs(%y : memref<8xf32>)
  }
  // CHECK: npu.return
  npu.return
}
