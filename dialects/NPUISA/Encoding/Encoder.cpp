// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/NPUISA/Encoding/Encoder.h"

#include "dialects/NPUISA/IR/InstructionFields.h"
#include "dialects/Target/Target.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::npuisa;

namespace {

/// Builds the structure of one program.
class ProgramEncoder {
public:
  explicit ProgramEncoder(ProgramOp op) : op(op) {}

  FailureOr<npuhw::Program> encode() {
    program.name = op.getSymName().str();
    program.target = npu::getTarget(op);
    for (auto region : op.getRegions().getAsRange<RegionAttr>()) {
      if (failed(encodeRegion(region))) {
        return failure();
      }
    }
    for (auto micro : op.getBody().getOps<MicroprogramOp>()) {
      microIndices[micro.getSymNameAttr()] = static_cast<uint16_t>(program.micros.size());
      program.micros.push_back(toMicroProgram(micro));
    }
    if (program.micros.size() > UINT16_MAX) {
      return op.emitError() << "expected at most " << UINT16_MAX << " microprograms, but found "
                            << program.micros.size();
    }
    if (failed(encodeBlock(op.getBody().front()))) {
      return failure();
    }
    assert(npuhw::verifyStructure(program).empty() && "the verifiers of the ops check all that a file can break");
    return std::move(program);
  }

private:
  ProgramOp op;
  npuhw::Program program;
  DenseMap<StringAttr, uint16_t> microIndices;

  LogicalResult encodeRegion(RegionAttr attribute) {
    npuhw::Region region;
    region.role = static_cast<npuhw::RegionRole>(attribute.getRole());
    region.name = attribute.getName().str();
    region.bytes = attribute.getBytes();
    region.dtype = static_cast<npuhw::DType>(attribute.getDtype());
    region.shape.assign(attribute.getShape().begin(), attribute.getShape().end());
    if (failed(readContents(attribute, region.contents))) {
      return failure();
    }
    program.regions.push_back(std::move(region));
    return success();
  }

  LogicalResult readContents(RegionAttr region, npuhw::Bytes &bytes) {
    ArrayRef<char> data;
    if (auto dense = dyn_cast_or_null<DenseElementsAttr>(region.getContents())) {
      data = dense.getRawData();
    } else if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(region.getContents())) {
      AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      if (!blob || blob->getData().size() != region.getBytes()) {
        return op.emitError() << "expected the data of constant region '" << region.getName() << "' in resource '"
                              << resource.getRawHandle().getKey() << "', but found "
                              << (blob ? std::to_string(blob->getData().size()) + " bytes" : std::string("no data"))
                              << "; was the module printed with elided resources?";
      }
      data = blob->getData();
    } else {
      return success();
    }
    bytes.reserve(region.getBytes());
    // A splat holds one element.
    while (bytes.size() < region.getBytes()) {
      bytes.insert(bytes.end(), data.begin(), data.end());
    }
    return success();
  }

  LogicalResult encodeBlock(Block &block) {
    for (Operation &inner : block) {
      if (auto loop = dyn_cast<LoopOp>(inner)) {
        if (!loop.getInits().empty()) {
          return failTokens(loop);
        }
        npuhw::LoopBegin begin;
        begin.count = loop.getCount();
        program.append(begin, getSourceName(loop.getLoc()).str());
        if (failed(encodeBlock(loop.getBody().front()))) {
          return failure();
        }
        StringRef endSource = getSourceName(loop.getBody().front().back().getLoc());
        program.append(npuhw::LoopEnd(), endSource.empty() ? getSourceName(loop.getLoc()).str() : endSource.str());
      } else if (isa<ReadyOp>(inner)) {
        return failTokens(&inner);
      } else if (isInstruction(&inner)) {
        if (inner.getNumOperands() != 0 || inner.getNumResults() != 0) {
          return failTokens(&inner);
        }
        program.append(toInstruction(&inner, [&](FlatSymbolRefAttr symbol) { return microIndices.at(symbol.getAttr()); }),
                       getSourceName(inner.getLoc()).str());
      }
    }
    return success();
  }

  LogicalResult failTokens(Operation *inner) {
    return inner->emitError() << "expected semaphores in place of tokens; run 'npuisa-assign-semaphores' first";
  }
};

} // namespace

FailureOr<npuhw::Program> npuisa::encodeProgram(ProgramOp op) { return ProgramEncoder(op).encode(); }
