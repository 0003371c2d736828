// RUN: npu-opt %s --npu-outline-programs | filecheck %s

// Program arguments have the names of the model: inputs and outputs those of the function, constants the name of their
// location, and what goes from program to program that of the node that made it, on both sides.
// CHECK: npu.program @main_0({{.*}} {npu.name = "image", npu.role = "input"}, {{.*}} {npu.name = "/pool/relu", npu.role = "output"}, {{.*}} {npu.name = "fc.weight", npu.role = "constant", npu.value
// CHECK: npu.program @main_1({{.*}} {npu.name = "/pool/relu", npu.role = "input"}, {{.*}}memref<8xf32> {npu.role = "input"}, {{.*}} {npu.name = "logits", npu.role = "output"})
func.func @main(%x: tensor<8xf32> {npu.name = "image"}) -> (tensor<2x4xf32> {npu.name = "logits"}) {
  %w = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32> loc("fc.weight")
  %0 = npu.kernel "a" ins(%x, %w : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %1 = npu.copy ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    npu.yield %1 : tensor<8xf32>
  } -> tensor<8xf32> loc(fused["/pool/max", "/pool/relu"])
  %2 = npu.host_region reason("no such function") {
    %3 = math.cbrt %0 : tensor<8xf32>
    npu.yield %3 : tensor<8xf32>
  } -> tensor<8xf32>
  %4 = npu.kernel "b" ins(%0, %2 : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %5 = npu.copy ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    npu.yield %5 : tensor<8xf32>
  } -> tensor<8xf32> loc("/head/add")
  %6 = tensor.expand_shape %4 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %6 : tensor<2x4xf32>
}
