// RUN: npu-opt %s --npu-widen-sub-bytes | filecheck %s

// Acts: a truth value takes a byte in memory, which is 0 or 1.
// CHECK-LABEL: func.func @bits(%arg0: memref<4xi8>
// CHECK: %[[BYTE:.*]] = memref.load %arg0
// CHECK: %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<4xi8>
// CHECK: %[[WIDE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK: memref.store %[[WIDE]], %[[NEW]]
// CHECK: return %[[BIT]] : i1
func.func @bits(%m: memref<4xi1>, %i: index) -> i1 {
  %0 = memref.load %m[%i] : memref<4xi1>
  %a = memref.alloc() : memref<4xi1>
  memref.store %0, %a[%i] : memref<4xi1>
  return %0 : i1
}

// Acts: other integers below a byte lose what is above their width.
// CHECK-LABEL: func.func @nibble(%arg0: memref<4xi8>
// CHECK: memref.load
// CHECK: arith.trunci {{.*}} : i8 to i4
func.func @nibble(%m: memref<4xi4>, %i: index) -> i4 {
  %0 = memref.load %m[%i] : memref<4xi4>
  return %0 : i4
}

// Declines, at the boundary: a byte is a byte.
// CHECK-LABEL: func.func @bytes(%arg0: memref<4xi8>
// CHECK-NEXT: %[[V:.*]] = memref.load
// CHECK-NEXT: return %[[V]] : i8
func.func @bytes(%m: memref<4xi8>, %i: index) -> i8 {
  %0 = memref.load %m[%i] : memref<4xi8>
  return %0 : i8
}

// Acts on constants: each element is extended by zeros.
// CHECK: memref.global "private" constant @table : memref<4xi8> = dense<[1, 0, 15, 8]>
memref.global "private" constant @table : memref<4xi4> = dense<[1, 0, 15, 8]>

// The boundary, inside: seven bits.
// CHECK-LABEL: func.func @seven(%arg0: memref<4xi8>
// CHECK: arith.trunci {{.*}} : i8 to i7
func.func @seven(%m: memref<4xi7>, %i: index) -> i7 {
  %0 = memref.load %m[%i] : memref<4xi7>
  return %0 : i7
}
