// RUN: npu-opt %s --npu-verify-linalg --split-input-file --verify-diagnostics | filecheck %s

// Declines: nothing is wrong here, and nothing changes.
// CHECK-LABEL: func.func @small(%arg0: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: return %arg0
func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// The boundary: 2^33 elements are allowed.
// CHECK-LABEL: func.func @largest
func.func @largest() -> tensor<65536x131072xi8> {
  %0 = tensor.empty() : tensor<65536x131072xi8>
  return %0 : tensor<65536x131072xi8>
}

// -----

func.func @one_too_many() {
  // expected-error @below {{expected at most 8589934592 elements in a value, but found 'tensor<8589934593xi8>'}}
  %0 = tensor.empty() : tensor<8589934593xi8>
  return
}

// -----

// expected-error @below {{expected at most 8589934592 elements in a value, but found 'tensor<4611686018427387904x3xf32>'}}
func.func @overflow(%x: tensor<4611686018427387904x3xf32>) {
  return
}

// -----

func.func @inside_of_a_region(%n: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %n {
    // expected-error @below {{expected at most 8589934592 elements in a value, but found 'memref<8589934593x2xf32>'}}
    %0 = memref.alloc() : memref<8589934593x2xf32>
  }
  return
}
