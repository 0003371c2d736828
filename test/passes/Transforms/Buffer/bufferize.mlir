// RUN: npu-opt %s --split-input-file --npu-bufferize | filecheck %s

// A tiled op writes into the output argument: loops carry nothing, each tile has its own buffers where it stands, no copy is left.
// CHECK-LABEL: npu.program @tiled
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<128x64xf32> {npu.role = "input"}, %[[Y:[a-z0-9]+]]: memref<128x64xf32> {npu.role = "output"}
// CHECK: scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-DAG: %[[FROM:.*]] = memref.subview %[[X]][%[[I]], 0] [64, 64] [1, 1]
// CHECK-DAG: %[[A:.*]] = memref.alloc() : memref<64x64xf32, #npu.space<sram>>
// CHECK: npu.load ins(%[[FROM]] : {{.*}}) outs(%[[A]] : memref<64x64xf32, #npu.space<sram>>)
// CHECK: %[[B:.*]] = memref.alloc() : memref<64x64xf32, #npu.space<sram>>
// CHECK: npu.generic ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: arith.maximumf %{{.*}}, %[[ZERO]] : f32
// CHECK: %[[TO:.*]] = memref.subview %[[Y]][%[[I]], 0] [64, 64] [1, 1]
// CHECK: npu.store ins(%[[B]] {{.*}} outs(%[[TO]]
// CHECK-NOT: npu.copy
// CHECK: npu.return
#map = affine_map<(m, n) -> (m, n)>
npu.program @tiled(%x: memref<128x64xf32> {npu.role = "input"}, %y: memref<128x64xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %in = bufferization.to_tensor %x restrict : memref<128x64xf32> to tensor<128x64xf32>
  %empty = tensor.empty() : tensor<128x64xf32>
  %tile = tensor.empty() : tensor<64x64xf32, #npu.space<sram>>
  %r = scf.for %i = %c0 to %c128 step %c64 iter_args(%o = %empty) -> tensor<128x64xf32> {
    %s = tensor.extract_slice %in[%i, 0] [64, 64] [1, 1] : tensor<128x64xf32> to tensor<64x64xf32>
    %l = npu.load ins(%s : tensor<64x64xf32>) outs(%tile : tensor<64x64xf32, #npu.space<sram>>) -> tensor<64x64xf32, #npu.space<sram>>
    %g = npu.generic ins(%l : tensor<64x64xf32, #npu.space<sram>>) outs(%tile : tensor<64x64xf32, #npu.space<sram>>)
      attributes {extents = array<i64: 64, 64>, indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      %zero = arith.constant 0.0 : f32
      %m = arith.maximumf %a, %zero : f32
      npu.yield %m : f32
    } -> tensor<64x64xf32, #npu.space<sram>>
    %os = tensor.extract_slice %o[%i, 0] [64, 64] [1, 1] : tensor<128x64xf32> to tensor<64x64xf32>
    %st = npu.store ins(%g : tensor<64x64xf32, #npu.space<sram>>) outs(%os : tensor<64x64xf32>) -> tensor<64x64xf32>
    %oi = tensor.insert_slice %st into %o[%i, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<128x64xf32>
    scf.yield %oi : tensor<128x64xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<128x64xf32>, memref<128x64xf32>) -> ()
  npu.return
}

// -----

// An accumulator that a loop carries stays in place: one allocation, in front of the loop.
// CHECK-LABEL: npu.program @accumulate
// CHECK: %[[ACC:.*]] = memref.alloc() : memref<16x16xf32, #npu.space<acc>>
// CHECK: npu.matmul {{.*}} outs(%[[ACC]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: memref.alloc() : memref<16x16xf32, #npu.space<acc>>
// CHECK: npu.matmul {{.*}} outs(%[[ACC]] {{.*}} {accumulate}
#map = affine_map<(m, n) -> (m, n)>
npu.program @accumulate(%x: memref<16x64xf32> {npu.role = "input"}, %w: memref<64x16xf32> {npu.role = "input"},
                        %y: memref<16x16xf32> {npu.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %in = bufferization.to_tensor %x restrict : memref<16x64xf32> to tensor<16x64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64x16xf32> to tensor<64x16xf32>
  %tile = tensor.empty() : tensor<16x16xf32, #npu.space<sram>>
  %acc = tensor.empty() : tensor<16x16xf32, #npu.space<acc>>
  %a0 = tensor.extract_slice %in[0, 0] [16, 16] [1, 1] : tensor<16x64xf32> to tensor<16x16xf32>
  %b0 = tensor.extract_slice %weights[0, 0] [16, 16] [1, 1] : tensor<64x16xf32> to tensor<16x16xf32>
  %la0 = npu.load ins(%a0 : tensor<16x16xf32>) outs(%tile : tensor<16x16xf32, #npu.space<sram>>) -> tensor<16x16xf32, #npu.space<sram>>
  %lb0 = npu.load ins(%b0 : tensor<16x16xf32>) outs(%tile : tensor<16x16xf32, #npu.space<sram>>) -> tensor<16x16xf32, #npu.space<sram>>
  %first = npu.matmul ins(%la0, %lb0 : tensor<16x16xf32, #npu.space<sram>>, tensor<16x16xf32, #npu.space<sram>>) outs(%acc : tensor<16x16xf32, #npu.space<acc>>) -> tensor<16x16xf32, #npu.space<acc>>
  %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%carried = %first) -> tensor<16x16xf32, #npu.space<acc>> {
    %k1 = affine.apply affine_map<(d) -> (d + 16)>(%k)
    %a = tensor.extract_slice %in[0, %k1] [16, 16] [1, 1] : tensor<16x64xf32> to tensor<16x16xf32>
    %b = tensor.extract_slice %weights[%k1, 0] [16, 16] [1, 1] : tensor<64x16xf32> to tensor<16x16xf32>
    %la = npu.load ins(%a : tensor<16x16xf32>) outs(%tile : tensor<16x16xf32, #npu.space<sram>>) -> tensor<16x16xf32, #npu.space<sram>>
    %lb = npu.load ins(%b : tensor<16x16xf32>) outs(%tile : tensor<16x16xf32, #npu.space<sram>>) -> tensor<16x16xf32, #npu.space<sram>>
    %next = npu.matmul ins(%la, %lb : tensor<16x16xf32, #npu.space<sram>>, tensor<16x16xf32, #npu.space<sram>>) outs(%carried : tensor<16x16xf32, #npu.space<acc>>) {accumulate} -> tensor<16x16xf32, #npu.space<acc>>
    scf.yield %next : tensor<16x16xf32, #npu.space<acc>>
  }
  %d = npu.generic ins(%sum : tensor<16x16xf32, #npu.space<acc>>) outs(%tile : tensor<16x16xf32, #npu.space<sram>>)
    attributes {extents = array<i64: 16, 16>, indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%e: f32, %unused: f32):
    npu.yield %e : f32
  } -> tensor<16x16xf32, #npu.space<sram>>
  %out = tensor.empty() : tensor<16x16xf32>
  %st = npu.store ins(%d : tensor<16x16xf32, #npu.space<sram>>) outs(%out : tensor<16x16xf32>) -> tensor<16x16xf32>
  bufferization.materialize_in_destination %st in restrict writable %y : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
  npu.return
}

// -----

// An input that goes to the output unchanged is a copy in DRAM; between two DMA ops a temporary in DRAM is needed.
// CHECK-LABEL: npu.program @moves
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x4xf32> {npu.role = "input"}, %[[Y:[a-z0-9]+]]: memref<6x10xf32> {npu.role = "output"}, %[[Z:[a-z0-9]+]]: memref<8x4xf32>
// CHECK: %[[T:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK: npu.transpose ins(%[[X]] {{.*}} outs(%[[T]]
// CHECK: npu.pad ins(%[[T]] {{.*}} outs(%[[Y]]
// CHECK: npu.copy ins(%[[X]] {{.*}} outs(%[[Z]]
npu.program @moves(%x: memref<8x4xf32> {npu.role = "input"}, %y: memref<6x10xf32> {npu.role = "output"},
                   %z: memref<8x4xf32> {npu.role = "output"}) {
  %in = bufferization.to_tensor %x restrict : memref<8x4xf32> to tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = npu.transpose ins(%in : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {permutation = array<i64: 1, 0>} -> tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<6x10xf32>
  %p = npu.pad ins(%t : tensor<4x8xf32>) outs(%e2 : tensor<6x10xf32>) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f32} -> tensor<6x10xf32>
  bufferization.materialize_in_destination %p in restrict writable %y : (tensor<6x10xf32>, memref<6x10xf32>) -> ()
  bufferization.materialize_in_destination %in in restrict writable %z : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
  npu.return
}

// -----

// A value that is still read is not overwritten: the second write gets a copy of it, from SRAM to SRAM.
// CHECK-LABEL: npu.program @kept
// CHECK: npu.load {{.*}} outs(%[[A:.*]] : memref
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: npu.copy ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: npu.generic outs(%[[B]]
// CHECK: npu.store ins(%[[B]]
// CHECK: npu.store ins(%[[A]]
#id = affine_map<(d) -> (d)>
npu.program @kept(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"},
                  %z: memref<8xf32> {npu.role = "output"}) {
  %in = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32, #npu.space<sram>>
  %l = npu.load ins(%in : tensor<8xf32>) outs(%e : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
  %g = npu.generic outs(%l : tensor<8xf32, #npu.space<sram>>) attributes {extents = array<i64: 8>, indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    npu.yield %s : f32
  } -> tensor<8xf32, #npu.space<sram>>
  %o = tensor.empty() : tensor<8xf32>
  %s0 = npu.store ins(%g : tensor<8xf32, #npu.space<sram>>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %s1 = npu.store ins(%l : tensor<8xf32, #npu.space<sram>>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %s0 in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %s1 in restrict writable %z : (tensor<8xf32>, memref<8xf32>) -> ()
  npu.return
}

// -----

// Declines: a program on buffers stays as it is.
// CHECK-LABEL: npu.program @buffers
// CHECK-NEXT: npu.copy ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>)
// CHECK-NEXT: npu.return
npu.program @buffers(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  npu.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  npu.return
}
