// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::npu;

/// The elements as they lie in memory; empty for splats, packed bits and other forms.
static ArrayRef<char> getBytes(ElementsAttr attr) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    return dense.isSplat() ? ArrayRef<char>() : dense.getRawData();
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      return blob->getData();
    }
  }
  return {};
}

/// Copies `source` into the permuted order, dimension by dimension; a run that stays together is one copy.
static void permuteBytes(ArrayRef<char> source, ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation, int64_t elementBytes,
                         MutableArrayRef<char> target) {
  int64_t rank = shape.size();
  SmallVector<int64_t> sourceStrides(rank, elementBytes), extents(rank), strides(rank);
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    sourceStrides[dim] = sourceStrides[dim + 1] * shape[dim + 1];
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    extents[dim] = shape[permutation[dim]];
    strides[dim] = sourceStrides[permutation[dim]];
  }
  int64_t run = elementBytes;
  while (rank > 0 && strides[rank - 1] == run) {
    run *= extents[--rank];
  }
  SmallVector<int64_t> position(rank, 0);
  const char *from = source.data();
  for (char *to = target.data(), *end = to + target.size(); to < end; to += run) {
    std::copy_n(from, run, to);
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      from += strides[dim];
      if (++position[dim] < extents[dim]) {
        break;
      }
      from -= strides[dim] * extents[dim];
      position[dim] = 0;
    }
  }
}

/// An attribute of the same form as `like` with other bytes: resources stay resources.
static ElementsAttr createElements(ElementsAttr like, RankedTensorType type, ArrayRef<char> bytes) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(like)) {
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignof(std::max_align_t));
    return DenseResourceElementsAttr::get(type, resource.getRawHandle().getKey(), std::move(blob));
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// Puts a constant in the place of an op that moves the elements of `source`; it keeps that one's location, the name of
/// the weight.
static void replaceByConstant(PatternRewriter &rewriter, Operation *op, Value source, ElementsAttr elements) {
  rewriter.replaceOp(op, arith::ConstantOp::create(rewriter, source.getLoc(), cast<TypedAttr>(elements)));
}

static ElementsAttr getConstant(Value value) {
  ElementsAttr attr;
  return matchPattern(value, m_Constant(&attr)) ? attr : ElementsAttr();
}

namespace {

/// transpose(constant). A constant with other uses stays as it is: matrix ops read transposed operands by a flag.
class FoldTransposeOfConstant : public OpRewritePattern<linalg::TransposeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstant(op.getInput());
    auto type = dyn_cast_if_present<RankedTensorType>(op->getNumResults() ? op->getResult(0).getType() : Type());
    if (!attr || !type) {
      return rewriter.notifyMatchFailure(op, "not of a constant");
    }
    if (auto splat = dyn_cast<SplatElementsAttr>(attr)) {
      replaceByConstant(rewriter, op, op.getInput(), splat.resizeSplat(type));
      return success();
    }
    ArrayRef<char> bytes = getBytes(attr);
    unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
    if (bytes.empty() || bits == 0 || bits % 8 != 0 ||
        static_cast<int64_t>(bytes.size()) != type.getNumElements() * (bits / 8)) {
      return rewriter.notifyMatchFailure(op, "elements are not bytes in memory");
    }
    if (!llvm::all_of(op.getInput().getUsers(), llvm::IsaPred<linalg::TransposeOp>)) {
      return rewriter.notifyMatchFailure(op, "the constant would be stored twice");
    }
    SmallVector<char> permuted(bytes.size());
    permuteBytes(bytes, cast<RankedTensorType>(attr.getType()).getShape(), op.getPermutation(), bits / 8, permuted);
    replaceByConstant(rewriter, op, op.getInput(), createElements(attr, type, permuted));
    return success();
  }
};

/// A reshape of a resource: upstream folds only inline constants.
template <typename ReshapeOp>
class FoldReshapeOfResource : public OpRewritePattern<ReshapeOp> {
public:
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(getConstant(op.getSrc()));
    if (!resource || !op.getResultType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "not of a resource");
    }
    replaceByConstant(rewriter, op, op.getSrc(),
                      DenseResourceElementsAttr::get(op.getResultType(), resource.getRawHandle()));
    return success();
  }
};

} // namespace

void npu::populateConstantPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldTransposeOfConstant, FoldReshapeOfResource<tensor::CollapseShapeOp>,
               FoldReshapeOfResource<tensor::ExpandShapeOp>>(patterns.getContext());
}
