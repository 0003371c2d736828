// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How each kind of npu op becomes instructions. Every function emits them into the current task of the emitter;
// faults are diagnostics at the op.

#ifndef PASSES_CONVERSION_NPUTONPUISA_LOWERING_H
#define PASSES_CONVERSION_NPUTONPUISA_LOWERING_H

#include "passes/Conversion/NPUToNPUISA/Emitter.h"

namespace mlir::npu {

/// Dimensions of an index space with the strides of several views along each of them.
struct Dimension {
  int64_t extent = 0;
  SmallVector<int64_t> strides; ///< One for each view.
};

/// Drops dimensions of extent 1 and joins neighbours that all views walk as one.
void collapseDimensions(SmallVectorImpl<Dimension> &dimensions);

/// Keeps the last `most` dimensions and runs `body` for each index of the others, with the bytes that each view moves
/// by.
void repeatOuter(Emitter &emitter, SmallVectorImpl<Dimension> &dimensions, unsigned most,
                 function_ref<void(ArrayRef<CounterForm> moves)> body);

LogicalResult lowerCopy(Emitter &emitter, AddressResolver &resolver, Value source, Value init);
LogicalResult lowerGather(Emitter &emitter, AddressResolver &resolver, GatherOp op);
LogicalResult lowerPad(Emitter &emitter, AddressResolver &resolver, PadOp op);
LogicalResult lowerTranspose(Emitter &emitter, AddressResolver &resolver, TransposeOp op);

/// matmul, batch_matmul and conv2d.
LogicalResult lowerMatrix(Emitter &emitter, AddressResolver &resolver, StructuredOpInterface op);

LogicalResult lowerDepthwise(Emitter &emitter, AddressResolver &resolver, DepthwiseConv2dOp op);
/// On the vector engine or, for a task of the drain queue, as a drain.
LogicalResult lowerGeneric(Emitter &emitter, AddressResolver &resolver, GenericOp op, bool drains);

/// What a body reads at a dimension of its iteration space: a dimension of the instruction or a constant, plus a constant.
struct IndexSource {
  std::optional<unsigned> dimension;
  int64_t constant = 0;
};

/// The microprogram of the body of an `npu.generic`. `inputOf` gives the operand number of an input argument, and
/// `indexOf` what `npu.index` reads.
FailureOr<npuhw::MicroProgram> lowerBody(GenericOp op, ArrayRef<int> inputOf, unsigned numInputs,
                                         function_ref<FailureOr<IndexSource>(IndexOp)> indexOf);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTONPUISA_LOWERING_H
