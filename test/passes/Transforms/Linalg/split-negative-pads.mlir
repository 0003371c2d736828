// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-split-negative-pads))' | filecheck %s

// What a negative amount removes is cut off first; the positive amounts of both ends stay.
// CHECK-LABEL: func.func @both
// CHECK-SAME: (%[[X:.*]]: tensor<5x6xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][1, 0] [4, 5] [1, 1]
// CHECK: tensor.pad %[[S]] low[0, 2] high[3, 0]
// CHECK: tensor<4x5xf32> to tensor<7x7xf32>
func.func @both(%x: tensor<5x6xf32>, %v: f32) -> tensor<7x7xf32> {
  %0 = tensor.pad %x low[-1, 2] high[3, -1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<5x6xf32> to tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

// Nothing is added: the slice is all.
// CHECK-LABEL: func.func @only_cut
// CHECK: tensor.extract_slice %{{.*}}[1] [2] [1]
// CHECK-NOT: tensor.pad
func.func @only_cut(%x: tensor<5xf32>, %v: f32) -> tensor<2xf32> {
  %0 = tensor.pad %x low[-1] high[-2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<5xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// All of the source is cut off: every element of the result is padding.
// CHECK-LABEL: func.func @nothing_left
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0] [0] [1]
// CHECK: tensor.pad %[[S]] low[0] high[4]
func.func @nothing_left(%x: tensor<5xf32>, %v: f32) -> tensor<4xf32> {
  %0 = tensor.pad %x low[-7] high[6] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<5xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Declines: no amount is negative.
// CHECK-LABEL: func.func @positive
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.pad %{{.*}} low[1] high[0]
func.func @positive(%x: tensor<5xf32>, %v: f32) -> tensor<6xf32> {
  %0 = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<5xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Declines: the amount is known only at run time.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.pad
func.func @dynamic(%x: tensor<5xf32>, %v: f32, %n: index) -> tensor<?xf32> {
  %0 = tensor.pad %x low[-1] high[%n] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<5xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
