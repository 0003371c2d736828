// RUN: npu-opt %s --split-input-file --npu-schedule --verify-diagnostics

// The hazards of iterations are those of the first few, whose number has to be known.
npu.program @dynamic_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{expected a loop of constant bounds that carries no values, but this one has other bounds}}
    scf.for %j = %c0 to %i step %c1 {
    }
  }
  npu.return
}

// -----

// A program that has tokens has been scheduled.
npu.program @carries() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = npu.ready
  // expected-error @below {{expected a loop of constant bounds that carries no values, but this one carries values}}
  %u = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> !npu.token {
    scf.yield %a : !npu.token
  }
  npu.return
}

// -----

// What the host would do has no queue.
npu.program @host_work(%x: memref<8xf32> {npu.role = "input"}) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected loops, npu ops on memrefs, storage and index arithmetic in a program, but found 'memref.load'}}
  %0 = memref.load %x[%c0] : memref<8xf32>
  npu.return
}
