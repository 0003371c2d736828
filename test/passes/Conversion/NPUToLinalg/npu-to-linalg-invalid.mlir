// RUN: npu-opt %s --split-input-file --convert-npu-to-linalg --verify-diagnostics

// Sums are continued in their own type: a narrower init has lost their digits.
func.func @narrow_init(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf16>) -> tensor<4x16xf16> {
  // expected-error @below {{an accumulation with an epilogue needs an init of the accumulator type 'f32', but found 'f16'}}
  %r = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf16>) {accumulate} epilogue() {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f16
    npu.yield %0 : f16
  } -> tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}

// -----

// Without `accumulate` nobody reads the init, which then is of any type.
func.func @unread_init(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %r = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf16>) epilogue() {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f16
    npu.yield %0 : f16
  } -> tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}
