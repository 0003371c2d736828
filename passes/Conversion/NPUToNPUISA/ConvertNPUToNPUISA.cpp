// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Conversion/NPUToNPUISA/Lowering.h"
#include "passes/Conversion/NPUToNPUISA/Passes.h"

#include "dialects/NPU/IR/TensorName.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::npu {
#define GEN_PASS_DEF_CONVERTNPUTONPUISAPASS
#include "passes/Conversion/NPUToNPUISA/Passes.h.inc"
} // namespace mlir::npu

#define DEBUG_TYPE "convert-npu-to-npuisa"

using namespace mlir;
using namespace mlir::npu;

namespace {

/// Iterations that a loop is copied for at most where the hardware cannot count them.
constexpr int64_t kMostCopies = 4096;

/// Converts one program.
class ProgramConversion {
public:
  ProgramConversion(npu::ProgramOp source, OpBuilder &builder)
      : source(source), builder(builder), result(createProgram()), emitter(builder, result, getTarget(source)) {}

  /// Writes the new program; on failure it is left for the caller to erase.
  FailureOr<npuisa::ProgramOp> convert() {
    if (failed(verifyTokens()) || failed(convertRegions())) {
      return failure();
    }
    builder.setInsertionPointToEnd(&result.getBody().front());
    if (failed(convertBlock(source.getBody().front()))) {
      return failure();
    }
    npuisa::HaltOp::create(builder, source.getLoc());
    return result;
  }

  npuisa::ProgramOp getResult() { return result; }

private:
  npu::ProgramOp source;
  OpBuilder &builder;
  npuisa::ProgramOp result;
  Emitter emitter;
  AddressResolver resolver;
  DenseMap<Value, Value> tokens;
  llvm::StringSet<> regionNames;

  npuisa::ProgramOp createProgram() {
    builder.setInsertionPoint(source);
    auto program = npuisa::ProgramOp::create(builder, source.getLoc(), source.getSymName(), builder.getArrayAttr({}));
    builder.createBlock(&program.getBody());
    return program;
  }

  //===--------------------------------------------------------------------===//
  // Regions
  //===--------------------------------------------------------------------===//

  /// The name that the argument has in the model, or argN.
  std::string getRegionName(unsigned number) {
    auto name = source.getArgAttrOfType<StringAttr>(number, kNameAttrName);
    return makeUnique(name ? name.str() : "arg" + std::to_string(number));
  }

  /// The name, or the first of name.1, name.2, ... that no other region of the program has.
  std::string makeUnique(const std::string &name) {
    std::string unique = name;
    for (int copy = 1; !regionNames.insert(unique).second; ++copy) {
      unique = name + "." + std::to_string(copy);
    }
    return unique;
  }

  LogicalResult convertRegions() {
    SmallVector<Attribute> regions;
    for (BlockArgument argument : source.getBody().getArguments()) {
      unsigned number = argument.getArgNumber();
      auto type = cast<MemRefType>(argument.getType());
      std::optional<npuhw::DType> dtype = getDType(type.getElementType());
      if (!dtype) {
        return source.emitError() << "expected arguments with elements of a type that the hardware has, but argument "
                                  << number << " is " << type;
      }
      std::optional<npuisa::Role> role = npuisa::symbolizeRole(source.getRole(number));
      resolver.bindRegion(argument, number);
      regions.push_back(npuisa::RegionAttr::getChecked(
          [&] { return source.emitError(); }, builder.getContext(), role.value_or(npuisa::Role::Input),
          StringRef(getRegionName(number)), static_cast<uint64_t>(type.getNumElements() * npuhw::dtypeBytes(*dtype)),
          static_cast<npuisa::DType>(*dtype), type.getShape(), source.getConstantValue(number)));
      if (!regions.back()) {
        return failure();
      }
    }
    if (int64_t bytes = getArenaBytes()) {
      resolver.setArena(regions.size());
      regions.push_back(npuisa::RegionAttr::get(builder.getContext(), npuisa::Role::Arena, StringRef(makeUnique("arena")),
                                                static_cast<uint64_t>(bytes), npuisa::DType::B8, {bytes}, {}));
    }
    result.setRegionsAttr(builder.getArrayAttr(regions));
    return success();
  }

  /// Bytes up to the end of the last buffer in DRAM.
  int64_t getArenaBytes() {
    int64_t bytes = 0;
    auto note = [&](std::optional<int64_t> offset, Type type) {
      if (offset && getSpace(type) == Space::Dram) {
        bytes = std::max(bytes, *offset + getSizeBytes(cast<MemRefType>(type)));
      }
    };
    source.walk([&](Operation *op) {
      if (auto buffer = dyn_cast<BufferOp>(op)) {
        note(buffer.getOffset(), buffer.getType());
      } else if (auto ring = dyn_cast<RingOp>(op)) {
        note(ring.getOffset(), ring.getType());
      }
    });
    return bytes;
  }

  //===--------------------------------------------------------------------===//
  // Structure
  //===--------------------------------------------------------------------===//

  /// Whether every loop carries tokens only, and every token comes from a task, `npu.ready` or a loop.
  LogicalResult verifyTokens() {
    WalkResult result = source.walk([](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (Value carried : loop.getInitArgs()) {
          if (!isa<TokenType>(carried.getType())) {
            loop.emitError() << "expected a loop to carry tokens only: the hardware has no registers for a value of type "
                             << carried.getType();
            return WalkResult::interrupt();
          }
        }
        return WalkResult::advance();
      }
      if (!isa<TaskOp, ReadyOp>(op) && llvm::any_of(op->getResultTypes(), llvm::IsaPred<TokenType>)) {
        op->emitError() << "expected tokens to come from 'npu.task', 'npu.ready' or a loop, but found '" << op->getName()
                        << "'";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  SmallVector<Value> mapTokens(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return tokens.at(value); });
  }

  LogicalResult convertBlock(Block &block) {
    for (Operation &op : block) {
      LogicalResult converted =
          TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](TaskOp task) { return convertTask(task); })
              .Case([&](scf::ForOp loop) { return convertLoop(loop); })
              .Case([&](ReadyOp ready) {
                tokens[ready.getToken()] = npuisa::ReadyOp::create(builder, ready.getLoc(), npuisa::TokenType::get(builder.getContext()));
                return success();
              })
              .Case([&](WaitOp wait) {
                emitter.beginTask(wait.getLoc(), static_cast<npuisa::Queue>(wait.getQueue()),
                                  mapTokens(wait.getTokens()));
                emitter.endTask(/*wantsToken=*/false);
                return success();
              })
              // Addresses and constants are looked through where they are used.
              .Case<BufferOp, RingOp, RingSlotOp, npu::ReturnOp, scf::YieldOp>([](Operation *) { return success(); })
              .Default([&](Operation *other) -> LogicalResult {
                if (isPure(other)) {
                  return success();
                }
                return other->emitError() << "expected '" << other->getName()
                                          << "' inside of 'npu.task'; run 'npu-schedule' first";
              });
      if (failed(converted)) {
        return failure();
      }
    }
    return success();
  }

  /// Whether the offset of an index that a microprogram reads moves with the loop.
  static bool isReadByBodies(scf::ForOp loop) {
    std::function<bool(Value)> dependsOnLoop = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return value == loop.getInductionVar() || (op && llvm::any_of(op->getOperands(), dependsOnLoop));
    };
    return loop.walk([&](IndexOp index) {
                 return index.getOffset() && dependsOnLoop(index.getOffset()) ? WalkResult::interrupt()
                                                                              : WalkResult::advance();
               })
        .wasInterrupted();
  }

  LogicalResult convertLoop(scf::ForOp loop) {
    FailureOr<CounterForm> lower = resolver.resolveIndex(loop.getLowerBound());
    FailureOr<CounterForm> upper = resolver.resolveIndex(loop.getUpperBound());
    FailureOr<CounterForm> step = resolver.resolveIndex(loop.getStep());
    if (failed(lower) || failed(upper) || failed(step)) {
      return failure();
    }
    if (!lower->isConstant() || !upper->isConstant() || !step->isConstant() || step->constant <= 0) {
      return loop.emitError() << "expected a loop with constant bounds and a positive constant step";
    }
    int64_t count = upper->constant <= lower->constant
                        ? 0
                        : llvm::divideCeil(static_cast<uint64_t>(upper->constant - lower->constant),
                                           static_cast<uint64_t>(step->constant));
    SmallVector<Value> carried = mapTokens(loop.getInitArgs());
    bool copies = count <= 1 || !emitter.canNest() || isReadByBodies(loop);
    if (copies && count > kMostCopies) {
      return loop.emitError() << "expected at most " << kMostCopies << " iterations in a loop that is copied, because "
                              << (emitter.canNest() ? "a microprogram reads its index"
                                                    : "the target has no counter left for it")
                              << ", but found " << count;
    }
    if (copies) {
      for (int64_t i = 0; i < count; ++i) {
        if (failed(convertIteration(loop, CounterForm{lower->constant + i * step->constant, {}}, carried))) {
          return failure();
        }
      }
      bindTokens(loop.getResults(), carried);
      return success();
    }

    auto hardware = npuisa::LoopOp::create(builder, loop.getLoc(), count, carried);
    OpBuilder::InsertionGuard guard(builder);
    Block &body = hardware.getBody().front();
    builder.setInsertionPointToStart(&body);
    SmallVector<Value> next(body.args_begin(), body.args_end());
    CounterForm index = CounterForm::counter(emitter.getLoopDepth(), step->constant);
    index.constant = lower->constant;
    emitter.enterLoop();
    LogicalResult converted = convertIteration(loop, index, next);
    emitter.leaveLoop();
    if (failed(converted)) {
      return failure();
    }
    if (!next.empty()) {
      npuisa::YieldOp::create(builder, loop.getLoc(), next);
    }
    bindTokens(loop.getResults(), hardware.getResults());
    return success();
  }

  /// Converts the body for one value of the induction variable; `carried` goes in as arguments and comes out as what
  /// is yielded.
  LogicalResult convertIteration(scf::ForOp loop, const CounterForm &index, SmallVector<Value> &carried) {
    resolver.bindIndex(loop.getInductionVar(), index);
    bindTokens(loop.getRegionIterArgs(), carried);
    if (failed(convertBlock(*loop.getBody()))) {
      return failure();
    }
    carried = mapTokens(loop.getYieldedValues());
    return success();
  }

  void bindTokens(ValueRange from, ValueRange to) {
    for (auto [value, token] : llvm::zip_equal(from, to)) {
      tokens[value] = token;
    }
  }

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  LogicalResult convertTask(TaskOp task) {
    Operation *inside = task.getOperationInside();
    emitter.beginTask(inside->getLoc(), static_cast<npuisa::Queue>(task.getQueue()), mapTokens(task.getWaits()));
    LogicalResult lowered =
        TypeSwitch<Operation *, LogicalResult>(inside)
            .Case<LoadOp, StoreOp, CopyOp>(
                [&](auto move) { return lowerCopy(emitter, resolver, move.getSource(), move.getInit()); })
            .Case([&](PadOp pad) { return lowerPad(emitter, resolver, pad); })
            .Case([&](TransposeOp transpose) { return lowerTranspose(emitter, resolver, transpose); })
            .Case([&](GatherOp gather) { return lowerGather(emitter, resolver, gather); })
            .Case<MatmulOp, BatchMatmulOp, Conv2dOp>([&](auto matrix) {
              return lowerMatrix(emitter, resolver, cast<StructuredOpInterface>(matrix.getOperation()));
            })
            .Case([&](DepthwiseConv2dOp conv) { return lowerDepthwise(emitter, resolver, conv); })
            .Case([&](GenericOp generic) {
              return lowerGeneric(emitter, resolver, generic, task.getQueue() == Queue::DR);
            })
            .DefaultUnreachable("an op that 'npu.task' does not allow");
    if (failed(lowered)) {
      return failure();
    }
    tokens[task.getToken()] = emitter.endTask(!task.getToken().use_empty());
    return success();
  }
};

struct ConvertNPUToNPUISAPass final : npu::impl::ConvertNPUToNPUISAPassBase<ConvertNPUToNPUISAPass> {
  using ConvertNPUToNPUISAPassBase::ConvertNPUToNPUISAPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto program : llvm::make_early_inc_range(getOperation().getOps<npu::ProgramOp>())) {
      ProgramConversion conversion(program, builder);
      if (failed(conversion.convert())) {
        conversion.getResult().erase();
        return signalPassFailure();
      }
      conversion.getResult().walk([&](Operation *op) { numInstructions += npuisa::isInstruction(op); });
      ++numPrograms;
      program.erase();
    }
  }
};

} // namespace
