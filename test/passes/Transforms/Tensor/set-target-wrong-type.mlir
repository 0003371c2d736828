// RUN: npu-opt %s --npu-set-target=target=%S/Inputs/wrong-type.yaml --verify-diagnostics

// A value of the wrong type is shown with its line.
// expected-error @below {{Inputs/wrong-type.yaml:42:13: error: invalid number: 'sram_bytes: many'}}
module {
}
