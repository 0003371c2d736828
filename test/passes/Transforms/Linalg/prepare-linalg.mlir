// RUN: npu-opt %s --npu-prepare-linalg --split-input-file | filecheck %s

// Acts: a chain of channels-first ops becomes channels-last; transpositions stand only at its ends, that of a constant is folded.
// CHECK-LABEL: func.func @conv_chain
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<1x1x4x2xf32>
// CHECK: linalg.transpose ins(%arg0 : tensor<1x3x8x8xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: linalg.transpose ins(%arg1 : tensor<4x3x3x3xf32>) {{.*}} permutation = [2, 3, 1, 0]
// CHECK: %[[C0:.*]] = linalg.conv_2d_nhwc_hwcf
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[C0]], %arg2 : tensor<1x6x6x4xf32>, tensor<4xf32>)
// CHECK: arith.addf
// CHECK-NEXT: arith.maximumf
// CHECK-NOT: linalg.transpose
// CHECK: %[[C1:.*]] = linalg.conv_2d_nhwc_hwcf {{.*}} ins(%[[R]], %[[W]] : tensor<1x6x6x4xf32>, tensor<1x1x4x2xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[C1]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[T]]
func.func @conv_chain(%x: tensor<1x3x8x8xf32>, %w0: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x2x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %w1 = arith.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]], [[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<2x4x1x1xf32>
  %e0 = tensor.empty() : tensor<1x4x6x6xf32>
  %bias = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e0 : tensor<1x4x6x6xf32>) dimensions = [0, 2, 3]
  %c0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w0 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%bias : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c0 : tensor<1x4x6x6xf32>) outs(%e0 : tensor<1x4x6x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x4x6x6xf32>
  %e1 = tensor.empty() : tensor<1x2x6x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  %c1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%r, %w1 : tensor<1x4x6x6xf32>, tensor<2x4x1x1xf32>) outs(%f1 : tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  return %c1 : tensor<1x2x6x6xf32>
}

// -----

// Acts: two groups are two convolutions, the height of a one-dimensional one is 1.
// CHECK-LABEL: func.func @grouped
// CHECK-COUNT-2: linalg.conv_2d_nhwc_hwcf {{.*}} outs({{.*}} : tensor<1x4x4x3xf32>)
// CHECK-NOT: linalg.conv
func.func @grouped(%x: tensor<1x2x2x6x6xf32>, %w: tensor<2x3x2x3x3xf32>) -> tensor<1x2x3x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %c = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x2x2x6x6xf32>, tensor<2x3x2x3x3xf32>) outs(%f : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  return %c : tensor<1x2x3x4x4xf32>
}

// -----

// Acts: the height of a one-dimensional convolution is 1.
// CHECK-LABEL: func.func @conv1d
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} ins({{.*}} : tensor<2x1x9x4xf32>, tensor<1x3x4x6xf32>) outs({{.*}} : tensor<2x1x4x6xf32>)
func.func @conv1d(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %c = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>}
    ins(%x, %w : tensor<2x4x9xf32>, tensor<6x4x3xf32>) outs(%f : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %c : tensor<2x6x4xf32>
}

// -----

// Acts: sums in f64 between f32 tensors are taken in f32.
// CHECK-LABEL: func.func @narrow_f64
// CHECK-NOT: f64
// CHECK: return
func.func @narrow_f64(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf64>) {
  ^bb0(%in: f32, %out: f64):
    %w = arith.extf %in : f32 to f64
    %a = arith.addf %w, %out : f64
    linalg.yield %a : f64
  } -> tensor<4xf64>
  %e2 = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : tensor<4xf64>) outs(%e2 : tensor<4xf32>) {
  ^bb0(%in: f64, %out: f32):
    %t = arith.truncf %in : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Declines: a model whose own inputs are f64 keeps its precision.
// CHECK-LABEL: func.func @keep_f64
// CHECK: arith.addf {{.*}} : f64
func.func @keep_f64(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

// -----

// Acts: a mask that is stored is i8, inside of bodies it is i1.
// CHECK-LABEL: func.func @bits
// CHECK: arith.extui {{.*}} : i1 to i8
// CHECK: tensor.extract_slice {{.*}} : tensor<4xi8> to tensor<2xi8>
// CHECK: arith.trunci {{.*}} : i8 to i1
func.func @bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xi1>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xi1>) {
  ^bb0(%in: f32, %out: i1):
    %c = arith.cmpf ogt, %in, %zero : f32
    linalg.yield %c : i1
  } -> tensor<4xi1>
  %s = tensor.extract_slice %m[0] [2] [1] : tensor<4xi1> to tensor<2xi1>
  %m2 = tensor.insert_slice %s into %m[2] [2] [1] : tensor<2xi1> into tensor<4xi1>
  %e2 = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%m2, %x : tensor<4xi1>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) {
  ^bb0(%b: i1, %in: f32, %out: f32):
    %t = arith.select %b, %in, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Acts: positions that provably fit are computed in i32.
// CHECK-LABEL: func.func @positions
// CHECK-NOT: i64
// CHECK: arith.cmpi slt, {{.*}} : i32
func.func @positions() -> tensor<4x4xf32> {
  %one = arith.constant 1 : i64
  %zf = arith.constant 0.0 : f32
  %of = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.index_cast %i : index to i64
    %b = arith.index_cast %j : index to i64
    %a1 = arith.addi %a, %one : i64
    %c = arith.cmpi slt, %b, %a1 : i64
    %s = arith.select %c, %of, %zf : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Boundary: one above what i32 holds stays in i64.
// CHECK-LABEL: func.func @positions_too_large
// CHECK: arith.addi {{.*}} : i64
func.func @positions_too_large() -> tensor<2xf32> {
  %large = arith.constant 2147483647 : i64
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i64
    %b = arith.addi %a, %large : i64
    %s = arith.sitofp %b : i64 to f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Declines: an elementwise op is not fused into a reduction if it is to become an epilogue.
// CHECK-LABEL: func.func @epilogue_before_reduction
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
func.func @epilogue_before_reduction(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %x = linalg.exp ins(%m : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce ins(%x : tensor<4x16xf32>) outs(%f1 : tensor<4xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %s = arith.addf %in, %acc : f32
    linalg.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// -----

// Acts: indices that only choose rows are computed in i32, through a reshape.
// CHECK-LABEL: func.func @indices
// CHECK: arith.trunci {{.*}} : i64 to i32
// CHECK: arith.select {{.*}} : i32
// CHECK: arith.index_cast {{.*}} : i32 to index
func.func @indices(%ids: tensor<2x4xi64>, %t: tensor<10x3xf32>) -> tensor<8x3xf32> {
  %c0 = arith.constant 0 : i64
  %c10 = arith.constant 10 : i64
  %e = tensor.empty() : tensor<2x4xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<2x4xi64>) outs(%e : tensor<2x4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %n = arith.cmpi slt, %in, %c0 : i64
    %a = arith.addi %in, %c10 : i64
    %s = arith.select %n, %a, %in : i64
    linalg.yield %s : i64
  } -> tensor<2x4xi64>
  %flat = tensor.collapse_shape %i [[0, 1]] : tensor<2x4xi64> into tensor<8xi64>
  %e1 = tensor.empty() : tensor<8x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%flat : tensor<8xi64>) outs(%e1 : tensor<8x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%row, %j] : tensor<10x3xf32>
    linalg.yield %v : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// -----

// Declines: indices that are a result of the model keep their type.
// CHECK-LABEL: func.func @indices_returned
// CHECK: arith.addi {{.*}} : i64
func.func @indices_returned(%ids: tensor<4xi64>) -> tensor<4xi64> {
  %c10 = arith.constant 10 : i64
  %e = tensor.empty() : tensor<4xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%ids : tensor<4xi64>) outs(%e : tensor<4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %a = arith.addi %in, %c10 : i64
    linalg.yield %a : i64
  } -> tensor<4xi64>
  return %i : tensor<4xi64>
}

// -----

// Acts: an element extracted at a fixed position is an input; log2 is a scaled natural logarithm, a cube two products.
// CHECK-LABEL: func.func @bodies
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4xf32>, tensor<2xf32>)
// CHECK: math.log %
// CHECK-NEXT: arith.mulf
// CHECK-NOT: math.fpowi
func.func @bodies(%x: tensor<4xf32>, %s: tensor<2xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %scale = tensor.extract %s[%c1] : tensor<2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %l = math.log2 %in : f32
    %p = math.fpowi %l, %three : f32, i64
    %m = arith.mulf %p, %scale : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Acts: a residual added behind a batch of 1 keeps the rank of the product, so that it can become its epilogue.
// CHECK: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @unit_batch
// CHECK: %[[M:.*]] = linalg.matmul
// CHECK: linalg.generic {indexing_maps = [#[[ID]], {{.*}}, #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[M]], %{{.*}} : tensor<4x16xf32>, tensor<1x4x16xf32>)
func.func @unit_batch(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %x: tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %w = tensor.expand_shape %m [[0, 1], [2]] output_shape [1, 4, 16] : tensor<4x16xf32> into tensor<1x4x16xf32>
  %e1 = tensor.empty() : tensor<1x4x16xf32>
  %r = linalg.add ins(%w, %x : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%e1 : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %r : tensor<1x4x16xf32>
}

// -----

// Acts: arithmetic on whole tensors becomes linalg, which the device knows.
// CHECK-LABEL: func.func @tensor_arithmetic
// CHECK: linalg.generic
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: math.exp %[[SUM]] : f32
func.func @tensor_arithmetic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Declines: what only the host can compute does not take its neighbour along.
// CHECK-LABEL: func.func @host_neighbour
// CHECK: math.acos
// CHECK-NEXT: linalg.yield
// CHECK: arith.mulf
// CHECK-NEXT: linalg.yield
func.func @host_neighbour(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.acos %x : tensor<4xf32>
  %1 = arith.mulf %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Acts: an element at a fixed position is an input; the access to it goes.
// CHECK-LABEL: func.func @fixed_position
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @fixed_position(%x: tensor<1x1x7xf32>) -> tensor<1x1x1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<1xi64>
  %e = tensor.empty() : tensor<1x1x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%zero : tensor<1xi64>) outs(%e : tensor<1x1x1xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%c0, %c0, %i] : tensor<1x1x7xf32>
    linalg.yield %v : f32
  } -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

// -----

// Declines: an integer of 32 bits keeps its f64, which holds it exactly.
// CHECK-LABEL: func.func @integers_in_f64
// CHECK: arith.sitofp {{.*}} : i32 to f64
func.func @integers_in_f64(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %f = arith.sitofp %in : i32 to f64
    %s = math.powf %f, %f : f64
    %i = arith.fptosi %s : f64 to i32
    linalg.yield %i : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

// Acts: a hyperbolic function in exp, without a difference that cancels near zero; f16 goes through f32.
// CHECK-LABEL: func.func @hyperbolic
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: math.exp
// CHECK: math.expm1
// CHECK: arith.cmpf olt
// CHECK: arith.select
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @hyperbolic(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = math.sinh %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Declines: f64 is the host's, which has the function.
// CHECK-LABEL: func.func @hyperbolic_f64
// CHECK: math.sinh {{.*}} : f64
func.func @hyperbolic_f64(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = math.sinh %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Acts: linalg.softmax is its definition: the largest value, exponentials of the distances to it, their sum, quotients.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.softmax
// CHECK: linalg.generic
// CHECK: arith.max{{.*}}f
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: return
func.func @softmax(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %empty = tensor.empty() : tensor<3x7xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x7xf32>) outs(%empty : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
