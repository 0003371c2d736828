// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Transforms/Tensor/Passes.h"

#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPU/IR/SourceName.h"
#include "dialects/NPU/IR/TensorName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "npu-outline-programs"

namespace mlir::npu {
#define GEN_PASS_DEF_OUTLINEPROGRAMSPASS
#include "passes/Transforms/Tensor/Passes.h.inc"
} // namespace mlir::npu

using namespace mlir;
using namespace mlir::npu;

/// Whether the device executes the op.
static bool isDeviceOp(Operation *op) { return isa<KernelOp, CopyOp, PadOp, TransposeOp, GatherOp>(op); }

/// Views that change nothing but the shape: they cost nothing on either side.
static bool isReshape(Operation *op) { return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

/// Ops that may stand inside of a program or outside.
static bool isView(Operation *op) {
  return (isReshape(op) || isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::EmptyOp, arith::ConstantOp>(op)) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// The name that a value of the host has in the model: that of the argument or result of the function that it is, else
/// that of the last source node that makes it; null if it has none.
static StringAttr getTensorName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    bool isParameter = func && argument.getOwner()->isEntryBlock();
    return isParameter ? func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName) : StringAttr();
  }
  for (OpOperand &use : value.getUses()) {
    auto end = dyn_cast<func::ReturnOp>(use.getOwner());
    auto func = end ? dyn_cast<func::FuncOp>(end->getParentOp()) : func::FuncOp();
    if (!func) {
      continue;
    }
    if (auto name = func.getResultAttrOfType<StringAttr>(use.getOperandNumber(), kNameAttrName)) {
      return name;
    }
  }
  // The host gives back another shape of it.
  for (Operation *user : value.getUsers()) {
    if (isReshape(user) && value.hasOneUse()) {
      return getTensorName(user->getResult(0));
    }
  }
  SmallVector<StringRef> sources = getSourceNames(value.getLoc());
  return sources.empty() ? StringAttr() : StringAttr::get(value.getContext(), sources.back());
}

namespace {

/// A run of ops that becomes one program.
struct Run {
  SmallVector<Operation *> ops;
  bool hasDeviceOps = false;
};

struct OutlineProgramsPass : npu::impl::OutlineProgramsPassBase<OutlineProgramsPass> {
  using OutlineProgramsPassBase::OutlineProgramsPassBase;

  /// The names of results of launches.
  DenseMap<Value, StringAttr> launched;

  void runOnOperation() override {
    launched.clear();
    SymbolTable symbols(getOperation());
    for (func::FuncOp func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      int64_t number = 0;
      Operation *place = func;
      for (Block &block : func.getBody()) {
        for (Run &run : collectRuns(block)) {
          shrink(run);
          if (!run.ops.empty()) {
            place = outline(func, run, func.getName().str() + "_" + std::to_string(number++), symbols, place);
            ++numPrograms;
          }
        }
      }
    }
  }

  static SmallVector<Run> collectRuns(Block &block) {
    SmallVector<Run> runs;
    Run run;
    for (Operation &op : block) {
      if (isDeviceOp(&op) || isView(&op)) {
        run.ops.push_back(&op);
        run.hasDeviceOps |= isDeviceOp(&op);
        continue;
      }
      if (run.hasDeviceOps) {
        runs.push_back(std::move(run));
      }
      run = Run();
    }
    return runs;
  }

  /// Whether something outside of the run uses the value.
  static bool isUsedOutside(Value value, const llvm::SmallPtrSetImpl<Operation *> &inside) {
    Block *block = value.getParentBlock();
    return llvm::any_of(value.getUsers(),
                        [&](Operation *user) { return !inside.contains(block->findAncestorOpInBlock(*user)); });
  }

  /// Makes the program of a run behind `place`, and its launch.
  ProgramOp outline(func::FuncOp func, Run &run, std::string name, SymbolTable &symbols, Operation *place) {
    llvm::SmallPtrSet<Operation *, 32> inside(run.ops.begin(), run.ops.end());
    Builder attributes(&getContext());

    // What goes in, what comes out, in program order.
    llvm::SetVector<Value> inputs, constants, outputs;
    for (Operation *op : run.ops) {
      for (Value operand : op->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (producer && inside.contains(producer)) {
          continue;
        }
        bool isConstant = producer && isa<arith::ConstantOp>(producer);
        (isConstant ? constants : inputs).insert(operand);
      }
      for (Value result : op->getResults()) {
        if (isUsedOutside(result, inside)) {
          outputs.insert(result);
        }
      }
    }

    SmallVector<Type> types;
    SmallVector<DictionaryAttr> argumentAttributes;
    auto addArgument = [&](Value value, StringRef role, Attribute constant) {
      auto type = cast<RankedTensorType>(value.getType());
      types.push_back(MemRefType::get(type.getShape(), type.getElementType()));
      SmallVector<NamedAttribute> entries = {
          attributes.getNamedAttr(NPUDialect::kRoleAttrName, attributes.getStringAttr(role))};
      if (constant) {
        entries.push_back(attributes.getNamedAttr(NPUDialect::kValueAttrName, constant));
      }
      // A launch stands for all ops of its program, but its results have their names.
      StringAttr known = launched.lookup(value);
      if (StringAttr name = known ? known : getTensorName(value)) {
        entries.push_back(attributes.getNamedAttr(kNameAttrName, name));
      }
      argumentAttributes.push_back(attributes.getDictionaryAttr(entries));
    };
    for (Value value : inputs) {
      addArgument(value, "input", {});
    }
    for (Value value : outputs) {
      addArgument(value, "output", {});
    }
    for (Value value : constants) {
      addArgument(value, "constant", value.getDefiningOp<arith::ConstantOp>().getValue());
    }

    OpBuilder builder(&getContext());
    auto program = ProgramOp::create(builder, func.getLoc(), name, attributes.getFunctionType(types, {}), argumentAttributes);
    symbols.insert(program, std::next(Block::iterator(place)));

    // The body: arguments as tensors, the ops with kernels dissolved, results into the output arguments.
    builder.setInsertionPointToStart(&program.getBody().front());
    IRMapping mapping;
    auto read = [&](Value value, unsigned argument) {
      BlockArgument memref = program.getBody().getArgument(argument);
      mapping.map(value, bufferization::ToTensorOp::create(builder, value.getLoc(), value.getType(), memref,
                                                           /*restrict=*/true, /*writable=*/false));
    };
    for (auto [index, value] : llvm::enumerate(inputs)) {
      read(value, index);
    }
    for (auto [index, value] : llvm::enumerate(constants)) {
      read(value, inputs.size() + outputs.size() + index);
    }
    for (Operation *op : run.ops) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        inlineKernel(builder, kernel, mapping);
      } else {
        builder.clone(*op, mapping);
      }
    }
    for (auto [index, value] : llvm::enumerate(outputs)) {
      bufferization::MaterializeInDestinationOp::create(builder, value.getLoc(), /*result=*/Type(),
                                                        mapping.lookup(value),
                                                        program.getBody().getArgument(inputs.size() + index),
                                                        /*restrict=*/true, /*writable=*/true);
    }
    ReturnOp::create(builder, func.getLoc());
    LDBG() << "program '" << program.getName() << "': " << run.ops.size() << " ops, " << inputs.size() << " inputs, "
           << outputs.size() << " outputs, " << constants.size() << " constants";

    launch(run, program, inputs.getArrayRef(), outputs.getArrayRef(), constants.getArrayRef());
    return program;
  }

  /// Replaces the ops of the run by a launch of the program.
  void launch(Run &run, ProgramOp program, ArrayRef<Value> inputs, ArrayRef<Value> outputs,
              ArrayRef<Value> constants) {
    OpBuilder builder(run.ops.back()->getContext());
    builder.setInsertionPointAfter(run.ops.back());
    SmallVector<Location> locations;
    for (Operation *op : run.ops) {
      if (isDeviceOp(op)) {
        locations.push_back(op->getLoc());
      }
    }
    Location loc = builder.getFusedLoc(locations);
    SmallVector<Value> destinations;
    SmallVector<Type> resultTypes;
    for (Value output : outputs) {
      auto type = cast<RankedTensorType>(output.getType());
      destinations.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType()));
      resultTypes.push_back(type);
    }
    auto launch = LaunchOp::create(builder, loc, resultTypes, program.getName(), inputs, destinations);
    for (unsigned i = 0; i < outputs.size(); ++i) {
      Value output = outputs[i];
      launched[launch.getResult(i)] = program.getArgAttrOfType<StringAttr>(inputs.size() + i, kNameAttrName);
      output.replaceAllUsesWith(launch.getResult(i));
    }
    for (Operation *op : llvm::reverse(run.ops)) {
      op->erase();
    }
    for (Value constant : constants) {
      if (constant.use_empty()) {
        constant.getDefiningOp()->erase();
      }
    }
  }

  /// Takes out of the run what is better left on the host: constants (they become arguments), views of results for the
  /// host, which are free there, and what nobody uses.
  static void shrink(Run &run) {
    llvm::SmallPtrSet<Operation *, 32> inside(run.ops.begin(), run.ops.end());
    SmallVector<Operation *> after, dead;
    for (Operation *op : llvm::reverse(run.ops)) {
      auto isInside = [&](OpOperand &use) {
        return inside.contains(op->getBlock()->findAncestorOpInBlock(*use.getOwner()));
      };
      bool usedInside = llvm::any_of(op->getUses(), isInside);
      bool usedOutside = !llvm::all_of(op->getUses(), isInside);
      if (!usedInside && !usedOutside) {
        inside.erase(op);
        op->dropAllReferences();
        dead.push_back(op);
      } else if (isDeviceOp(op)) {
        continue;
      } else if (isa<arith::ConstantOp>(op)) {
        inside.erase(op);
      } else if (usedOutside && !usedInside && !isa<tensor::InsertSliceOp>(op)) {
        inside.erase(op);
        after.push_back(op);
      } else if (usedOutside && (isReshape(op) || isa<tensor::EmptyOp>(op))) {
        // The host has a copy of its own.
        OpBuilder builder(op);
        Operation *copy = builder.clone(*op);
        op->getResult(0).replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) { return !isInside(use); });
        after.push_back(copy);
      }
    }
    llvm::erase_if(run.ops, [&](Operation *op) { return !inside.contains(op); });
    for (Operation *op : dead) {
      op->erase();
    }
    if (run.ops.empty()) {
      return;
    }
    // Behind the run, in their order.
    Operation *place = run.ops.back();
    for (Operation *op : llvm::reverse(after)) {
      op->moveAfter(place);
      place = op;
    }
  }

  static void inlineKernel(OpBuilder &builder, KernelOp kernel, IRMapping &mapping) {
    IRMapping inner;
    Block &body = kernel.getBody().front();
    for (auto [argument, input] : llvm::zip(body.getArguments(), kernel.getInputs())) {
      inner.map(argument, mapping.lookup(input));
    }
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, inner);
    }
    for (auto [result, value] : llvm::zip(kernel.getResults(), body.getTerminator()->getOperands())) {
      mapping.map(result, inner.lookup(value));
    }
  }
};
} // namespace
