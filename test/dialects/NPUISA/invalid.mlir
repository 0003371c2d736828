// RUN: npu-opt %s --split-input-file --verify-diagnostics

// region_c1
// expected-error@+2 {{expected contents for exactly the constant regions, but region 'w' is constant and has none}}
npuisa.program @region_c1 regions [
  <constant, "w", 16 bytes, f32, [4]>
] { npuisa.halt }

// -----

// region_c1
// expected-error@+2 {{expected contents of 16 bytes for region 'w', but found 'tensor<2xf32>'}}
npuisa.program @region_c1_size regions [
  <constant, "w", 16 bytes, f32, [4], dense<0.0> : tensor<2xf32>>
] { npuisa.halt }

// -----

// region_c2
// expected-error@+2 {{expected extents of at least 0 for region 'x', but found -4}}
npuisa.program @region_c2 regions [
  <input, "x", 16 bytes, f32, [-4]>
] { npuisa.halt }

// -----

// region_c3
// expected-error@+2 {{expected elements of whole bytes for region 'x', but found i4}}
npuisa.program @region_c3 regions [
  <input, "x", 16 bytes, i4, [32]>
] { npuisa.halt }

// -----

npuisa.program @address_c1 regions [] {
  // expected-error@+1 {{expected a region of at most 65535 in dram, but found 70000}}
  npuisa.mm_clear acc = dram 70000[0] shape = [1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @address_c2 regions [] {
  // expected-error@+1 {{expected at most 8 address terms, but found 9}}
  npuisa.mm_clear acc = acc[0, 4 * l0, 4 * l1, 4 * l2, 4 * l3, 4 * l4, 4 * l5, 4 * l6, 4 * l7, 4 * l8] shape = [1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @term_c1 regions [] {
  // expected-error@+1 {{expected a loop depth below 16, but found 16}}
  npuisa.mm_clear acc = acc[0, 4 * l16] shape = [1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @term_c1_modulus regions [] {
  // expected-error@+1 {{expected a modulus of at most 65535, but found 65536}}
  npuisa.mm_clear acc = acc[0, 4 * l0 mod 65536] shape = [1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @counter regions [] {
  // expected-error@+1 {{expected the counter of a loop: 'l0' for the outermost}}
  npuisa.mm_clear acc = acc[0, 4 * i0] shape = [1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @range regions [] {
  // expected-error@+1 {{attribute 'k' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1 whose maximum value is 1024}}
  npuisa.mm_load_w src = sram[0] dtype = f32 k = 0 n = 16 k_stride = 128 n_stride = 4 zero_point = 0
  npuisa.halt
}

// -----

npuisa.program @scatter_rows regions [] {
  // expected-error@+1 {{attribute 'table_rows' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0}}
  npuisa.dma_scatter table = dram 0[0] table_rows = -1 table_stride = 4 src = sram[0] src_stride = 4 row_bytes = 4 indices = sram[0] index_dtype = i32 count = 1
  npuisa.halt
}

// -----

npuisa.program @gather_indices regions [] {
  // expected-error@+1 {{cannot be encoded: 'dma_gather': 'index_dtype' has element type 'i16', but must have one of i32, i64}}
  npuisa.dma_gather dst = sram[0] dst_stride = 4 table = dram 0[0] table_rows = 4 table_stride = 4 row_bytes = 4 indices = sram[0] index_dtype = i16 count = 1
  npuisa.halt
}

// -----

npuisa.program @packed_activations regions [] {
  // expected-error@+1 {{cannot be encoded: 'mm_exec': 'dtype' has element type 'i4', but must have one of i8, u8, f16, bf16, f32}}
  npuisa.mm_exec src = sram[0] dtype = i4 rows = [] row_strides = [] k = 16 k_stride = 4 zero_point = 0 acc = acc[0] acc_strides = [] n = 16
  npuisa.halt
}

// -----

npuisa.program @gather_ranks regions [] {
  // expected-error@+1 {{cannot be encoded: expected as many entries in 'table_strides' as in 'dst_strides', which has 1, but found 2}}
  npuisa.v_gather dst = sram[0] dst_strides = [4] table = sram[0] table_strides = [0, 0] table_rows = 4 table_stride = 4 indices = sram[0] index_strides = [4] index_dtype = i32 shape = [1] element_bytes = 4
  npuisa.halt
}

// -----

npuisa.program @gather_element_bytes regions [] {
  // expected-error@+1 {{cannot be encoded: expected 1, 2, 4 or 8 'element_bytes', but found 6}}
  npuisa.v_gather dst = sram[0] dst_strides = [] table = sram[0] table_strides = [] table_rows = 4 table_stride = 4 indices = sram[0] index_strides = [] index_dtype = i32 shape = [] element_bytes = 6
  npuisa.halt
}

// -----

npuisa.program @sort_results regions [] {
  // expected-error@+1 {{attribute 'results' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1 whose maximum value is 3}}
  npuisa.v_sort dst = sram[0] dst_strides = [4] indices = sram[0] index_strides = [0] src = sram[0] src_strides = [4] dtype = f32 shape = [4] k = 4 descending = 0 results = 4
  npuisa.halt
}

// -----

npuisa.program @sort_dtype regions [] {
  // expected-error@+2 {{expected one of [b8, i8, u8, i16, u16, i32, u32, i64, f16, bf16, f32, f8e4m3, f8e5m2, i4, u4] for element type}}
  // expected-error@+1 {{failed to parse NPUISA_DTypeAttr parameter}}
  npuisa.v_sort dst = sram[0] dst_strides = [4] indices = sram[0] index_strides = [0] src = sram[0] src_strides = [4] dtype = f64 shape = [4] k = 4 descending = 0 results = 1
  npuisa.halt
}

// -----

npuisa.program @ranks regions [] {
  // expected-error@+1 {{cannot be encoded: expected as many entries in 'src_strides' as in 'dst_strides', which has 2, but found 1}}
  npuisa.dma_ld dst = sram[0] dst_strides = [128, 4] src = dram 0[0] src_strides = [4] shape = [32, 32] element_bytes = 4
  npuisa.halt
}

// -----

npuisa.program @extents regions [] {
  // expected-error@+1 {{cannot be encoded: expected extents of at least 0 in 'shape', but found -1}}
  npuisa.mm_clear acc = acc[0] shape = [-1] strides = [4]
  npuisa.halt
}

// -----

npuisa.program @length regions [] {
  // expected-error@+1 {{'shape' has 7 entries, but at most 6 are allowed}}
  npuisa.mm_clear acc = acc[0] shape = [1, 1, 1, 1, 1, 1, 1] strides = [4, 4, 4, 4, 4, 4, 4]
  npuisa.halt
}

// -----

npuisa.program @element_bytes regions [] {
  // expected-error@+1 {{cannot be encoded: expected 1, 2, 4 or 8 'element_bytes', but found 3}}
  npuisa.dma_fill on ld dst = sram[0] dst_strides = [3] shape = [1] element_bytes = 3 value = 0
  npuisa.halt
}

// -----

npuisa.program @queue regions [] {
  // expected-error@+1 {{cannot be encoded: 'dma_fill' cannot run on queue 'mm'}}
  npuisa.dma_fill on mm dst = sram[0] dst_strides = [4] shape = [1] element_bytes = 4 value = 0
  npuisa.halt
}

// -----

npuisa.program @syncs regions [] {
  // expected-error@+1 {{cannot be encoded: 'sync' has 3 waits, but at most 2 are allowed}}
  npuisa.sync on ld waits [0:1, 1:1, 2:1]
  npuisa.halt
}

// -----

npuisa.program @sync_range regions [] {
  // expected-error@+1 {{expected semaphores and counts of at most 255 in 'signals', but found 256:1}}
  npuisa.sync on ld signals [256:1]
  npuisa.halt
}

// -----

npuisa.program @loop_c1 regions [] {
  // expected-error@+1 {{attribute 'count' failed to satisfy constraint}}
  npuisa.loop count(0) {
  }
  npuisa.halt
}

// -----

npuisa.program @loop_c2 regions [] {
  %ready = npuisa.ready
  // expected-error@+1 {{expected as many yielded tokens as initial tokens, which are 1, but found 0}}
  %r = npuisa.loop count(2) carries(%a = %ready) {
    npuisa.yield
  }
  npuisa.halt
}

// -----

npuisa.program @micro_c1 regions [] {
  // expected-error@+1 {{is not well-formed: operation 1: 'addf': expected operands of type 'f32', but found 'i32'}}
  npuisa.micro @bad inputs 1 {
    r0 = input i32 0
    r1 = addf f32 r0, r0
  } outputs [r1]
  npuisa.halt
}

// -----

// 8-bit floats are for storage.
npuisa.program @micro_storage regions [] {
  // expected-error@+1 {{is not well-formed: operation 1: 'addf': expected a float type with arithmetic, but found 'f8e5m2'}}
  npuisa.micro @bad inputs 1 {
    r0 = input f8e5m2 0
    r1 = addf f8e5m2 r0, r0
  } outputs [r1]
  npuisa.halt
}

// -----

// Packed types are for weights.
npuisa.program @micro_packed regions [] {
  // expected-error@+1 {{is not well-formed: operation 0: 'input': a register cannot have type 'i4'}}
  npuisa.micro @bad inputs 1 {
    r0 = input i4 0
  } outputs [r0]
  npuisa.halt
}

// -----

npuisa.program @micro_name regions [] {
  npuisa.micro @bad inputs 1 {
    r0 = input f32 0
    // expected-error@+1 {{'addx' is not a micro operation}}
    r1 = addx f32 r0, r0
  } outputs [r1]
  npuisa.halt
}

// -----

npuisa.program @micro_number regions [] {
  npuisa.micro @bad inputs 1 {
    r0 = input f32 0
    // expected-error@+1 {{expected operation 1 to define 'r1'}}
    r2 = addf f32 r0, r0
  } outputs [r1]
  npuisa.halt
}

// -----

// program_c1
// expected-error@+1 {{expected 'npuisa.halt' as the last op}}
npuisa.program @program_c1 regions [] {
  npuisa.fence
}

// -----

npuisa.program @program_c1_foreign regions [] {
  // expected-error@+1 {{is not allowed in 'npuisa.program'}}
  %c = arith.constant 0 : index
  npuisa.halt
}

// -----

npuisa.program @program_c2 regions [] {
  // expected-error@+1 {{expected a DRAM region below 0, but found 1}}
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 1[0] src_strides = [4] shape = [1] element_bytes = 4
  npuisa.halt
}

// -----

npuisa.program @program_c3 regions [] {
  // expected-error@+1 {{expected the symbol of a microprogram of the program, but found 'relu'}}
  npuisa.drain micro = @relu shape = [1] operands = (acc[0] f32 [4], sram[0] f32 [4])
  npuisa.halt
}

// -----

npuisa.program @program_c3_operands regions [] {
  // expected-note@+1 {{the microprogram is here}}
  npuisa.micro @copy inputs 1 {
    r0 = input f32 0
  } outputs [r0]
  // expected-error@+1 {{expected 2 operands, the inputs and outputs of 'copy', but found 1}}
  npuisa.drain micro = @copy shape = [1] operands = (acc[0] f32 [4])
  npuisa.halt
}

// -----

npuisa.program @program_c4 regions [] {
  npuisa.loop count(2) {
    // expected-error@+1 {{expected address terms of the 1 enclosing loops, but found one of the loop at depth 1}}
    npuisa.mm_clear acc = acc[0, 4 * l1] shape = [1] strides = [4]
  }
  npuisa.halt
}
