// RUN: npu-opt %s --convert-npu-to-npuisa | filecheck %s

// The largest loop that is copied, 4096 iterations: each one has a microprogram with its own index, the last one 4095. One
// iteration more is an error (npu-to-npuisa-unsupported.mlir).
// CHECK-LABEL: npuisa.program @copies
// CHECK-NOT: npuisa.loop
// CHECK: const i32 0xFFF
// CHECK-NOT: const i32 0x1000
// CHECK: npuisa.halt
npu.program @copies() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %s = npu.buffer offset(0) : memref<4xi32, #npu.space<sram>>
  scf.for %i = %c0 to %c4096 step %c1 {
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
