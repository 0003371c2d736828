// RUN: npu-opt %s --split-input-file --npuisa-check --verify-diagnostics

// A program that is right.
npuisa.program @good regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.sync on mm signals [0:1]
  npuisa.loop count(4) {
    npuisa.dma_ld dst = sram[0, 16 * l0 mod 2] dst_strides = [4] src = dram 0[0, 16 * l0] src_strides = [4] shape = [4] element_bytes = 4 waits [0:1] signals [1:1]
    npuisa.sync on mm waits [1:1] signals [0:1]
  }
  npuisa.sync on ld waits [0:1]
  npuisa.halt
}

// -----

// The last iteration reads past the end.
// expected-error@+1 {{program 'bounds': invalid: instruction 1 ('dma_ld' on ld, node 'conv1'): 'src' reaches bytes 0 to 79 of region 0 ('x'), which has 64}}
npuisa.program @bounds regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.loop count(5) {
    npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0, 16 * l0] src_strides = [4] shape = [4] element_bytes = 4 loc("conv1")
  }
  npuisa.halt
}

// -----

// More semaphores than the target has.
// expected-error@+1 {{semaphore 64 does not exist: the target has 64 ('num_semaphores')}}
npuisa.program @semaphore regions [] {
  npuisa.sync on mm signals [64:1]
  npuisa.halt
}

// -----

// A tile larger than the array.
// expected-error@+1 {{'k' is 33, but the array has 32 rows}}
npuisa.program @array regions [] {
  npuisa.mm_load_w src = sram[0] dtype = f32 k = 33 n = 32 k_stride = 128 n_stride = 4 zero_point = 0
  npuisa.halt
}

// -----

// Each iteration signals once more than it waits.
npuisa.program @loop_balance regions [] {
  npuisa.loop count(2) {
    // expected-error@+1 {{imbalance: semaphore 3 ends at 2, but each signal must have its wait, so that the next run starts at 0; instruction 1 ('sync' on mm) is the first to signal it}}
    npuisa.sync on mm signals [3:2]
    npuisa.sync on ld waits [3:1]
  }
  npuisa.halt
}

// -----

npuisa.program @balance regions [] {
  // expected-error@+2 {{deadlock: the program cannot end: instruction 0 ('sync' on mm) waits for semaphore 0 to reach 1 (it is 0), which no instruction signals}}
  // expected-note@+1 {{step 1: instruction 0 ('sync' on mm) waits for semaphore 0 to reach 1 (it is 0), which no instruction signals}}
  npuisa.sync on mm waits [0:1]
  npuisa.halt
}

// -----

npuisa.program @tokens regions [] {
  // expected-error@+1 {{expected semaphores in place of tokens; run 'npuisa-assign-semaphores' first}}
  %t = npuisa.sync on ld -> !npuisa.token
  npuisa.halt
}

// -----

// The boundary, inside: the last semaphore, the largest tile, the last byte.
npuisa.program @limits regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[8388604] dst_strides = [4] src = dram 0[60] src_strides = [4] shape = [1] element_bytes = 4
  npuisa.dma_fill on ld dst = sram[0] dst_strides = [4] shape = [1024] element_bytes = 4 value = 0 signals [63:1]
  npuisa.mm_load_w src = sram[0] dtype = f32 k = 32 n = 32 k_stride = 128 n_stride = 4 zero_point = 0 waits [63:1]
  npuisa.halt
}

// -----

// The boundary, outside: the last byte and the three behind it.
// expected-error@+1 {{'dst' reaches bytes 8388608 to 8388611 of sram, which has 8388608}}
npuisa.program @behind regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[8388608] dst_strides = [4] src = dram 0[60] src_strides = [4] shape = [1] element_bytes = 4
  npuisa.halt
}
