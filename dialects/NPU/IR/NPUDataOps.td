// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Data ops: what the DMA engines do
//
// They move elements and never change one. Each works on tensors and on memrefs.
//===----------------------------------------------------------------------===//

class NPU_DataOp<string mnemonic, list<Trait> traits = []> : NPU_DestinationOp<mnemonic, traits>;

/// Data ops with one source and one destination.
class NPU_MoveOp<string mnemonic, list<Trait> traits = []> : NPU_DataOp<mnemonic, traits> {
  let arguments = (ins NPU_Shaped:$source, NPU_Shaped:$init);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
}

def NPU_CopyOp : NPU_MoveOp<"copy"> {
  let summary = "copy inside one memory";
  let description = [{
    Copies the source to the init, both in DRAM or both in SRAM.

    Constraints:
    C1. source and init have the same shape and element type.
    C2. source and init are in the same space, which is dram or sram.

    ```mlir
    %r = npu.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def NPU_GatherOp : NPU_DataOp<"gather"> {
  let summary = "rows of a table, chosen by indices";
  let description = [{
    `out[i, j] = table[indices[i], j]`. An index outside of the table is an error at run time.

    Constraints:
    C1. table and init have rank 2, the indices rank 1 and element type i32 or i64.
    C2. the init has as many rows as there are indices, the table's row length and its element type.

    ```mlir
    %r = npu.gather ins(%table, %ids : tensor<100x16xf32>, tensor<4xi64>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins NPU_Shaped:$table, NPU_Shaped:$indices, NPU_Shaped:$init);
  let assemblyFormat = [{
    `ins` `(` $table `,` $indices `:` type($table) `,` type($indices) `)` `outs` `(` $init `:` type($init) `)` attr-dict
    (`->` type($results)^)?
  }];
}

def NPU_LoadOp : NPU_MoveOp<"load"> {
  let summary = "transfer from DRAM to SRAM";
  let description = [{
    Constraints:
    C1. source and init have the same shape and element type.
    C2. the source is in dram, the init in sram.

    ```mlir
    %r = npu.load ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32, #npu.space<sram>>) -> tensor<8xf32, #npu.space<sram>>
    ```
  }];
}

def NPU_PadOp : NPU_DataOp<"pad"> {
  let summary = "copy with a border of one value";
  let description = [{
    Fills the init with `value` but for the box at `low`, which becomes the source.

    Constraints:
    C1. `low` and `high` have one number per dimension, none negative.
    C2. the init's shape is low + the source's shape + high.
    C3. source, init and `value` have the same element type.
    C4. source and init are in the same space.

    ```mlir
    %r = npu.pad ins(%x : tensor<8x8xf32>) outs(%y : tensor<10x10xf32>)
      {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f32} -> tensor<10x10xf32>
    ```
  }];
  let arguments = (ins NPU_Shaped:$source, NPU_Shaped:$init, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    TypedAttrInterface:$value);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
}

def NPU_StoreOp : NPU_MoveOp<"store"> {
  let summary = "transfer from SRAM to DRAM";
  let description = [{
    Constraints:
    C1. source and init have the same shape and element type.
    C2. the source is in sram, the init in dram.

    ```mlir
    %r = npu.store ins(%x : tensor<8xf32, #npu.space<sram>>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
}

def NPU_TransposeOp : NPU_DataOp<"transpose"> {
  let summary = "copy with permuted dimensions";
  let description = [{
    `out[i_p(0), i_p(1), ...] = source[i_0, i_1, ...]`: dimension d of the init is dimension `permutation[d]` of the source.

    Constraints:
    C1. `permutation` is a permutation of the source's dimensions.
    C2. the init's shape is the permuted shape of the source, with its element type.
    C3. source and init are in the same space.

    ```mlir
    %r = npu.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins NPU_Shaped:$source, NPU_Shaped:$init, DenseI64ArrayAttr:$permutation);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
}
