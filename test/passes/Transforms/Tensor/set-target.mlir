// RUN: npu-opt %s --npu-set-target=target=tiny | filecheck %s
// RUN: npu-opt %s --npu-set-target=target=%S/Inputs/small.yaml | filecheck %s --check-prefix=FILE
// RUN: npu-opt %s --npu-set-target=target=edge --npu-set-target=target=edge | filecheck %s --check-prefix=TWICE

// A built-in target by name, with every number.
// CHECK: #[[TINY:.*]] = #npu.target<"tiny", hash = "{{[0-9a-f]+}}", {acc_banks = 2 : i64
// CHECK-SAME: array_rows = 16 : i64
// CHECK-SAME: sram_bytes = 262144 : i64
// CHECK-SAME: weight_double_buffer = true
// CHECK: module attributes {npu.target = #[[TINY]]}

// A target file.
// FILE: #target_small = #npu.target<"small"
// FILE-SAME: sram_bytes = 8192 : i64

// The same target again changes nothing.
// TWICE: #npu.target<"edge"
module {
}
