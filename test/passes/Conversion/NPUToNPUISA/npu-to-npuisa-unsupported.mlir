// RUN: npu-opt %s --split-input-file --convert-npu-to-npuisa --verify-diagnostics

// What the dialect can say and no instruction can do: types, layouts, bodies and loops that the hardware does not have.

// expected-error @below {{expected arguments with elements of a type that the hardware has, but argument 0 is 'memref<8xf64>'}}
npu.program @argument_type(%x: memref<8xf64> {npu.role = "input"}) {
  npu.return
}

// -----

npu.program @element_type() {
  // expected-error @below {{expected elements of a type that the hardware has, but found 'f64'}}
  %a = npu.buffer offset(0) : memref<8xf64, #npu.space<sram>>
  // expected-error @below {{expected elements of a type that the hardware has, but found 'f64'}}
  %b = npu.buffer offset(64) : memref<8xf64, #npu.space<sram>>
  %t = npu.task queue(ld) {
    npu.copy ins(%a : memref<8xf64, #npu.space<sram>>) outs(%b : memref<8xf64, #npu.space<sram>>)
  }
  npu.return
}

// -----

npu.program @dynamic_stride(%x: memref<64xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{expected a memref with static strides, but found 'memref<8xf32, strided<[?]>>'}}
    %v = memref.subview %x[0] [8] [%i] : memref<64xf32> to memref<8xf32, strided<[?]>>
    %t = npu.task queue(ld) {
      npu.load ins(%v : memref<8xf32, strided<[?]>>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
  }
  npu.return
}

// -----

npu.program @host_buffer() {
  // expected-error @below {{expected a buffer in device memory, but found 'memref<8xf32, #npu.space<host>>'}}
  %a = npu.buffer offset(0) : memref<8xf32, #npu.space<host>>
  %t = npu.task queue(ve) {
    npu.generic outs(%a : memref<8xf32, #npu.space<host>>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%e: f32):
      npu.yield %e : f32
    }
  }
  npu.return
}

// -----

// An address is one of a buffer that is known: no choice between two.
npu.program @not_a_view(%x: memref<8xf32> {npu.role = "input"}) {
  %true = arith.constant true
  %a = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  %b = npu.buffer offset(32) : memref<8xf32, #npu.space<sram>>
  // expected-error @below {{expected a view of a buffer or of a program argument, but found 'arith.select'}}
  %s = arith.select %true, %a, %b : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(ld) {
    npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
  }
  npu.return
}

// -----

// One loop can be nine terms, as many as there are ways to walk in circles; an address has eight.
#nine = affine_map<(i) -> (i + i mod 2 + i mod 3 + i mod 5 + i mod 7 + i mod 11 + i mod 13 + i mod 17 + i mod 19)>
npu.program @nine_terms(%x: memref<1024xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c64 step %c1 {
    %j = affine.apply #nine(%i)
    // expected-error @below {{expected an address of at most 8 loop counters, but found 9}}
    %v = memref.subview %x[%j] [8] [1] : memref<1024xf32> to memref<8xf32, strided<[1], offset: ?>>
    %t = npu.task queue(ld) {
      npu.load ins(%v : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
  }
  npu.return
}

// -----

// A triangle: the count of the inner loop is a number of the instruction.
npu.program @triangle() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{expected a loop with constant bounds and a positive constant step}}
    scf.for %j = %c0 to %i step %c1 {
    }
  }
  npu.return
}

// -----

// A loop that a microprogram reads becomes one copy of its body for each iteration: 4096 of them, but not 4097.
npu.program @copies() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4097 = arith.constant 4097 : index
  %s = npu.buffer offset(0) : memref<4xi32, #npu.space<sram>>
  // expected-error @below {{expected at most 4096 iterations in a loop that is copied, because a microprogram reads its index, but found 4097}}
  scf.for %i = %c0 to %c4097 step %c1 {
    %t = npu.task queue(ve) {
      npu.generic outs(%s : memref<4xi32, #npu.space<sram>>)
        attributes {extents = array<i64: 4>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%unused: i32):
        %0 = npu.index 0 offset(%i) : i32
        npu.yield %0 : i32
      }
    }
  }
  npu.return
}

// -----

// Truth values have no sum.
npu.program @body_fault() {
  %s = npu.buffer offset(0) : memref<8xi1, #npu.space<sram>>
  %t = npu.task queue(ve) {
    // expected-error @below {{the body has no microprogram: }}
    npu.generic outs(%s : memref<8xi1, #npu.space<sram>>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: i1):
      %0 = arith.addi %a, %a : i1
      npu.yield %0 : i1
    }
  }
  npu.return
}

// -----

npu.program @body_type() {
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(ve) {
    npu.generic outs(%s : memref<8xf32, #npu.space<sram>>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32):
      // expected-error @below {{expected values of a type that the vector engine has, but found 'f64'}}
      %0 = arith.extf %a : f32 to f64
      %1 = arith.truncf %0 : f64 to f32
      npu.yield %1 : f32
    }
  }
  npu.return
}

// -----

npu.program @body_outside() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = npu.buffer offset(0) : memref<8xi32, #npu.space<sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    %j = arith.index_cast %i : index to i32
    %t = npu.task queue(ve) {
      npu.generic outs(%s : memref<8xi32, #npu.space<sram>>)
        attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%a: i32):
        // expected-error @below {{expected values from inside of the body or constants, but found one from outside}}
        %0 = arith.addi %a, %j : i32
        npu.yield %0 : i32
      }
    }
  }
  npu.return
}

// -----

// The gather moves whole rows: every second element of a row is none.
npu.program @gather_rows(%x: memref<16x8xf32> {npu.role = "input"}, %n: memref<4xi32> {npu.role = "input"}) {
  %s = npu.buffer offset(0) : memref<4x4xf32, #npu.space<sram>>
  %m = npu.buffer offset(64) : memref<4xi32, #npu.space<sram>>
  %v = memref.subview %x[0, 0] [16, 4] [1, 2] : memref<16x8xf32> to memref<16x4xf32, strided<[8, 2]>>
  %t = npu.task queue(ld) {
    // expected-error @below {{expected contiguous rows and indices, but found table 'memref<16x4xf32, strided<[8, 2]>>', indices 'memref<4xi32, #npu.space<sram>>' and destination 'memref<4x4xf32, #npu.space<sram>>'}}
    npu.gather ins(%v, %m : memref<16x4xf32, strided<[8, 2]>>, memref<4xi32, #npu.space<sram>>) outs(%s : memref<4x4xf32, #npu.space<sram>>)
  }
  npu.return
}

// -----

npu.program @epilogue() {
  %x = npu.buffer offset(0) : memref<8x8xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<8x8xf32, #npu.space<acc>>
  %t = npu.task queue(mm) {
    // expected-error @below {{expected the epilogue in a drain of its own, made by 'npu-form-kernels'}}
    npu.matmul ins(%x, %x : memref<8x8xf32, #npu.space<sram>>, memref<8x8xf32, #npu.space<sram>>) outs(%acc : memref<8x8xf32, #npu.space<acc>>) epilogue() {
    ^bb0(%sum: f32):
      %0 = math.absf %sum : f32
      npu.yield %0 : f32
    }
  }
  npu.return
}

// -----

npu.program @sums_apart() {
  %x = npu.buffer offset(0) : memref<8x8xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<8x16xf32, #npu.space<acc>>
  %v = memref.subview %acc[0, 0] [8, 8] [1, 2] : memref<8x16xf32, #npu.space<acc>> to memref<8x8xf32, strided<[16, 2]>, #npu.space<acc>>
  %t = npu.task queue(mm) {
    // expected-error @below {{expected the sums of a row to be contiguous in the accumulator, but found 'memref<8x8xf32, strided<[16, 2]>, #npu.space<acc>>'}}
    npu.matmul ins(%x, %x : memref<8x8xf32, #npu.space<sram>>, memref<8x8xf32, #npu.space<sram>>) outs(%v : memref<8x8xf32, strided<[16, 2]>, #npu.space<acc>>)
  }
  npu.return
}

// -----

npu.program @drain_reduces() {
  %acc = npu.buffer offset(0) : memref<8x8xf32, #npu.space<acc>>
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(dr) {
    // expected-error @below {{expected only parallel dimensions in a drain, but dimension 1 is a reduction}}
    npu.generic ins(%acc : memref<8x8xf32, #npu.space<acc>>) outs(%s : memref<8xf32, #npu.space<sram>>)
      attributes {extents = array<i64: 8, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %sum: f32):
      %0 = arith.addf %sum, %a : f32
      npu.yield %0 : f32
    }
  }
  npu.return
}
