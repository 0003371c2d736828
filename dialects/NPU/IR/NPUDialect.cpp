// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPU/IR/NPU.h"
#include "dialects/Target/TargetParameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::npu;

#include "dialects/NPU/IR/NPUDialect.cpp.inc"
#include "dialects/NPU/IR/NPUEnums.cpp.inc"
#include "dialects/NPU/Interfaces/NPUInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/NPU/IR/NPUAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NPU/IR/NPUTypes.cpp.inc"

namespace {
/// Kernels and host regions hold plain tensor code: it may be inlined into them.
struct NPUInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

/// A target is a screenful: in text it stands once, above the module, under its own name.
struct NPUAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    auto target = dyn_cast<TargetAttr>(attribute);
    if (!target) {
      return AliasResult::NoAlias;
    }
    os << "target_" << target.getName();
    return AliasResult::FinalAlias;
  }
};

/// Constants stay in the region that uses them: a body is code of the device, a host region and a kernel move as a whole.
struct NPUFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *) const final { return true; }
};
} // namespace

void NPUDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/NPU/IR/NPUOps.cpp.inc"
      >();
  addInterfaces<NPUAsmInterface, NPUFoldInterface, NPUInlinerInterface>();
}

void NPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/NPU/IR/NPUTypes.cpp.inc"
      >();
}

void NPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/NPU/IR/NPUAttributes.cpp.inc"
      >();
}

LogicalResult NPUDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kTargetAttrName) {
    if (!isa<ModuleOp>(op)) {
      return op->emitError() << "expected '" << name << "' on a module, but found it on '" << op->getName() << "'";
    }
    auto target = dyn_cast<TargetAttr>(attribute.getValue());
    if (!target) {
      return op->emitError() << "expected '" << name << "' to be a #npu.target, but found " << attribute.getValue();
    }
    std::string error;
    if (failed(targetFromDictionary(target.getName(), target.getHash(), target.getParameters(), error))) {
      return op->emitError() << "expected a complete target in '" << name << "', but " << error
                             << "; 'npu-set-target' makes one from a target file";
    }
    return success();
  }
  if (name == kDepthAttrName) {
    if (!isa<scf::ForOp>(op)) {
      return op->emitError() << "expected '" << name << "' on a loop, but found it on '" << op->getName() << "'";
    }
    auto depth = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!depth || !depth.getType().isSignlessInteger(64) || depth.getInt() < 1) {
      return op->emitError() << "expected '" << name << "' to be an i64 of at least 1, but found "
                             << attribute.getValue();
    }
    return success();
  }
  return op->emitError() << "unknown attribute '" << name << "' of the npu dialect; known: '" << kTargetAttrName
                         << "', '" << kDepthAttrName << "'";
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> tiles,
                                   int64_t depth) {
  for (int64_t tile : tiles) {
    if (tile < 0) { // schedule_c1
      return emitError() << "expected tile sizes of at least 0, but found " << tile;
    }
  }
  if (depth < 1) { // schedule_c2
    return emitError() << "expected a depth of at least 1, but found " << depth;
  }
  return success();
}

Space npu::getSpace(Type type) {
  Attribute space;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    space = tensor.getEncoding();
  } else if (auto memref = dyn_cast<MemRefType>(type)) {
    space = memref.getMemorySpace();
  }
  auto attribute = dyn_cast_or_null<SpaceAttr>(space);
  return attribute ? attribute.getValue() : Space::Dram;
}

RankedTensorType npu::withSpace(RankedTensorType type, Space space) {
  Attribute encoding = space == Space::Dram ? Attribute() : SpaceAttr::get(type.getContext(), space);
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

/// A queue by its bare name, as in `queue(ld)`.
static ParseResult parseQueueName(OpAsmParser &parser, QueueAttr &queue) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  std::optional<Queue> value = symbolizeQueue(name);
  if (!value) {
    return parser.emitError(loc) << "expected an instruction queue (ld, st, mm, dr or ve), but found '" << name << "'";
  }
  queue = QueueAttr::get(parser.getContext(), *value);
  return success();
}

static void printQueueName(OpAsmPrinter &printer, Operation *, QueueAttr queue) {
  printer << stringifyQueue(queue.getValue());
}

#define GET_OP_CLASSES
#include "dialects/NPU/IR/NPUOps.cpp.inc"
