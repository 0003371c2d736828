// RUN: npu-opt %s --npu-place=no-host --split-input-file --verify-diagnostics

// One error lists every op that would have to run on the host.
// expected-error @below {{2 of the ops of 'host' cannot run on target 'mobile', and the host is not allowed (no-host)}}
func.func @host(%x: tensor<4xf64>, %y: tensor<4xf32>) -> (tensor<4xf64>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf64>
  // expected-note @below {{linalg.add: element type f64 is none of target 'mobile'}}
  %a = linalg.add ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %e1 = tensor.empty() : tensor<4xf32>
  // expected-note @below {{linalg.generic: the vector engine has no 'math.acos'}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%y : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = math.acos %in : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %a, %r : tensor<4xf64>, tensor<4xf32>
}

// -----

// Every dynamic extent is named.
// expected-error @below {{argument 0 of 'dynamic' has type 'tensor<?x4x?xf32>': dimensions 0, 2 are dynamic; the device needs static shapes}}
func.func @dynamic(%x: tensor<?x4x?xf32>) {
  return
}
