// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// One function for each npu op: replaces it by what it means. The rewriter stands in front of the op; types carry no
/// memory space any more.

#ifndef PASSES_CONVERSION_NPUTOLINALG_LOWERING_H
#define PASSES_CONVERSION_NPUTOLINALG_LOWERING_H

#include "dialects/NPU/IR/NPU.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::npu {

LogicalResult lowerMatmul(RewriterBase &rewriter, MatmulOp op);
LogicalResult lowerBatchMatmul(RewriterBase &rewriter, BatchMatmulOp op);
LogicalResult lowerConv2d(RewriterBase &rewriter, Conv2dOp op);
LogicalResult lowerDepthwiseConv2d(RewriterBase &rewriter, DepthwiseConv2dOp op);
LogicalResult lowerGeneric(RewriterBase &rewriter, GenericOp op);

/// npu.copy, npu.load and npu.store: source to init.
LogicalResult lowerMove(RewriterBase &rewriter, Operation *op);
LogicalResult lowerPad(RewriterBase &rewriter, PadOp op);
LogicalResult lowerTranspose(RewriterBase &rewriter, TransposeOp op);
LogicalResult lowerGather(RewriterBase &rewriter, GatherOp op);

/// Turns a device program into a function of its inputs, then its outputs. Constants become globals, planned storage
/// views of one arena a space, tasks plain ops in program order; tokens are values that nobody looks at.
LogicalResult lowerProgram(RewriterBase &rewriter, ProgramOp program);

/// Removes memory spaces from the types of all values below `root`; returns the space of each piece of storage, which
/// `lowerProgram` needs, in the attribute kStorageSpaceAttrName.
void dropMemorySpaces(Operation *root);

/// Where dropMemorySpaces keeps the space of npu.buffer and npu.ring.
constexpr StringLiteral kStorageSpaceAttrName = "storage_space";

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTOLINALG_LOWERING_H
