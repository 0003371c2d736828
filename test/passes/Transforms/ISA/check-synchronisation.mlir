// RUN: npu-opt %s --split-input-file --npuisa-check --verify-diagnostics

// A double buffer of 1000 rounds is right: loads run ahead by two slots, and the drain gives them back.
npuisa.program @double_buffer regions [<input, "x", 64000 bytes, f32, [16000]>, <output, "y", 64000 bytes, f32, [16000]>] {
  npuisa.sync on st signals [1:2]
  npuisa.loop count(1000) {
    npuisa.dma_ld dst = sram[0, 64 * l0 mod 2] dst_strides = [4] src = dram 0[0, 64 * l0] src_strides = [4] shape = [16] element_bytes = 4 waits [1:1] signals [0:1]
    npuisa.dma_st dst = dram 1[0, 64 * l0] dst_strides = [4] src = sram[0, 64 * l0 mod 2] src_strides = [4] shape = [16] element_bytes = 4 waits [0:1] signals [1:1]
  }
  npuisa.sync on ld waits [1:2]
  npuisa.halt
}

// -----

// The same with three credits for two slots: the third load may overwrite what is not stored yet.
npuisa.program @credits regions [<input, "x", 64000 bytes, f32, [16000]>, <output, "y", 64000 bytes, f32, [16000]>] {
  npuisa.sync on st signals [1:3]
  npuisa.loop count(1000) {
    // expected-error@unknown {{program 'credits': race: instruction 2 ('dma_ld' on ld, node 'conv1', iteration 2) writes sram[0, 64), but does not wait for instruction 3 ('dma_st' on st, node 'conv1', iteration 0), which reads them}}
    // expected-note@unknown {{step 1: queue 'ld' completes everything up to instruction 2 ('dma_ld' on ld, node 'conv1', iteration 1)}}
    // expected-note@unknown {{step 2: queue 'st' completes everything up to instruction 0 ('sync' on st)}}
    // expected-note@unknown {{step 3: queue 'st' is late: instruction 3 ('dma_st' on st, node 'conv1', iteration 0) has not completed}}
    // expected-note@unknown {{step 4: queue 'ld' goes on: instruction 2 ('dma_ld' on ld, node 'conv1', iteration 2) has all that it waits for and writes sram[0, 64)}}
    npuisa.dma_ld dst = sram[0, 64 * l0 mod 2] dst_strides = [4] src = dram 0[0, 64 * l0] src_strides = [4] shape = [16] element_bytes = 4 waits [1:1] signals [0:1] loc("conv1")
    // expected-note@unknown {{the other instruction is here}}
    npuisa.dma_st dst = dram 1[0, 64 * l0] dst_strides = [4] src = sram[0, 64 * l0 mod 2] src_strides = [4] shape = [16] element_bytes = 4 waits [0:1] signals [1:1] loc("conv1")
  }
  npuisa.sync on ld waits [1:3]
  npuisa.halt
}

// -----

// Nothing orders a load and the store of what it loads.
npuisa.program @race regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 64 bytes, f32, [16]>] {
  // expected-note@+1 {{the other instruction is here}}
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [16] element_bytes = 4
  // expected-error@+3 {{race: instruction 1 ('dma_st' on st) reads sram[0, 64), but does not wait for instruction 0 ('dma_ld' on ld), which writes them}}
  // expected-note@+2 {{step 1: queue 'ld' is late: instruction 0 ('dma_ld' on ld) has not completed}}
  // expected-note@+1 {{step 2: queue 'st' goes on: instruction 1 ('dma_st' on st) has all that it waits for and reads sram[0, 64)}}
  npuisa.dma_st dst = dram 1[0] dst_strides = [4] src = sram[0] src_strides = [4] shape = [16] element_bytes = 4
  npuisa.halt
}

// -----

// Columns of one picture interleave without sharing a byte: no order is needed.
npuisa.program @interleaved regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[0] dst_strides = [8] src = dram 0[0] src_strides = [4] shape = [8] element_bytes = 4
  npuisa.dma_fill on st dst = sram[4] dst_strides = [8] shape = [8] element_bytes = 4 value = 0 signals [0:1]
  npuisa.sync on ld waits [0:1]
  npuisa.sync on ld signals [1:1]
  npuisa.dma_st dst = dram 1[0] dst_strides = [4] src = sram[0] src_strides = [4] shape = [16] element_bytes = 4 waits [1:1]
  npuisa.halt
}

// -----

// Ordered, but against the program: the store stands before the load that it waits for.
npuisa.program @order regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 64 bytes, f32, [16]>] {
  // expected-note@+1 {{the other instruction is here}}
  npuisa.dma_st dst = dram 1[0] dst_strides = [4] src = sram[0] src_strides = [4] shape = [16] element_bytes = 4 waits [0:1]
  // expected-error@+3 {{order: instruction 1 ('dma_ld' on ld) writes sram[0, 64), and instruction 0 ('dma_st' on st), which comes before it in the program, reads them, but semaphores let it start only afterwards}}
  // expected-note@+2 {{step 1: instruction 1 ('dma_ld' on ld) completes}}
  // expected-note@+1 {{step 2: instruction 0 ('dma_st' on st) starts: it waits for what the other one signals}}
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [16] element_bytes = 4 signals [0:1]
  npuisa.halt
}

// -----

// A fence orders everything.
npuisa.program @fence regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [16] element_bytes = 4
  npuisa.fence
  npuisa.dma_st dst = dram 1[0] dst_strides = [4] src = sram[0] src_strides = [4] shape = [16] element_bytes = 4
  npuisa.halt
}

// -----

// The last iteration stores past what was loaded.
npuisa.program @unwritten regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 80 bytes, f32, [20]>] {
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [16] element_bytes = 4 signals [0:1]
  npuisa.sync on st waits [0:1]
  npuisa.loop count(5) {
    // expected-error@unknown {{unwritten: instruction 3 ('dma_st' on st, node 'out', iteration 4) reads sram[64, 80), which no instruction before it writes}}
    npuisa.dma_st dst = dram 1[0, 16 * l0] dst_strides = [4] src = sram[0, 16 * l0] src_strides = [4] shape = [4] element_bytes = 4 loc("out")
  }
  npuisa.halt
}

// -----

// Half of the output stays as it was.
// expected-error@+1 {{unwritten: the caller reads region 1 ('y')[32, 64) after the run, but no instruction writes it}}
npuisa.program @output regions [<input, "x", 64 bytes, f32, [16]>, <output, "y", 64 bytes, f32, [16]>] {
  npuisa.dma_cp on st dst = dram 1[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [8] element_bytes = 4
  npuisa.halt
}

// -----

// The queue of loads runs ahead of the one that waits as far as a full queue allows.
npuisa.program @overflow regions [] {
  npuisa.loop count(100) {
    // expected-error@+3 {{overflow: instruction 1 ('sync' on ld, iteration 1) may raise semaphore 0 to 400, but the target holds at most 255 ('max_semaphore_count')}}
    // expected-note@+2 {{step 1: queue 'mm' completes nothing and is late from then on}}
    // expected-note@+1 {{step 2: queue 'ld' goes on to instruction 1 ('sync' on ld, iteration 1)}}
    npuisa.sync on ld signals [0:200]
    npuisa.sync on mm waits [0:200]
  }
  npuisa.halt
}

// -----

npuisa.program @deadlock regions [] {
  // expected-error@+4 {{deadlock: the program cannot end: instruction 0 ('sync' on ld) waits for semaphore 1 to reach 1 (it is 0), which queue 'mm' signals}}
  // expected-note@+3 {{step 1: instruction 0 ('sync' on ld) waits for semaphore 1 to reach 1 (it is 0), which queue 'mm' signals}}
  // expected-note@+2 {{step 2: instruction 1 ('sync' on mm) waits for semaphore 0 to reach 1 (it is 0), which queue 'ld' signals}}
  // expected-note@+2 {{the other instruction is here}}
  npuisa.sync on ld waits [1:1] signals [0:1]
  npuisa.sync on mm waits [0:1] signals [1:1]
  npuisa.halt
}

// -----

// Nine loads for a queue of eight: the control unit never comes to the signal that the first one waits for.
npuisa.program @queue_depth regions [] {
  // expected-error@+3 {{deadlock: the program cannot end: instruction 0 ('sync' on ld) waits for semaphore 0 to reach 1 (it is 0), which queue 'mm' signals; the control unit does not come past instruction 8 ('sync' on ld): queue 'ld' is full with 8 instructions}}
  // expected-note@+2 {{step 1: instruction 0 ('sync' on ld) waits for semaphore 0 to reach 1 (it is 0), which queue 'mm' signals}}
  // expected-note@+1 {{step 2: the control unit does not come past instruction 8 ('sync' on ld): queue 'ld' is full with 8 instructions}}
  npuisa.sync on ld waits [0:1]
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on mm signals [0:1]
  npuisa.halt
}

// -----

// Eight are right.
npuisa.program @queue_holds regions [] {
  npuisa.sync on ld waits [0:1]
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on ld
  npuisa.sync on mm signals [0:1]
  npuisa.halt
}

// -----

// Two queues may signal in either order, so that a wait says nothing.
npuisa.program @owners regions [] {
  // expected-note@+1 {{the other instruction is here}}
  npuisa.sync on ld signals [0:1]
  // expected-error@+1 {{unprovable: expected one queue to signal semaphore 0, but instruction 1 ('sync' on st) and instruction 0 ('sync' on ld) both do}}
  npuisa.sync on st signals [0:1]
  npuisa.sync on mm waits [0:2]
  npuisa.halt
}

// -----

// The first product of the second iteration finds the weights of the second product of the first one.
npuisa.program @weights regions [<input, "x", 64 bytes, f32, [16]>] {
  npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [16] element_bytes = 4 signals [0:1]
  npuisa.mm_clear acc = acc[0] shape = [4] strides = [4] waits [0:1]
  npuisa.mm_load_w src = sram[0] dtype = f32 k = 2 n = 4 k_stride = 16 n_stride = 4 zero_point = 0
  npuisa.loop count(3) {
    // expected-error@+1 {{weights: instruction 4 ('mm_exec' on mm, iteration 1) multiplies by weights of type f32 of k 2 and n 4, but instruction 5 ('mm_load_w' on mm) has loaded f32 of k 4 and n 4}}
    npuisa.mm_exec src = sram[0] dtype = f32 rows = [1] row_strides = [8] k = 2 k_stride = 4 zero_point = 0 acc = acc[0] acc_strides = [16] n = 4
    npuisa.mm_load_w src = sram[0] dtype = f32 k = 4 n = 4 k_stride = 16 n_stride = 4 zero_point = 0
    npuisa.mm_exec src = sram[0] dtype = f32 rows = [1] row_strides = [16] k = 4 k_stride = 4 zero_point = 0 acc = acc[0] acc_strides = [16] n = 4
  }
  npuisa.halt
}
