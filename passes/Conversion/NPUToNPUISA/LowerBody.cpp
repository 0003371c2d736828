// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::npu;

namespace {

/// Turns the body of one `npu.generic` into a microprogram.
class BodyLowering {
public:
  BodyLowering(GenericOp op, ArrayRef<int> inputOf, unsigned numInputs,
               function_ref<FailureOr<IndexSource>(IndexOp)> indexOf)
      : op(op), inputOf(inputOf), indexOf(indexOf) {
    micro.numInputs = static_cast<uint16_t>(numInputs);
  }

  FailureOr<npuhw::MicroProgram> run() {
    Block &body = op.getBody().front();
    auto yield = cast<YieldOp>(body.getTerminator());
    micro.outputs.resize(yield.getValues().size());
    collectNeeded(yield);
    for (Operation &inner : body.without_terminator()) {
      if (needed.contains(&inner) && failed(lower(&inner))) {
        return failure();
      }
    }
    for (auto [output, value] : llvm::zip(micro.outputs, yield.getValues())) {
      FailureOr<uint16_t> reg = getRegister(value, yield);
      if (failed(reg)) {
        return failure();
      }
      output = *reg;
    }
    micro.name = makeName();
    std::string fault = npuhw::verifyMicro(micro);
    if (!fault.empty()) {
      return op.emitError() << "the body has no microprogram: " << fault;
    }
    return std::move(micro);
  }

private:
  GenericOp op;
  ArrayRef<int> inputOf;
  function_ref<FailureOr<IndexSource>(IndexOp)> indexOf;
  npuhw::MicroProgram micro;
  DenseMap<Value, uint16_t> registers;
  llvm::SmallSetVector<Operation *, 16> needed;

  /// The ops inside of the body that the results depend on.
  void collectNeeded(Operation *user) {
    for (Value operand : user->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && producer->getBlock() == &op.getBody().front() && needed.insert(producer)) {
        collectNeeded(producer);
      }
    }
  }

  uint16_t append(npuhw::MicroOp microOp) {
    micro.ops.push_back(microOp);
    return static_cast<uint16_t>(micro.ops.size() - 1);
  }

  FailureOr<npuhw::DType> getType(Value value, Operation *user) {
    std::optional<npuhw::DType> dtype = getDType(value.getType());
    if (!dtype) {
      return user->emitError() << "expected values of a type that the vector engine has, but found "
                               << value.getType();
    }
    return *dtype;
  }

  /// The register of a value: leaves are made when they are first read.
  FailureOr<uint16_t> getRegister(Value value, Operation *user) {
    if (auto it = registers.find(value); it != registers.end()) {
      return it->second;
    }
    FailureOr<npuhw::DType> type = getType(value, user);
    if (failed(type)) {
      return failure();
    }
    npuhw::MicroOp leaf;
    leaf.type = *type;
    auto argument = dyn_cast<BlockArgument>(value);
    Attribute constant;
    if (argument && argument.getOwner() == &op.getBody().front()) {
      unsigned number = argument.getArgNumber();
      bool isInput = number < inputOf.size();
      leaf.opcode = isInput ? npuhw::MicroOpcode::Input : npuhw::MicroOpcode::Current;
      leaf.imm = isInput ? static_cast<unsigned>(inputOf[number]) : number - inputOf.size();
    } else if (matchPattern(value, m_Constant(&constant))) {
      leaf.opcode = npuhw::MicroOpcode::Const;
      leaf.imm = isa<FloatAttr>(constant) ? cast<FloatAttr>(constant).getValue().bitcastToAPInt().getZExtValue()
                                          : cast<IntegerAttr>(constant).getValue().getZExtValue();
    } else {
      return user->emitError() << "expected values from inside of the body or constants, but found one from outside";
    }
    return registers[value] = append(leaf);
  }

  LogicalResult lower(Operation *inner) {
    if (inner->hasTrait<OpTrait::ConstantLike>()) {
      return success();
    }
    if (auto index = dyn_cast<IndexOp>(inner)) {
      return lowerIndex(index);
    }
    StringRef name = inner->getName().getStringRef();
    const npuhw::MicroOpInfo *info = nullptr;
    for (const npuhw::MicroOpInfo &candidate : npuhw::kMicroOpInfos) {
      if (candidate.form != npuhw::MicroForm::Leaf && name == candidate.mlir) {
        info = &candidate;
      }
    }
    if (!info) {
      return inner->emitError() << "expected a scalar op that the vector engine has, but found '" << name
                                << "'; the instruction reference lists them";
    }
    FailureOr<npuhw::DType> type = getType(inner->getResult(0), inner);
    if (failed(type)) {
      return failure();
    }
    npuhw::MicroOp microOp;
    microOp.opcode = info->opcode;
    microOp.type = *type;
    if (auto compare = dyn_cast<arith::CmpFOp>(inner)) {
      microOp.imm = static_cast<uint64_t>(compare.getPredicate());
    } else if (auto compare = dyn_cast<arith::CmpIOp>(inner)) {
      microOp.imm = static_cast<uint64_t>(compare.getPredicate());
    }
    uint16_t *fields[] = {&microOp.a, &microOp.b, &microOp.c};
    for (auto [field, operand] : llvm::zip(fields, inner->getOperands())) {
      FailureOr<uint16_t> reg = getRegister(operand, inner);
      if (failed(reg)) {
        return failure();
      }
      *field = *reg;
    }
    registers[inner->getResult(0)] = append(microOp);
    return success();
  }

  LogicalResult lowerIndex(IndexOp index) {
    FailureOr<IndexSource> source = indexOf(index);
    if (failed(source)) {
      return failure();
    }
    auto bits = static_cast<uint64_t>(static_cast<uint32_t>(source->constant));
    npuhw::MicroOp constant{npuhw::MicroOpcode::Const, npuhw::DType::I32, 0, 0, 0, bits};
    if (!source->dimension) {
      registers[index.getResult()] = append(constant);
      return success();
    }
    uint16_t position = append({npuhw::MicroOpcode::Iota, npuhw::DType::I32, 0, 0, 0, *source->dimension});
    if (source->constant != 0) {
      uint16_t offset = append(constant);
      position = append({npuhw::MicroOpcode::Addi, npuhw::DType::I32, position, offset, 0, 0});
    }
    registers[index.getResult()] = position;
    return success();
  }

  /// The first operations, so that a listing can be read.
  std::string makeName() const {
    constexpr unsigned kNamedOps = 3;
    std::string name;
    unsigned count = 0;
    for (const npuhw::MicroOp &m : micro.ops) {
      if (npuhw::microOpInfo(m.opcode)->form != npuhw::MicroForm::Leaf && count++ < kNamedOps) {
        name += (name.empty() ? "" : "_") + std::string(npuhw::spell(m.opcode));
      }
    }
    return name.empty() ? "copy" : name;
  }
};

} // namespace

FailureOr<npuhw::MicroProgram> npu::lowerBody(GenericOp op, ArrayRef<int> inputOf, unsigned numInputs,
                                              function_ref<FailureOr<IndexSource>(IndexOp)> indexOf) {
  return BodyLowering(op, inputOf, numInputs, indexOf).run();
}
