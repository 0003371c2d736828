// RUN: npu-opt %s --npu-set-target=target=%S/Inputs/unknown-key.yaml --verify-diagnostics

// A key that no target has is most likely misspelt: the line is named.
// expected-error @below {{Inputs/unknown-key.yaml:86:1: error: unknown key 'colour': 'colour: red'}}
module {
}
