// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The groups of rewrites that npu-prepare-linalg composes. Private to the pass.

#ifndef PASSES_TRANSFORMS_LINALG_PATTERNS_H
#define PASSES_TRANSFORMS_LINALG_PATTERNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "dialects/Target/Target.h"

namespace mlir::npu {

/// Convolutions of any layout, rank one or two, grouped or depthwise, to NHWC by HWCF; pooling to NHWC.
void populateLayoutPatterns(RewritePatternSet &patterns);

/// Transpositions towards the ends of the function, through what does not care about order, until they meet.
void populateTransposePatterns(RewritePatternSet &patterns);

/// Transpositions that only move extents of 1 to reshapes.
void populateUnitTransposePatterns(RewritePatternSet &patterns);

/// Maps without constant results: operands lose the dimensions of extent 1 that the maps pin.
void populateUnitMapPatterns(RewritePatternSet &patterns);

/// Reshapes that only add or drop extents of 1, into the maps of generics that read them.
void populateUnitReshapePatterns(RewritePatternSet &patterns);

/// Elementwise fusion, and reshapes out of the way of it.
void populateFusionPatterns(RewritePatternSet &patterns, const TargetDesc &target);

/// The transpositions that are left, into the elementwise generics before them.
void populateHoistTransposePatterns(RewritePatternSet &patterns);

/// Constants behind transpositions and reshapes.
void populateConstantPatterns(RewritePatternSet &patterns);

/// What bodies take from outside becomes an operand; functions that the vector engine lacks are expanded.
void populateBodyPatterns(RewritePatternSet &patterns);

/// Hyperbolic functions and their inverses in exp, log and sqrt, accurate for every argument.
void populateMathPatterns(RewritePatternSet &patterns);

/// Positions in i64 or index inside of bodies to i32, where they provably fit.
void populateNarrowingPatterns(RewritePatternSet &patterns);

/// f64 inside of the function to f32, unless its signature has f64. Returns the number of narrowed values.
unsigned narrowF64(func::FuncOp function, RewriterBase &rewriter);

/// Tensors of i1 between ops to tensors of i8. Returns the number of changed values.
unsigned widenBits(func::FuncOp function, RewriterBase &rewriter);

/// Negative padding to a slice before the padding.
void populateNegativePadPatterns(RewritePatternSet &patterns);

/// A linalg.transpose of the value; the value itself for the identity.
Value createLinalgTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation);

} // namespace mlir::npu

#endif // PASSES_TRANSFORMS_LINALG_PATTERNS_H
