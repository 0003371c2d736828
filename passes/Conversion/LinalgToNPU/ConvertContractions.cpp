// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/LinalgToNPU/Contraction.h"
#include "passes/Conversion/LinalgToNPU/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Shared by products and convolutions
//===----------------------------------------------------------------------===//

static int32_t getZeroPoint(Value value) {
  return value ? static_cast<int32_t>(cast<IntegerAttr>(getScalarConstant(value)).getValue().getSExtValue()) : 0;
}

/// Gives a matrix op whose result is narrower than the accumulator the epilogue that rounds.
template <typename OpTy>
static void addRoundingEpilogue(OpBuilder &builder, OpTy op) {
  Type result = getElementTypeOrSelf(op.getInit()), accumulator = op.getAccumulatorType();
  if (result == accumulator) {
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  op.setEpilogueMapsAttr(builder.getArrayAttr({}));
  Block *block = builder.createBlock(&op.getEpilogue(), {}, {accumulator}, {op.getLoc()});
  Value rounded = arith::TruncFOp::create(builder, op.getLoc(), result, block->getArgument(0));
  YieldOp::create(builder, op.getLoc(), ValueRange(rounded));
}

/// Replaces the op by the sum of `result`, which starts from zero, and of the op's init.
static void replaceWithSum(RewriterBase &rewriter, linalg::LinalgOp op, Value result) {
  Value init = op.getDpsInits().front();
  if (isZeroTensor(init)) {
    rewriter.replaceOp(op, result);
    return;
  }
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> inputs = {result};
  TypedAttr fill = getFillValue(init);
  if (!fill) {
    inputs.push_back(init);
  }
  SmallVector<AffineMap> maps(inputs.size() + 1, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
  auto sum = GenericOp::create(
      rewriter, loc, inputs, createEmpty(rewriter, loc, type.getShape(), type.getElementType()), maps, iterators,
      type.getShape(), [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        Value added = fill ? arith::ConstantOp::create(builder, bodyLoc, fill).getResult() : arguments[1];
        Value value = isa<FloatType>(type.getElementType())
                          ? arith::AddFOp::create(builder, bodyLoc, arguments[0], added).getResult()
                          : arith::AddIOp::create(builder, bodyLoc, arguments[0], added).getResult();
        YieldOp::create(builder, bodyLoc, value);
      });
  rewriter.replaceOp(op, sum.getResults());
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {

/// An operand of a product with the loop that walks each of its dimensions.
struct Factor {
  Value value;
  SmallVector<unsigned> loops;
  bool isUnsigned = false;
  int32_t zeroPoint = 0;
};

} // namespace

static SmallVector<unsigned> getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
}

/// Reads through transpositions: dimension d of a transposition is dimension permutation[d] of its source.
static void peelTransposes(Factor &factor) {
  while (auto transpose = factor.value.getDefiningOp<linalg::TransposeOp>()) {
    SmallVector<unsigned> loops(factor.loops.size());
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation())) {
      loops[source] = factor.loops[dim];
    }
    factor.loops = loops;
    factor.value = transpose.getInput();
  }
}

/// The loops in the order that `reference` has them.
static void orderLike(SmallVectorImpl<unsigned> &loops, ArrayRef<unsigned> reference) {
  llvm::stable_sort(loops, [&](unsigned a, unsigned b) {
    return llvm::find(reference, a) < llvm::find(reference, b);
  });
}

static int64_t product(ArrayRef<unsigned> loops, ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (unsigned loop : loops) {
    result *= extents[loop];
  }
  return result;
}

/// Whether elements lie in the order of `wanted`; loops of extent 1 do not count.
static bool hasOrder(ArrayRef<unsigned> loops, ArrayRef<unsigned> wanted, ArrayRef<int64_t> extents) {
  auto isWide = [&](unsigned loop) { return extents[loop] != 1; };
  return llvm::equal(llvm::make_filter_range(loops, isWide), llvm::make_filter_range(wanted, isWide));
}

/// Brings an operand to [batch, first, second] or, with `transposed` set, to [batch, second, first], where each is one
/// dimension and the batch is left out if there is none.
static Value arrangeFactor(RewriterBase &rewriter, Location loc, const Factor &factor, ArrayRef<unsigned> batch,
                           ArrayRef<unsigned> first, ArrayRef<unsigned> second, ArrayRef<int64_t> extents,
                           bool &transposed) {
  SmallVector<unsigned> straight = llvm::to_vector(llvm::concat<const unsigned>(batch, first, second));
  SmallVector<unsigned> swapped = llvm::to_vector(llvm::concat<const unsigned>(batch, second, first));
  Value value = factor.value;
  bool isStraight = hasOrder(factor.loops, straight, extents);
  transposed = !isStraight && hasOrder(factor.loops, swapped, extents);
  if (!isStraight && !transposed) {
    SmallVector<int64_t> permutation;
    for (unsigned loop : straight) {
      permutation.push_back(llvm::find(factor.loops, loop) - factor.loops.begin());
    }
    value = createTranspose(rewriter, loc, value, permutation);
  }
  SmallVector<int64_t> shape = {product(first, extents), product(second, extents)};
  if (transposed) {
    std::swap(shape[0], shape[1]);
  }
  if (!batch.empty()) {
    shape.insert(shape.begin(), product(batch, extents));
  }
  return createReshape(rewriter, loc, value, shape);
}

void npu::convertMatmul(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  ContractionLoops loops = *matchContraction(op);
  ProductBody body = *matchProductBody(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Factor lhs{op->getOperand(0), getLoops(maps[0]), body.lhsUnsigned, getZeroPoint(body.lhsZeroPoint)};
  Factor rhs{op->getOperand(1), getLoops(maps[1]), body.rhsUnsigned, getZeroPoint(body.rhsZeroPoint)};
  peelTransposes(lhs);
  peelTransposes(rhs);

  // A result stored as [n, m] is the product with the operands swapped.
  SmallVector<unsigned> out = getLoops(maps.back());
  if (!loops.m.empty() && !loops.n.empty() &&
      llvm::find(out, loops.n.front()) < llvm::find(out, loops.m.front())) {
    std::swap(lhs, rhs);
    std::swap(loops.m, loops.n);
  }
  orderLike(loops.batch, out);
  orderLike(loops.m, out);
  orderLike(loops.n, out);
  orderLike(loops.k, rhs.loops);

  bool transposeLhs = false, transposeRhs = false;
  Value left = arrangeFactor(rewriter, loc, lhs, loops.batch, loops.m, loops.k, extents, transposeLhs);
  Value right = arrangeFactor(rewriter, loc, rhs, loops.batch, loops.k, loops.n, extents, transposeRhs);

  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape = {product(loops.m, extents), product(loops.n, extents)};
  if (!loops.batch.empty()) {
    shape.insert(shape.begin(), product(loops.batch, extents));
  }
  Value init = createEmpty(rewriter, loc, shape, type.getElementType());
  Value result;
  auto create = [&]<typename OpTy>(OpTy) {
    auto matmul = OpTy::create(rewriter, loc, init.getType(), left, right, ValueRange(), init, /*accumulate=*/false,
                               lhs.isUnsigned, rhs.isUnsigned, static_cast<uint32_t>(lhs.zeroPoint),
                               static_cast<uint32_t>(rhs.zeroPoint), /*epilogue_maps=*/ArrayAttr(), transposeLhs,
                               transposeRhs);
    addRoundingEpilogue(rewriter, matmul);
    result = matmul.getResult(0);
  };
  if (loops.batch.empty()) {
    create(MatmulOp());
  } else {
    create(BatchMatmulOp());
  }

  // Back to the loops' order of the result.
  SmallVector<unsigned> produced =
      llvm::to_vector(llvm::concat<const unsigned>(loops.batch, loops.m, loops.n));
  if (!hasOrder(produced, out, extents)) {
    SmallVector<int64_t> producedShape =
        llvm::map_to_vector(produced, [&](unsigned loop) { return extents[loop]; });
    SmallVector<int64_t> permutation = llvm::map_to_vector(out, [&](unsigned loop) {
      return static_cast<int64_t>(llvm::find(produced, loop) - produced.begin());
    });
    result = createReshape(rewriter, loc, result, producedShape);
    result = createTranspose(rewriter, loc, result, permutation);
  }
  replaceWithSum(rewriter, op, createReshape(rewriter, loc, result, type.getShape()));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getWindowNumbers(Operation *op, StringRef name) {
  return llvm::to_vector(op->getAttrOfType<DenseIntElementsAttr>(name).getValues<int64_t>());
}

/// The part of an NHWC input that the windows reach: a linalg convolution may leave any rest unread.
static Value createReadPart(OpBuilder &builder, Location loc, Value input, ArrayRef<int64_t> window,
                            ArrayRef<int64_t> output, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  auto shape = llvm::to_vector(cast<RankedTensorType>(input.getType()).getShape());
  bool isWhole = true;
  for (unsigned i = 0; i < 2; ++i) {
    int64_t read = (output[i] - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1;
    if (shape[1 + i] - read >= strides[i]) {
      shape[1 + i] = read;
      isWhole = false;
    }
  }
  if (isWhole) {
    return input;
  }
  SmallVector<OpFoldResult> offsets(4, builder.getIndexAttr(0)), steps(4, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, input, offsets, getAsIndexOpFoldResult(builder.getContext(), shape),
                                        steps);
}

void npu::convertConv2d(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  ProductBody body = *matchProductBody(op);
  SmallVector<int64_t> strides = getWindowNumbers(op, "strides"), dilations = getWindowNumbers(op, "dilations");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value filter = op->getOperand(1);
  Value input = createReadPart(rewriter, loc, op->getOperand(0),
                               cast<RankedTensorType>(filter.getType()).getShape().take_front(2),
                               type.getShape().slice(1, 2), strides, dilations);
  Value init = createEmpty(rewriter, loc, type.getShape(), type.getElementType());
  auto conv = Conv2dOp::create(rewriter, loc, init.getType(), input, filter, ValueRange(), init, /*accumulate=*/false,
                               body.lhsUnsigned, body.rhsUnsigned, static_cast<uint32_t>(getZeroPoint(body.lhsZeroPoint)),
                               static_cast<uint32_t>(getZeroPoint(body.rhsZeroPoint)), /*epilogue_maps=*/ArrayAttr(),
                               strides, dilations);
  addRoundingEpilogue(rewriter, conv);
  replaceWithSum(rewriter, op, conv.getResult(0));
}

void npu::convertDepthwise(RewriterBase &rewriter, linalg::DepthwiseConv2DNhwcHwcOp op) {
  SmallVector<int64_t> strides = getWindowNumbers(op, "strides"), dilations = getWindowNumbers(op, "dilations");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value filter = op.getInputs()[1];
  Value input = createReadPart(rewriter, op.getLoc(), op.getInputs()[0],
                               cast<RankedTensorType>(filter.getType()).getShape().take_front(2),
                               type.getShape().slice(1, 2), strides, dilations);
  // The op adds to its init itself, in the same order as linalg.
  rewriter.replaceOpWithNewOp<DepthwiseConv2dOp>(op, TypeRange(type), input, filter, op.getOutputs().front(), strides,
                                                 dilations);
}
