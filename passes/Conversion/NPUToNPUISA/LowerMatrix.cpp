// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Lowering.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;

namespace {

/// A contraction as the array sees it: rows (lhs and sums), columns (rhs and sums) and reduction (lhs and rhs). Every
/// contraction of the npu dialect is one of these with other strides.
struct Contraction {
  View lhs;
  View rhs;
  View acc;
  SmallVector<Dimension> batch;     ///< Strides of lhs, rhs, acc.
  SmallVector<Dimension> rows;      ///< Strides of lhs, acc.
  Dimension columns;                ///< Strides of rhs, acc.
  SmallVector<Dimension> reduction; ///< Strides of lhs, rhs; the order of accumulation.
  int32_t lhsZeroPoint = 0;
  int32_t rhsZeroPoint = 0;
};

/// Emits the instructions of a contraction: for each block of columns, for each block of the reduction in ascending
/// order, load the weights and stream the rows.
class ContractionEmitter {
public:
  ContractionEmitter(Emitter &emitter, Contraction c) : emitter(emitter), c(std::move(c)) {}

  void emit(bool accumulate) {
    if (!accumulate) {
      emitClear();
    }
    if (llvm::any_of(c.reduction, [](const Dimension &d) { return d.extent == 0; })) {
      return;
    }
    collapseDimensions(c.batch);
    collapseDimensions(c.rows);
    collapseDimensions(c.reduction);
    if (c.reduction.empty()) {
      c.reduction.push_back({1, {0, 0}});
    }
    repeatOuter(emitter, c.batch, 0, [&](ArrayRef<CounterForm> moves) {
      Place place{c.lhs, c.rhs, c.acc};
      if (!moves.empty()) {
        place.lhs.advance(moves[0]);
        place.rhs.advance(moves[1]);
        place.acc.advance(moves[2]);
      }
      emitColumns(place);
    });
  }

private:
  Emitter &emitter;
  Contraction c;

  struct Place {
    View lhs;
    View rhs;
    View acc;
  };

  void emitClear() {
    SmallVector<Dimension> dimensions;
    for (auto [extent, stride] : llvm::zip(c.acc.shape, c.acc.strides)) {
      dimensions.push_back({extent, {stride}});
    }
    if (llvm::any_of(dimensions, [](const Dimension &d) { return d.extent == 0; })) {
      return;
    }
    collapseDimensions(dimensions);
    repeatOuter(emitter, dimensions, npuhw::kMaxRank, [&](ArrayRef<CounterForm> moves) {
      View acc = c.acc;
      if (!moves.empty()) {
        acc.advance(moves[0]);
      }
      npuhw::MmClear inst;
      inst.acc = acc.address;
      for (const Dimension &dimension : dimensions) {
        inst.shape.push_back(dimension.extent);
        inst.strides.push_back(dimension.strides[0]);
      }
      emitter.emit(inst);
    });
  }

  /// Runs `body` for blocks of `size` of an extent: a loop over the full ones, then the remainder.
  void forBlocks(int64_t extent, int64_t size, function_ref<void(const CounterForm &start, int64_t length)> body) {
    emitter.repeat(extent / size, [&](const CounterForm &counter) {
      CounterForm start;
      start.add(counter, size);
      body(start, size);
    });
    if (extent % size != 0) {
      body(CounterForm{extent - extent % size, {}}, extent % size);
    }
  }

  void emitColumns(const Place &place) {
    forBlocks(c.columns.extent, emitter.getTarget().arrayCols, [&](const CounterForm &start, int64_t columns) {
      Place block = place;
      block.rhs.advance(start, c.columns.strides[0]);
      block.acc.advance(start, c.columns.strides[1]);
      emitReduction(block, columns, 0);
    });
  }

  /// The dimensions of the reduction but for the innermost are loops; the innermost is cut to the array's rows.
  void emitReduction(const Place &place, int64_t columns, unsigned d) {
    const Dimension &dimension = c.reduction[d];
    auto move = [&](const CounterForm &start) {
      Place block = place;
      block.lhs.advance(start, dimension.strides[0]);
      block.rhs.advance(start, dimension.strides[1]);
      return block;
    };
    if (d + 1 < c.reduction.size()) {
      emitter.repeat(dimension.extent,
                     [&](const CounterForm &counter) { emitReduction(move(counter), columns, d + 1); });
      return;
    }
    forBlocks(dimension.extent, emitter.getTarget().arrayRows,
              [&](const CounterForm &start, int64_t depth) { emitBlock(move(start), columns, depth); });
  }

  void emitBlock(const Place &place, int64_t columns, int64_t depth) {
    npuhw::MmLoadW load;
    load.src = place.rhs.address;
    load.dtype = place.rhs.dtype;
    load.k = static_cast<uint16_t>(depth);
    load.n = static_cast<uint16_t>(columns);
    load.kStride = c.reduction.back().strides[1];
    load.nStride = c.columns.strides[0];
    load.zeroPoint = c.rhsZeroPoint;
    emitter.emit(load);

    // More row dimensions than the instruction walks become loops around it; the weights stay.
    SmallVector<Dimension> rows = c.rows;
    constexpr unsigned kRowDimensions = 3;
    repeatOuter(emitter, rows, kRowDimensions, [&](ArrayRef<CounterForm> moves) {
      View lhs = place.lhs;
      View acc = place.acc;
      if (!moves.empty()) {
        lhs.advance(moves[0]);
        acc.advance(moves[1]);
      }
      npuhw::MmExec exec;
      exec.src = lhs.address;
      exec.dtype = lhs.dtype;
      for (const Dimension &dimension : rows) {
        exec.rows.push_back(dimension.extent);
        exec.rowStrides.push_back(dimension.strides[0]);
        exec.accStrides.push_back(dimension.strides[1]);
      }
      exec.k = static_cast<uint16_t>(depth);
      exec.kStride = c.reduction.back().strides[0];
      exec.zeroPoint = c.lhsZeroPoint;
      exec.acc = acc.address;
      exec.n = static_cast<uint16_t>(columns);
      emitter.emit(exec);
    });
  }
};

/// Fills in the dimensions of matmul and batch_matmul; `b` is 1 if there is a batch dimension.
template <class Op> void describeMatmul(Op op, unsigned b, Contraction &c) {
  unsigned lhsM = op.getTransposeLhs() ? b + 1 : b;
  unsigned lhsK = op.getTransposeLhs() ? b : b + 1;
  unsigned rhsK = op.getTransposeRhs() ? b + 1 : b;
  unsigned rhsN = op.getTransposeRhs() ? b : b + 1;
  if (b == 1) {
    c.batch.push_back({c.acc.shape[0], {c.lhs.strides[0], c.rhs.strides[0], c.acc.strides[0]}});
  }
  c.rows.push_back({c.acc.shape[b], {c.lhs.strides[lhsM], c.acc.strides[b]}});
  c.columns = {c.acc.shape[b + 1], {c.rhs.strides[rhsN], c.acc.strides[b + 1]}};
  c.reduction.push_back({c.lhs.shape[lhsK], {c.lhs.strides[lhsK], c.rhs.strides[rhsK]}});
}

void describeConv2d(Conv2dOp op, Contraction &c) {
  ArrayRef<int64_t> strides = op.getStrides();
  ArrayRef<int64_t> dilations = op.getDilations();
  const SmallVector<int64_t> &in = c.lhs.strides;
  const SmallVector<int64_t> &filter = c.rhs.strides;
  const SmallVector<int64_t> &out = c.acc.strides;
  c.rows.push_back({c.acc.shape[0], {in[0], out[0]}});
  c.rows.push_back({c.acc.shape[1], {in[1] * strides[0], out[1]}});
  c.rows.push_back({c.acc.shape[2], {in[2] * strides[1], out[2]}});
  c.columns = {c.acc.shape[3], {filter[3], out[3]}};
  c.reduction.push_back({c.rhs.shape[0], {in[1] * dilations[0], filter[0]}});
  c.reduction.push_back({c.rhs.shape[1], {in[2] * dilations[1], filter[1]}});
  c.reduction.push_back({c.rhs.shape[2], {in[3], filter[2]}});
}

npuhw::DType withSignedness(npuhw::DType dtype, bool isUnsigned) {
  return isUnsigned && dtype == npuhw::DType::I8 ? npuhw::DType::U8 : dtype;
}

/// Resolves the operands that all matrix ops have.
template <class Op> FailureOr<Contraction> describe(Op op, AddressResolver &resolver) {
  if (op.hasEpilogue()) {
    return op.emitError() << "expected the epilogue in a drain of its own, made by 'npu-form-kernels'";
  }
  FailureOr<View> lhs = resolver.resolveView(op.getLhs());
  FailureOr<View> rhs = resolver.resolveView(op.getRhs());
  FailureOr<View> acc = resolver.resolveView(op.getInit());
  if (failed(lhs) || failed(rhs) || failed(acc)) {
    return failure();
  }
  Contraction c;
  c.lhs = *lhs;
  c.rhs = *rhs;
  c.acc = *acc;
  c.lhs.dtype = withSignedness(c.lhs.dtype, op.getLhsUnsigned());
  c.rhs.dtype = withSignedness(c.rhs.dtype, op.getRhsUnsigned());
  c.lhsZeroPoint = op.getLhsZeroPoint();
  c.rhsZeroPoint = op.getRhsZeroPoint();
  return c;
}

} // namespace

LogicalResult npu::lowerMatrix(Emitter &emitter, AddressResolver &resolver, StructuredOpInterface op) {
  bool accumulate = op->hasAttr("accumulate");
  FailureOr<Contraction> c =
      TypeSwitch<Operation *, FailureOr<Contraction>>(op)
          .Case([&](MatmulOp matmul) {
            FailureOr<Contraction> result = describe(matmul, resolver);
            if (succeeded(result)) {
              describeMatmul(matmul, 0, *result);
            }
            return result;
          })
          .Case([&](BatchMatmulOp matmul) {
            FailureOr<Contraction> result = describe(matmul, resolver);
            if (succeeded(result)) {
              describeMatmul(matmul, 1, *result);
            }
            return result;
          })
          .Case([&](Conv2dOp conv) {
            FailureOr<Contraction> result = describe(conv, resolver);
            if (succeeded(result)) {
              describeConv2d(conv, *result);
            }
            return result;
          })
          .DefaultUnreachable("not a matrix op");
  if (failed(c)) {
    return failure();
  }
  if (c->acc.shape.back() > 1 && c->acc.strides.back() != c->acc.elementBytes()) {
    return op.emitError() << "expected the sums of a row to be contiguous in the accumulator, but found "
                          << op->getOperands().back().getType();
  }
  if (llvm::is_contained(c->acc.shape, 0)) {
    return success();
  }
  ContractionEmitter(emitter, std::move(*c)).emit(accumulate);
  return success();
}
