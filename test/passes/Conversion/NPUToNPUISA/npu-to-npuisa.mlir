// RUN: npu-opt %s --split-input-file --convert-npu-to-npuisa | filecheck %s

// A tiled matmul with rings: the loop's counter and the ring's slots become address terms; the matmul becomes loops over
// blocks of the array (32 x 32), whose token is that of a sync behind them.
// CHECK-LABEL: npuisa.program @matmul regions [
// CHECK-NEXT: <input, "arg0", 32768 bytes, f32, [128, 64]>,
// CHECK-NEXT: <constant, "arg1", 24576 bytes, f32, [64, 96], dense<5.000000e-01> : tensor<64x96xf32>>,
// CHECK-NEXT: <output, "arg2", 49152 bytes, f32, [128, 96]>
// CHECK-NEXT: ] {
// CHECK: npuisa.micro @maximumf inputs 1 {
// CHECK: %[[W:.*]] = npuisa.dma_ld dst = sram[16384] dst_strides = [4] src = dram 1[0] src_strides = [4] shape = [6144] element_bytes = 4 -> !npuisa.token
// CHECK-NEXT: npuisa.sync on mm after(%[[W]])
// CHECK-NEXT: %[[R:.*]] = npuisa.ready
// CHECK-NEXT: npuisa.loop count(4) carries(%[[A0:.*]] = %[[R]], %[[A1:.*]] = %[[R]]) {
// CHECK-NEXT: %[[L:.*]] = npuisa.dma_ld dst = sram[0, 8192 * l0 mod 2] dst_strides = [4] src = dram 0[0, 8192 * l0] src_strides = [4] shape = [2048] element_bytes = 4 after(%[[A0]]) -> !npuisa.token
// CHECK-NEXT: npuisa.mm_clear acc = acc[0] shape = [3072] strides = [4] after(%[[L]])
// CHECK-NEXT: npuisa.loop count(3) {
// CHECK-NEXT: npuisa.loop count(2) {
// CHECK-NEXT: npuisa.mm_load_w src = sram[16384, 128 * l1, 12288 * l2] dtype = f32 k = 32 n = 32 k_stride = 384 n_stride = 4 zero_point = 0
// CHECK-NEXT: npuisa.mm_exec src = sram[0, 8192 * l0 mod 2, 128 * l2] dtype = f32 rows = [32] row_strides = [256] k = 32 k_stride = 4 zero_point = 0 acc = acc[0, 128 * l1] acc_strides = [384] n = 32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %[[M:.*]] = npuisa.sync on mm -> !npuisa.token
// CHECK-NEXT: %[[D:.*]] = npuisa.drain micro = @maximumf shape = [3072] operands = (acc[0] f32 [4], sram[40960] f32 [4]) after(%[[M]]) -> !npuisa.token
// CHECK-NEXT: npuisa.dma_st dst = dram 2[0, 12288 * l0] dst_strides = [4] src = sram[40960] src_strides = [4] shape = [3072] element_bytes = 4 after(%[[D]])
// CHECK-NEXT: npuisa.yield %[[A1]], %[[M]]
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.halt
npu.program @matmul(%a: memref<128x64xf32> {npu.role = "input"},
    %b: memref<64x96xf32> {npu.role = "constant", npu.value = dense<0.5> : tensor<64x96xf32>},
    %c: memref<128x96xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %ra = npu.ring offset(0) : memref<2x32x64xf32, #npu.space<sram>>
  %wb = npu.buffer offset(16384) : memref<64x96xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<32x96xf32, #npu.space<acc>>
  %rc = npu.buffer offset(40960) : memref<32x96xf32, #npu.space<sram>>
  %tw = npu.task queue(ld) {
    npu.load ins(%b : memref<64x96xf32>) outs(%wb : memref<64x96xf32, #npu.space<sram>>)
  }
  npu.wait queue(mm) on(%tw)
  %r = npu.ready
  %o:2 = scf.for %i = %c0 to %c128 step %c32 iter_args(%a0 = %r, %a1 = %r) -> (!npu.token, !npu.token) {
    %as = npu.ring_slot %ra[%i step 32] : memref<2x32x64xf32, #npu.space<sram>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #npu.space<sram>>
    %av = memref.subview %a[%i, 0] [32, 64] [1, 1] : memref<128x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %cv = memref.subview %c[%i, 0] [32, 96] [1, 1] : memref<128x96xf32> to memref<32x96xf32, strided<[96, 1], offset: ?>>
    %t0 = npu.task queue(ld) waits(%a0) {
      npu.load ins(%av : memref<32x64xf32, strided<[64, 1], offset: ?>>) outs(%as : memref<32x64xf32, strided<[64, 1], offset: ?>, #npu.space<sram>>)
    }
    %t1 = npu.task queue(mm) waits(%t0) {
      npu.matmul ins(%as, %wb : memref<32x64xf32, strided<[64, 1], offset: ?>, #npu.space<sram>>, memref<64x96xf32, #npu.space<sram>>) outs(%acc : memref<32x96xf32, #npu.space<acc>>)
    }
    %t2 = npu.task queue(dr) waits(%t1) {
      npu.generic ins(%acc : memref<32x96xf32, #npu.space<acc>>) outs(%rc : memref<32x96xf32, #npu.space<sram>>)
        attributes {extents = array<i64: 32, 96>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
      ^bb0(%x: f32, %u: f32):
        %z = arith.constant 0.0 : f32
        %y = arith.maximumf %x, %z : f32
        npu.yield %y : f32
      }
    }
    %t3 = npu.task queue(st) waits(%t2) {
      npu.store ins(%rc : memref<32x96xf32, #npu.space<sram>>) outs(%cv : memref<32x96xf32, strided<[96, 1], offset: ?>>)
    }
    scf.yield %a1, %t1 : !npu.token, !npu.token
  }
  npu.return
}

// -----

// Extents that the array does not divide leave remainders behind the loops: 40 columns are 32 and 8, 70 rows of weights
// are 2 * 32 and 6.
// CHECK-LABEL: npuisa.program @remainders
// CHECK: npuisa.mm_clear acc = acc[0] shape = [200] strides = [4]
// CHECK-NEXT: npuisa.loop count(2) {
// CHECK-NEXT: npuisa.mm_load_w src = sram[0, 5120 * l0] dtype = f32 k = 32 n = 32
// CHECK-NEXT: npuisa.mm_exec src = sram[16384, 128 * l0] dtype = f32 rows = [5] row_strides = [280] k = 32 k_stride = 4 zero_point = 0 acc = acc[0] acc_strides = [160] n = 32
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.mm_load_w src = sram[10240] dtype = f32 k = 6 n = 32
// CHECK-NEXT: npuisa.mm_exec src = sram[16640]
// CHECK-NEXT: npuisa.loop count(2) {
// CHECK-NEXT: npuisa.mm_load_w src = sram[128, 5120 * l0] dtype = f32 k = 32 n = 8
// CHECK-NEXT: npuisa.mm_exec src = sram[16384, 128 * l0] {{.*}} acc = acc[128] acc_strides = [160] n = 8
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.mm_load_w src = sram[10368] dtype = f32 k = 6 n = 8
// CHECK-NEXT: npuisa.mm_exec src = sram[16640]
// CHECK-NEXT: npuisa.halt
npu.program @remainders() {
  %w = npu.buffer offset(0) : memref<70x40xf32, #npu.space<sram>>
  %x = npu.buffer offset(16384) : memref<5x70xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<5x40xf32, #npu.space<acc>>
  %t = npu.task queue(mm) {
    npu.matmul ins(%x, %w : memref<5x70xf32, #npu.space<sram>>, memref<70x40xf32, #npu.space<sram>>) outs(%acc : memref<5x40xf32, #npu.space<acc>>)
  }
  npu.return
}

// -----

// A convolution streams rows of output pixels with the input's strides; three columns and three channels of the kernel
// are one block of nine, the kernel's rows a loop. With `accumulate` nothing is cleared; a wait in front of a loop is a
// sync.
// CHECK-LABEL: npuisa.program @conv2d
// CHECK: %[[T:.*]] = npuisa.sync on ld -> !npuisa.token
// CHECK-NEXT: npuisa.sync on mm after(%[[T]])
// CHECK-NEXT: npuisa.loop count(3) {
// CHECK-NEXT: npuisa.mm_load_w src = sram[8192, 288 * l0] dtype = f32 k = 9 n = 8 k_stride = 32 n_stride = 4
// CHECK-NEXT: npuisa.mm_exec src = sram[0, 120 * l0] dtype = f32 rows = [2, 4, 4] row_strides = [1200, 240, 24] k = 9 k_stride = 4 zero_point = 0 acc = acc[0] acc_strides = [512, 128, 32] n = 8
// CHECK-NEXT: }
// CHECK-NEXT: npuisa.halt
npu.program @conv2d() {
  %x = npu.buffer offset(0) : memref<2x10x10x3xf32, #npu.space<sram>>
  %w = npu.buffer offset(8192) : memref<3x3x3x8xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<2x4x4x8xf32, #npu.space<acc>>
  %e0 = npu.buffer offset(0) : memref<0x4xf32, #npu.space<sram>>
  %e1 = npu.buffer offset(0) : memref<0x4xf32>
  // A task without elements emits nothing but what its token needs.
  %t = npu.task queue(ld) {
    npu.load ins(%e1 : memref<0x4xf32>) outs(%e0 : memref<0x4xf32, #npu.space<sram>>)
  }
  %u = npu.task queue(mm) waits(%t) {
    npu.conv2d ins(%x, %w : memref<2x10x10x3xf32, #npu.space<sram>>, memref<3x3x3x8xf32, #npu.space<sram>>) outs(%acc : memref<2x4x4x8xf32, #npu.space<acc>>)
      {accumulate, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>}
  }
  npu.return
}

// -----

// Integers: signedness chooses the element type, zero points go into the instructions.
// CHECK-LABEL: npuisa.program @integers
// CHECK: npuisa.mm_load_w src = sram[1024] dtype = i8 k = 8 n = 4 k_stride = 4 n_stride = 1 zero_point = -5
// CHECK-NEXT: npuisa.mm_exec src = sram[0] dtype = u8 rows = [4] row_strides = [8] k = 8 k_stride = 1 zero_point = 3
npu.program @integers() {
  %x = npu.buffer offset(0) : memref<4x8xi8, #npu.space<sram>>
  %w = npu.buffer offset(1024) : memref<8x4xi8, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<4x4xi32, #npu.space<acc>>
  %t = npu.task queue(mm) {
    npu.matmul ins(%x, %w : memref<4x8xi8, #npu.space<sram>>, memref<8x4xi8, #npu.space<sram>>) outs(%acc : memref<4x4xi32, #npu.space<acc>>)
      {lhs_unsigned, lhs_zero_point = 3 : i32, rhs_zero_point = -5 : i32}
  }
  npu.return
}

// -----

// Data ops on DRAM buffers, which lie in the arena: a small pad fills everything and copies the inside, a transpose is a
// copy with permuted strides, a gather one instruction.
// CHECK-LABEL: npuisa.program @data regions [
// CHECK-NEXT: <arena, "arena", 2304 bytes, b8, [2304]>
// CHECK: npuisa.dma_fill on ld dst = dram 0[256] dst_strides = [4] shape = [100] element_bytes = 4 value = 1065353216
// CHECK-NEXT: npuisa.dma_cp on ld dst = dram 0[300] dst_strides = [40, 4] src = dram 0[0] src_strides = [32, 4] shape = [8, 8] element_bytes = 4
// CHECK-NEXT: npuisa.dma_cp on st dst = dram 0[1024] dst_strides = [32, 4] src = dram 0[0] src_strides = [4, 32] shape = [8, 8] element_bytes = 4
// CHECK-NEXT: npuisa.dma_gather dst = dram 0[2048] dst_stride = 32 table = dram 0[0] table_rows = 8 table_stride = 32 row_bytes = 32 indices = dram 0[1536] index_dtype = i32 count = 8
npu.program @data() {
  %x = npu.buffer offset(0) : memref<8x8xf32>
  %p = npu.buffer offset(256) : memref<10x10xf32>
  %y = npu.buffer offset(1024) : memref<8x8xf32>
  %i = npu.buffer offset(1536) : memref<8xi32>
  %g = npu.buffer offset(2048) : memref<8x8xf32>
  %t0 = npu.task queue(ld) {
    npu.pad ins(%x : memref<8x8xf32>) outs(%p : memref<10x10xf32>) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 1.0 : f32}
  }
  %t1 = npu.task queue(st) {
    npu.transpose ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {permutation = array<i64: 1, 0>}
  }
  %t2 = npu.task queue(ld) {
    npu.gather ins(%x, %i : memref<8x8xf32>, memref<8xi32>) outs(%g : memref<8x8xf32>)
  }
  npu.return
}

// -----

// The border of a large pad is filled in slabs, so that the inside is written once.
// CHECK-LABEL: npuisa.program @large_pad
// CHECK: npuisa.dma_fill on ld dst = dram 0[4194304] dst_strides = [4] shape = [1026]
// CHECK-NEXT: npuisa.dma_fill on ld dst = dram 0[8400904] dst_strides = [4] shape = [1026]
// CHECK-NEXT: npuisa.dma_fill on ld dst = dram 0[4198408] dst_strides = [4104] shape = [1024]
// CHECK-NEXT: npuisa.dma_fill on ld dst = dram 0[4202508] dst_strides = [4104] shape = [1024]
// CHECK-NEXT: npuisa.dma_cp on ld dst = dram 0[4198412] dst_strides = [4104, 4] src = dram 0[0] src_strides = [4096, 4] shape = [1024, 1024]
npu.program @large_pad() {
  %x = npu.buffer offset(0) : memref<1024x1024xf32>
  %p = npu.buffer offset(4194304) : memref<1026x1026xf32>
  %t0 = npu.task queue(ld) {
    npu.pad ins(%x : memref<1024x1024xf32>) outs(%p : memref<1026x1026xf32>) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f32}
  }
  npu.return
}

// -----

// A reduction reads its output; the broadcast input has stride 0; unused inputs are no operands.
// CHECK-LABEL: npuisa.program @reduction
// CHECK: npuisa.micro @mulf_addf inputs 2 {
// CHECK-NEXT: r0 = input f32 0
// CHECK-NEXT: r1 = input f32 1
// CHECK-NEXT: r2 = mulf f32 r0, r1
// CHECK-NEXT: r3 = current f32 0
// CHECK-NEXT: r4 = addf f32 r3, r2
// CHECK-NEXT: } outputs [r4]
// CHECK-NEXT: npuisa.v_exec micro = @mulf_addf shape = [4, 8] reduction_mask = 2 operands = (sram[0] f32 [32, 4], sram[1024] f32 [0, 4], sram[2048] f32 [4, 0])
npu.program @reduction() {
  %x = npu.buffer offset(0) : memref<4x8xf32, #npu.space<sram>>
  %b = npu.buffer offset(1024) : memref<8xf32, #npu.space<sram>>
  %o = npu.buffer offset(2048) : memref<4xf32, #npu.space<sram>>
  %t = npu.task queue(ve) {
    npu.generic ins(%x, %x, %b : memref<4x8xf32, #npu.space<sram>>, memref<4x8xf32, #npu.space<sram>>, memref<8xf32, #npu.space<sram>>) outs(%o : memref<4xf32, #npu.space<sram>>)
      attributes {extents = array<i64: 4, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} {
    ^bb0(%a: f32, %unused: f32, %c: f32, %sum: f32):
      %0 = arith.mulf %a, %c : f32
      %1 = arith.addf %sum, %0 : f32
      npu.yield %1 : f32
    }
  }
  npu.return
}

// -----

// A depthwise convolution: the window's dimensions are reductions.
// CHECK-LABEL: npuisa.program @depthwise
// CHECK: npuisa.micro @fma inputs 2 {
// CHECK: npuisa.v_exec micro = @fma shape = [8, 8, 8, 3, 3] reduction_mask = 24 operands = (sram[0] f32 [320, 32, 4, 320, 32], sram[4096] f32 [0, 0, 4, 96, 32], sram[8192] f32 [256, 32, 4, 0, 0])
npu.program @depthwise() {
  %x = npu.buffer offset(0) : memref<1x10x10x8xf32, #npu.space<sram>>
  %w = npu.buffer offset(4096) : memref<3x3x8xf32, #npu.space<sram>>
  %o = npu.buffer offset(8192) : memref<1x8x8x8xf32, #npu.space<sram>>
  %t = npu.task queue(ve) {
    npu.depthwise_conv2d ins(%x, %w : memref<1x10x10x8xf32, #npu.space<sram>>, memref<3x3x8xf32, #npu.space<sram>>) outs(%o : memref<1x8x8x8xf32, #npu.space<sram>>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  }
  npu.return
}

// -----

// A loop whose index a microprogram reads is copied; the ring's slot and the offset are constants in each copy.
// CHECK-LABEL: npuisa.program @index
// CHECK: npuisa.micro @trunci inputs 0 {
// CHECK-NEXT: r0 = iota i32 0
// CHECK-NEXT: r1 = trunci i8 r0
// CHECK: npuisa.micro @addi_trunci inputs 0 {
// CHECK-NEXT: r0 = iota i32 0
// CHECK-NEXT: r1 = const i32 0x4
// CHECK-NEXT: r2 = addi i32 r0, r1
// CHECK-NEXT: r3 = trunci i8 r2
// CHECK: npuisa.v_exec micro = @trunci shape = [4] reduction_mask = 0 operands = (sram[0] i8 [1])
// CHECK-NEXT: npuisa.v_exec micro = @addi_trunci shape = [4] reduction_mask = 0 operands = (sram[4] i8 [1])
// CHECK-NEXT: npuisa.halt
npu.program @index() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %ring = npu.ring offset(0) : memref<2x4xi8, #npu.space<sram>>
  scf.for %i = %c0 to %c8 step %c4 {
    %slot = npu.ring_slot %ring[%i step 4] : memref<2x4xi8, #npu.space<sram>> to memref<4xi8, strided<[1], offset: ?>, #npu.space<sram>>
    %t = npu.task queue(ve) {
      npu.generic outs(%slot : memref<4xi8, strided<[1], offset: ?>, #npu.space<sram>>)
        attributes {extents = array<i64: 4>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%unused: i8):
        %0 = npu.index 0 offset(%i) : i32
        %1 = arith.trunci %0 : i32 to i8
        npu.yield %1 : i8
      }
    }
  }
  npu.return
}

// -----

// 8-bit floats are widened, computed with and narrowed.
// CHECK-LABEL: npuisa.program @narrow regions [
// CHECK-NEXT: <input, "arg0", 64 bytes, f8e5m2, [64]>
// CHECK: npuisa.micro @extf_extf_addf inputs 2 {
// CHECK-NEXT: r0 = input f8e4m3 0
// CHECK-NEXT: r1 = extf f32 r0
// CHECK-NEXT: r2 = input f8e5m2 1
// CHECK-NEXT: r3 = extf f32 r2
// CHECK-NEXT: r4 = addf f32 r1, r3
// CHECK-NEXT: r5 = truncf f8e4m3 r4
// CHECK: operands = (sram[0] f8e4m3 [1], sram[64] f8e5m2 [1], sram[128] f8e4m3 [1])
npu.program @narrow(%arg: memref<64xf8E5M2> {npu.role = "input"}) {
  %a = npu.buffer offset(0) : memref<64xf8E4M3FN, #npu.space<sram>>
  %b = npu.buffer offset(64) : memref<64xf8E5M2, #npu.space<sram>>
  %c = npu.buffer offset(128) : memref<64xf8E4M3FN, #npu.space<sram>>
  %t = npu.task queue(ve) {
    npu.generic ins(%a, %b : memref<64xf8E4M3FN, #npu.space<sram>>, memref<64xf8E5M2, #npu.space<sram>>) outs(%c : memref<64xf8E4M3FN, #npu.space<sram>>)
      attributes {extents = array<i64: 64>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%x: f8E4M3FN, %y: f8E5M2, %unused: f8E4M3FN):
      %0 = arith.extf %x : f8E4M3FN to f32
      %1 = arith.extf %y : f8E5M2 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f8E4M3FN
      npu.yield %3 : f8E4M3FN
    }
  }
  npu.return
}

// -----

// Declines: the host's side of the module stays, with its launch.
// CHECK-LABEL: func.func @host
// CHECK-NEXT: npu.launch @copy ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
// CHECK-NEXT: memref.copy
// CHECK-NEXT: return
// CHECK: npuisa.program @copy
func.func @host(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  npu.launch @copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  memref.copy %y, %z : memref<8xf32> to memref<8xf32>
  return
}
npu.program @copy(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  %t = npu.task queue(st) {
    npu.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  }
  npu.return
}

// -----

// The boundary: weights of the array's 32 x 32 are one block; one column more is a second one.
// CHECK-LABEL: npuisa.program @one_block
// CHECK-NEXT: npuisa.mm_clear
// CHECK-NEXT: npuisa.mm_load_w src = sram[0] dtype = f32 k = 32 n = 32
// CHECK-NEXT: npuisa.mm_exec
// CHECK-NEXT: npuisa.halt
npu.program @one_block() {
  %w = npu.buffer offset(0) : memref<32x32xf32, #npu.space<sram>>
  %x = npu.buffer offset(16384) : memref<5x32xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<5x32xf32, #npu.space<acc>>
  %t = npu.task queue(mm) {
    npu.matmul ins(%x, %w : memref<5x32xf32, #npu.space<sram>>, memref<32x32xf32, #npu.space<sram>>) outs(%acc : memref<5x32xf32, #npu.space<acc>>)
  }
  npu.return
}

// -----

// CHECK-LABEL: npuisa.program @two_blocks
// CHECK-NEXT: npuisa.mm_clear
// CHECK-NEXT: npuisa.mm_load_w src = sram[0] dtype = f32 k = 32 n = 32
// CHECK-NEXT: npuisa.mm_exec
// CHECK-NEXT: npuisa.mm_load_w src = sram[128] dtype = f32 k = 32 n = 1
// CHECK-NEXT: npuisa.mm_exec
// CHECK-NEXT: npuisa.halt
npu.program @two_blocks() {
  %w = npu.buffer offset(0) : memref<32x33xf32, #npu.space<sram>>
  %x = npu.buffer offset(16384) : memref<5x32xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<5x33xf32, #npu.space<acc>>
  %t = npu.task queue(mm) {
    npu.matmul ins(%x, %w : memref<5x32xf32, #npu.space<sram>>, memref<32x33xf32, #npu.space<sram>>) outs(%acc : memref<5x33xf32, #npu.space<acc>>)
  }
  npu.return
}
