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

// -----

// Neither side computes with f8, whatever the op.
// expected-error @below {{'f8' has element types that are not supported}}
func.func @f8(%x: tensor<4xf32>, %f: f8E4M3FN) -> tensor<4xf32> {
  // expected-note @-1 {{argument 1: element type f8E4M3FN cannot go in or out of a model}}
  // expected-note @below {{arith.extf: element type f8E4M3FN runs neither on the device nor on the host}}
  %0 = arith.extf %f : f8E4M3FN to f32
  return %x : tensor<4xf32>
}

// -----

// i4 inside of a function is the host's; in its signature nobody could hand it over.
// expected-error @below {{'i4' has element types that are not supported}}
// expected-note @below {{argument 0: element type i4 cannot go in or out of a model}}
// expected-note @below {{result 0: element type i4 cannot go in or out of a model}}
func.func @i4(%x: tensor<4xi4>) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}

// -----

// A model is a graph: without branches.
// expected-error @below {{'branches' has 2 blocks: control flow between blocks is not supported}}
func.func @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
