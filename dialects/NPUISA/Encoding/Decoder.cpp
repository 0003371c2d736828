// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/Encoding/Encoder.h"

#include "dialects/NPUISA/IR/InstructionFields.h"
#include "dialects/Target/Target.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::npuisa;

/// Contents above this size become a resource at the end of the text instead of a number list inside of it.
static constexpr uint64_t kMostInlineBytes = 256;

/// The MLIR type of an element as it lies in memory.
static Type getElementType(Builder &builder, npuhw::DType dtype) {
  switch (dtype) {
  case npuhw::DType::F16:
    return builder.getF16Type();
  case npuhw::DType::BF16:
    return builder.getBF16Type();
  case npuhw::DType::F32:
    return builder.getF32Type();
  case npuhw::DType::F8E4M3:
    return Float8E4M3FNType::get(builder.getContext());
  case npuhw::DType::F8E5M2:
    return Float8E5M2Type::get(builder.getContext());
  default:
    return builder.getIntegerType(8 * npuhw::dtypeBytes(dtype));
  }
}

/// The contents of a constant, of the tensor type that the region states if it has as many bytes.
static ElementsAttr getContents(Builder &builder, const npuhw::Region &region) {
  Type element = getElementType(builder, region.dtype);
  auto totalBytes = static_cast<int64_t>(region.bytes);
  int64_t bytes = npuhw::dtypeBytes(region.dtype);
  for (int64_t extent : region.shape) {
    if (extent < 0 || llvm::MulOverflow(bytes, extent, bytes)) {
      bytes = -1;
      break;
    }
  }
  auto type = bytes == totalBytes
                  ? RankedTensorType::get(region.shape, element)
                  : RankedTensorType::get({totalBytes}, builder.getIntegerType(8));
  ArrayRef<char> data(reinterpret_cast<const char *>(region.contents.data()), region.contents.size());
  if (data.size() <= kMostInlineBytes) {
    return DenseElementsAttr::getFromRawBuffer(type, data);
  }
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(data, /*align=*/64);
  return DenseResourceElementsAttr::get(type, region.name, std::move(blob));
}

static Location getLocation(MLIRContext *context, const std::string &source) {
  if (source.empty()) {
    return UnknownLoc::get(context);
  }
  return NameLoc::get(StringAttr::get(context, source));
}

/// The symbol of a microprogram. One that the program does not have becomes a name that the verifier reports.
static FlatSymbolRefAttr getMicroSymbol(MLIRContext *context, const npuhw::Program &program, unsigned index) {
  return FlatSymbolRefAttr::get(context, index < program.micros.size() ? program.micros[index].name
                                                                       : "microprogram " + std::to_string(index));
}

FailureOr<ProgramOp> npuisa::decodeProgram(Location loc, const npuhw::Program &program, ModuleOp module) {
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Attribute> regions;
  for (const npuhw::Region &region : program.regions) {
    ElementsAttr contents;
    if (region.role == npuhw::RegionRole::Constant) {
      contents = getContents(builder, region);
    }
    auto attribute = RegionAttr::getChecked([&] { return emitError(loc); }, context, static_cast<Role>(region.role),
                                            StringRef(region.name), region.bytes, static_cast<DType>(region.dtype),
                                            ArrayRef<int64_t>(region.shape), contents);
    if (!attribute) {
      return failure();
    }
    regions.push_back(attribute);
  }
  if (program.name.empty()) {
    return emitError(loc) << "expected the program to have a name, but it is empty";
  }
  module->setAttr(npu::NPUDialect::kTargetAttrName, npu::getTargetAttr(context, program.target));
  auto op = ProgramOp::create(builder, UnknownLoc::get(context), program.name, builder.getArrayAttr(regions));
  builder.createBlock(&op.getBody());
  llvm::StringSet<> names;
  for (const npuhw::MicroProgram &micro : program.micros) {
    if (micro.name.empty() || !names.insert(micro.name).second) {
      return emitError(loc) << "expected the microprograms to have different names, but found '" << micro.name
                            << "' " << (micro.name.empty() ? "" : "twice");
    }
    createMicroprogram(builder, UnknownLoc::get(context), micro);
  }
  SmallVector<LoopOp> loops;
  for (auto [index, instruction] : llvm::enumerate(program.code)) {
    Location source = getLocation(context, program.source(index));
    if (const auto *begin = std::get_if<npuhw::LoopBegin>(&instruction)) {
      loops.push_back(LoopOp::create(builder, source, begin->count));
      builder.setInsertionPointToStart(&loops.back().getBody().front());
    } else if (std::holds_alternative<npuhw::LoopEnd>(instruction)) {
      loops.back().getBody().front().back().setLoc(source);
      builder.setInsertionPointAfter(loops.pop_back_val());
    } else {
      FlatSymbolRefAttr micro;
      if (const auto *drain = std::get_if<npuhw::Drain>(&instruction)) {
        micro = getMicroSymbol(context, program, drain->micro);
      } else if (const auto *vector = std::get_if<npuhw::VExec>(&instruction)) {
        micro = getMicroSymbol(context, program, vector->micro);
      }
      createInstruction(builder, source, instruction, micro);
    }
  }
  return op;
}
