// RUN: npu-opt %s --split-input-file --npu-schedule --npu-verify-buffers | filecheck %s

// In a row: each op waits for the one before it, and for nothing that this implies (the store does not wait for the load).
// CHECK-LABEL: npu.program @row
// CHECK: %[[LD:.*]] = npu.task queue({{ *}}ld) {
// CHECK: %[[MM:.*]] = npu.task queue({{ *}}mm) waits(%[[LD]]) {
// CHECK: %[[DR:.*]] = npu.task queue({{ *}}dr) waits(%[[MM]]) {
// CHECK: %{{.*}} = npu.task queue({{ *}}st) waits(%[[DR]]) {
#id = affine_map<(i, j) -> (i, j)>
npu.program @row(%x: memref<8x8xf32> {npu.role = "input"}, %y: memref<8x8xf32> {npu.role = "output"}) {
  %a = npu.buffer offset(0) : memref<8x8xf32, #npu.space<sram>>
  %acc = npu.buffer offset(0) : memref<8x8xf32, #npu.space<acc>>
  npu.load ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32, #npu.space<sram>>)
  npu.matmul ins(%a, %a : memref<8x8xf32, #npu.space<sram>>, memref<8x8xf32, #npu.space<sram>>) outs(%acc : memref<8x8xf32, #npu.space<acc>>)
  npu.generic ins(%acc : memref<8x8xf32, #npu.space<acc>>) outs(%a : memref<8x8xf32, #npu.space<sram>>) attributes {extents = array<i64: 8, 8>, indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%e: f32, %unused: f32):
    npu.yield %e : f32
  }
  npu.store ins(%a : memref<8x8xf32, #npu.space<sram>>) outs(%y : memref<8x8xf32>)
  npu.return
}

// -----

// Reads of an input need no order, nor do ops on different bytes; buffers that share bytes do, whatever their names.
// CHECK-LABEL: npu.program @addresses
// CHECK: npu.task queue({{ *}}ld) {
// CHECK: %[[ST:.*]] = npu.task queue({{ *}}st) waits(%{{.*}}) {
// CHECK: npu.task queue({{ *}}ld) {
// CHECK: npu.task queue({{ *}}ld) waits(%[[ST]]) {
npu.program @addresses(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %a = npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
  %b = npu.buffer offset(64) : memref<16xf32, #npu.space<sram>>
  %c = npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
  npu.load ins(%x : memref<16xf32>) outs(%a : memref<16xf32, #npu.space<sram>>)
  npu.store ins(%a : memref<16xf32, #npu.space<sram>>) outs(%y : memref<16xf32>)
  npu.load ins(%x : memref<16xf32>) outs(%b : memref<16xf32, #npu.space<sram>>)
  npu.load ins(%x : memref<16xf32>) outs(%c : memref<16xf32, #npu.space<sram>>)
  npu.return
}

// -----

// A ring of two slots: the load of an iteration waits for the store of the one before the last, through two carried tokens. What
// follows the loop in another queue waits for the loop's result.
// CHECK-LABEL: npu.program @ring
// CHECK: %[[READY:.*]] = npu.ready
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[READY]], %[[OLD:[a-z0-9]+]] = %[[READY]], %[[NEW:[a-z0-9]+]] = %[[READY]])
// CHECK: %[[LD:.*]] = npu.task queue({{ *}}ld) waits(%[[OLD]]) {
// CHECK: %[[ST:.*]] = npu.task queue({{ *}}st) waits(%[[LD]]) {
// CHECK: scf.yield %[[ST]], %[[NEW]], %[[ST]] : !npu.token, !npu.token, !npu.token
// CHECK: npu.task queue({{ *}}ld) waits(%[[LOOP]]#0) {
npu.program @ring(%x: memref<32xf32> {npu.role = "input"}, %y: memref<32xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r = npu.ring offset(0) : memref<2x8xf32, #npu.space<sram>>
  %b = npu.buffer offset(64) : memref<32xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c32 step %c8 {
    %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %s = npu.ring_slot %r[%i step 8] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
    npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    npu.store ins(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  }
  npu.load ins(%y : memref<32xf32>) outs(%b : memref<32xf32, #npu.space<sram>>)
  npu.return
}

// -----

// As many slots as iterations: no slot is used twice, nothing is carried.
// CHECK-LABEL: npu.program @no_reuse
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: %[[LD:.*]] = npu.task queue({{ *}}ld) {
// CHECK: npu.task queue({{ *}}st) waits(%[[LD]]) {
// CHECK-NOT: iter_args
// CHECK: npu.return
npu.program @no_reuse(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %r = npu.ring offset(0) : memref<2x8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c16 step %c8 {
    %from = memref.subview %x[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
    %s = npu.ring_slot %r[%i step 8] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
    npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    npu.store ins(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  }
  npu.return
}

// -----

// What a loop needs from before it is waited for in front of it, by the queue that needs it.
// CHECK-LABEL: npu.program @before_loop
// CHECK: %[[LD:.*]] = npu.task queue({{ *}}ld) {
// CHECK: npu.wait queue({{ *}}st) on(%[[LD]])
// CHECK: scf.for
// CHECK: npu.task queue({{ *}}st) {
npu.program @before_loop(%x: memref<8xf32> {npu.role = "input"}, %y: memref<32xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %b = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  npu.load ins(%x : memref<8xf32>) outs(%b : memref<8xf32, #npu.space<sram>>)
  scf.for %i = %c0 to %c32 step %c8 {
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    npu.store ins(%b : memref<8xf32, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  }
  npu.return
}

// -----

// The inner loop's ring comes out even (4 iterations, 2 slots): its tokens go on through the outer loop, and no queue drains between two
// runs of the inner loop.
// CHECK-LABEL: npu.program @even
// CHECK: %[[OUTER:.*]]:2 = scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %[[READY:[0-9]+]], %[[B:[a-z0-9]+]] = %[[READY]])
// CHECK-NOT: npu.wait
// CHECK: %[[INNER:.*]]:2 = scf.for {{.*}} iter_args(%[[C:[a-z0-9]+]] = %[[A]], %[[D:[a-z0-9]+]] = %[[B]])
// CHECK: npu.task queue({{ *}}ld) waits(%[[C]]) {
// CHECK: %[[ST:.*]] = npu.task queue({{ *}}st)
// CHECK: scf.yield %[[D]], %[[ST]]
// CHECK: scf.yield %[[INNER]]#0, %[[INNER]]#1
npu.program @even(%x: memref<32xf32> {npu.role = "input"}, %y: memref<32xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r = npu.ring offset(0) : memref<2x8xf32, #npu.space<sram>>
  scf.for %j = %c0 to %c3 step %c1 {
    scf.for %i = %c0 to %c32 step %c8 {
      %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
      %s = npu.ring_slot %r[%i step 8] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
      npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
      npu.store ins(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
    }
  }
  npu.return
}

// -----

// With 3 iterations the slots do not come out even: the last iteration of one run and the first of the next use the same slot, so the
// outer loop carries a token from the stores of one run to the loads of the next.
// CHECK-LABEL: npu.program @odd
// CHECK: scf.for {{.*}} iter_args(%[[LAST:[a-z0-9]+]] = %{{[0-9]+}})
// CHECK: npu.wait queue({{ *}}ld) on(%[[LAST]])
// CHECK: %[[INNER:.*]]:3 = scf.for
// CHECK: scf.yield %[[INNER]]#0 : !npu.token
npu.program @odd(%x: memref<24xf32> {npu.role = "input"}, %y: memref<24xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %r = npu.ring offset(0) : memref<2x8xf32, #npu.space<sram>>
  scf.for %j = %c0 to %c3 step %c1 {
    scf.for %i = %c0 to %c24 step %c8 {
      %from = memref.subview %x[%i] [8] [1] : memref<24xf32> to memref<8xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%i] [8] [1] : memref<24xf32> to memref<8xf32, strided<[1], offset: ?>>
      %s = npu.ring_slot %r[%i step 8] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
      npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>)
      npu.store ins(%s : memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
    }
  }
  npu.return
}

// -----

// DMA work that writes DRAM runs in the store queue, and in the load queue if it writes SRAM. A load of what was written to DRAM waits.
// CHECK-LABEL: npu.program @dma
// CHECK: %[[PAD:.*]] = npu.task queue({{ *}}st) {
// CHECK-NEXT: npu.pad
// CHECK: npu.task queue({{ *}}ld) waits(%[[PAD]]) {
// CHECK: npu.task queue({{ *}}ld) {
// CHECK-NEXT: npu.copy
npu.program @dma(%x: memref<6xf32> {npu.role = "input"}) {
  %t = npu.buffer offset(0) : memref<8xf32>
  %a = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  %b = npu.buffer offset(64) : memref<8xf32, #npu.space<sram>>
  npu.pad ins(%x : memref<6xf32>) outs(%t : memref<8xf32>) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32}
  npu.load ins(%t : memref<8xf32>) outs(%a : memref<8xf32, #npu.space<sram>>)
  npu.copy ins(%a : memref<8xf32, #npu.space<sram>>) outs(%b : memref<8xf32, #npu.space<sram>>)
  npu.return
}

// -----

// Declines: without work of the device there are no tasks, and the loop stays.
// CHECK-LABEL: npu.program @no_work
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9]+}} {
// CHECK-NOT: npu.task
// CHECK: npu.return
npu.program @no_work() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = npu.buffer offset(0) : memref<8xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.subview %a[%i] [1] [1] : memref<8xf32, #npu.space<sram>> to memref<1xf32, strided<[1], offset: ?>, #npu.space<sram>>
  }
  npu.return
}
