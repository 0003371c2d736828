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

// An address of eight terms, the most that it holds. Nine are an error.
#eight = affine_map<(i) -> (i mod 2 + i mod 3 + i mod 5 + i mod 7 + i mod 11 + i mod 13 + i mod 17 + i mod 19)>
// CHECK-LABEL: npuisa.program @eight_terms
// CHECK: npuisa.loop count(64)
// CHECK: src = dram 0[0, 4 * l0 mod 2, 4 * l0 mod 3, 4 * l0 mod 5, 4 * l0 mod 7, 4 * l0 mod 11, 4 * l0 mod 13, 4 * l0 mod 17, 4 * l0 mod 19]
npu.program @eight_terms(%x: memref<1024xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c64 step %c1 {
    %j = affine.apply #eight(%i)
    %v = memref.subview %x[%j] [8] [1] : memref<1024xf32> to memref<8xf32, strided<[1], offset: ?>>
    %t = npu.task queue(ld) {
      npu.load ins(%v : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
  }
  npu.return
}
