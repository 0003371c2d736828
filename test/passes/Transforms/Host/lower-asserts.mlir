// RUN: npu-opt %s --npu-lower-asserts | filecheck %s

// Acts: a failed assertion hands its message to the runtime; two with one text share it.
// CHECK: func.func private @npuRuntimeFail(i64)
// CHECK: llvm.mlir.global internal constant @[[TEXT:.*]]("index out of range\00")
// CHECK-LABEL: func.func @index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[FAILED:.*]] = arith.xori %[[INSIDE]], %{{.*}} : i1
// CHECK: scf.if %[[FAILED]] {
// CHECK: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: %[[NUMBER:.*]] = llvm.ptrtoint %[[ADDRESS]]
// CHECK: call @npuRuntimeFail(%[[NUMBER]]) : (i64) -> ()
// CHECK-NOT: cf.assert
func.func @index(%i: index) -> index {
  %c4 = arith.constant 4 : index
  %inside = arith.cmpi ult, %i, %c4 : index
  cf.assert %inside, "index out of range"
  return %i : index
}

// Acts inside of loops, too.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: scf.if
// CHECK: call @npuRuntimeFail
func.func @loop(%n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    cf.assert %ok, "not so"
  }
  return
}

// Declines: nothing is asserted.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none(%i: index) -> index {
  return %i : index
}
