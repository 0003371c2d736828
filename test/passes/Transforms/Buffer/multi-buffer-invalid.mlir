// RUN: npu-opt %s --split-input-file --npu-multi-buffer --verify-diagnostics

// The slots of a ring are chosen by the iteration, so that their number has to be known.
npu.program @dynamic_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{expected a loop of constant bounds around an allocation}}
    scf.for %j = %c0 to %i step %c1 {
      // expected-note @below {{the allocation is here}}
      %s = memref.alloc() : memref<8xf32, #npu.space<sram>>
    }
  }
  npu.return
}

// -----

// A loop of any bounds without allocations is none of this pass's business.
npu.program @no_allocation() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
    }
  }
  npu.return
}
