// RUN: npu-opt %s --pass-pipeline="builtin.module(npu-set-target{target=%S/Inputs/small.yaml},func.func(npu-set-schedule))" --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>

// A schedule of someone else's that does not fit is named with what it needs.
func.func @given(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  // expected-error @below {{kernel 'k' does not fit target 'small': it needs 16384 bytes of SRAM, of 8192, and 0 bytes of accumulator, of 1024, with its schedule; choose smaller tiles, or remove the schedule to have one chosen}}
  %0 = npu.kernel "k" ins(%x : tensor<4096xf32>) schedule(<tiles = [1024], depth = 2>) {
  ^bb0(%in: tensor<4096xf32>):
    %1 = tensor.empty() : tensor<4096xf32>
    %2 = npu.generic ins(%in : tensor<4096xf32>) outs(%1 : tensor<4096xf32>)
        attributes {extents = array<i64: 4096>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<4096xf32>
    npu.yield %2 : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Two vector ops in one kernel have no common loops.
func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected one vector op, or a contraction and its drain, to schedule kernel 'two'}}
  %0 = npu.kernel "two" ins(%x : tensor<8xf32>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %e = math.exp %a : f32
        npu.yield %e : f32
      } -> tensor<8xf32>
    %3 = npu.generic ins(%2 : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %e = math.exp %a : f32
        npu.yield %e : f32
      } -> tensor<8xf32>
    npu.yield %3 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The boundary: 512 elements fit (set-schedule.mlir), one more does not.
func.func @full(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  // expected-error @below {{kernel 'k' does not fit target 'small': it needs 8256 bytes of SRAM, of 8192,}}
  %0 = npu.kernel "k" ins(%x : tensor<4096xf32>) schedule(<tiles = [513], depth = 2>) {
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
