// RUN: npu-opt %s --convert-npu-to-linalg --split-input-file | filecheck %s

// The order in which a contraction adds is part of its meaning: one product after the other, along k.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: npu.
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: math.fma
// CHECK-NOT: npu.
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func.func @batch_matmul
// CHECK-NOT: npu.
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: npu.
func.func @batch_matmul(%a: tensor<2x4x8xf16>, %b: tensor<2x16x8xf16>, %c: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %0 = npu.batch_matmul ins(%a, %b : tensor<2x4x8xf16>, tensor<2x16x8xf16>) outs(%c : tensor<2x4x16xf32>) {transpose_rhs} -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// -----

// CHECK-LABEL: func.func @conv2d
// CHECK-NOT: npu.
// CHECK: linalg.generic
// CHECK-NOT: npu.
func.func @conv2d(%x: tensor<1x11x10x3xf32>, %w: tensor<3x3x3x8xf32>, %c: tensor<1x5x6x8xf32>) -> tensor<1x5x6x8xf32> {
  %0 = npu.conv2d ins(%x, %w : tensor<1x11x10x3xf32>, tensor<3x3x3x8xf32>) outs(%c : tensor<1x5x6x8xf32>)
      {dilations = array<i64: 1, 2>, strides = array<i64: 2, 1>} -> tensor<1x5x6x8xf32>
  return %0 : tensor<1x5x6x8xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise_conv2d
// CHECK-NOT: npu.
// CHECK: linalg.generic
// CHECK-NOT: npu.
func.func @depthwise_conv2d(%x: tensor<1x10x10x8xf32>, %w: tensor<3x3x8xf32>, %c: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = npu.depthwise_conv2d ins(%x, %w : tensor<1x10x10x8xf32>, tensor<3x3x8xf32>) outs(%c : tensor<1x8x8x8xf32>)
      {dilations = array<i64: 1, 1>, strides = array<i64: 1, 1>} -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The scalars of a generic get what arith leaves open: a division by zero is all ones.
// CHECK-LABEL: func.func @generic
// CHECK-NOT: npu.
// CHECK: %[[BY_ZERO:.*]] = arith.cmpi eq
// CHECK: arith.divsi
// CHECK: arith.select %[[BY_ZERO]]
// CHECK-NOT: npu.
func.func @generic(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> tensor<4xi32> {
  %0 = npu.generic ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%z : tensor<4xi32>)
      attributes {extents = array<i64: 4>, indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} {
    ^bb0(%a: i32, %b: i32, %unused: i32):
      %q = arith.divsi %a, %b : i32
      npu.yield %q : i32
    } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Data ops are copies in some order; memory spaces are gone, for the reference has one memory.
// CHECK-LABEL: func.func @data
// CHECK-NOT: = npu.
// CHECK: cf.assert %{{.*}}, "npu.gather: an index lies outside of the table of 4 rows"
// CHECK-NOT: = npu.
func.func @data(%x: tensor<4x8xf32>, %s: tensor<4x8xf32, #npu.space<sram>>, %t: tensor<8x4xf32>, %p: tensor<6x9xf32>,
                %ids: tensor<3xi64>, %g: tensor<3x8xf32>) -> (tensor<8x4xf32>, tensor<6x9xf32>, tensor<3x8xf32>) {
  %0 = npu.load ins(%x : tensor<4x8xf32>) outs(%s : tensor<4x8xf32, #npu.space<sram>>) -> tensor<4x8xf32, #npu.space<sram>>
  %e = tensor.empty() : tensor<4x8xf32>
  %1 = npu.store ins(%0 : tensor<4x8xf32, #npu.space<sram>>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = npu.transpose ins(%1 : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %3 = npu.pad ins(%1 : tensor<4x8xf32>) outs(%p : tensor<6x9xf32>) {low = array<i64: 1, 0>, high = array<i64: 1, 1>, value = 0.0 : f32} -> tensor<6x9xf32>
  %4 = npu.gather ins(%1, %ids : tensor<4x8xf32>, tensor<3xi64>) outs(%g : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2, %3, %4 : tensor<8x4xf32>, tensor<6x9xf32>, tensor<3x8xf32>
}

// -----

// A program on buffers is a function: tasks in program order, tokens without meaning, storage in an arena of bytes.
// CHECK-LABEL: func.func {{.*}}@main_0
// CHECK-NOT: npu.task
// CHECK-NOT: npu.buffer
// CHECK: memref.view
// CHECK-NOT: npu.
// CHECK: return
npu.program @main_0(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  %0 = npu.buffer offset(64) : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(ld) {
    npu.load ins(%x : memref<8xf32>) outs(%0 : memref<8xf32, #npu.space<sram>>)
  }
  %u = npu.task queue(st) waits(%t) {
    npu.store ins(%0 : memref<8xf32, #npu.space<sram>>) outs(%y : memref<8xf32>)
  }
  npu.return
}

// -----

// Declines: linalg stays as it is, a host region gives up its code.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: math.acos %arg0
// CHECK-NEXT: return
func.func @others(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = npu.host_region reason("math.acos: why") {
    %1 = math.acos %x : tensor<4xf32>
    npu.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
