// RUN: npu-opt %s --split-input-file --npu-plan-memory | filecheck %s

// With room to spare, buffers of neighbouring steps of the program do not share memory; those two steps apart do.
// CHECK-LABEL: npu.program @steps
// CHECK: npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(64) : memref<16xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(0) : memref<16xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(0) : memref<16xf32>
npu.program @steps(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  %a = npu.buffer : memref<16xf32, #npu.space<sram>>
  %b = npu.buffer : memref<16xf32, #npu.space<sram>>
  %c = npu.buffer : memref<16xf32, #npu.space<sram>>
  %t = npu.buffer : memref<16xf32>
  npu.load ins(%x : memref<16xf32>) outs(%a : memref<16xf32, #npu.space<sram>>)
  npu.store ins(%a : memref<16xf32, #npu.space<sram>>) outs(%t : memref<16xf32>)
  npu.load ins(%t : memref<16xf32>) outs(%b : memref<16xf32, #npu.space<sram>>)
  npu.copy ins(%b : memref<16xf32, #npu.space<sram>>) outs(%c : memref<16xf32, #npu.space<sram>>)
  npu.store ins(%c : memref<16xf32, #npu.space<sram>>) outs(%y : memref<16xf32>)
  npu.return
}

// -----

// Without room, memory is shared as soon as the last use is over: two buffers of 5 MiB at one address, in 8 MiB.
// Both DRAM temporaries are alive at once.
// CHECK-LABEL: npu.program @uses
// CHECK: npu.buffer offset(0) : memref<1310720xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(0) : memref<1310720xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(0) : memref<1310720xf32>
// CHECK: npu.buffer offset(5242880) : memref<1310720xf32>
npu.program @uses(%x: memref<1310720xf32> {npu.role = "input"}, %y: memref<1310720xf32> {npu.role = "output"}) {
  %a = npu.buffer : memref<1310720xf32, #npu.space<sram>>
  %b = npu.buffer : memref<1310720xf32, #npu.space<sram>>
  %t = npu.buffer : memref<1310720xf32>
  %u = npu.buffer : memref<1310720xf32>
  npu.load ins(%x : memref<1310720xf32>) outs(%a : memref<1310720xf32, #npu.space<sram>>)
  npu.store ins(%a : memref<1310720xf32, #npu.space<sram>>) outs(%t : memref<1310720xf32>)
  npu.load ins(%t : memref<1310720xf32>) outs(%b : memref<1310720xf32, #npu.space<sram>>)
  npu.copy ins(%t : memref<1310720xf32>) outs(%u : memref<1310720xf32>)
  npu.copy ins(%u : memref<1310720xf32>) outs(%t : memref<1310720xf32>)
  npu.store ins(%b : memref<1310720xf32, #npu.space<sram>>) outs(%y : memref<1310720xf32>)
  npu.return
}

// -----

// A ring of two slots keeps its memory for its whole loop; each offset is aligned to 64 bytes, though the ring has 40.
// CHECK-LABEL: npu.program @ring
// CHECK: npu.ring offset(0) : memref<2x5xf32, #npu.space<sram>>
// CHECK: npu.ring offset(64) : memref<2x5xf32, #npu.space<sram>>
npu.program @ring(%x: memref<20xf32> {npu.role = "input"}, %y: memref<20xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  %a = npu.ring : memref<2x5xf32, #npu.space<sram>>
  %b = npu.ring : memref<2x5xf32, #npu.space<sram>>
  scf.for %i = %c0 to %c20 step %c5 {
    %from = memref.subview %x[%i] [5] [1] : memref<20xf32> to memref<5xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [5] [1] : memref<20xf32> to memref<5xf32, strided<[1], offset: ?>>
    %p = npu.ring_slot %a[%i step 5] : memref<2x5xf32, #npu.space<sram>> to memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>
    %q = npu.ring_slot %b[%i step 5] : memref<2x5xf32, #npu.space<sram>> to memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>
    npu.load ins(%from : memref<5xf32, strided<[1], offset: ?>>) outs(%p : memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    npu.store ins(%p : memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<5xf32, strided<[1], offset: ?>>)
    npu.load ins(%from : memref<5xf32, strided<[1], offset: ?>>) outs(%q : memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>)
    npu.store ins(%q : memref<5xf32, strided<[1], offset: ?>, #npu.space<sram>>) outs(%to : memref<5xf32, strided<[1], offset: ?>>)
  }
  npu.return
}

// -----

// The boundary: two buffers that are alive together fill the 8 MiB to the last byte. plan-memory-invalid.mlir has one row of
// 64 bytes more.
// CHECK-LABEL: npu.program @full
// CHECK: npu.buffer offset(0) : memref<1048576xf32, #npu.space<sram>>
// CHECK: npu.buffer offset(4194304) : memref<1048576xf32, #npu.space<sram>>
npu.program @full(%x: memref<1048576xf32> {npu.role = "input"}, %y: memref<1048576xf32> {npu.role = "output"}) {
  %a = npu.buffer : memref<1048576xf32, #npu.space<sram>>
  %b = npu.buffer : memref<1048576xf32, #npu.space<sram>>
  npu.load ins(%x : memref<1048576xf32>) outs(%a : memref<1048576xf32, #npu.space<sram>>)
  npu.copy ins(%a : memref<1048576xf32, #npu.space<sram>>) outs(%b : memref<1048576xf32, #npu.space<sram>>)
  npu.store ins(%b : memref<1048576xf32, #npu.space<sram>>) outs(%y : memref<1048576xf32>)
  npu.return
}

// -----

// Declines: a program without storage.
// CHECK-LABEL: npu.program @no_storage
// CHECK-NEXT: npu.copy
// CHECK-NEXT: npu.return
npu.program @no_storage(%x: memref<16xf32> {npu.role = "input"}, %y: memref<16xf32> {npu.role = "output"}) {
  npu.copy ins(%x : memref<16xf32>) outs(%y : memref<16xf32>)
  npu.return
}
