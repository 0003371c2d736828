// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_TENSOR_PASSES_TD
#define PASSES_TRANSFORMS_TENSOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"npu-set-target", "::mlir::ModuleOp"> {
  let summary = "put the target that a module is compiled for on it";
  let description = [{
    Reads a target and makes it the module's attribute `npu.target`, from which every later pass takes its hardware
    numbers. A module that has another target already is refused: it may have been tiled for that one.

    `npu-set-target{target=tiny}` turns `module {` into

    ```mlir
    module attributes {npu.target = #npu.target<"tiny", hash = "...", {array_rows = 16 : i64, ...}>} {
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"mobile\"",
           "name of a built-in target (tiny, edge, mobile, server) or path of a .yaml file">,
  ];
}

#endif // PASSES_TRANSFORMS_TENSOR_PASSES_TD
