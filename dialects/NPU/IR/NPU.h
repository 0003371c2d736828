// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_NPU_IR_NPU_H
#define DIALECTS_NPU_IR_NPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "dialects/NPU/IR/NPUEnums.h.inc"

namespace mlir::npu {

/// The body of StructuredOpInterface::createTile for every op that implements the interface: takes the operand
/// tiles that the maps address by tensor.extract_slice and clones the op with them, its locations and attributes.
Operation *createStructuredTile(Operation *op, OpBuilder &builder, ArrayRef<OpFoldResult> offsets,
                                ArrayRef<int64_t> sizes, ValueRange inits);

/// The box of an operand that a tile of the iteration space addresses through `map`: offsets and constant sizes.
/// The map's results are affine sums with non-negative coefficients.
void computeOperandBox(OpBuilder &builder, Location loc, AffineMap map, ArrayRef<OpFoldResult> offsets,
                       ArrayRef<int64_t> sizes, SmallVectorImpl<OpFoldResult> &boxOffsets,
                       SmallVectorImpl<int64_t> &boxSizes);

/// The sizes of the box that a tile of the given sizes addresses through `map`.
SmallVector<int64_t> computeOperandBoxSizes(AffineMap map, ArrayRef<int64_t> sizes);

/// The memory space of a tensor (its encoding) or memref type; DRAM if it names none.
Space getSpace(Type type);

/// The same shaped type in another space.
RankedTensorType withSpace(RankedTensorType type, Space space);

} // namespace mlir::npu

#include "dialects/NPU/Interfaces/NPUInterfaces.h.inc"

#include "dialects/NPU/IR/NPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/NPU/IR/NPUAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NPU/IR/NPUTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/NPU/IR/NPUOps.h.inc"

#endif // DIALECTS_NPU_IR_NPU_H
