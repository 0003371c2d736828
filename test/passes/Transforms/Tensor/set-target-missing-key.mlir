// RUN: npu-opt %s --npu-set-target=target=%S/Inputs/missing-key.yaml --verify-diagnostics

// A target file sets every key.
// expected-error @below {{Inputs/missing-key.yaml:5:1: error: missing required key 'sram_banks'}}
module {
}
