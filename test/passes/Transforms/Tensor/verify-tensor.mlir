// RUN: npu-opt %s --npu-verify-tensor --split-input-file --verify-diagnostics

// What the contract allows.
func.func @main(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = npu.launch @main_0 ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = npu.host_region reason("test") {
    %3 = arith.addf %1, %1 : tensor<8xf32>
    npu.yield %3 : tensor<8xf32>
  } -> tensor<8xf32>
  %4 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
npu.program @main_0(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = scf.for %i = %zero to %eight step %four iter_args(%d = %1) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %0[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32, #npu.space<sram>>
    %l = npu.load ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32, #npu.space<sram>>) -> tensor<4xf32, #npu.space<sram>>
    %f = tensor.empty() : tensor<4xf32, #npu.space<sram>>
    %g = npu.generic ins(%l : tensor<4xf32, #npu.space<sram>>) outs(%f : tensor<4xf32, #npu.space<sram>>)
        attributes {extents = array<i64: 4>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
      ^bb0(%a: f32, %unused: f32):
        %m = math.exp %a : f32
        npu.yield %m : f32
      } -> tensor<4xf32, #npu.space<sram>>
    %p = tensor.extract_slice %d[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %t = npu.store ins(%g : tensor<4xf32, #npu.space<sram>>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
    %n = tensor.insert_slice %t into %d[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
  npu.return
}

// -----

func.func @device_op_in_function(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected 'npu.copy' to be inside of an npu.program; 'npu-outline-programs' moves it there}}
  %0 = npu.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @host_op_in_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected only launches, host regions and views in a function, but found 'arith.addf'; work of the host belongs into an npu.host_region with its reason}}
  %0 = arith.addf %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

npu.program @dram_operand(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  // expected-error @below {{expected an input of 'npu.generic' in sram, but operand 0 is in dram; 'npu-promote' moves operands on chip}}
  %2 = npu.generic ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>)
      attributes {extents = array<i64: 8>, indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} {
    ^bb0(%a: f32, %unused: f32):
      npu.yield %a : f32
    } -> tensor<8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
  npu.return
}

// -----

npu.program @sums_in_sram(%x: memref<4x4xf32> {npu.role = "input"}) {
  %0 = bufferization.to_tensor %x restrict : memref<4x4xf32> to tensor<4x4xf32>
  %1 = tensor.empty() : tensor<4x4xf32, #npu.space<sram>>
  %2 = npu.load ins(%0 : tensor<4x4xf32>) outs(%1 : tensor<4x4xf32, #npu.space<sram>>) -> tensor<4x4xf32, #npu.space<sram>>
  // expected-error @below {{expected an init of 'npu.matmul' in acc, but operand 2 is in sram; 'npu-promote' moves operands on chip}}
  %3 = npu.matmul ins(%2, %2 : tensor<4x4xf32, #npu.space<sram>>, tensor<4x4xf32, #npu.space<sram>>) outs(%1 : tensor<4x4xf32, #npu.space<sram>>) -> tensor<4x4xf32, #npu.space<sram>>
  npu.return
}

// -----

npu.program @kernel_left() {
  // expected-error @below {{expected no 'npu.kernel' in a program}}
  npu.kernel "k" {
    npu.yield
  }
  npu.return
}

// -----

npu.program @foreign_op(%x: memref<8xf32> {npu.role = "input"}) {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  // expected-error @below {{expected only npu ops, views, loops and argument accesses in a program, but found 'arith.addf'}}
  %1 = arith.addf %0, %0 : tensor<8xf32>
  npu.return
}

// -----

npu.program @loop_from_one() {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  // expected-error @below {{expected a loop in a program to start at 0, but it starts at 1}}
  scf.for %i = %one to %eight step %one {
  }
  npu.return
}

// -----

npu.program @dynamic_loop() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    // expected-error @below {{expected a loop in a program to have a constant upper bound: its trip count is part of the instruction}}
    scf.for %j = %zero to %i step %one {
    }
  }
  npu.return
}
