// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Lowering.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// Index spaces
//===----------------------------------------------------------------------===//

/// Whether `outer` and `inner` are one dimension to every view.
static bool areJoined(const Dimension &outer, const Dimension &inner) {
  return llvm::all_of(llvm::zip(outer.strides, inner.strides), [&](auto strides) {
    return std::get<0>(strides) == std::get<1>(strides) * inner.extent;
  });
}

void npu::collapseDimensions(SmallVectorImpl<Dimension> &dimensions) {
  SmallVector<Dimension> result;
  for (Dimension &dimension : dimensions) {
    if (dimension.extent == 1) {
      continue;
    }
    if (!result.empty() && areJoined(result.back(), dimension)) {
      dimension.extent *= result.back().extent;
      result.back() = std::move(dimension);
    } else {
      result.push_back(std::move(dimension));
    }
  }
  dimensions = std::move(result);
}

void npu::repeatOuter(Emitter &emitter, SmallVectorImpl<Dimension> &dimensions, unsigned most,
                      function_ref<void(ArrayRef<CounterForm> moves)> body) {
  unsigned outer = dimensions.size() > most ? dimensions.size() - most : 0;
  SmallVector<Dimension> loops(dimensions.begin(), dimensions.begin() + outer);
  dimensions.erase(dimensions.begin(), dimensions.begin() + outer);
  size_t views = !loops.empty() ? loops.front().strides.size() : dimensions.empty() ? 0 : dimensions.front().strides.size();
  SmallVector<CounterForm> moves(views);
  std::function<void(unsigned)> nest = [&](unsigned level) {
    if (level == loops.size()) {
      body(moves);
      return;
    }
    SmallVector<CounterForm> saved = moves;
    emitter.repeat(loops[level].extent, [&](const CounterForm &counter) {
      for (size_t view = 0; view < views; ++view) {
        moves[view] = saved[view];
        moves[view].add(counter, loops[level].strides[view]);
      }
      nest(level + 1);
    });
    moves = saved;
  };
  nest(0);
}

static SmallVector<Dimension> makeDimensions(ArrayRef<int64_t> shape, ArrayRef<ArrayRef<int64_t>> strides) {
  SmallVector<Dimension> dimensions;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    Dimension dimension{extent, {}};
    for (ArrayRef<int64_t> view : strides) {
      dimension.strides.push_back(view[d]);
    }
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

/// Whether an index space has no points.
static bool isEmpty(ArrayRef<int64_t> shape) { return llvm::is_contained(shape, 0); }

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies the elements of one view to another of the same shape.
static void emitCopy(Emitter &emitter, const View &dst, const View &src) {
  if (isEmpty(dst.shape)) {
    return;
  }
  SmallVector<Dimension> dimensions = makeDimensions(dst.shape, {dst.strides, src.strides});
  collapseDimensions(dimensions);
  repeatOuter(emitter, dimensions, emitter.getTarget().dmaMaxRank, [&](ArrayRef<CounterForm> moves) {
    auto fill = [&](auto inst) {
      View to = dst;
      View from = src;
      if (!moves.empty()) {
        to.advance(moves[0]);
        from.advance(moves[1]);
      }
      inst.dst = to.address;
      inst.src = from.address;
      for (const Dimension &dimension : dimensions) {
        inst.shape.push_back(dimension.extent);
        inst.dstStrides.push_back(dimension.strides[0]);
        inst.srcStrides.push_back(dimension.strides[1]);
      }
      inst.elementBytes = static_cast<uint8_t>(dst.elementBytes());
      emitter.emit(inst);
    };
    if (src.address.space == dst.address.space) {
      fill(npuhw::DmaCp());
    } else if (src.address.space == npuhw::Space::Dram) {
      fill(npuhw::DmaLd());
    } else {
      fill(npuhw::DmaSt());
    }
  });
}

LogicalResult npu::lowerCopy(Emitter &emitter, AddressResolver &resolver, Value source, Value init) {
  FailureOr<View> src = resolver.resolveView(source);
  FailureOr<View> dst = resolver.resolveView(init);
  if (failed(src) || failed(dst)) {
    return failure();
  }
  emitCopy(emitter, *dst, *src);
  return success();
}

LogicalResult npu::lowerTranspose(Emitter &emitter, AddressResolver &resolver, TransposeOp op) {
  FailureOr<View> src = resolver.resolveView(op.getSource());
  FailureOr<View> dst = resolver.resolveView(op.getInit());
  if (failed(src) || failed(dst)) {
    return failure();
  }
  View permuted = *src;
  for (auto [d, from] : llvm::enumerate(op.getPermutation())) {
    permuted.shape[d] = src->shape[from];
    permuted.strides[d] = src->strides[from];
  }
  emitCopy(emitter, *dst, permuted);
  return success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

static void emitFill(Emitter &emitter, const View &dst, uint64_t bits) {
  if (isEmpty(dst.shape)) {
    return;
  }
  SmallVector<Dimension> dimensions = makeDimensions(dst.shape, {dst.strides});
  collapseDimensions(dimensions);
  repeatOuter(emitter, dimensions, emitter.getTarget().dmaMaxRank, [&](ArrayRef<CounterForm> moves) {
    View to = dst;
    if (!moves.empty()) {
      to.advance(moves[0]);
    }
    npuhw::DmaFill inst;
    inst.dst = to.address;
    for (const Dimension &dimension : dimensions) {
      inst.shape.push_back(dimension.extent);
      inst.dstStrides.push_back(dimension.strides[0]);
    }
    inst.elementBytes = static_cast<uint8_t>(dst.elementBytes());
    inst.value = bits;
    emitter.emit(inst);
  });
}

/// The part of a view from `low` with `size` elements in dimension d.
static View slice(const View &view, unsigned d, int64_t low, int64_t size) {
  View result = view;
  result.advance(CounterForm{low * view.strides[d], {}});
  result.shape[d] = size;
  return result;
}

LogicalResult npu::lowerPad(Emitter &emitter, AddressResolver &resolver, PadOp op) {
  FailureOr<View> src = resolver.resolveView(op.getSource());
  FailureOr<View> dst = resolver.resolveView(op.getInit());
  if (failed(src) || failed(dst)) {
    return failure();
  }
  Attribute value = op.getValue();
  uint64_t bits = isa<FloatAttr>(value) ? cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue()
                                        : cast<IntegerAttr>(value).getValue().getZExtValue();

  // The border is two slabs a dimension. Filling all at once costs fewer starts but stores the inside twice.
  SmallVector<View> slabs;
  View inside = *dst;
  int64_t insideBytes = dst->elementBytes();
  for (auto [d, low, high] : llvm::enumerate(op.getLow(), op.getHigh())) {
    int64_t extent = src->shape[d];
    for (auto [start, size] : {std::pair<int64_t, int64_t>(0, low), std::pair<int64_t, int64_t>(low + extent, high)}) {
      if (size != 0) {
        slabs.push_back(slice(inside, d, start, size));
      }
    }
    inside = slice(inside, d, low, extent);
    insideBytes *= extent;
  }
  const TargetDesc &target = emitter.getTarget();
  int64_t startCycles = static_cast<int64_t>(target.dmaSetupCycles) * (static_cast<int64_t>(slabs.size()) - 1);
  if (insideBytes / static_cast<int64_t>(target.dramBytesPerCycle) < startCycles) {
    emitFill(emitter, *dst, bits);
  } else {
    for (const View &slab : slabs) {
      emitFill(emitter, slab, bits);
    }
  }
  emitCopy(emitter, inside, *src);
  return success();
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

LogicalResult npu::lowerGather(Emitter &emitter, AddressResolver &resolver, GatherOp op) {
  FailureOr<View> table = resolver.resolveView(op.getTable());
  FailureOr<View> indices = resolver.resolveView(op.getIndices());
  FailureOr<View> dst = resolver.resolveView(op.getInit());
  if (failed(table) || failed(indices) || failed(dst)) {
    return failure();
  }
  int64_t rowLength = dst->shape[1];
  auto isContiguous = [](const View &view, unsigned d) {
    return view.shape[d] <= 1 || view.strides[d] == view.elementBytes();
  };
  if (!isContiguous(*table, 1) || !isContiguous(*dst, 1) || !isContiguous(*indices, 0)) {
    return op.emitError() << "expected contiguous rows and indices, but found table " << op.getTable().getType()
                          << ", indices " << op.getIndices().getType() << " and destination "
                          << op.getInit().getType();
  }
  if (isEmpty(dst->shape)) {
    return success();
  }
  npuhw::DmaGather inst;
  inst.dst = dst->address;
  inst.dstStride = dst->strides[0];
  inst.table = table->address;
  inst.tableRows = table->shape[0];
  inst.tableStride = table->strides[0];
  inst.rowBytes = rowLength * dst->elementBytes();
  inst.indices = indices->address;
  inst.indexDtype = indices->dtype;
  inst.count = indices->shape[0];
  emitter.emit(inst);
  return success();
}
