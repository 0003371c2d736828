// RUN: npu-opt %s --npu-set-target=target=tiny --npu-set-target=target=edge --verify-diagnostics

// A module that has a target already may have been tiled for it.
// expected-error @below {{expected a module without a target or with target 'edge'}}
module {
}
