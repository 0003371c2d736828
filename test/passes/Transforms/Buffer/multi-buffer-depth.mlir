// RUN: npu-opt %s --npu-multi-buffer=depth=0 --verify-diagnostics

// A ring has a slot at least; multi-buffer.mlir runs with depth=1.
// expected-error @below {{expected option 'depth' to be at least 1, but found 0}}
npu.program @depth() {
  npu.return
}
