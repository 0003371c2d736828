// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Linalg/Patterns.h"

#include "passes/Conversion/LinalgToNPU/Contraction.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::npu;

Value npu::createLinalgTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation)) {
    return value;
  }
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(builder, loc, applyPermutation(type.getShape(), permutation), type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)->getResult(0);
}

//===----------------------------------------------------------------------===//
// What a convolution is, read from its maps
//===----------------------------------------------------------------------===//

namespace {

/// One spatial axis: the loop over the output, the loop over the window, and how they address the input.
struct Axis {
  unsigned output, window;
  int64_t stride, dilation;
};

/// The loops of a convolution by their role; the groups are in all operands.
struct ConvLoops {
  SmallVector<unsigned> batch, group, outChannel, inChannel;
  SmallVector<Axis> axes;
};

} // namespace

/// Splits output * stride + window * dilation.
static std::optional<Axis> matchAxis(AffineExpr expr, AffineMap out) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add) {
    return std::nullopt;
  }
  Axis axis{};
  bool hasOutput = false, hasWindow = false;
  for (AffineExpr part : {sum.getLHS(), sum.getRHS()}) {
    int64_t factor = 1;
    if (auto scaled = dyn_cast<AffineBinaryOpExpr>(part)) {
      auto constant = dyn_cast<AffineConstantExpr>(scaled.getRHS());
      if (scaled.getKind() != AffineExprKind::Mul || !constant) {
        return std::nullopt;
      }
      factor = constant.getValue();
      part = scaled.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim) {
      return std::nullopt;
    }
    bool isOutput = out.isFunctionOfDim(dim.getPosition());
    (isOutput ? axis.output : axis.window) = dim.getPosition();
    (isOutput ? axis.stride : axis.dilation) = factor;
    (isOutput ? hasOutput : hasWindow) = true;
  }
  return hasOutput && hasWindow ? std::optional(axis) : std::nullopt;
}

static std::optional<ConvLoops> matchConvolution(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() || !matchProductBody(op)) {
    return std::nullopt;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap input = maps[0], filter = maps[1], out = maps.back();
  if (!filter.isProjectedPermutation() || !out.isProjectedPermutation()) {
    return std::nullopt;
  }
  ConvLoops loops;
  for (AffineExpr expr : input.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      unsigned loop = dim.getPosition();
      bool inFilter = filter.isFunctionOfDim(loop), inOut = out.isFunctionOfDim(loop);
      if (inFilter) {
        (inOut ? loops.group : loops.inChannel).push_back(loop);
      } else if (inOut) {
        loops.batch.push_back(loop);
      } else {
        return std::nullopt;
      }
    } else if (std::optional<Axis> axis = matchAxis(expr, out)) {
      if (!filter.isFunctionOfDim(axis->window)) {
        return std::nullopt;
      }
      loops.axes.push_back(*axis);
    } else {
      return std::nullopt;
    }
  }
  for (AffineExpr expr : out.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (filter.isFunctionOfDim(loop) && !input.isFunctionOfDim(loop)) {
      loops.outChannel.push_back(loop);
    }
  }
  if (loops.axes.empty() || loops.axes.size() > 2 || loops.batch.size() != 1 || loops.group.size() > 1 ||
      loops.outChannel.size() > 1 || loops.inChannel.size() > 1) {
    return std::nullopt;
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The permutation that brings the dimensions that `map` addresses by these expressions to their order.
static SmallVector<int64_t> permutationTo(AffineMap map, ArrayRef<AffineExpr> wanted) {
  return llvm::map_to_vector(wanted, [&](AffineExpr expr) {
    return static_cast<int64_t>(llvm::find(map.getResults(), expr) - map.getResults().begin());
  });
}

/// Inserts an extent of 1 in front of dimension `dim`.
static Value insertUnitDim(OpBuilder &builder, Location loc, Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.insert(shape.begin() + dim, 1);
  auto target = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, target, value, *getReassociationIndicesForReshape(type, target));
}

static Value dropUnitDim(OpBuilder &builder, Location loc, Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.erase(shape.begin() + dim);
  auto target = RankedTensorType::get(shape, type.getElementType());
  return tensor::CollapseShapeOp::create(builder, loc, target, value, *getReassociationIndicesForReshape(type, target));
}

static Value createSlice(OpBuilder &builder, Location loc, Value value, unsigned dim, int64_t position) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = builder.getIndexAttr(position);
  sizes[dim] = builder.getIndexAttr(1);
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.erase(shape.begin() + dim);
  auto reduced = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, reduced, value, offsets, sizes, strides);
}

static Value insertSlice(OpBuilder &builder, Location loc, Value slice, Value target, unsigned dim, int64_t position) {
  auto type = cast<RankedTensorType>(target.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = builder.getIndexAttr(position);
  sizes[dim] = builder.getIndexAttr(1);
  return tensor::InsertSliceOp::create(builder, loc, slice, target, offsets, sizes, strides);
}

namespace {

/// A convolution with the operands in the order that the device has: input [n, h, w, (g,) c], filter [(g,) h, w, c, f].
class NormalConv {
public:
  NormalConv(linalg::LinalgOp op, const ConvLoops &loops, PatternRewriter &rewriter)
      : op(op), loops(loops), rewriter(rewriter), loc(op.getLoc()), product(*matchProductBody(op)) {
    for (const Axis &axis : loops.axes) {
      strides.push_back(axis.stride);
      dilations.push_back(axis.dilation);
    }
    if (loops.axes.size() == 1) {
      strides.insert(strides.begin(), 1);
      dilations.insert(dilations.begin(), 1);
    }
  }

  void rewrite();

private:
  AffineExpr dim(unsigned loop) { return rewriter.getAffineDimExpr(loop); }
  bool isFlat() const { return loops.axes.size() == 1; }
  Value arrange(Value value, AffineMap map, ArrayRef<AffineExpr> order, unsigned heightDim);
  Value createConv(Value input, Value filter, Value init);
  Value createDepthwise(Value input, Value filter, Value init);
  Value createMultiplied(Value input, Value filter, Value init);
  Value createGrouped(Value input, Value filter, Value init);

  linalg::LinalgOp op;
  const ConvLoops &loops;
  PatternRewriter &rewriter;
  Location loc;
  ProductBody product;
  SmallVector<int64_t> strides, dilations;
};

} // namespace

/// Transposes to `order` and, for a convolution of one axis, gives it a height of 1.
Value NormalConv::arrange(Value value, AffineMap map, ArrayRef<AffineExpr> order, unsigned heightDim) {
  Value result = createLinalgTranspose(rewriter, loc, value, permutationTo(map, order));
  return isFlat() ? insertUnitDim(rewriter, loc, result, heightDim) : result;
}

Value NormalConv::createConv(Value input, Value filter, Value init) {
  auto stride = rewriter.getI64VectorAttr(strides), dilation = rewriter.getI64VectorAttr(dilations);
  if (op.getNumDpsInputs() == 4) {
    return linalg::Conv2DNhwcHwcfQOp::create(
               rewriter, loc, init.getType(),
               ValueRange{input, filter, op.getDpsInputs()[2], op.getDpsInputs()[3]}, init, stride, dilation)
        ->getResult(0);
  }
  return linalg::Conv2DNhwcHwcfOp::create(rewriter, loc, init.getType(), ValueRange{input, filter}, init, stride, dilation)
      ->getResult(0);
}

Value NormalConv::createDepthwise(Value input, Value filter, Value init) {
  auto stride = rewriter.getI64VectorAttr(strides), dilation = rewriter.getI64VectorAttr(dilations);
  if (op.getNumDpsInputs() == 4) {
    return linalg::DepthwiseConv2DNhwcHwcQOp::create(
               rewriter, loc, init.getType(),
               ValueRange{input, filter, op.getDpsInputs()[2], op.getDpsInputs()[3]}, init, stride, dilation)
        ->getResult(0);
  }
  return linalg::DepthwiseConv2DNhwcHwcOp::create(rewriter, loc, init.getType(), ValueRange{input, filter}, init, stride,
                                                  dilation)
      ->getResult(0);
}

/// Each channel makes several: the input's channels are repeated, then every channel makes one.
Value NormalConv::createMultiplied(Value input, Value filter, Value init) {
  auto inputType = cast<RankedTensorType>(input.getType());
  int64_t multiplier = cast<RankedTensorType>(filter.getType()).getShape().back();
  SmallVector<int64_t> shape = llvm::to_vector(inputType.getShape());
  shape.push_back(multiplier);
  Value repeated = tensor::EmptyOp::create(rewriter, loc, shape, inputType.getElementType());
  repeated = linalg::BroadcastOp::create(rewriter, loc, input, repeated, ArrayRef<int64_t>{4})->getResult(0);
  SmallVector<ReassociationIndices> lastTwoOfFive = {{0}, {1}, {2}, {3, 4}}, lastTwoOfFour = {{0}, {1}, {2, 3}};
  repeated = tensor::CollapseShapeOp::create(rewriter, loc, repeated, lastTwoOfFive);
  filter = tensor::CollapseShapeOp::create(rewriter, loc, filter, lastTwoOfFour);
  Type initType = init.getType();
  init = tensor::CollapseShapeOp::create(rewriter, loc, init, lastTwoOfFive);
  Value result = createDepthwise(repeated, filter, init);
  return tensor::ExpandShapeOp::create(rewriter, loc, initType, result, lastTwoOfFive);
}

/// One convolution for each group. Input [n, h, w, g, c], filter [g, h, w, c, f], init [n, h, w, g, f].
Value NormalConv::createGrouped(Value input, Value filter, Value init) {
  int64_t groups = cast<RankedTensorType>(filter.getType()).getDimSize(0);
  auto type = cast<RankedTensorType>(init.getType());
  Value result = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
  for (int64_t group = 0; group < groups; ++group) {
    Value part = createConv(createSlice(rewriter, loc, input, 3, group), createSlice(rewriter, loc, filter, 0, group),
                            createSlice(rewriter, loc, init, 3, group));
    result = insertSlice(rewriter, loc, part, result, 3, group);
  }
  return result;
}

void NormalConv::rewrite() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap inputMap = maps[0], filterMap = maps[1], outMap = maps.back();
  AffineExpr batch = dim(loops.batch.front());
  SmallVector<AffineExpr> inputOrder = {batch}, filterOrder, outOrder = {batch};
  for (const Axis &axis : loops.axes) {
    outOrder.push_back(dim(axis.output));
    filterOrder.push_back(dim(axis.window));
    for (AffineExpr expr : inputMap.getResults()) {
      if (std::optional<Axis> found = matchAxis(expr, outMap); found && found->output == axis.output) {
        inputOrder.push_back(expr);
      }
    }
  }
  bool isGrouped = !loops.group.empty(), hasInChannel = !loops.inChannel.empty();
  auto append = [&](ArrayRef<unsigned> which, SmallVectorImpl<AffineExpr> &order) {
    for (unsigned loop : which) {
      order.push_back(dim(loop));
    }
  };
  bool onePerGroup = isGrouped && hasInChannel;
  append(loops.group, inputOrder);
  append(loops.inChannel, inputOrder);
  append(loops.group, outOrder);
  append(loops.outChannel, outOrder);
  if (onePerGroup) {
    filterOrder.insert(filterOrder.begin(), dim(loops.group.front()));
  } else {
    append(loops.group, filterOrder);
  }
  append(loops.inChannel, filterOrder);
  append(loops.outChannel, filterOrder);

  Value input = arrange(op->getOperand(0), inputMap, inputOrder, 1);
  Value filter = arrange(op->getOperand(1), filterMap, filterOrder, onePerGroup ? 1 : 0);
  Value init = arrange(op.getDpsInits().front(), outMap, outOrder, 1);
  Value result;
  if (!isGrouped) {
    if (!hasInChannel) {
      input = insertUnitDim(rewriter, loc, input, 3);
      filter = insertUnitDim(rewriter, loc, filter, 2);
    }
    result = createConv(input, filter, init);
  } else if (hasInChannel) {
    result = createGrouped(input, filter, init);
  } else {
    result = loops.outChannel.empty() ? createDepthwise(input, filter, init) : createMultiplied(input, filter, init);
  }
  if (isFlat()) {
    result = dropUnitDim(rewriter, loc, result, 1);
  }
  SmallVector<int64_t> back = invertPermutationVector(permutationTo(outMap, outOrder));
  rewriter.replaceOp(op, createLinalgTranspose(rewriter, loc, result, back));
}

namespace {

/// Gives convolutions the device's layout.
class NormalizeConv : public OpInterfaceRewritePattern<linalg::LinalgOp> {
public:
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (isa<linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcHwcfQOp, linalg::DepthwiseConv2DNhwcHwcOp,
            linalg::DepthwiseConv2DNhwcHwcQOp>(op)) {
      return rewriter.notifyMatchFailure(op, "is in the device's layout");
    }
    std::optional<ConvLoops> loops = matchConvolution(op);
    if (!loops) {
      return rewriter.notifyMatchFailure(op, "not a convolution over one or two axes");
    }
    // A generic may hold the channel of the output for itself, without input channel: an outer product, not for
    // the matrix engine. A convolution needs an out channel or groups.
    if (loops->group.empty() && loops->outChannel.empty()) {
      return rewriter.notifyMatchFailure(op, "no channel");
    }
    if (!loops->group.empty() && !loops->inChannel.empty() && loops->outChannel.empty()) {
      return rewriter.notifyMatchFailure(op, "groups without output channel");
    }
    NormalConv(op, *loops, rewriter).rewrite();
    return success();
  }
};

/// Channels-first pooling to channels-last.
template <typename FromOp, typename ToOp>
class NormalizePooling : public OpRewritePattern<FromOp> {
public:
  using OpRewritePattern<FromOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(FromOp op, PatternRewriter &rewriter) const override {
    if (!cast<linalg::LinalgOp>(*op).hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "not on tensors");
    }
    int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    SmallVector<int64_t> toLast = {0};
    llvm::append_range(toLast, llvm::seq<int64_t>(2, rank));
    toLast.push_back(1);
    Location loc = op.getLoc();
    Value input = createLinalgTranspose(rewriter, loc, op.getInputs()[0], toLast);
    Value init = createLinalgTranspose(rewriter, loc, op.getOutputs()[0], toLast);
    auto pooling = ToOp::create(rewriter, loc, init.getType(), ValueRange{input, op.getInputs()[1]}, init,
                                op.getStrides(), op.getDilations());
    rewriter.replaceOp(op, createLinalgTranspose(rewriter, loc, pooling->getResult(0), invertPermutationVector(toLast)));
    return success();
  }
};

/// A fill of a transposition's source is the fill of the transposed shape.
class TransposeOfFill : public OpRewritePattern<linalg::TransposeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    if (op.getInput().getDefiningOp<tensor::EmptyOp>()) {
      rewriter.replaceOp(op, op.getInit());
      return success();
    }
    auto fill = op.getInput().getDefiningOp<linalg::FillOp>();
    if (!fill) {
      return rewriter.notifyMatchFailure(op, "not of a fill");
    }
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, fill.getInputs(), ValueRange(op.getInit()));
    return success();
  }
};

} // namespace

void npu::populateLayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<NormalizeConv, TransposeOfFill, NormalizePooling<linalg::PoolingNchwMaxOp, linalg::PoolingNhwcMaxOp>,
               NormalizePooling<linalg::PoolingNchwSumOp, linalg::PoolingNhwcSumOp>,
               NormalizePooling<linalg::PoolingNcwMaxOp, linalg::PoolingNwcMaxOp>,
               NormalizePooling<linalg::PoolingNcwSumOp, linalg::PoolingNwcSumOp>>(patterns.getContext());
}
