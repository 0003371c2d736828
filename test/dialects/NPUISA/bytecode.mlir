// RUN: npu-opt %s --emit-bytecode | npu-opt | filecheck %s

// A constant keeps its contents in bytecode, in whichever form it holds them.
// CHECK: <constant, "small", 8 bytes, f32, [2], dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>>
// CHECK: <constant, "large", 8 bytes, i32, [2], dense_resource<numbers> : tensor<2xi32>>
// CHECK: <arena, "scratch", 64 bytes, u8, []>
// CHECK: numbers: "0x040000000700000009000000"
npuisa.program @constants regions [
  <constant, "small", 8 bytes, f32, [2], dense<[1.0, 2.0]> : tensor<2xf32>>,
  <constant, "large", 8 bytes, i32, [2], dense_resource<numbers> : tensor<2xi32>>,
  <arena, "scratch", 64 bytes, u8, []>
] {
  npuisa.halt
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000700000009000000"
    }
  }
#-}
