// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Addresses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// CounterForm, View
//===----------------------------------------------------------------------===//

/// Adds a term; terms of the same loop and modulus become one, terms that cancel vanish.
template <class Terms> static void addTerm(Terms &terms, npuhw::AddressTerm term) {
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (it->loop == term.loop && it->modulus == term.modulus) {
      it->stride += term.stride;
      if (it->stride == 0) {
        terms.erase(it);
      }
      return;
    }
  }
  if (term.stride != 0) {
    auto position = llvm::find_if(terms, [&](const npuhw::AddressTerm &other) {
      return std::pair(other.loop, other.modulus) > std::pair(term.loop, term.modulus);
    });
    terms.insert(position, term);
  }
}

CounterForm CounterForm::counter(unsigned loopDepth, int64_t stride) {
  CounterForm form;
  addTerm(form.terms, {static_cast<uint8_t>(loopDepth), stride, 0});
  return form;
}

void CounterForm::add(const CounterForm &other, int64_t factor) {
  constant += factor * other.constant;
  for (npuhw::AddressTerm term : other.terms) {
    term.stride *= factor;
    addTerm(terms, term);
  }
}

void View::advance(const CounterForm &bytes, int64_t factor) {
  address.offset += factor * bytes.constant;
  for (npuhw::AddressTerm term : bytes.terms) {
    term.stride *= factor;
    addTerm(address.terms, term);
  }
}

std::optional<npuhw::DType> npu::getDType(Type type) {
  if (type.isF32()) {
    return npuhw::DType::F32;
  }
  if (type.isF16()) {
    return npuhw::DType::F16;
  }
  if (type.isBF16()) {
    return npuhw::DType::BF16;
  }
  if (isa<Float8E4M3FNType>(type)) {
    return npuhw::DType::F8E4M3;
  }
  if (isa<Float8E5M2Type>(type)) {
    return npuhw::DType::F8E5M2;
  }
  if (!type.isSignlessInteger()) {
    return std::nullopt;
  }
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return npuhw::DType::B8;
  case 8:
    return npuhw::DType::I8;
  case 16:
    return npuhw::DType::I16;
  case 32:
    return npuhw::DType::I32;
  case 64:
    return npuhw::DType::I64;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Index values
//===----------------------------------------------------------------------===//

/// form floordiv divisor, where it is exact in every term.
static std::optional<CounterForm> divide(const CounterForm &form, int64_t divisor) {
  if (form.isConstant()) {
    return CounterForm{llvm::divideFloorSigned(form.constant, divisor), {}};
  }
  CounterForm result;
  if (form.constant % divisor != 0) {
    return std::nullopt;
  }
  result.constant = form.constant / divisor;
  for (npuhw::AddressTerm term : form.terms) {
    if (term.stride % divisor != 0) {
      return std::nullopt;
    }
    term.stride /= divisor;
    result.terms.push_back(term);
  }
  return result;
}

/// form mod modulus: of a constant, or of one counter whose stride divides the modulus.
static std::optional<CounterForm> remainder(const CounterForm &form, int64_t modulus) {
  if (form.isConstant()) {
    return CounterForm{(form.constant % modulus + modulus) % modulus, {}};
  }
  if (form.terms.size() != 1 || form.constant % modulus != 0) {
    return std::nullopt;
  }
  npuhw::AddressTerm term = form.terms.front();
  if (term.modulus != 0 || term.stride <= 0) {
    return std::nullopt;
  }
  if (term.stride % modulus == 0) {
    return CounterForm{};
  }
  if (modulus % term.stride != 0 || modulus / term.stride > UINT16_MAX) {
    return std::nullopt;
  }
  term.modulus = static_cast<uint16_t>(modulus / term.stride);
  return CounterForm{0, {term}};
}

static InFlightDiagnostic failIndex(Operation *user) {
  return user->emitError() << "expected an index that is a sum of multiples of loop counters, which addresses can hold";
}

FailureOr<CounterForm> AddressResolver::resolveExpr(AffineExpr expr, AffineMap map, ValueRange operands,
                                                    Operation *user) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return CounterForm{constant.getValue(), {}};
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return resolveIndex(operands[dim.getPosition()]);
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    return resolveIndex(operands[map.getNumDims() + symbol.getPosition()]);
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<CounterForm> lhs = resolveExpr(binary.getLHS(), map, operands, user);
  FailureOr<CounterForm> rhs = resolveExpr(binary.getRHS(), map, operands, user);
  if (failed(lhs) || failed(rhs)) {
    return failure();
  }
  std::optional<CounterForm> result;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    lhs->add(*rhs);
    return lhs;
  case AffineExprKind::Mul:
    if (rhs->isConstant() || lhs->isConstant()) {
      const CounterForm &varying = rhs->isConstant() ? *lhs : *rhs;
      result.emplace();
      result->add(varying, rhs->isConstant() ? rhs->constant : lhs->constant);
    }
    break;
  case AffineExprKind::FloorDiv:
    if (rhs->isConstant() && rhs->constant > 0) {
      result = divide(*lhs, rhs->constant);
    }
    break;
  case AffineExprKind::CeilDiv:
    if (rhs->isConstant() && rhs->constant > 0) {
      // Exact for terms that divide; a constant is rounded up.
      result = lhs->isConstant() ? CounterForm{llvm::divideCeilSigned(lhs->constant, rhs->constant), {}}
                                 : divide(*lhs, rhs->constant);
    }
    break;
  case AffineExprKind::Mod:
    if (rhs->isConstant() && rhs->constant > 0) {
      result = remainder(*lhs, rhs->constant);
    }
    break;
  default:
    break;
  }
  if (!result) {
    return failIndex(user);
  }
  return *result;
}

FailureOr<CounterForm> AddressResolver::resolveIndex(Value value) {
  if (auto it = indices.find(value); it != indices.end()) {
    return it->second;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return CounterForm{constant.getSExtValue(), {}};
  }
  Operation *op = value.getDefiningOp();
  assert(op && "of the block arguments, only counters of loops are indices, and those are bound");
  MLIRContext *context = value.getContext();
  AffineExpr a = getAffineDimExpr(0, context);
  AffineExpr b = getAffineDimExpr(1, context);
  auto evaluate = [&](AffineExpr expr) {
    return resolveExpr(expr, AffineMap::get(op->getNumOperands(), 0, expr), op->getOperands(), op);
  };
  return TypeSwitch<Operation *, FailureOr<CounterForm>>(op)
      .Case([&](affine::AffineApplyOp apply) {
        return resolveExpr(apply.getAffineMap().getResult(0), apply.getAffineMap(), apply.getOperands(), op);
      })
      .Case([&](arith::AddIOp) { return evaluate(a + b); })
      .Case([&](arith::SubIOp) { return evaluate(a - b); })
      .Case([&](arith::MulIOp) { return evaluate(a * b); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto) { return evaluate(a.floorDiv(b)); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return evaluate(a % b); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto) { return resolveIndex(op->getOperand(0)); })
      .Default([&](Operation *) -> FailureOr<CounterForm> { return failIndex(op); });
}

FailureOr<CounterForm> AddressResolver::resolveFolded(OpFoldResult value, Operation *user) {
  if (auto attribute = dyn_cast<Attribute>(value)) {
    return CounterForm{cast<IntegerAttr>(attribute).getInt(), {}};
  }
  return resolveIndex(cast<Value>(value));
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

/// Byte strides of a memref; failure with a diagnostic at `user` if they are not static.
static FailureOr<SmallVector<int64_t>> getByteStrides(MemRefType type, Location loc) {
  std::optional<npuhw::DType> dtype = getDType(type.getElementType());
  if (!dtype) {
    return emitError(loc) << "expected elements of a type that the hardware has, but found " << type.getElementType();
  }
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || llvm::is_contained(strides, ShapedType::kDynamic)) {
    return emitError(loc) << "expected a memref with static strides, but found " << type;
  }
  for (int64_t &stride : strides) {
    stride *= npuhw::dtypeBytes(*dtype);
  }
  return strides;
}

FailureOr<AddressResolver::Place> AddressResolver::resolveBuffer(Operation *op, std::optional<int64_t> offset,
                                                                 MemRefType type) {
  if (!offset) {
    return op->emitError() << "expected '" << op->getName() << "' to have an offset; run 'npu-plan-memory' first";
  }
  Place place;
  place.base.offset = *offset;
  switch (getSpace(type)) {
  case Space::Dram:
    place.base.space = npuhw::Space::Dram;
    place.base.region = static_cast<uint16_t>(arena);
    return place;
  case Space::Sram:
    place.base.space = npuhw::Space::Sram;
    return place;
  case Space::Acc:
    place.base.space = npuhw::Space::Acc;
    return place;
  case Space::Host:
    break;
  }
  return op->emitError() << "expected a buffer in device memory, but found " << type;
}

FailureOr<AddressResolver::Place> AddressResolver::resolvePlace(Value memref) {
  if (auto it = regions.find(memref); it != regions.end()) {
    Place place;
    place.base.space = npuhw::Space::Dram;
    place.base.region = static_cast<uint16_t>(it->second);
    return place;
  }
  Operation *op = memref.getDefiningOp();
  assert(op && "of the block arguments, only those of the program are memrefs, and those are bound");
  return TypeSwitch<Operation *, FailureOr<Place>>(op)
      .Case<BufferOp, RingOp>(
          [&](auto buffer) { return resolveBuffer(op, buffer.getOffset(), cast<MemRefType>(buffer.getType())); })
      .Case([&](RingSlotOp slot) -> FailureOr<Place> {
        FailureOr<Place> place = resolvePlace(slot.getRing());
        FailureOr<CounterForm> index = resolveIndex(slot.getIndex());
        if (failed(place) || failed(index)) {
          return failure();
        }
        auto ring = cast<MemRefType>(slot.getRing().getType());
        FailureOr<SmallVector<int64_t>> strides = getByteStrides(ring, slot.getLoc());
        std::optional<CounterForm> iteration = divide(*index, static_cast<int64_t>(slot.getStep()));
        std::optional<CounterForm> number = iteration ? remainder(*iteration, ring.getDimSize(0)) : std::nullopt;
        if (failed(strides)) {
          return failure();
        }
        if (!number) {
          return slot.emitError() << "expected the index to be the induction variable of a loop with step "
                                  << slot.getStep() << ", so that the slot is its iteration mod " << ring.getDimSize(0);
        }
        place->offset.add(*number, strides->front());
        return place;
      })
      .Case([&](memref::SubViewOp subview) -> FailureOr<Place> {
        FailureOr<Place> place = resolvePlace(subview.getSource());
        FailureOr<SmallVector<int64_t>> strides = getByteStrides(subview.getSourceType(), subview.getLoc());
        if (failed(place) || failed(strides)) {
          return failure();
        }
        for (auto [offset, stride] : llvm::zip(subview.getMixedOffsets(), *strides)) {
          FailureOr<CounterForm> form = resolveFolded(offset, op);
          if (failed(form)) {
            return failure();
          }
          place->offset.add(*form, stride);
        }
        return place;
      })
      .Case([&](memref::ReinterpretCastOp cast) -> FailureOr<Place> {
        // Its offset counts from the start of the storage.
        FailureOr<Place> place = resolvePlace(cast.getSource());
        std::optional<npuhw::DType> dtype = getDType(cast.getType().getElementType());
        FailureOr<CounterForm> form = resolveFolded(cast.getMixedOffsets().front(), op);
        if (failed(place) || failed(form) || !dtype) {
          return failure();
        }
        place->offset = CounterForm();
        place->offset.add(*form, npuhw::dtypeBytes(*dtype));
        return place;
      })
      .Case<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
          [&](auto) { return resolvePlace(op->getOperand(0)); })
      .Default([&](Operation *) -> FailureOr<Place> {
        return op->emitError() << "expected a view of a buffer or of a program argument, but found '" << op->getName()
                               << "'";
      });
}

FailureOr<View> AddressResolver::resolveView(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  FailureOr<SmallVector<int64_t>> strides = getByteStrides(type, memref.getLoc());
  FailureOr<Place> place = failed(strides) ? FailureOr<Place>(failure()) : resolvePlace(memref);
  if (failed(place)) {
    return failure();
  }
  View view;
  view.address = place->base;
  view.dtype = *getDType(type.getElementType());
  view.shape = llvm::to_vector(type.getShape());
  view.strides = *strides;
  view.advance(place->offset);
  if (view.address.terms.size() > npuhw::kMaxTerms) {
    return emitError(memref.getLoc()) << "expected an address of at most " << npuhw::kMaxTerms
                                      << " loop counters, but found " << view.address.terms.size();
  }
  return view;
}
