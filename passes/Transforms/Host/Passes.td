// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PASSES_TRANSFORMS_HOST_PASSES_TD
#define PASSES_TRANSFORMS_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def NPUGuardHostPass : Pass<"npu-guard-host", "::mlir::func::FuncOp"> {
  let summary = "leave nothing undefined in host code";
  let description = [{
    What LLVM leaves open or the CPU answers with a trap gets the result that the device has (docs/numerics.md): division and remainder
    by zero and of the most negative value by -1, shifts by the width and more, floats outside of an integer's range.
    An element that `tensor.extract` takes from outside of its tensor ends the run with an error that names the node.
    What is in range by constants or by the extent of a loop stays as it is.

    ```mlir
    %0 = tensor.extract %t[%i] : tensor<4xf32>
    // becomes
    %inside = arith.cmpi ult, %i, %c4 : index
    cf.assert %inside, "an index lies outside of dimension 0 of size 4"
    %0 = tensor.extract %t[%i] : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numIntegers", "integers", "Number of integer operations guarded">,
                    Statistic<"numIndices", "indices", "Number of indices guarded">];
}

def NPUInterchangeReductionsPass : Pass<"npu-interchange-reductions", "::mlir::func::FuncOp"> {
  let summary = "give reductions a parallel innermost loop";
  let description = [{
    A contraction with its reduction loop innermost is a chain of dependent additions that a CPU runs one at a time. This pass
    makes the parallel dimension that walks the output contiguously the innermost one, so that the loops vectorise. The order
    of the values that are added into one element does not change, so neither does any result.

    ```mlir
    // before: (m, n, k)
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction"], ...}
    // after: (m, k, n)
    linalg.generic {iterator_types = ["parallel", "reduction", "parallel"], ...}
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [Statistic<"numInterchanged", "interchanged", "Number of ops whose loops were interchanged">];
}

def NPULowerAssertsPass : Pass<"npu-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "turn assertions into errors of the run";
  let description = [{
    `cf.assert` would end the process. A failed assertion here calls the runtime, which ends the run with the message as its
    error.

    ```mlir
    cf.assert %ok, "index out of range"
    // becomes
    scf.if %failed {
      func.call @npuRuntimeFail(%message) : (i64) -> ()
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numAsserts", "asserts", "Number of assertions lowered">];
}

def NPULowerLaunchPass : Pass<"npu-lower-launch", "::mlir::ModuleOp"> {
  let summary = "turn launches of device programs into calls of the runtime";
  let description = [{
    Each `npu.launch` becomes a call of a function with the program's name. That function stores addresses and sizes of its arguments
    in a list and hands it to the runtime, which runs the program. Device programs leave the module. A launch on
    tensors gets buffers: it reads views of its inputs and writes new allocations.

    ```mlir
    npu.launch @main_0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    // becomes
    func.call @main_0(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numLaunches", "launches", "Number of launches lowered">];
}

def NPUVerifyHostPass : Pass<"npu-verify-host", "::mlir::ModuleOp"> {
  let summary = "check that everything has become LLVM";
  let description = [{
    The last pass of `npu-lower-host`. An op that no conversion took, or a cast between types that no conversion resolved, is an
    error here, with its location, instead of one of the code generator without.

    ```mlir
    %0 = builtin.unrealized_conversion_cast %a : i8 to f8E4M3FN // error
    ```
  }];
}

def NPUWidenSubBytesPass : Pass<"npu-widen-sub-bytes", "::mlir::ModuleOp"> {
  let summary = "give integers below a byte a byte each in memory";
  let description = [{
    LLVM has no addressable element below a byte. Memrefs of such integers become memrefs of i8; loads narrow, stores
    extend with zeros. A stored truth value is 0 or 1. Runs after linalg has become loops.

    ```mlir
    %0 = memref.load %m[%i] : memref<4xi1>
    // becomes
    %b = memref.load %m[%i] : memref<4xi8>
    %0 = arith.cmpi ne, %b, %zero : i8
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numWidened", "widened", "Number of loads and stores rewritten">];
}

#endif // PASSES_TRANSFORMS_HOST_PASSES_TD
