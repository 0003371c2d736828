// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Executable.h"

#include "passes/Transforms/Host/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>
#include <mutex>

using namespace mlir;
using namespace mlir::npu;

Executable::Executable() = default;
Executable::~Executable() = default;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The bytes of a constant, one copy for a splat; empty if they are not at hand.
static ArrayRef<char> rawBytes(Attribute value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.getElementType().isIntOrFloat()) {
    return dense.getRawData();
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      return blob->getData();
    }
  }
  return {};
}

void Executable::takeConstants(ModuleOp module) {
  // Below this it is not worth the indirection.
  constexpr int64_t kMinimumBytes = 1024;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!value || !value.getElementType().isIntOrFloat() || value.getElementType().getIntOrFloatBitWidth() < 8) {
      continue;
    }
    int64_t bytes = value.getNumElements() * (value.getElementType().getIntOrFloatBitWidth() / 8);
    ArrayRef<char> raw = rawBytes(value);
    if (bytes < kMinimumBytes || raw.empty() || bytes % static_cast<int64_t>(raw.size()) != 0) {
      continue;
    }
    constexpr size_t kAlignment = 64;
    std::unique_ptr<char[]> storage(new char[bytes + kAlignment]);
    char *begin = reinterpret_cast<char *>(llvm::alignAddr(storage.get(), llvm::Align(kAlignment)));
    for (int64_t at = 0; at < bytes; at += raw.size()) {
      std::memcpy(begin + at, raw.data(), raw.size());
    }
    constants.emplace_back(global.getSymName().str(), std::move(storage));
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
  }
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static LogicalResult emitLLVMError(ModuleOp module, StringRef what, llvm::Error error) {
  return module.emitError() << what << ": " << llvm::toString(std::move(error));
}

LogicalResult Executable::compile(ModuleOp module, unsigned optLevel) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  // The features of this processor: without them math.fma would be a slow library call.
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) {
    return emitLLVMError(module, "cannot detect the processor of this machine", builder.takeError());
  }
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  auto forOptimizer = builder->createTargetMachine();
  if (!forOptimizer) {
    return emitLLVMError(module, "cannot generate code for this machine", forOptimizer.takeError());
  }
  auto forCode = builder->createTargetMachine();
  if (!forCode) {
    return emitLLVMError(module, "cannot generate code for this machine", forCode.takeError());
  }
  ExecutionEngineOptions options;
  auto transformer = makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, forOptimizer->get());
  options.transformer = transformer;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(optLevel);
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto created = ExecutionEngine::create(module, options, std::move(*forCode));
  if (!created) {
    return emitLLVMError(module, "cannot compile the host code", created.takeError());
  }
  engine = std::move(*created);
  engine->registerSymbols([&](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap map;
    auto add = [&](StringRef name, void *address) {
      map[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    };
    for (auto [name, address] : getHostSymbols()) {
      add(name, address);
    }
    for (auto &[name, storage] : constants) {
      add(name, reinterpret_cast<void *>(llvm::alignAddr(storage.get(), llvm::Align(64))));
    }
    return map;
  });
  auto packed = engine->lookupPacked("_mlir_ciface_" + signature.entry);
  if (!packed) {
    return emitLLVMError(module, "cannot link the host code", packed.takeError());
  }
  function = *packed;
  return success();
}

FailureOr<std::unique_ptr<Executable>> Executable::create(ModuleOp module, const ExecutableOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::unique_ptr<Executable> executable(new Executable());
  FailureOr<Signature> signature = readSignature(*copy, options.entry);
  if (failed(signature)) {
    return failure();
  }
  executable->signature = std::move(*signature);
  for (auto function : copy->getOps<func::FuncOp>()) {
    if (function.getSymName() == executable->signature.entry) {
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), UnitAttr::get(copy->getContext()));
    } else {
      function.setPrivate();
    }
  }
  PassManager pm(copy->getContext());
  if (options.mode == ExecutionMode::Reference) {
    buildReferencePipeline(pm);
  } else {
    buildLowerHostPipeline(pm);
  }
  if (failed(pm.run(*copy))) {
    return failure();
  }
  executable->takeConstants(*copy);
  if (failed(executable->compile(*copy, std::min(options.optLevel, 3u)))) {
    return failure();
  }
  return executable;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The descriptor of a contiguous memref: two pointers, offset, sizes, strides.
static SmallVector<int64_t> makeDescriptor(const TensorInfo &info, const void *data) {
  int64_t address = reinterpret_cast<int64_t>(data);
  size_t rank = info.shape.size();
  SmallVector<int64_t> descriptor = {address, address, 0};
  llvm::append_range(descriptor, info.shape);
  descriptor.append(rank, 1);
  for (size_t dim = rank; dim-- > 1;) {
    descriptor[3 + rank + dim - 1] = descriptor[3 + rank + dim] * info.shape[dim];
  }
  return descriptor;
}

HostRunResult Executable::run(ArrayRef<const void *> inputData, ArrayRef<void *> outputData,
                              LaunchHandler launch) const {
  assert(inputData.size() == signature.inputs.size() && outputData.size() == signature.outputs.size() && "one buffer for each tensor");
  std::vector<SmallVector<int64_t>> descriptors;
  for (auto [info, data] : llvm::zip(signature.inputs, inputData)) {
    descriptors.push_back(makeDescriptor(info, data));
  }
  for (auto [info, data] : llvm::zip(signature.outputs, outputData)) {
    descriptors.push_back(makeDescriptor(info, data));
  }
  SmallVector<int64_t *> pointers;
  for (SmallVector<int64_t> &descriptor : descriptors) {
    pointers.push_back(descriptor.data());
  }
  SmallVector<void *> arguments;
  for (int64_t *&pointer : pointers) {
    arguments.push_back(&pointer);
  }
  auto refuse = [](StringRef program, ArrayRef<LaunchArgument>) {
    return ("program '" + program + "' is launched, but no device is attached").str();
  };
  return runHostCode(function, arguments.data(), launch ? launch : LaunchHandler(refuse));
}
