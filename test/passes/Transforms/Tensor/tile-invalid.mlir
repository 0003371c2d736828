// RUN: npu-opt %s --npu-tile --split-input-file --verify-diagnostics

#id = affine_map<(i, j, k) -> (i, j, k)>
#rows = affine_map<(i, j, k) -> (i)>

// An inner reduction dimension may be cut only when the outer one is taken step by step.
func.func @order(%x: tensor<4x6x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'npu.kernel' op expected reduction dimension 1 to have tile size 1, since dimension 2 inside of it is cut and the order of the reduction must not change (schedule of kernel 'sum')}}
  %0 = npu.kernel "sum" ins(%x, %s : tensor<4x6x8xf32>, tensor<4xf32>) schedule(<tiles = [0, 2, 4], depth = 1>) {
  ^bb0(%in: tensor<4x6x8xf32>, %init: tensor<4xf32>):
    %1 = npu.generic ins(%in : tensor<4x6x8xf32>) outs(%init : tensor<4xf32>)
        attributes {extents = array<i64: 4, 6, 8>, indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction", "reduction"]} {
      ^bb0(%a: f32, %sum: f32):
        %2 = arith.addf %sum, %a : f32
        npu.yield %2 : f32
      } -> tensor<4xf32>
    npu.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

func.func @count(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'npu.kernel' op expected 1 tile sizes, but found 2 (schedule of kernel 'exp')}}
  %0 = npu.kernel "exp" ins(%x : tensor<8xf32>) schedule(<tiles = [4, 4], depth = 1>) {
  ^bb0(%in: tensor<8xf32>):
    %1 = tensor.empty() : tensor<8xf32>
    %2 = npu.generic ins(%in : tensor<8xf32>) outs(%1 : tensor<8xf32>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        npu.yield %a : f32
      } -> tensor<8xf32>
    npu.yield %2 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Two vector ops in one kernel have no common loops.
func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected one vector op, or a contraction and its drain, to tile kernel 'two'}}
  %0 = npu.kernel "two" ins(%x : tensor<8xf32>) schedule(<tiles = [4], depth = 1>) {
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
