// RUN: npu-opt %s --npu-interchange-reductions | filecheck %s

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>

// Acts: the dimension that walks the output contiguously becomes the innermost loop.
// CHECK-LABEL: func.func @contraction
// CHECK: indexing_maps = [#[[MK]], #[[KN]], #[[MN]]], iterator_types = ["parallel", "reduction", "parallel"]
func.func @contraction(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Declines: there is no parallel loop.
// CHECK-LABEL: func.func @total
// CHECK: iterator_types = ["reduction"]
func.func @total(%a: tensor<8xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%c : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.addf %s, %x : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// The boundary: a parallel loop is the innermost one already.
// CHECK-LABEL: func.func @columns
// CHECK: iterator_types = ["reduction", "parallel"]
func.func @columns(%a: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<8x4xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.addf %s, %x : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The boundary, inside: a window at stride 1 walks the input contiguously.
// CHECK-LABEL: func.func @window
// CHECK: iterator_types = ["reduction", "parallel"]
func.func @window(%a: tensor<6xf32>, %w: tensor<3xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n + k)>, affine_map<(n, k) -> (k)>,
                                        affine_map<(n, k) -> (n)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<6xf32>, tensor<3xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The boundary, outside: at stride 2 it does not.
// CHECK-LABEL: func.func @strided_window
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @strided_window(%a: tensor<9xf32>, %w: tensor<3xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n * 2 + k)>, affine_map<(n, k) -> (k)>,
                                        affine_map<(n, k) -> (n)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<9xf32>, tensor<3xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Declines: rows of the transposed weights would be walked across.
// CHECK-LABEL: func.func @transposed
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<16x8xf32>) outs(%c : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
