// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_TD
#define NPU_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def NPU_StructuredOpInterface : OpInterface<"StructuredOpInterface", [DestinationStyleOpInterface]> {
  let cppNamespace = "::mlir::npu";
  let description = [{
    An op over a rectangular iteration space whose operands are addressed by affine maps of its dimensions: the
    matrix ops, the vector ops and their drains. Placement, schedules, tiling, cost and code generation ask this
    interface, so that they need not know the single ops.
  }];
  let methods = [
    InterfaceMethod<[{The indexing maps, one per operand: all inputs (epilogue inputs last), then the inits.}],
      "::llvm::SmallVector<::mlir::AffineMap>", "getIndexingMapsArray">,
    InterfaceMethod<[{Parallel or reduction, for each dimension of the iteration space.}],
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getIteratorTypesArray">,
    InterfaceMethod<[{The extent of each dimension of the iteration space.}],
      "::llvm::SmallVector<int64_t>", "getIterationExtents">,
    InterfaceMethod<[{The engine that runs the op.}],
      "::mlir::npu::Queue", "getQueue">,
    InterfaceMethod<[{
        Multiply-accumulate operations of the whole iteration space; 0 for an op that does not multiply matrices.
      }], "int64_t", "getMacs">,
    InterfaceMethod<[{
        Creates the part of this op that covers a tile of the iteration space. `offsets` may be dynamic, `sizes` are
        constants; `inits` are the destination tiles. Operand tiles are taken by `tensor.extract_slice`. Returns the new op.
      }], "::mlir::Operation *", "createTile",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
           "::llvm::ArrayRef<int64_t>":$sizes, "::mlir::ValueRange":$inits), [{}], [{
        return ::mlir::npu::createStructuredTile($_op, builder, offsets, sizes, inits);
      }]>,
    InterfaceMethod<[{
        After `createTile` has cloned this op with tile operands, adapts attributes that describe the extents.
      }], "void", "setTileExtents", (ins "::llvm::ArrayRef<int64_t>":$sizes), [{}], [{ (void)sizes; }]>,
  ];
}

#endif // NPU_INTERFACES_TD
