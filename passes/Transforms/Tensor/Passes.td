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
  let dependentDialects = ["::mlir::npu::NPUDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"mobile\"",
           "name of a built-in target (tiny, edge, mobile, server) or path of a .yaml file">,
  ];
}

def FormKernelsPass : Pass<"npu-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "put each compute op into a kernel of its own";
  let description = [{
    Wraps each matrix and vector op that is in no kernel yet into an `npu.kernel` named after its source node. Inside,
    a contraction is split into the contraction, which leaves its sums in the accumulator, and the drain: an `npu.generic` that
    takes them out through the epilogue. What fills the init of one reduction goes into its kernel. Data ops stay outside of
    kernels: the DMA engines execute them as they are.

    ```mlir
    %r = npu.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) epilogue() {
    ^bb0(%sum: f32):
      %0 = math.absf %sum : f32
      npu.yield %0 : f32
    } -> tensor<4x16xf32>
    ```

    becomes

    ```mlir
    %r = npu.kernel "fc1" ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) {
    ^bb0(%in: tensor<4x8xf32>, %in_0: tensor<8x16xf32>):
      %0 = tensor.empty() : tensor<4x16xf32, #npu.space<acc>>
      %1 = npu.matmul ins(%in, %in_0 : ...) outs(%0 : ...) -> tensor<4x16xf32, #npu.space<acc>>
      %2 = tensor.empty() : tensor<4x16xf32>
      %3 = npu.generic ins(%1 : ...) outs(%2 : ...) attributes {...} {
      ^bb0(%sum: f32, %unused: f32):
        %4 = math.absf %sum : f32
        npu.yield %4 : f32
      } -> tensor<4x16xf32>
      npu.yield %3 : tensor<4x16xf32>
    } -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numKernels", "num-kernels", "kernels formed">];
}

def OutlineProgramsPass : Pass<"npu-outline-programs", "::mlir::ModuleOp"> {
  let summary = "move device work into programs that the host launches";
  let description = [{
    Each longest run of kernels, data ops and views between work of the host becomes an `npu.program` and an `npu.launch`.
    Constants that it reads become arguments that carry their value. Reshapes at the end of a run stay on the
    host, where they cost nothing. Kernels are dissolved. Arguments keep the names of the model in `npu.name`: that of the
    function's argument or result, of a constant's location, or of the source node that makes the value.

    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %r = npu.kernel "relu" ins(%x : tensor<8xf32>) { ... } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tensor.empty() : tensor<8xf32>
      %r = npu.launch @main_0 ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    npu.program @main_0(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
      %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
      ...
      bufferization.materialize_in_destination %r in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
      npu.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect"];
  let statistics = [Statistic<"numPrograms", "num-programs", "programs outlined">];
}

def PromotePass : Pass<"npu-promote", "::mlir::func::FuncOp"> {
  let summary = "make the compute ops of kernels work in on-chip memory";
  let description = [{
    Inserts an `npu.load` for each DRAM tensor that a compute op reads and an `npu.store` for each one that it writes. What a
    loop does not change is loaded in front of it, once. A destination that the op does not read is not loaded. The partial
    results of a reduction stay on chip from tile to tile.

    ```mlir
    %x = tensor.extract_slice %in[%i] [64] [1] : tensor<256xf32> to tensor<64xf32>
    %y = tensor.extract_slice %out[%i] [64] [1] : tensor<256xf32> to tensor<64xf32>
    %r = npu.generic ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) ...
    ```

    becomes

    ```mlir
    %0 = tensor.empty() : tensor<64xf32, #npu.space<sram>>
    %1 = npu.load ins(%x : tensor<64xf32>) outs(%0 : ...) -> tensor<64xf32, #npu.space<sram>>
    %2 = tensor.empty() : tensor<64xf32, #npu.space<sram>>
    %3 = npu.generic ins(%1 : ...) outs(%2 : ...) ... -> tensor<64xf32, #npu.space<sram>>
    %r = npu.store ins(%3 : ...) outs(%y : tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numLoads", "num-loads", "loads inserted">,
    Statistic<"numHoisted", "num-hoisted", "loads placed in front of a loop that does not change them">,
    Statistic<"numStores", "num-stores", "stores inserted">,
  ];
}

def SetSchedulePass : Pass<"npu-set-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose tile sizes and buffer depth of each kernel";
  let description = [{
    Chooses, by the cost formulas of the target, the tile sizes of the kernel's root op (the contraction, or the only compute
    op) with which all buffers fit the on-chip memory and the sums of a tile fit an accumulator bank. Buffers are doubled
    where there is more than one tile and they fit twice. A schedule that is there already is kept, and checked.

    ```mlir
    npu.kernel "fc1" ins(...) { ... }
    ```

    becomes

    ```mlir
    npu.kernel "fc1" ins(...) schedule(#npu.schedule<tiles = [64, 128, 0], depth = 2>) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect"];
  let statistics = [
    Statistic<"numCut", "num-cut", "kernels cut into tiles">,
    Statistic<"numWhole", "num-whole", "kernels that fit on chip whole">,
  ];
}

def TilePass : Pass<"npu-tile", "::mlir::func::FuncOp"> {
  let summary = "cut kernels into the tiles of their schedule";
  let description = [{
    Makes a loop nest around the compute ops of each kernel: parallel dimensions outside, reduction dimensions inside, both in the
    order of the iteration space. A loop covers the whole tiles of a dimension; what remains is a tile of its own
    behind it, so that every shape is static. The first reduction tile of a contraction sets the accumulator, the others
    add to it. Each loop carries the depth of the schedule as `npu.depth`.

    ```mlir
    %r = npu.generic ins(%x : tensor<160xf32>) outs(%y : tensor<160xf32>) ...   // tiles = [64]
    ```

    becomes

    ```mlir
    %0 = scf.for %i = %c0 to %c128 step %c64 iter_args(%d = %y) -> tensor<160xf32> {
      ... tensor.extract_slice, npu.generic over 64 elements, tensor.insert_slice
    } {npu.depth = 2 : i64}
    ... tensor.extract_slice, npu.generic over 32 elements, tensor.insert_slice into %0
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numTiles", "num-tiles", "tile bodies made">];
}

def VerifyTensorPass : Pass<"npu-verify-tensor", "::mlir::ModuleOp"> {
  let summary = "check the contract at the end of the tensor phase";
  let description = [{
    Programs hold only npu ops, views, loops, empty tensors and accesses to their arguments; compute ops work in on-chip
    memory; the functions hold only launches, host regions and views. Changes nothing.
  }];
}

def FuseEpiloguePass : Pass<"npu-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "make elementwise work on a matrix op's result its epilogue";
  let description = [{
    Merges an all-parallel `npu.generic` into the matrix op whose result it reads, again and again: bias, scale,
    activation, residual addition, rounding to a narrower type. Its other inputs become epilogue inputs with their
    maps. The result of the matrix op then never leaves the accumulator as such.

    Declined: a result with another use, one that is read in another order than the generic writes, reductions, bodies
    that use `npu.index` or the init, and more operands than a drain of the target has.

    ```mlir
    %1 = npu.matmul ins(%a, %b : ...) outs(%0 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %2 = npu.generic ins(%1, %bias : tensor<4x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x16xf32>) ... {
      npu.yield (%acc + %b0)
    } -> tensor<4x16xf32>
    ```

    becomes

    ```mlir
    %2 = npu.matmul ins(%a, %b : ...) outs(%0 : tensor<4x16xf32>)
      {epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue(%bias : tensor<16xf32>) {
    ^bb0(%acc: f32, %b0: f32):
      npu.yield (%acc + %b0)
    } -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::npu::NPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFused", "fused", "npu.generic ops that became part of an epilogue">];
}

#endif // PASSES_TRANSFORMS_TENSOR_PASSES_TD
