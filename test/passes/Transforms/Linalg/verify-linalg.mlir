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
    // expected-error @below {{expected at most 8589934592 elements in a value, but found 'tensor<8589934593x2xf32>'}}
    %0 = tensor.empty() : tensor<8589934593x2xf32>
  }
  return
}

// -----

// Declines: a size that is not known inside of a function is no fault, if the host can run it.
// CHECK-LABEL: func.func @dynamic_inside
func.func @dynamic_inside(%x: tensor<4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.extract %0[%c0] : tensor<?xf32>
  return %1 : f32
}

// -----

// expected-error @below {{expected a tensor of static shape or a scalar as argument 1 of 'dynamic', but found 'tensor<?x4xf32>'; bind dynamic dimensions before this level}}
func.func @dynamic(%x: tensor<4xf32>, %y: tensor<?x4xf32>) {
  return
}

// -----

// expected-error @below {{expected a tensor of static shape or a scalar as result 0 of 'complex', but found 'complex<f32>'}}
func.func private @complex() -> complex<f32>

// -----

// expected-error @below {{expected tensors of known rank at the linalg level, but found 'memref<4xf32>'; a module that is bufferized enters the pipeline later}}
func.func @memory(%x: memref<4xf32>) {
  return
}

// -----

func.func @memory_inside() {
  // expected-error @below {{expected tensors of known rank at the linalg level, but found 'memref<4xf32>'}}
  %0 = memref.alloc() : memref<4xf32>
  return
}
