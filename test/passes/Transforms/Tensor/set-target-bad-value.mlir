// RUN: npu-opt %s --npu-set-target=target=%S/Inputs/bad-value.yaml --verify-diagnostics

// Every value that breaks a rule is listed, with the line, the value and the rule.
// expected-error @below {{Inputs/bad-value.yaml:11: error: 'array_rows' is 0, but must be between 1 and 1024 rows}}
module {
}
