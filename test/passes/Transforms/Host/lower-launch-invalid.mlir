// RUN: npu-opt %s --npu-lower-launch --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func @device_op(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected only launches and host regions of the npu dialect in host code, but found 'npu.generic'; 'npu-lower-reference' takes the others to the host too}}
  %0 = npu.generic ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>)
      attributes {extents = array<i64: 4>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      npu.yield %a : f32
    } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
