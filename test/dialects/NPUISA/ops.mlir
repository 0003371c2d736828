// RUN: npu-opt %s | npu-opt | filecheck %s
// RUN: npu-opt %s --mlir-print-op-generic | npu-opt | filecheck %s

// Every instruction of each queue, with and without semaphores.
// CHECK-LABEL: npuisa.program @instructions regions [
// CHECK-NEXT: <input, "x", 4096 bytes, f32, [32, 32]>,
// CHECK-NEXT: <constant, "table", 64 bytes, f32, [4, 4], dense<1.000000e+00> : tensor<4x4xf32>>,
// CHECK-NEXT: <constant, "ids", 8 bytes, i32, [2], dense<[3, 1]> : tensor<2xi32>>,
// CHECK-NEXT: <output, "y", 4096 bytes, f32, [32, 32]>,
// CHECK-NEXT: <arena, "arena", 4096 bytes, b8, [4096]>
// CHECK-NEXT: ] {
npuisa.program @instructions regions [
  <input, "x", 4096 bytes, f32, [32, 32]>,
  <constant, "table", 64 bytes, f32, [4, 4], dense<1.0> : tensor<4x4xf32>>,
  <constant, "ids", 8 bytes, i32, [2], dense<[3, 1]> : tensor<2xi32>>,
  <output, "y", 4096 bytes, f32, [32, 32]>,
  <arena, "arena", 4096 bytes, b8, [4096]>
] {
  // CHECK-NEXT: npuisa.micro @clamp inputs 2 {
  // CHECK-NEXT: r0 = input f32 0
  // CHECK-NEXT: r1 = input f32 1
  // CHECK-NEXT: r2 = current f32 0
  // CHECK-NEXT: r3 = const f32 0x40C00000
  // CHECK-NEXT: r4 = cmpf b8 olt r0, r3
  // CHECK-NEXT: r5 = select f32 r4, r0, r3
  // CHECK-NEXT: r6 = fma f32 r5, r1, r2
  // CHECK-NEXT: r7 = iota i32 0
  // CHECK-NEXT: r8 = cmpi b8 sge r7, r7
  // CHECK-NEXT: } outputs [r6]
  npuisa.micro @clamp inputs 2 {
    r0 = input f32 0
    r1 = input f32 1
    r2 = current f32 0
    r3 = const f32 0x40C00000
    r4 = cmpf b8 olt r0, r3
    r5 = select f32 r4, r0, r3
    r6 = fma f32 r5, r1, r2
    r7 = iota i32 0
    r8 = cmpi b8 sge r7, r7
  } outputs [r6]
  // CHECK-NEXT: npuisa.micro @copy inputs 1 {
  npuisa.micro @copy inputs 1 {
    r0 = input f32 0
  } outputs [r0]
  // CHECK: npuisa.micro @narrow inputs 2 {
  // CHECK-NEXT: r0 = input f8e4m3 0
  // CHECK-NEXT: r1 = input f8e5m2 1
  // CHECK-NEXT: r2 = extf f32 r0
  // CHECK-NEXT: r3 = extf f32 r1
  // CHECK-NEXT: r4 = addf f32 r2, r3
  // CHECK-NEXT: r5 = truncf f8e4m3 r4
  // CHECK-NEXT: } outputs [r5]
  npuisa.micro @narrow inputs 2 {
    r0 = input f8e4m3 0
    r1 = input f8e5m2 1
    r2 = extf f32 r0
    r3 = extf f32 r1
    r4 = addf f32 r2, r3
    r5 = truncf f8e4m3 r4
  } outputs [r5]
  // CHECK: npuisa.mark id = 7
  npuisa.mark id = 7
  // CHECK-NEXT: npuisa.dma_ld dst = sram[0] dst_strides = [128, 4] src = dram 0[0] src_strides = [128, 4] shape = [32, 32] element_bytes = 4 signals [0:1, 1:2]
  npuisa.dma_ld dst = sram[0] dst_strides = [128, 4] src = dram 0[0] src_strides = [128, 4] shape = [32, 32] element_bytes = 4 signals [0:1, 1:2]
  // CHECK-NEXT: npuisa.dma_fill on ld dst = dram 4[0] dst_strides = [4] shape = [16] element_bytes = 4 value = 1065353216
  npuisa.dma_fill on ld dst = dram 4[0] dst_strides = [4] shape = [16] element_bytes = 4 value = 1065353216
  // CHECK-NEXT: npuisa.dma_gather dst = sram[8192] dst_stride = 16 table = dram 1[0] table_rows = 4 table_stride = 16 row_bytes = 16 indices = dram 2[0] index_dtype = i32 count = 2
  npuisa.dma_gather dst = sram[8192] dst_stride = 16 table = dram 1[0] table_rows = 4 table_stride = 16 row_bytes = 16 indices = dram 2[0] index_dtype = i32 count = 2
  // CHECK-NEXT: npuisa.sync on mm waits [0:1]
  npuisa.sync on mm waits [0:1]
  // CHECK-NEXT: npuisa.mm_clear acc = acc[0] shape = [32, 32] strides = [128, 4]
  npuisa.mm_clear acc = acc[0] shape = [32, 32] strides = [128, 4]
  // CHECK-NEXT: npuisa.loop count(2) {
  npuisa.loop count(2) {
    // CHECK-NEXT: npuisa.loop count(3) {
    npuisa.loop count(3) {
      // CHECK-NEXT: npuisa.mm_load_w src = sram[0, 64 * l0, 128 * l1 mod 2] dtype = f32 k = 16 n = 16 k_stride = 128 n_stride = 4 zero_point = 0
      npuisa.mm_load_w src = sram[0, 64 * l0, 128 * l1 mod 2] dtype = f32 k = 16 n = 16 k_stride = 128 n_stride = 4 zero_point = 0
      // CHECK-NEXT: npuisa.mm_exec src = sram[0] dtype = f32 rows = [] row_strides = [] k = 16 k_stride = 4 zero_point = 0 acc = acc[0, -64 * l1] acc_strides = [] n = 16 waits [1:2]
      npuisa.mm_exec src = sram[0] dtype = f32 rows = [] row_strides = [] k = 16 k_stride = 4 zero_point = 0 acc = acc[0, -64 * l1] acc_strides = [] n = 16 waits [1:2]
      // CHECK-NEXT: }
    }
    // CHECK-NEXT: }
  }
  // CHECK-NEXT: npuisa.drain micro = @copy shape = [1024] operands = (acc[0] f32 [4], sram[4096] f32 [4])
  npuisa.drain micro = @copy shape = [1024] operands = (acc[0] f32 [4], sram[4096] f32 [4])
  // CHECK-NEXT: npuisa.v_exec micro = @clamp shape = [32, 32] reduction_mask = 2 operands = (sram[0] f32 [128, 4], sram[4096] f32 [0, 4], sram[8192] f32 [4, 0])
  npuisa.v_exec micro = @clamp shape = [32, 32] reduction_mask = 2 operands = (sram[0] f32 [128, 4], sram[4096] f32 [0, 4], sram[8192] f32 [4, 0])
  // CHECK-NEXT: npuisa.v_exec micro = @narrow shape = [16] reduction_mask = 0 operands = (sram[0] f8e4m3 [1], sram[64] f8e5m2 [1], sram[128] f8e4m3 [1])
  npuisa.v_exec micro = @narrow shape = [16] reduction_mask = 0 operands = (sram[0] f8e4m3 [1], sram[64] f8e5m2 [1], sram[128] f8e4m3 [1])
  // CHECK-NEXT: npuisa.mm_load_w src = sram[0] dtype = i4 k = 16 n = 16 k_stride = 16 n_stride = 1 zero_point = 8
  npuisa.mm_load_w src = sram[0] dtype = i4 k = 16 n = 16 k_stride = 16 n_stride = 1 zero_point = 8
  // CHECK-NEXT: npuisa.mm_load_w src = sram[0] dtype = u4 k = 16 n = 16 k_stride = 1 n_stride = 16 zero_point = 0
  npuisa.mm_load_w src = sram[0] dtype = u4 k = 16 n = 16 k_stride = 1 n_stride = 16 zero_point = 0
  // CHECK-NEXT: npuisa.v_gather dst = sram[8192] dst_strides = [8, 2] table = sram[0] table_strides = [0, 2] table_rows = 3 table_stride = 8 indices = sram[512] index_strides = [4, 0] index_dtype = i32 shape = [2, 4] element_bytes = 2 waits [1:1] signals [2:1]
  npuisa.v_gather dst = sram[8192] dst_strides = [8, 2] table = sram[0] table_strides = [0, 2] table_rows = 3 table_stride = 8 indices = sram[512] index_strides = [4, 0] index_dtype = i32 shape = [2, 4] element_bytes = 2 waits [1:1] signals [2:1]
  // CHECK-NEXT: npuisa.v_sort dst = sram[4096] dst_strides = [12, 4] indices = sram[8192] index_strides = [12, 4] src = sram[0] src_strides = [28, 4] dtype = f32 shape = [2, 7] k = 3 descending = 1 results = 3
  npuisa.v_sort dst = sram[4096] dst_strides = [12, 4] indices = sram[8192] index_strides = [12, 4] src = sram[0] src_strides = [28, 4] dtype = f32 shape = [2, 7] k = 3 descending = 1 results = 3
  // CHECK-NEXT: npuisa.dma_scatter table = dram 3[0] table_rows = 4 table_stride = 16 src = sram[8192] src_stride = 16 row_bytes = 16 indices = dram 2[0] index_dtype = i64 count = 1
  npuisa.dma_scatter table = dram 3[0] table_rows = 4 table_stride = 16 src = sram[8192] src_stride = 16 row_bytes = 16 indices = dram 2[0] index_dtype = i64 count = 1
  // CHECK-NEXT: npuisa.dma_cp on st dst = sram[0] dst_strides = [4] src = sram[4096] src_strides = [4] shape = [8] element_bytes = 4
  npuisa.dma_cp on st dst = sram[0] dst_strides = [4] src = sram[4096] src_strides = [4] shape = [8] element_bytes = 4
  // CHECK-NEXT: npuisa.dma_st dst = dram 3[0] dst_strides = [] src = sram[0] src_strides = [] shape = [] element_bytes = 4
  npuisa.dma_st dst = dram 3[0] dst_strides = [] src = sram[0] src_strides = [] shape = [] element_bytes = 4
  // CHECK-NEXT: npuisa.fence
  npuisa.fence
  // CHECK-NEXT: npuisa.halt
  npuisa.halt
}

// Before semaphores are assigned: tokens between instructions, and tokens that a loop carries.
// CHECK-LABEL: npuisa.program @tokens
npuisa.program @tokens regions [] {
  // CHECK: %[[READY:.*]] = npuisa.ready
  %ready = npuisa.ready
  // CHECK-NEXT: %[[LOOP:.*]]:2 = npuisa.loop count(4) carries(%[[A:.*]] = %[[READY]], %[[B:.*]] = %[[READY]]) {
  %loop:2 = npuisa.loop count(4) carries(%a = %ready, %b = %ready) {
    // CHECK-NEXT: %[[T:.*]] = npuisa.sync on ld after(%[[A]]) -> !npuisa.token
    %t = npuisa.sync on ld after(%a) -> !npuisa.token
    // CHECK-NEXT: npuisa.yield %[[B]], %[[T]]
    npuisa.yield %b, %t
  }
  // CHECK: npuisa.sync on ve after(%[[LOOP]]#0, %[[LOOP]]#1)
  npuisa.sync on ve after(%loop#0, %loop#1)
  npuisa.halt
}

// Attributes by themselves.
// CHECK: module attributes
// CHECK-SAME: a = #npuisa.address<dram 2[128, 4096 * l0, 64 * l1 mod 2]>
// CHECK-SAME: o = #npuisa.operand<sram[0] i8 [1]>
// CHECK-SAME: s = #npuisa.sync<3, 1>
// CHECK-SAME: t = #npuisa.term<0, 4096, 2>
module attributes {test.a = #npuisa.address<dram 2[128, 4096 * l0, 64 * l1 mod 2]>, test.o = #npuisa.operand<sram[0] i8 [1]>,
  test.s = #npuisa.sync<3, 1>, test.t = #npuisa.term<0, 4096, 2>} {}
