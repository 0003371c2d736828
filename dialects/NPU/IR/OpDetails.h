// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the verifiers of several op families share; private to the dialect.

#ifndef DIALECTS_NPU_IR_OPDETAILS_H
#define DIALECTS_NPU_IR_OPDETAILS_H

#include "dialects/NPU/IR/NPU.h"

namespace mlir::npu::details {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Reads of memref inputs, writes (and reads, if `readsInits`) of memref inits. Tensor operands have no effects.
void addOperandEffects(DestinationStyleOpInterface op, Effects &effects, bool readsInits);

/// The results of a destination-style op are its tensor inits, with their types; operands are all tensors or all memrefs.
LogicalResult verifyDestinations(DestinationStyleOpInterface op);

/// A map over a space of the given extents addresses only elements of `type` and has its rank.
LogicalResult verifyMapInside(Operation *op, AffineMap map, ArrayRef<int64_t> extents, ShapedType type);

/// A region of one block with these argument types that ends in an npu.yield of these types.
LogicalResult verifyBody(Operation *op, Region &region, ArrayRef<Type> argumentTypes, ArrayRef<Type> yieldTypes);

/// Strides and dilations are two positive numbers; the output extents are those of the window over the input.
LogicalResult verifyWindow(Operation *op, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                           ArrayRef<int64_t> input, ArrayRef<int64_t> window, ArrayRef<int64_t> output);

} // namespace mlir::npu::details

#endif // DIALECTS_NPU_IR_OPDETAILS_H
