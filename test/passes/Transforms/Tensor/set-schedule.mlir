// RUN: npu-opt %s --pass-pipeline="builtin.module(npu-set-target{target=%S/Inputs/small.yaml},func.func(npu-form-kernels,npu-set-schedule))" --split-input-file | filecheck %s
// RUN: npu-opt %s --pass-pipeline="builtin.module(npu-set-target{target=server},func.func(npu-form-kernels,npu-set-schedule))" --split-input-file | filecheck %s --check-prefix=LARGE

#id = affine_map<(i, j) -> (i, j)>

// The small target has 8 KiB of SRAM: 24 KiB of operands have to be cut, and then two buffers fit. The server has room.
// CHECK-LABEL: func.func @elementwise
// CHECK: npu.kernel "generic" {{.*}} schedule(<tiles = [{{[1-9].*}}, 0], depth = 2>)
// LARGE-LABEL: func.func @elementwise
// LARGE: npu.kernel "generic" {{.*}} schedule(<tiles = [0, 0], depth = 1>)
func.func @elementwise(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = npu.generic ins(%x, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>)
      attributes {extents = array<i64: 32, 32>, indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %b: f32, %unused: f32):
      %2 = arith.addf %a, %b : f32
      npu.yield %2 : f32
    } -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// -----

// What fits without waiting for anything stays whole on both.
// CHECK-LABEL: func.func @fits
// CHECK: schedule(<tiles = [0], depth = 1>)
// LARGE-LABEL: func.func @fits
// LARGE: schedule(<tiles = [0], depth = 1>)
func.func @fits(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = npu.generic ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      %2 = math.exp %a : f32
      npu.yield %2 : f32
    } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// The sums of a tile fit half of the 1 KiB accumulator, and n and k are multiples of the 4x4 array or whole.
// CHECK-LABEL: func.func @matmul
// CHECK: npu.kernel "matmul" {{.*}} schedule(<tiles = [{{[0-9]+}}, {{(0|4|8|12|16|20|24)}}, {{(0|[0-9]*[02468])}}], depth = 2>)
// LARGE-LABEL: func.func @matmul
// LARGE: npu.kernel "matmul"
func.func @matmul(%x: tensor<32x64xf32>, %w: tensor<64x24xf32>) -> tensor<32x24xf32> {
  %0 = tensor.empty() : tensor<32x24xf32>
  %1 = npu.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x24xf32>) outs(%0 : tensor<32x24xf32>) -> tensor<32x24xf32>
  return %1 : tensor<32x24xf32>
}

// -----

// Declines: a schedule that is there is kept.
// CHECK-LABEL: func.func @kept
// CHECK: schedule(<tiles = [3], depth = 1>)
// LARGE-LABEL: func.func @kept
// LARGE: schedule(<tiles = [3], depth = 1>)
func.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.kernel "k" ins(%x : tensor<8xf32>) schedule(<tiles = [3], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>)
        attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The boundary: two buffers of 512 elements for each operand fill the 8 KiB of the small target to the last byte.
// CHECK-LABEL: func.func @full
// CHECK: schedule(<tiles = [512], depth = 2>)
// LARGE-LABEL: func.func @full
func.func @full(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = npu.kernel "k" ins(%x : tensor<4096xf32>) schedule(<tiles = [512], depth = 2>) {
  ^bb0(%in: tensor<4096xf32>):
    %1 = tensor.empty() : tensor<4096xf32>
    %2 = npu.generic ins(%in : tensor<4096xf32>) outs(%1 : tensor<4096xf32>)
        attributes {extents = array<i64: 4096>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<4096xf32>
    npu.yield %2 : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
