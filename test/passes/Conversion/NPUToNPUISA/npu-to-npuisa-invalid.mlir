// RUN: npu-opt %s --split-input-file --convert-npu-to-npuisa --verify-diagnostics

npu.program @no_offset(%x: memref<8xf32> {npu.role = "input"}) {
  // expected-error@+1 {{expected 'npu.buffer' to have an offset; run 'npu-plan-memory' first}}
  %s = npu.buffer : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(ld) {
    npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
  }
  npu.return
}

// -----

npu.program @no_task(%x: memref<8xf32> {npu.role = "input"}) {
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  // expected-error@+1 {{expected 'npu.load' inside of 'npu.task'; run 'npu-schedule' first}}
  npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
  npu.return
}

// -----

npu.program @no_micro() {
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  %t = npu.task queue(ve) {
    npu.generic outs(%s : memref<8xf32, #npu.space<sram>>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32):
      // expected-error@+1 {{expected a scalar op that the vector engine has, but found 'math.acos'; the instruction reference lists them}}
      %0 = math.acos %a : f32
      npu.yield %0 : f32
    }
  }
  npu.return
}

// -----

// The slots of a ring follow the iterations of one loop: an index of half a step is none.
npu.program @ring_index(%x: memref<8xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = npu.ring offset(0) : memref<2x8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error@+1 {{expected the index to be the induction variable of a loop with step 2}}
    %s = npu.ring_slot %r[%i step 2] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
    %t = npu.task queue(ld) {
      npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    }
  }
  npu.return
}

// -----

npu.program @not_affine(%x: memref<64xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error@+1 {{expected an index that is a sum of multiples of loop counters, which addresses can hold}}
    %j = arith.muli %i, %i : index
    %v = memref.subview %x[%j] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %t = npu.task queue(ld) {
      npu.load ins(%v : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
  }
  npu.return
}

// -----

npu.program @carried_index() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{expected a loop to carry tokens only: the hardware has no registers for a value of type 'index'}}
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%b = %c0) -> index {
    scf.yield %b : index
  }
  npu.return
}

// -----

npu.program @token_from_nowhere() {
  // expected-error@+1 {{expected tokens to come from 'npu.task', 'npu.ready' or a loop, but found 'builtin.unrealized_conversion_cast'}}
  %t = builtin.unrealized_conversion_cast to !npu.token
  npu.wait queue(mm) on(%t)
  npu.return
}
