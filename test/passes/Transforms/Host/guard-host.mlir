// RUN: npu-opt %s --npu-guard-host | filecheck %s

// Acts: a division has a result for every divisor; signed also for the most negative value by -1.
// CHECK-LABEL: func.func @division
// CHECK: %[[BY_ZERO:.*]] = arith.cmpi eq, %arg1,
// CHECK: %[[Q:.*]] = arith.divsi
// CHECK: arith.select %[[BY_ZERO]], %{{.*}}, %{{.*}} : i64
// CHECK: arith.remui
// CHECK: arith.select
func.func @division(%a: i64, %b: i64) -> (i64, i64) {
  %0 = arith.divsi %a, %b : i64
  %1 = arith.remui %a, %b : i64
  return %0, %1 : i64, i64
}

// Declines: the constant leaves nothing open. The boundary: by -1 it does, by 64 a shift of i64 does.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C2:.*]] = arith.constant 2 : i64
// CHECK: arith.divsi %arg0, %[[C2]] : i64
// CHECK-NEXT: arith.shli %arg0, %[[C2]] : i64
// CHECK-NEXT: return
func.func @constants(%a: i64) -> (i64, i64) {
  %c2 = arith.constant 2 : i64
  %0 = arith.divsi %a, %c2 : i64
  %1 = arith.shli %a, %c2 : i64
  return %0, %1 : i64, i64
}

// The boundary, outside: these constants leave something open.
// CHECK-LABEL: func.func @constants_that_do_not
// CHECK: arith.divsi
// CHECK: arith.select
// CHECK: arith.shli
// CHECK: arith.select
func.func @constants_that_do_not(%a: i64) -> (i64, i64) {
  %minus = arith.constant -1 : i64
  %c64 = arith.constant 64 : i64
  %0 = arith.divsi %a, %minus : i64
  %1 = arith.shli %a, %c64 : i64
  return %0, %1 : i64, i64
}

// Acts: a conversion is in range for every float.
// CHECK-LABEL: func.func @conversion
// CHECK: arith.cmpf uno
// CHECK: arith.fptosi
// CHECK: arith.select
func.func @conversion(%a: f32) -> i32 {
  %0 = arith.fptosi %a : f32 to i32
  return %0 : i32
}

// Acts: an index that may be outside is asked for; the node is named.
// CHECK-LABEL: func.func @index
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %arg1, %[[C2]] : index
// CHECK: cf.assert %[[INSIDE]], "an index lies outside of dimension 0 of size 2 (node 'gather')"
// CHECK-NEXT: tensor.extract
func.func @index(%t: tensor<2x3xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %t[%i, %c0] : tensor<2x3xf32> loc("gather")
  return %0 : f32
}

// The boundary: the last element is inside, the one behind it is not.
// CHECK-LABEL: func.func @constant_index
// CHECK-NOT: "an index lies outside of dimension 0 of size 2"
// CHECK: cf.assert %{{.*}}, "an index lies outside of dimension 0 of size 1"
func.func @constant_index(%t: tensor<2xf32>, %u: tensor<1xf32>) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %t[%c1] : tensor<2xf32>
  %1 = tensor.extract %u[%c1] : tensor<1xf32>
  return %0, %1 : f32, f32
}

// Declines: the loop ends inside of the tensor, or an assertion is there already.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-1: cf.assert
// CHECK-NOT: cf.assert
// CHECK: return
func.func @loop(%t: tensor<4xf32>, %i: tensor<4xi32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i32, %out: f32):
    %p = linalg.index 0 : index
    %a = tensor.extract %t[%p] : tensor<4xf32>
    %q = arith.index_cast %in : i32 to index
    %c4 = arith.constant 4 : index
    %inside = arith.cmpi ult, %q, %c4 : index
    cf.assert %inside, "outside"
    %b = tensor.extract %t[%q] : tensor<4xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The boundary, inside: a shift by all bits but one.
// CHECK-LABEL: func.func @last_shift
// CHECK-NOT: arith.select
// CHECK: return
func.func @last_shift(%a: i64) -> i64 {
  %c63 = arith.constant 63 : i64
  %0 = arith.shrsi %a, %c63 : i64
  return %0 : i64
}

// The boundary, outside: a loop that runs one element too far, and an assertion that allows one index too many.
// CHECK-LABEL: func.func @loop_too_far
// CHECK: cf.assert %{{.*}}, "one too many"
// CHECK: cf.assert %{{.*}}, "an index lies outside of dimension 0 of size 4"
// CHECK: cf.assert %{{.*}}, "an index lies outside of dimension 0 of size 4"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @loop_too_far(%t: tensor<4xf32>, %i: tensor<5xi32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<5xi32>) outs(%e : tensor<5xf32>) {
  ^bb0(%in: i32, %out: f32):
    %q = arith.index_cast %in : i32 to index
    %c5 = arith.constant 5 : index
    %inside = arith.cmpi ult, %q, %c5 : index
    cf.assert %inside, "one too many"
    %p = linalg.index 0 : index
    %a = tensor.extract %t[%p] : tensor<4xf32>
    %b = tensor.extract %t[%q] : tensor<4xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
