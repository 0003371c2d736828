// RUN: npu-opt %s --npu-lower-launch | filecheck %s

// CHECK: func.func private @npuRuntimeLaunch(i64, i64, i64)
// CHECK: llvm.mlir.global internal constant @[[NAME:.*]]("main_0\00")
// CHECK-NOT: npu.program

npu.program @main_0(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
  npu.return
}

// Acts: a launch on tensors reads a view of its input and writes a new buffer; a host region is plain code.
// CHECK-LABEL: func.func @tensors
// CHECK: %[[X:.*]] = bufferization.to_buffer %arg0 read_only
// CHECK: %[[Y:.*]] = memref.alloc() : memref<8xf32>
// CHECK: call @main_0(%[[X]], %[[Y]])
// CHECK: %[[R:.*]] = bufferization.to_tensor %[[Y]] restrict writable
// CHECK-NEXT: math.acos %[[R]]
func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = npu.launch @main_0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %h = npu.host_region reason("math.acos: the vector engine lacks it") {
    %0 = math.acos %r : tensor<8xf32>
    npu.yield %0 : tensor<8xf32>
  } -> tensor<8xf32>
  return %h : tensor<8xf32>
}

// Acts: a launch on buffers takes them as they are.
// CHECK-LABEL: func.func @buffers
// CHECK-NEXT: call @main_0(%arg0, %arg1)
// CHECK-NEXT: return
func.func @buffers(%x: memref<8xf32>, %y: memref<8xf32>) {
  npu.launch @main_0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// Declines: no launch, nothing to do.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return %arg0
func.func @none(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// The function behind all launches of a program: address and bytes of each argument in a list, and the list to the runtime.
// CHECK-LABEL: func.func private @main_0
// CHECK: %[[LIST:.*]] = memref.alloca() : memref<4xi64>
// CHECK: %[[BYTES:.*]] = arith.constant 32 : i64
// CHECK: memref.store %[[BYTES]], %[[LIST]]
// CHECK: llvm.mlir.addressof @[[NAME]]
// CHECK: %[[COUNT:.*]] = arith.constant 2 : i64
// CHECK: call @npuRuntimeLaunch(%{{.*}}, %{{.*}}, %[[COUNT]])
