// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Lowering.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::npu;

namespace {

/// One dimension of an iteration space. `source` is its number in the op; joined dimensions have none.
struct SpaceDimension {
  int64_t extent = 0;
  bool isReduction = false;
  SmallVector<int64_t> strides; ///< Of each operand.
  std::optional<unsigned> source;
};

/// An iteration space with its operands.
struct IterationSpace {
  SmallVector<SpaceDimension> dimensions;
  SmallVector<View> operands;

  bool isEmpty() const {
    return llvm::any_of(dimensions, [](const SpaceDimension &d) { return d.extent == 0; });
  }
};

/// Drops dimensions of extent 1 and joins neighbours of one kind that all operands walk as one. A dimension whose index
/// is read stays.
void simplify(IterationSpace &space, const llvm::SmallBitVector &readDimensions) {
  SmallVector<SpaceDimension> result;
  for (SpaceDimension &d : space.dimensions) {
    if (d.extent == 1) {
      continue;
    }
    auto isRead = [&](const SpaceDimension &other) { return other.source && readDimensions.test(*other.source); };
    bool joined = !result.empty() && result.back().isReduction == d.isReduction && !isRead(result.back()) &&
                  !isRead(d) && llvm::all_of(llvm::zip(result.back().strides, d.strides), [&](auto strides) {
                    return std::get<0>(strides) == std::get<1>(strides) * d.extent;
                  });
    if (joined) {
      d.extent *= result.back().extent;
      d.source = std::nullopt;
      result.back() = std::move(d);
    } else {
      result.push_back(std::move(d));
    }
  }
  space.dimensions = std::move(result);
}

/// Emits one instruction, or loops around it for the dimensions that it cannot walk. `makeMicro` is given the values
/// of outer dimensions whose index is read, which are therefore not loops but copies.
class SpaceEmitter {
public:
  using MakeMicro = function_ref<FailureOr<npuhw::MicroProgram>(ArrayRef<SpaceDimension> inner,
                                                                ArrayRef<std::pair<unsigned, int64_t>> outer)>;

  SpaceEmitter(Emitter &emitter, IterationSpace space, bool drains, const llvm::SmallBitVector &readDimensions,
               MakeMicro makeMicro)
      : emitter(emitter), space(std::move(space)), drains(drains), readDimensions(readDimensions),
        makeMicro(makeMicro) {}

  LogicalResult emit() {
    emitFrom(0);
    return success(!hasFailed);
  }

private:
  Emitter &emitter;
  IterationSpace space;
  bool drains;
  const llvm::SmallBitVector &readDimensions;
  MakeMicro makeMicro;
  SmallVector<std::pair<unsigned, int64_t>> outerValues;
  bool hasFailed = false;

  void emitFrom(unsigned first) {
    if (space.dimensions.size() - first <= npuhw::kMaxRank) {
      emitInstruction(ArrayRef<SpaceDimension>(space.dimensions).drop_front(first));
      return;
    }
    const SpaceDimension &d = space.dimensions[first];
    SmallVector<View> saved = space.operands;
    auto runAt = [&](const CounterForm &counter) {
      for (auto [view, start, stride] : llvm::zip(space.operands, saved, d.strides)) {
        view = start;
        view.advance(counter, stride);
      }
      emitFrom(first + 1);
    };
    if (d.source && readDimensions.test(*d.source)) {
      for (int64_t i = 0; i < d.extent; ++i) {
        outerValues.emplace_back(*d.source, i);
        runAt(CounterForm{i, {}});
        outerValues.pop_back();
      }
    } else {
      emitter.repeat(d.extent, runAt);
    }
    space.operands = saved;
  }

  void emitInstruction(ArrayRef<SpaceDimension> dimensions) {
    FailureOr<npuhw::MicroProgram> micro = makeMicro(dimensions, outerValues);
    if (failed(micro)) {
      hasFailed = true;
      return;
    }
    std::vector<npuhw::Operand> operands;
    for (auto [number, view] : llvm::enumerate(space.operands)) {
      npuhw::Operand operand;
      operand.address = view.address;
      operand.dtype = view.dtype;
      for (const SpaceDimension &d : dimensions) {
        operand.strides.push_back(d.strides[number]);
      }
      operands.push_back(std::move(operand));
    }
    std::vector<int64_t> shape;
    uint8_t reductionMask = 0;
    for (auto [number, d] : llvm::enumerate(dimensions)) {
      shape.push_back(d.extent);
      reductionMask |= d.isReduction ? 1u << number : 0u;
    }
    FlatSymbolRefAttr symbol = emitter.getMicro(std::move(*micro));
    if (drains) {
      npuhw::Drain inst;
      inst.shape = std::move(shape);
      inst.operands = std::move(operands);
      emitter.emit(inst, symbol);
    } else {
      npuhw::VExec inst;
      inst.shape = std::move(shape);
      inst.reductionMask = reductionMask;
      inst.operands = std::move(operands);
      emitter.emit(inst, symbol);
    }
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// depthwise_conv2d
//===----------------------------------------------------------------------===//

/// current + widen(input) * widen(filter).
static npuhw::MicroProgram makeMultiplyAdd(npuhw::DType input, npuhw::DType sum) {
  using npuhw::MicroOpcode;
  npuhw::MicroProgram micro;
  micro.numInputs = 2;
  auto append = [&](MicroOpcode opcode, npuhw::DType type, uint16_t a = 0, uint16_t b = 0, uint16_t c = 0,
                    uint64_t imm = 0) {
    micro.ops.push_back({opcode, type, a, b, c, imm});
    return static_cast<uint16_t>(micro.ops.size() - 1);
  };
  auto read = [&](uint64_t number) {
    uint16_t value = append(MicroOpcode::Input, input, 0, 0, 0, number);
    return input == sum ? value : append(npuhw::isFloat(sum) ? MicroOpcode::Extf : MicroOpcode::Extsi, sum, value);
  };
  uint16_t a = read(0);
  uint16_t b = read(1);
  uint16_t current = append(MicroOpcode::Current, sum);
  if (npuhw::isFloat(sum)) {
    micro.name = "fma";
    micro.outputs = {append(MicroOpcode::Fma, sum, a, b, current)};
  } else {
    micro.name = "muli_addi";
    uint16_t product = append(MicroOpcode::Muli, sum, a, b);
    micro.outputs = {append(MicroOpcode::Addi, sum, product, current)};
  }
  return micro;
}

LogicalResult npu::lowerDepthwise(Emitter &emitter, AddressResolver &resolver, DepthwiseConv2dOp op) {
  FailureOr<View> input = resolver.resolveView(op.getInput());
  FailureOr<View> filter = resolver.resolveView(op.getFilter());
  FailureOr<View> init = resolver.resolveView(op.getInit());
  if (failed(input) || failed(filter) || failed(init)) {
    return failure();
  }
  ArrayRef<int64_t> strides = op.getStrides();
  ArrayRef<int64_t> dilations = op.getDilations();
  const SmallVector<int64_t> &in = input->strides;
  const SmallVector<int64_t> &weights = filter->strides;
  const SmallVector<int64_t> &out = init->strides;
  IterationSpace space;
  space.operands = {*input, *filter, *init};
  auto add = [&](int64_t extent, bool isReduction, SmallVector<int64_t> operandStrides) {
    auto number = static_cast<unsigned>(space.dimensions.size());
    space.dimensions.push_back({extent, isReduction, std::move(operandStrides), number});
  };
  add(init->shape[0], false, {in[0], 0, out[0]});
  add(init->shape[1], false, {in[1] * strides[0], 0, out[1]});
  add(init->shape[2], false, {in[2] * strides[1], 0, out[2]});
  add(init->shape[3], false, {in[3], weights[2], out[3]});
  add(filter->shape[0], true, {in[1] * dilations[0], weights[0], 0});
  add(filter->shape[1], true, {in[2] * dilations[1], weights[1], 0});
  if (space.isEmpty()) {
    return success();
  }
  llvm::SmallBitVector readDimensions(space.dimensions.size());
  simplify(space, readDimensions);
  npuhw::MicroProgram micro = makeMultiplyAdd(input->dtype, init->dtype);
  return SpaceEmitter(emitter, std::move(space), /*drains=*/false, readDimensions, [&](auto, auto) { return micro; })
      .emit();
}

//===----------------------------------------------------------------------===//
// generic
//===----------------------------------------------------------------------===//

/// Adds the coefficients of an affine sum; false if it is not one.
static bool addCoefficients(AffineExpr expr, int64_t factor, SmallVectorImpl<int64_t> &coefficients,
                            int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return false;
  }
  if (binary.getKind() == AffineExprKind::Add) {
    return addCoefficients(binary.getLHS(), factor, coefficients, constant) &&
           addCoefficients(binary.getRHS(), factor, coefficients, constant);
  }
  auto multiplier = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && multiplier &&
         addCoefficients(binary.getLHS(), factor * multiplier.getValue(), coefficients, constant);
}

/// Adds an operand to a space: resolves it and takes its strides along the dimensions from its map.
static LogicalResult addOperand(AddressResolver &resolver, GenericOp op, Value value, AffineMap map,
                                IterationSpace &space) {
  FailureOr<View> view = resolver.resolveView(value);
  if (failed(view)) {
    return failure();
  }
  SmallVector<int64_t> total(space.dimensions.size(), 0);
  for (auto [result, stride] : llvm::zip(map.getResults(), view->strides)) {
    SmallVector<int64_t> coefficients(space.dimensions.size(), 0);
    int64_t constant = 0;
    [[maybe_unused]] bool isSum = addCoefficients(result, 1, coefficients, constant);
    assert(isSum && "the verifier of the op allows sums of multiples of dimensions only");
    for (auto [sum, coefficient] : llvm::zip(total, coefficients)) {
      sum += coefficient * stride;
    }
    view->advance(CounterForm{constant * stride, {}});
  }
  for (auto [dimension, stride] : llvm::zip(space.dimensions, total)) {
    dimension.strides.push_back(stride);
  }
  space.operands.push_back(std::move(*view));
  return success();
}

LogicalResult npu::lowerGeneric(Emitter &emitter, AddressResolver &resolver, GenericOp op, bool drains) {
  IterationSpace space;
  SmallVector<int64_t> extents(op.getExtents());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [number, extent] : llvm::enumerate(extents)) {
    bool isReduction = iterators[number] == utils::IteratorType::reduction;
    if (isReduction && drains) {
      return op.emitError() << "expected only parallel dimensions in a drain, but dimension " << number
                            << " is a reduction";
    }
    space.dimensions.push_back({extent, isReduction, {}, static_cast<unsigned>(number)});
  }
  if (space.isEmpty()) {
    return success();
  }

  // Inputs that the body does not read are no operands, but a drain needs the sums as its first one.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int> inputOf;
  unsigned numInputs = 0;
  Block &body = op.getBody().front();
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    bool isRead = !body.getArgument(number).use_empty() || (drains && number == 0);
    inputOf.push_back(isRead ? static_cast<int>(numInputs++) : -1);
    if (isRead && failed(addOperand(resolver, op, input, maps[number], space))) {
      return failure();
    }
  }
  for (auto [number, init] : llvm::enumerate(op.getInits())) {
    if (failed(addOperand(resolver, op, init, maps[inputOf.size() + number], space))) {
      return failure();
    }
  }

  llvm::SmallBitVector readDimensions(space.dimensions.size());
  body.walk([&](IndexOp index) { readDimensions.set(index.getDim()); });
  simplify(space, readDimensions);

  auto makeMicro = [&](ArrayRef<SpaceDimension> inner,
                       ArrayRef<std::pair<unsigned, int64_t>> outer) -> FailureOr<npuhw::MicroProgram> {
    auto indexOf = [&](IndexOp index) -> FailureOr<IndexSource> {
      IndexSource source;
      if (Value offset = index.getOffset()) {
        FailureOr<CounterForm> form = resolver.resolveIndex(offset);
        if (failed(form)) {
          return failure();
        }
        assert(form->isConstant() && "a loop whose counter a microprogram reads is copied");
        source.constant = form->constant;
      }
      for (auto [dimension, value] : outer) {
        if (dimension == index.getDim()) {
          source.constant += value;
        }
      }
      for (auto [number, dimension] : llvm::enumerate(inner)) {
        if (dimension.source == index.getDim()) {
          source.dimension = number;
        }
      }
      return source;
    };
    return lowerBody(op, inputOf, numInputs, indexOf);
  };
  return SpaceEmitter(emitter, std::move(space), drains, readDimensions, makeMicro).emit();
}
