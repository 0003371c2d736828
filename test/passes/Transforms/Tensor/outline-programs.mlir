// RUN: npu-opt %s --npu-outline-programs --split-input-file | filecheck %s

// A run of device work becomes a program and a launch. Inputs, outputs and constants are arguments; kernels are dissolved.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[OUT:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = npu.launch @main_0 ins(%[[X]] : tensor<8xf32>) outs(%[[OUT]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %[[R]]
// CHECK: npu.program @main_0(%[[MX:.*]]: memref<8xf32> {npu.role = "input"}, %[[MR:.*]]: memref<8xf32> {npu.role = "output"}, %[[MC:.*]]: memref<8xf32> {npu.role = "constant", npu.value = dense<1.000000e+00> : tensor<8xf32>}) {
// CHECK-DAG: %[[TX:.*]] = bufferization.to_tensor %[[MX]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK-DAG: %[[TC:.*]] = bufferization.to_tensor %[[MC]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: npu.load ins(%[[TX]] : tensor<8xf32>)
// CHECK: npu.load ins(%[[TC]] : tensor<8xf32>)
// CHECK: %[[STORED:.*]] = npu.store
// CHECK: bufferization.materialize_in_destination %[[STORED]] in restrict writable %[[MR]]
// CHECK: npu.return
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %0 = npu.kernel "add" ins(%x, %c : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = tensor.empty() : tensor<8xf32, #npu.space<sram>>
    %1 = npu.load ins(%a : tensor<8xf32>) outs(%s : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
    %2 = npu.load ins(%b : tensor<8xf32>) outs(%s : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
    %3 = npu.generic ins(%1 : tensor<8xf32, #npu.space<sram>>) outs(%2 : tensor<8xf32, #npu.space<sram>>)
        attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%p: f32, %q: f32):
        %4 = arith.addf %p, %q : f32
        npu.yield %4 : f32
      } -> tensor<8xf32, #npu.space<sram>>
    %d = tensor.empty() : tensor<8xf32>
    %5 = npu.store ins(%3 : tensor<8xf32, #npu.space<sram>>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    npu.yield %5 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Work of the host splits device work into two programs. Reshapes of inputs go into the program, those of results stay
// on the host; a value that both need is an output. A result that is an input stays one.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[FIRST:.*]] = npu.launch @split_0 ins(%[[X]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK: %[[HOST:.*]] = npu.host_region
// CHECK-NEXT: npu.yield %[[FIRST]]
// CHECK: %[[SECOND:.*]] = npu.launch @split_1 ins(%[[HOST]] : tensor<8x4xf32>) outs(%{{.*}} : tensor<32xf32>)
// CHECK: %[[VIEW:.*]] = tensor.expand_shape %[[SECOND]]
// CHECK: return %[[VIEW]], %[[FIRST]], %[[X]]
// CHECK: npu.program @split_0
// CHECK: npu.transpose
// CHECK: npu.program @split_1
// CHECK: tensor.collapse_shape
// CHECK: npu.copy
// CHECK-NOT: tensor.expand_shape
func.func @split(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = tensor.empty() : tensor<8x4xf32>
  %1 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%0 : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %2 = npu.host_region reason("test") {
    npu.yield %1 : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
  %4 = tensor.empty() : tensor<32xf32>
  %5 = npu.copy ins(%3 : tensor<32xf32>) outs(%4 : tensor<32xf32>) -> tensor<32xf32>
  %6 = tensor.expand_shape %5 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  return %6, %1, %x : tensor<2x16xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// -----

// Without device work there is no program: views, constants and host regions stay. Device work that nobody uses goes.
// CHECK-LABEL: func.func @declines
// CHECK-NOT: npu.launch
// CHECK-NOT: npu.transpose
// CHECK: tensor.collapse_shape
// CHECK: npu.host_region
// CHECK-NOT: npu.program
func.func @declines(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<8xf32>) {
  %0 = tensor.empty() : tensor<8x4xf32>
  %1 = npu.transpose ins(%x : tensor<4x8xf32>) outs(%0 : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %2 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %3 = npu.host_region reason("test") {
    npu.yield %2 : tensor<32xf32>
  } -> tensor<32xf32>
  return %3, %c : tensor<32xf32>, tensor<8xf32>
}

// -----

// A name that is taken gets another.
// CHECK-LABEL: func.func @f(
// CHECK: npu.launch @f_0_0
// CHECK: npu.program @f_0_0
// CHECK: func.func @f_0
func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = npu.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @f_0() {
  return
}
