// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_LINALG_PASSES_TD
#define PASSES_TRANSFORMS_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyLinalgPass : Pass<"npu-verify-linalg", "::mlir::ModuleOp"> {
  let summary = "check what the passes behind it rely on";
  let description = [{
    - Arguments and results of functions are tensors of static shape or scalars.
    - There is no memory yet: no value is a memref, and tensors have a rank.
    - No value has more than 2^33 elements: beyond, element counts overflow where they are multiplied.

    Runs first and changes nothing. What the device cannot run for another reason, `npu-place` tells.
  }];
}

def PrepareLinalgPass : Pass<"npu-prepare-linalg", "::mlir::ModuleOp"> {
  let summary = "bring linalg into the form that the device's rules look for";
  let description = [{
    - Types: f64 inside of a function becomes f32 (but not where it holds integers), tensors of i1 become tensors of i8, positions in i64 become i32.
    - Layout: convolutions and pooling become channels-last; grouped convolutions one convolution a group. The
      transpositions that this makes move towards the ends of the function, into the maps of elementwise ops and into
      constants, until they meet and cancel.
    - Elementwise ops of arith and math on tensors become linalg.
    - Ops that stand for several others (`linalg.softmax`) become these.
    - Hyperbolic functions and their inverses become exp, log and sqrt.
    - Elementwise ops are fused; reshapes move out of the way of what may become an epilogue.
    - `cf.assert` goes: `npu.gather` checks its indices at run time.

    ```mlir
    %1 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%0 : tensor<1x4x6x6xf32>)
    %2 = linalg.generic { relu } ins(%1 : tensor<1x4x6x6xf32>)
    ```

    becomes

    ```mlir
    %1 = linalg.transpose ins(%x) permutation = [0, 2, 3, 1]
    %2 = linalg.transpose ins(%w) permutation = [2, 3, 1, 0]
    %3 = linalg.conv_2d_nhwc_hwcf ins(%1, %2 : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%0 : tensor<1x6x6x4xf32>)
    %4 = linalg.generic { relu } ins(%3 : tensor<1x6x6x4xf32>)
    %5 = linalg.transpose ins(%4) permutation = [0, 3, 1, 2]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numAsserts", "asserts", "assertions that were dropped">,
    Statistic<"numNarrowed", "narrowed", "values that got a type of the device">,
  ];
}

def SplitNegativePadsPass : Pass<"npu-split-negative-pads", "::mlir::func::FuncOp"> {
  let summary = "cut off by a slice what negative padding takes away";
  let description = [{
    A negative amount removes elements. Nothing behind it knows that form: neither the device nor the bufferization of the
    host. `npu-prepare-linalg` holds the same rewrite for the device.

    ```mlir
    %1 = tensor.pad %0 low[-1] high[2] {...} : tensor<5xf32> to tensor<6xf32>
    ```

    becomes

    ```mlir
    %s = tensor.extract_slice %0[1] [4] [1] : tensor<5xf32> to tensor<4xf32>
    %1 = tensor.pad %s low[0] high[2] {...} : tensor<4xf32> to tensor<6xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def PlacePass : Pass<"npu-place", "::mlir::func::FuncOp"> {
  let summary = "put what the device cannot run into host regions";
  let description = [{
    Judges every op by the same rules as `convert-linalg-to-npu` and wraps each op that no rule admits in
    `npu.host_region`, with the reason. Neighbours share a region.

    ```mlir
    %0 = linalg.generic ... { %1 = math.acos %in : f32 ... }
    ```

    becomes

    ```mlir
    %0 = npu.host_region reason("linalg.generic: the vector engine has no 'math.acos'") {
      %1 = linalg.generic ...
      npu.yield %1 : tensor<4xf32>
    } -> tensor<4xf32>
    ```

    Dynamic shapes are an error, and so are element types that neither side computes with (f8, for example). With
    `no-host`, host ops are one error that lists all of them.
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect"];
  let options = [
    Option<"noHost", "no-host", "bool", "false", "fail if anything would have to run on the host">,
  ];
  let statistics = [
    Statistic<"numDeviceOps", "device-ops", "ops that run on the device">,
    Statistic<"numHostOps", "host-ops", "ops that run on the host">,
  ];
}

#endif // PASSES_TRANSFORMS_LINALG_PASSES_TD
