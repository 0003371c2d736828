// RUN: npu-opt %s --split-input-file --npu-bufferize --verify-diagnostics

// An accumulator tensor with two readers that both write it would need a copy, which the hardware does not have.
npu.program @acc_copy(%y: memref<8x8xf32> {npu.role = "output"}, %z: memref<8x8xf32> {npu.role = "output"},
                      %x: memref<8x8xf32> {npu.role = "input"}) {
  %in = bufferization.to_tensor %x restrict : memref<8x8xf32> to tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32, #npu.space<sram>>
  %l = npu.load ins(%in : tensor<8x8xf32>) outs(%e : tensor<8x8xf32, #npu.space<sram>>) -> tensor<8x8xf32, #npu.space<sram>>
  %acc = tensor.empty() : tensor<8x8xf32, #npu.space<acc>>
  %a = npu.matmul ins(%l, %l : tensor<8x8xf32, #npu.space<sram>>, tensor<8x8xf32, #npu.space<sram>>) outs(%acc : tensor<8x8xf32, #npu.space<acc>>) -> tensor<8x8xf32, #npu.space<acc>>
  // expected-error @below {{expected values that bufferize in place or by a copy in dram or sram, but this one needs a copy from acc to acc}}
  // expected-note @below {{use an accumulator tensor once, as the init of the next matrix op or the input of a drain}}
  %b = npu.matmul ins(%l, %l : tensor<8x8xf32, #npu.space<sram>>, tensor<8x8xf32, #npu.space<sram>>) outs(%a : tensor<8x8xf32, #npu.space<acc>>) {accumulate} -> tensor<8x8xf32, #npu.space<acc>>
  %d = npu.generic ins(%a, %b : tensor<8x8xf32, #npu.space<acc>>, tensor<8x8xf32, #npu.space<acc>>) outs(%e : tensor<8x8xf32, #npu.space<sram>>)
    attributes {extents = array<i64: 8, 8>, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%p: f32, %q: f32, %unused: f32):
    %s = arith.addf %p, %q : f32
    npu.yield %s : f32
  } -> tensor<8x8xf32, #npu.space<sram>>
  %o = tensor.empty() : tensor<8x8xf32>
  %st = npu.store ins(%d : tensor<8x8xf32, #npu.space<sram>>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  bufferization.materialize_in_destination %st in restrict writable %y : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  npu.return
}

// -----

// Constant tensors are arguments of a program; one in the body has no place to live.
npu.program @constant(%y: memref<4xf32> {npu.role = "output"}) {
  // expected-error @below {{expected constants to be arguments of the program, but found a constant tensor in its body}}
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  bufferization.materialize_in_destination %c in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  npu.return
}

// -----

// An op that has no bufferization would keep its tensor.
npu.program @no_bufferization(%x: memref<4xf32> {npu.role = "input"}, %y: memref<4xf32> {npu.role = "output"}) {
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{expected ops on tensors that can work on buffers, but found 'math.absf'; 'npu-verify-tensor' checks what a program may hold}}
  %1 = math.absf %0 : tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  npu.return
}
