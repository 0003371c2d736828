// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a linalg op computes, read from its indexing maps and its body: matrix products and rows of a table. Placement
// and conversion both ask here, so that they cannot disagree.

#ifndef PASSES_CONVERSION_LINALGTONPU_CONTRACTION_H
#define PASSES_CONVERSION_LINALGTONPU_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::npu {

/// The product inside a multiply-accumulate body: how the operands are read.
struct ProductBody {
  bool lhsUnsigned = false;
  bool rhsUnsigned = false;
  /// Scalars outside of the body that are subtracted from the operands; null if there is none.
  Value lhsZeroPoint, rhsZeroPoint;
};

/// Matches a body that yields out + lhs * rhs, where the operands may be cast to the accumulator type.
std::optional<ProductBody> matchProductBody(linalg::LinalgOp op);

/// The loops of a matrix product by their role: in all three operands, in lhs and out, in rhs and out, in lhs and rhs.
struct ContractionLoops {
  SmallVector<unsigned> batch, m, n, k;
};

/// Matches a sum of products whose maps are projected permutations and that is worth a matrix: there is a k, and
/// an m or an n, unless the whole op is one dot product.
std::optional<ContractionLoops> matchContraction(linalg::LinalgOp op);

/// The table and the position of the index operand in rows that are chosen by indices.
struct GatherForm {
  Value table;
  unsigned indexInput;
  /// The leading loops that choose a row; the others walk along it.
  unsigned rowLoops;
};

/// Matches out[i..., j...] = table[index[i...], j...].
std::optional<GatherForm> matchGather(linalg::LinalgOp op);

/// Whether the value is a constant, or a fill with a constant, of +0.0 or 0 everywhere.
bool isZeroTensor(Value value);

/// The scalar attribute that fills the value: a splat constant or linalg.fill of a constant; null for other values.
TypedAttr getFillValue(Value value);

/// The constant behind a scalar: arith.constant, or the only element of a splat tensor; null for other values.
TypedAttr getScalarConstant(Value value);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_LINALGTONPU_CONTRACTION_H
