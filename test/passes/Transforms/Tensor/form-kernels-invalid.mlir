// RUN: npu-opt %s --npu-form-kernels --split-input-file --verify-diagnostics

// Nothing but the matrix engine adds to the accumulator.
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'npu.matmul' op expected a contraction that starts from zero: only the accumulator can be added to, so the addition of a tensor has to be in the epilogue}}
  %0 = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) {accumulate} -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// A kernel takes tensors: a scalar from outside has no way in.
// expected-note @below {{the value from outside is defined here}}
func.func @captured(%x: tensor<8xf32>, %y: tensor<8xf32>, %scalar: f32) -> tensor<8xf32> {
  // expected-error @below {{'npu.generic' op expected a body that uses only its arguments and constants}}
  %0 = npu.generic ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      %1 = arith.mulf %a, %scalar : f32
      npu.yield %1 : f32
    } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
