// RUN: npu-opt %s --npu-set-target=target=tiny --npu-set-target=target=edge --verify-diagnostics

// A module that has a target already may have been tiled for it.
// expected-error-re @below {{expected a module without a target or with target 'edge' (hash {{[0-9a-f]+}}), but found target 'tiny' (hash {{[0-9a-f]+}}): compile again from the model to change the target}}
module {
}
