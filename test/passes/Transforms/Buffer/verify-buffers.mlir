// RUN: npu-opt %s --split-input-file --npu-verify-buffers --verify-diagnostics

// A program that keeps the contract.
npu.program @good(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %a = npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
  %t = npu.task queue(ld) {
    npu.load ins(%x : memref<16xf32>) outs(%a : memref<16xf32, #npu.space<sram>>)
  }
  %u = npu.task queue(st) waits(%t) {
    npu.store ins(%a : memref<16xf32, #npu.space<sram>>) outs(%y : memref<16xf32>)
  }
  npu.return
}

// -----

// No token orders the two tasks.
npu.program @race(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %a = npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
  %t = npu.task queue(ld) {
    // expected-note @below {{the other task writes here}}
    npu.load ins(%x : memref<16xf32>) outs(%a : memref<16xf32, #npu.space<sram>>)
  }
  %u = npu.task queue(st) {
    // expected-error @below {{expected an order between tasks of queues ld and st that touch bytes 0 to 64 of sram, but no token orders them}}
    npu.store ins(%a : memref<16xf32, #npu.space<sram>>) outs(%y : memref<16xf32>)
  }
  npu.return
}

// -----

// Each iteration is ordered, but the ring has one slot fewer than the carried tokens allow for.
npu.program @carried_race(%x: memref<32xf32> {npu.role = "input"}, %y: memref<32xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r = npu.ring offset(0) : memref<1x8xf32, #npu.space<sram>>
  %ready = npu.ready
  %tokens:2 = scf.for %i = %c0 to %c32 step %c8 iter_args(%p = %ready, %q = %ready) -> (!npu.token, !npu.token) {
    %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %s = npu.ring_slot %r[%i step 8] : memref<1x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
    %t = npu.task queue(ld) waits(%p) {
      // expected-error @below {{expected an order between tasks of queues st and ld that touch bytes 0 to 32 of sram, but no token orders them}}
      npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    }
    %u = npu.task queue(st) waits(%t) {
      // expected-note @below {{the other task reads here}}
      npu.store ins(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
    }
    scf.yield %q, %u : !npu.token, !npu.token
  }
  npu.return
}

// -----

npu.program @no_task(%x: memref<16xf32> {npu.role = "input"}) {
  %a = npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
  // expected-error @below {{expected 'npu.load' inside an 'npu.task'}}
  npu.load ins(%x : memref<16xf32>) outs(%a : memref<16xf32, #npu.space<sram>>)
  npu.return
}

// -----

npu.program @no_offset() {
  // expected-error @below {{expected an offset for 'npu.buffer', but found none: npu-plan-memory sets it}}
  %a = npu.buffer : memref<16xf32, #npu.space<sram>>
  npu.return
}

// -----

// The boundary, inside: the next multiple of the alignment, and the last row of both memories.
npu.program @last_rows() {
  %a = npu.buffer offset(64) : memref<16xf32, #npu.space<sram>>
  %b = npu.buffer offset(8388544) : memref<16xf32, #npu.space<sram>>
  %c = npu.buffer offset(131008) : memref<16xf32, #npu.space<acc>>
  npu.return
}

// -----

npu.program @unaligned() {
  // expected-error @below {{expected an offset that is a multiple of 64, but found 32}}
  %a = npu.buffer offset(32) : memref<16xf32, #npu.space<sram>>
  npu.return
}

// -----

// The boundary, outside: the row behind the last one.
npu.program @outside() {
  // expected-error @below {{expected storage inside the 131072 bytes of acc, but it ends at 131136}}
  %a = npu.buffer offset(131072) : memref<16xf32, #npu.space<acc>>
  npu.return
}

// -----

npu.program @tensor() {
  // expected-error @below {{expected no tensors after bufferization, but 'tensor.empty' has one}}
  %a = tensor.empty() : tensor<16xf32>
  npu.return
}

// -----

npu.program @unknown(%x: memref<16xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected storage, tasks, loops, views and index arithmetic, but found 'memref.load'}}
  %a = memref.load %x[%c0] : memref<16xf32>
  npu.return
}

// -----

npu.program @carried_index() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected a loop that carries tokens only, but found 'index'}}
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%b = %c0) -> index {
    scf.yield %b : index
  }
  npu.return
}

// -----

npu.program @empty_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected a loop of constant bounds with at least one iteration}}
  scf.for %i = %c0 to %c0 step %c1 {
  }
  npu.return
}
