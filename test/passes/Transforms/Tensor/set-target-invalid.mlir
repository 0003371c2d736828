// RUN: npu-opt %s --npu-set-target=target=phone --verify-diagnostics --split-input-file

// expected-error @below {{unknown target 'phone': expected one of tiny, edge, mobile, server, or the path of a .yaml file}}
module {
}
