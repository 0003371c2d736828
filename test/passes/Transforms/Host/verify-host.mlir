// RUN: npu-opt %s --npu-verify-host --split-input-file --verify-diagnostics | filecheck %s

// Declines: all of it is LLVM, and nothing changes.
// CHECK-LABEL: llvm.func @fine
llvm.func @fine(%x: i64) -> i64 {
  llvm.return %x : i64
}

// -----

llvm.func @left_over(%x: i64) -> i64 {
  // expected-error @below {{expected only ops of LLVM in host code, but found 'arith.addi'}}
  %0 = arith.addi %x, %x : i64
  llvm.return %0 : i64
}

// -----

// The boundary: a cast that is not of LLVM, though its types are.
llvm.func @cast(%x: i64) -> f64 {
  // expected-error @below {{expected only ops of LLVM in host code, but found 'builtin.unrealized_conversion_cast' on 'i64' with results 'f64'}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to f64
  llvm.return %0 : f64
}
