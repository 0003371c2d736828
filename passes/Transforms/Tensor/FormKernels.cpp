// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "passes/Transforms/Tensor/KernelInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "npu-form-kernels"

namespace mlir::npu {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;
using utils::IteratorType;

namespace {
struct FormKernelsPass : npu::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    llvm::StringSet<> names;
    SmallVector<StructuredOpInterface> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        names.insert(kernel.getName());
        return WalkResult::skip();
      }
      if (auto structured = dyn_cast<StructuredOpInterface>(op)) {
        if (op->getNumResults() != 0) { // on buffers it has no results, and stands behind this phase
          ops.push_back(structured);
        }
        return WalkResult::skip();
      }
      return isa<HostRegionOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (StructuredOpInterface op : ops) {
      if (fusesIntoUser(op)) {
        continue; // its user's kernel takes it in
      }
      if (failed(formKernel(op, names))) {
        return signalPassFailure();
      }
      ++numKernels;
    }
  }

  /// Whether the op fills the init of the only op that uses it: a reduction starts from it without a way through DRAM.
  static bool fusesIntoUser(StructuredOpInterface op) {
    if (!isFill(op) || !op->hasOneUse()) {
      return false;
    }
    OpOperand &use = *op->use_begin();
    auto user = dyn_cast<StructuredOpInterface>(use.getOwner());
    return user && !isContraction(user) && user->getBlock() == op->getBlock() && user.isDpsInit(&use) &&
           readsInit(user, use.getOperandNumber() - user.getNumDpsInputs());
  }

  /// A name that no other kernel of the function has.
  static std::string makeName(Operation *op, llvm::StringSet<> &names) {
    StringRef source = getSourceName(op->getLoc());
    std::string base = source.empty() ? op->getName().stripDialect().str() : source.str();
    std::string name = base;
    for (int64_t number = 1; !names.insert(name).second; ++number) {
      name = base + "_" + std::to_string(number);
    }
    return name;
  }

  /// Constants that a body takes from outside become its own: a kernel is isolated.
  static LogicalResult sinkConstants(Operation *op) {
    for (Region &region : op->getRegions()) {
      if (region.empty()) {
        continue;
      }
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(region, captured);
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      for (Value value : captured) {
        auto constant = value.getDefiningOp<arith::ConstantOp>();
        if (!constant) {
          return (op->emitOpError() << "expected a body that uses only its arguments and constants")
                     .attachNote(value.getLoc())
                 << "the value from outside is defined here";
        }
        replaceAllUsesInRegionWith(value, builder.clone(*constant)->getResult(0), region);
      }
    }
    return success();
  }

  /// Replaces the op by a kernel around it.
  LogicalResult formKernel(StructuredOpInterface op, llvm::StringSet<> &names) {
    if (failed(sinkConstants(op))) {
      return failure();
    }
    bool contraction = isContraction(op);
    if (contraction && readsInit(op, 0)) {
      return op->emitOpError() << "expected a contraction that starts from zero: only the accumulator can be added to, so "
                                  "the addition of a tensor has to be in the epilogue";
    }
    // The kernel's operands: what the op reads, each once, but for inits that are filled inside.
    llvm::SetVector<Value> inputs;
    SmallVector<StructuredOpInterface> fills;
    unsigned numInputs = op.getNumDpsInputs();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      auto fill = operand.get().getDefiningOp<StructuredOpInterface>();
      if (fill && fusesIntoUser(fill)) {
        fills.push_back(fill);
      } else if (number < numInputs || readsInit(op, number - numInputs)) {
        inputs.insert(operand.get());
      }
    }
    OpBuilder builder(op);
    auto kernel = KernelOp::create(builder, op->getLoc(), op->getResultTypes(), makeName(op, names),
                                   inputs.getArrayRef(), ScheduleAttr());
    Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    for (Value input : inputs) {
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    }
    for (StructuredOpInterface fill : fills) {
      if (failed(sinkConstants(fill))) {
        return failure();
      }
      Value place = createEmpty(builder, fill->getLoc(), cast<RankedTensorType>(fill->getResult(0).getType()));
      builder.clone(*fill, mapping)->setOperand(0, place);
    }
    SmallVector<Value> results;
    if (contraction) {
      results.push_back(splitContraction(builder, op, mapping));
    } else {
      Operation *inside = builder.clone(*op, mapping);
      builder.setInsertionPoint(inside);
      // A destination that is only written is the kernel's own, whatever tensor it was.
      for (auto [index, init] : llvm::enumerate(op.getDpsInits())) {
        if (!readsInit(op, index)) {
          inside->setOperand(numInputs + index,
                             createEmpty(builder, op->getLoc(), cast<RankedTensorType>(init.getType())));
        }
      }
      builder.setInsertionPointToEnd(body);
      llvm::append_range(results, inside->getResults());
    }
    YieldOp::create(builder, op->getLoc(), results);
    LDBG() << "kernel '" << kernel.getName() << "' for " << op->getName();
    op->replaceAllUsesWith(kernel->getResults());
    op->erase();
    for (StructuredOpInterface fill : fills) {
      fill->erase();
    }
    return success();
  }

  static Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
    return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  }

  /// The contraction with its sums in the accumulator, and the drain that applies the epilogue to them.
  static Value splitContraction(OpBuilder &builder, StructuredOpInterface op, IRMapping &mapping) {
    Location loc = op->getLoc();
    SmallVector<AffineMap> epilogueMaps;
    Type accumulatorType;
    llvm::TypeSwitch<Operation *>(op).Case<BatchMatmulOp, Conv2dOp, MatmulOp>([&](auto matrix) {
      epilogueMaps = matrix.getEpilogueMapsArray();
      accumulatorType = matrix.getAccumulatorType();
    });
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    Value sums = createEmpty(builder, loc,
                             withSpace(RankedTensorType::get(resultType.getShape(), accumulatorType), Space::Acc));

    // The same op without its epilogue: operands are lhs, rhs and init.
    OperationState state(loc, op->getName());
    state.addOperands({mapping.lookup(op->getOperand(0)), mapping.lookup(op->getOperand(1)), sums});
    state.addTypes(sums.getType());
    for (NamedAttribute attribute : op->getAttrs()) {
      if (attribute.getName() != "epilogue_maps") {
        state.attributes.append(attribute);
      }
    }
    state.addRegion();
    Operation *contraction = builder.create(state);

    AffineMap identity = builder.getMultiDimIdentityMap(resultType.getRank());
    SmallVector<Value> drainInputs = {contraction->getResult(0)};
    SmallVector<AffineMap> maps = {identity};
    for (auto [index, map] : llvm::enumerate(epilogueMaps)) {
      drainInputs.push_back(mapping.lookup(op->getOperand(2 + index)));
      maps.push_back(map);
    }
    maps.push_back(identity);
    SmallVector<IteratorType> iterators(resultType.getRank(), IteratorType::parallel);
    Value destination = createEmpty(builder, loc, resultType);
    Region &epilogue = op->getRegion(0);
    auto drain = GenericOp::create(builder, loc, drainInputs, ValueRange{destination}, maps, iterators,
                                   resultType.getShape(), [&](OpBuilder &bodyBuilder, Location, ValueRange arguments) {
                                     if (epilogue.empty()) {
                                       YieldOp::create(bodyBuilder, loc, ValueRange{arguments[0]});
                                       return;
                                     }
                                     IRMapping bodyMapping;
                                     bodyMapping.map(epilogue.getArguments(), arguments.drop_back());
                                     for (Operation &inside : epilogue.front()) {
                                       bodyBuilder.clone(inside, bodyMapping);
                                     }
                                   });
    return drain->getResult(0);
  }
};
} // namespace
