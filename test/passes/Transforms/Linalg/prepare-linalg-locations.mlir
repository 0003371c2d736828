// RUN: npu-opt %s --npu-prepare-linalg --mlir-print-debuginfo --mlir-print-local-scope | filecheck %s

// What is fused keeps the names of all its sources.
// CHECK-LABEL: func.func @names
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.negf
// CHECK: } -> tensor<4xf32> loc(fused["first", "second"])
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32> loc("first")
  %1 = arith.negf %0 : tensor<4xf32> loc("second")
  return %1 : tensor<4xf32>
}
