// RUN: npu-opt %s --split-input-file --npu-multi-buffer | filecheck %s
// RUN: npu-opt %s --split-input-file --npu-multi-buffer=depth=3 | filecheck %s --check-prefix=DEEP
// RUN: npu-opt %s --split-input-file --npu-multi-buffer=depth=1 | filecheck %s --check-prefix=FLAT

// A buffer between two queues in a loop becomes a ring that the loop's variable walks; views of it follow. The one outside stays one.
// CHECK-LABEL: npu.program @ring
// CHECK: %[[ONCE:.*]] = npu.buffer : memref<8x8xf32, #npu.space<sram>>
// CHECK: %[[RING:.*]] = npu.ring : memref<2x8x8xf32, #npu.space<sram>>
// CHECK: npu.load {{.*}} outs(%[[ONCE]]
// CHECK: scf.for %[[I:[a-z0-9]+]]
// CHECK: %[[SLOT:.*]] = npu.ring_slot %[[RING]][%[[I]] step 8] : memref<2x8x8xf32, #npu.space<sram>> to memref<8x8xf32, strided<[8, 1], offset: ?>, #npu.space<sram>>
// CHECK: npu.load {{.*}} outs(%[[SLOT]]
// CHECK: memref.subview %[[SLOT]][0, 0] [4, 8] [1, 1] : memref<8x8xf32, strided<[8, 1], offset: ?>, #npu.space<sram>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #npu.space<sram>>
// DEEP-LABEL: npu.program @ring
// DEEP: npu.ring : memref<3x8x8xf32, #npu.space<sram>>
// FLAT-LABEL: npu.program @ring
// FLAT: npu.ring : memref<1x8x8xf32, #npu.space<sram>>
npu.program @ring(%x: memref<32x8xf32> {npu.role = "input"}, %y: memref<32x8xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %first = memref.subview %x[0, 0] [8, 8] [1, 1] : memref<32x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %once = memref.alloc() : memref<8x8xf32, #npu.space<sram>>
  npu.load ins(%first : memref<8x8xf32, strided<[8, 1]>>) outs(%once : memref<8x8xf32, #npu.space<sram>>)
  scf.for %i = %c0 to %c32 step %c8 {
    %from = memref.subview %x[%i, 0] [8, 8] [1, 1] : memref<32x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [4, 8] [1, 1] : memref<32x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %tile = memref.alloc() : memref<8x8xf32, #npu.space<sram>>
    npu.load ins(%from : memref<8x8xf32, strided<[8, 1], offset: ?>>) outs(%tile : memref<8x8xf32, #npu.space<sram>>)
    %half = memref.subview %tile[0, 0] [4, 8] [1, 1] : memref<8x8xf32, #npu.space<sram>> to memref<4x8xf32, strided<[8, 1]>, #npu.space<sram>>
    npu.store ins(%half : memref<4x8xf32, strided<[8, 1]>, #npu.space<sram>>) outs(%to : memref<4x8xf32, strided<[8, 1], offset: ?>>)
  }
  npu.return
}

// -----

// Only the vector engine touches the inner buffer: one slot. The loop has two iterations: never more than two slots.
// CHECK-LABEL: npu.program @few
// CHECK: npu.ring : memref<2x8xf32, #npu.space<sram>>
// CHECK: npu.ring : memref<1x8xf32, #npu.space<sram>>
// CHECK: npu.ring : memref<2x8xf32, #npu.space<sram>>
// DEEP-LABEL: npu.program @few
// DEEP: npu.ring : memref<2x8xf32, #npu.space<sram>>
// DEEP: npu.ring : memref<1x8xf32, #npu.space<sram>>
#id = affine_map<(d) -> (d)>
npu.program @few(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c8 {
    %from = memref.subview %x[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<8xf32, #npu.space<sram>>
    %b = memref.alloc() : memref<8xf32, #npu.space<sram>>
    %c = memref.alloc() : memref<8xf32, #npu.space<sram>>
    npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%a : memref<8xf32, #npu.space<sram>>)
    npu.generic ins(%a : memref<8xf32, #npu.space<sram>>) outs(%b : memref<8xf32, #npu.space<sram>>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
    ^bb0(%e: f32, %unused: f32):
      npu.yield %e : f32
    }
    npu.generic ins(%b : memref<8xf32, #npu.space<sram>>) outs(%c : memref<8xf32, #npu.space<sram>>) attributes {extents = array<i64: 8>, indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
    ^bb0(%e: f32, %unused: f32):
      npu.yield %e : f32
    }
    npu.store ins(%c : memref<8xf32, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  }
  npu.return
}

// -----

// 8 MiB cannot hold two slots of 5 MiB: the large ring gives up a slot, the small one keeps both.
// CHECK-LABEL: npu.program @capacity
// CHECK: npu.ring : memref<1x1280x1024xf32, #npu.space<sram>>
// CHECK: npu.ring : memref<2x256x1024xf32, #npu.space<sram>>
// FLAT-LABEL: npu.program @capacity
// FLAT: npu.ring : memref<1x1280x1024xf32, #npu.space<sram>>
// FLAT: npu.ring : memref<1x256x1024xf32, #npu.space<sram>>
npu.program @capacity(%x: memref<5120x1024xf32> {npu.role = "input"}, %y: memref<5120x1024xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c1280 = arith.constant 1280 : index
  %c5120 = arith.constant 5120 : index
  scf.for %i = %c0 to %c5120 step %c1280 {
    %from = memref.subview %x[%i, 0] [1280, 1024] [1, 1] : memref<5120x1024xf32> to memref<1280x1024xf32, strided<[1024, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1280, 1024] [1, 1] : memref<5120x1024xf32> to memref<1280x1024xf32, strided<[1024, 1], offset: ?>>
    %small_from = memref.subview %x[%i, 0] [256, 1024] [1, 1] : memref<5120x1024xf32> to memref<256x1024xf32, strided<[1024, 1], offset: ?>>
    %small_to = memref.subview %y[%i, 0] [256, 1024] [1, 1] : memref<5120x1024xf32> to memref<256x1024xf32, strided<[1024, 1], offset: ?>>
    %large = memref.alloc() : memref<1280x1024xf32, #npu.space<sram>>
    %small = memref.alloc() : memref<256x1024xf32, #npu.space<sram>>
    npu.load ins(%from : memref<1280x1024xf32, strided<[1024, 1], offset: ?>>) outs(%large : memref<1280x1024xf32, #npu.space<sram>>)
    npu.load ins(%small_from : memref<256x1024xf32, strided<[1024, 1], offset: ?>>) outs(%small : memref<256x1024xf32, #npu.space<sram>>)
    npu.store ins(%large : memref<1280x1024xf32, #npu.space<sram>>) outs(%to : memref<1280x1024xf32, strided<[1024, 1], offset: ?>>)
    npu.store ins(%small : memref<256x1024xf32, #npu.space<sram>>) outs(%small_to : memref<256x1024xf32, strided<[1024, 1], offset: ?>>)
  }
  npu.return
}

// -----

// The depth of a loop counts, whatever the option says; but no more slots than iterations.
// CHECK-LABEL: npu.program @own_depth
// CHECK: npu.ring : memref<1x8xf32, #npu.space<sram>>
// CHECK: npu.ring : memref<4x8xf32, #npu.space<sram>>
// CHECK: npu.ring_slot
// CHECK: } {npu.depth = 1 : i64}
// DEEP-LABEL: npu.program @own_depth
// DEEP: npu.ring : memref<1x8xf32, #npu.space<sram>>
// DEEP: npu.ring : memref<4x8xf32, #npu.space<sram>>
// FLAT-LABEL: npu.program @own_depth
// FLAT: npu.ring : memref<1x8xf32, #npu.space<sram>>
// FLAT: npu.ring : memref<4x8xf32, #npu.space<sram>>
npu.program @own_depth(%x: memref<32xf32> {npu.role = "input"}, %y: memref<32xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c8 {
    %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<8xf32, #npu.space<sram>>
    npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%a : memref<8xf32, #npu.space<sram>>)
    npu.store ins(%a : memref<8xf32, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  } {npu.depth = 1 : i64}
  scf.for %i = %c0 to %c32 step %c8 {
    %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<8xf32, #npu.space<sram>>
    npu.load ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%a : memref<8xf32, #npu.space<sram>>)
    npu.store ins(%a : memref<8xf32, #npu.space<sram>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  } {npu.depth = 9 : i64}
  npu.return
}

// -----

// The boundary, inside: two slots of 4 MiB fill the memory to the last byte.
// CHECK-LABEL: npu.program @full
// CHECK: npu.ring : memref<2x1024x1024xf32, #npu.space<sram>>
npu.program @full(%x: memref<4096x1024xf32> {npu.role = "input"}, %y: memref<4096x1024xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 1024 : index
  %end = arith.constant 4096 : index
  scf.for %i = %c0 to %end step %step {
    %from = memref.subview %x[%i, 0] [1024, 1024] [1, 1] : memref<4096x1024xf32> to memref<1024x1024xf32, strided<[1024, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1024, 1024] [1, 1] : memref<4096x1024xf32> to memref<1024x1024xf32, strided<[1024, 1], offset: ?>>
    %a = memref.alloc() : memref<1024x1024xf32, #npu.space<sram>>
    npu.load ins(%from : memref<1024x1024xf32, strided<[1024, 1], offset: ?>>) outs(%a : memref<1024x1024xf32, #npu.space<sram>>)
    npu.store ins(%a : memref<1024x1024xf32, #npu.space<sram>>) outs(%to : memref<1024x1024xf32, strided<[1024, 1], offset: ?>>)
  }
  npu.return
}

// -----

// The boundary, outside: a row more, and there is one slot.
// CHECK-LABEL: npu.program @over_full
// CHECK: npu.ring : memref<1x1025x1024xf32, #npu.space<sram>>
npu.program @over_full(%x: memref<4100x1024xf32> {npu.role = "input"}, %y: memref<4100x1024xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 1025 : index
  %end = arith.constant 4100 : index
  scf.for %i = %c0 to %end step %step {
    %from = memref.subview %x[%i, 0] [1025, 1024] [1, 1] : memref<4100x1024xf32> to memref<1025x1024xf32, strided<[1024, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1025, 1024] [1, 1] : memref<4100x1024xf32> to memref<1025x1024xf32, strided<[1024, 1], offset: ?>>
    %a = memref.alloc() : memref<1025x1024xf32, #npu.space<sram>>
    npu.load ins(%from : memref<1025x1024xf32, strided<[1024, 1], offset: ?>>) outs(%a : memref<1025x1024xf32, #npu.space<sram>>)
    npu.store ins(%a : memref<1025x1024xf32, #npu.space<sram>>) outs(%to : memref<1025x1024xf32, strided<[1024, 1], offset: ?>>)
  }
  npu.return
}

// -----

// Declines: storage that is buffers and rings already.
// CHECK-LABEL: npu.program @done
// CHECK-NEXT: npu.buffer : memref<8xf32, #npu.space<sram>>
// CHECK-NEXT: npu.load
// CHECK-NEXT: npu.return
npu.program @done(%x: memref<8xf32> {npu.role = "input"}) {
  %a = npu.buffer : memref<8xf32, #npu.space<sram>>
  npu.load ins(%x : memref<8xf32>) outs(%a : memref<8xf32, #npu.space<sram>>)
  npu.return
}
