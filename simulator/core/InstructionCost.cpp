// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/InstructionCost.h"

#include "simulator/core/MatrixEngine.h"

using namespace npuhw;

namespace {

uint64_t product(const std::vector<int64_t> &shape) {
  uint64_t result = 1;
  for (int64_t extent : shape) {
    result *= static_cast<uint64_t>(extent);
  }
  return result;
}

struct Pricer {
  const Program &program;
  const TargetDesc &target;

  InstructionCost dma(DmaCost cost, const Address *src, const Address &dst) {
    InstructionCost result;
    result.isDma = true;
    result.dma = cost;
    (dst.space == Space::Dram ? result.dramWriteBytes : result.sramBytes) += cost.usefulBytes;
    if (src) {
      (src->space == Space::Dram ? result.dramReadBytes : result.sramBytes) += cost.usefulBytes;
    }
    return result;
  }

  template <class Copy> InstructionCost copy(const Copy &i) {
    DmaTransfer transfer;
    transfer.shape = i.shape;
    transfer.srcStrides = i.srcStrides;
    transfer.dstStrides = i.dstStrides;
    transfer.elementBytes = i.elementBytes;
    transfer.srcDram = i.src.space == Space::Dram;
    transfer.dstDram = i.dst.space == Space::Dram;
    return dma(dmaCost(target, transfer), &i.src, i.dst);
  }

  InstructionCost operator()(const DmaLd &i) { return copy(i); }
  InstructionCost operator()(const DmaSt &i) { return copy(i); }
  InstructionCost operator()(const DmaCp &i) { return copy(i); }

  InstructionCost operator()(const DmaFill &i) {
    DmaTransfer transfer;
    transfer.shape = i.shape;
    transfer.srcStrides = i.dstStrides;
    transfer.dstStrides = i.dstStrides;
    transfer.elementBytes = i.elementBytes;
    transfer.dstDram = i.dst.space == Space::Dram;
    transfer.fill = true;
    return dma(dmaCost(target, transfer), nullptr, i.dst);
  }

  InstructionCost operator()(const DmaGather &i) {
    uint64_t indexBytes = dtypeBytes(i.indexDtype);
    bool indicesDram = i.indices.space == Space::Dram;
    auto count = static_cast<uint64_t>(i.count);
    InstructionCost result = dma(gatherCost(target, count, static_cast<uint64_t>(i.rowBytes), indexBytes,
                                            i.dst.space == Space::Dram, indicesDram),
                                 &i.table, i.dst);
    (indicesDram ? result.dramReadBytes : result.sramBytes) += count * indexBytes;
    return result;
  }

  InstructionCost operator()(const DmaScatter &i) {
    uint64_t indexBytes = dtypeBytes(i.indexDtype);
    bool indicesDram = i.indices.space == Space::Dram;
    auto count = static_cast<uint64_t>(i.count);
    InstructionCost result = dma(scatterCost(target, count, static_cast<uint64_t>(i.rowBytes), indexBytes,
                                             i.src.space == Space::Dram, indicesDram),
                                 &i.src, i.table);
    (indicesDram ? result.dramReadBytes : result.sramBytes) += count * indexBytes;
    return result;
  }

  InstructionCost operator()(const MmLoadW &i) {
    InstructionCost result;
    MacType type = MacType::F32;
    macTypeOf(i.dtype, type);
    // Two packed weights are a byte of the on-chip memory's time.
    uint64_t columns = isPacked(i.dtype) ? (uint64_t(i.n) + 1) / 2 : i.n;
    result.parts = weightLoadParts(target, i.k, columns, type);
    result.cycles = result.parts.total();
    result.hideable = target.weightDoubleBuffer ? result.cycles : 0;
    result.sramBytes = uint64_t(i.k) * columns * dtypeBytes(i.dtype);
    return result;
  }

  InstructionCost operator()(const MmExec &i) {
    InstructionCost result;
    macTypeOf(i.dtype, result.macType);
    uint64_t rows = product(i.rows);
    result.parts = matrixExecParts(target, rows, i.k, i.n, result.macType);
    result.cycles = result.parts.total();
    result.macs = rows * i.k * i.n;
    result.macCapacity = result.macs * macCyclesPerRow(target, result.macType);
    // A row of sums is read and written.
    result.sramBytes = rows * (uint64_t(i.k) * dtypeBytes(i.dtype) + uint64_t(i.n) * 8);
    return result;
  }

  InstructionCost operator()(const MmClear &i) {
    InstructionCost result;
    result.cycles = matrixClearCycles(target, product(i.shape));
    result.parts.setup = target.matrixSetupCycles;
    result.parts.work = result.cycles - result.parts.setup;
    result.sramBytes = product(i.shape) * 4;
    return result;
  }

  VectorWork work(uint16_t microIndex, const std::vector<int64_t> &shape, unsigned reductionMask,
                  const std::vector<Operand> &operands) {
    VectorWork work;
    const MicroProgram &micro = program.micros[microIndex];
    for (size_t d = 0; d < shape.size(); ++d) {
      ((reductionMask >> d & 1) != 0 ? work.reductionPoints : work.parallelPoints) *= static_cast<uint64_t>(shape[d]);
    }
    work.cyclesPerPoint = microCycles(target, micro);
    for (const Operand &operand : operands) {
      work.bytesPerPoint += dtypeBytes(operand.dtype);
    }
    return work;
  }

  InstructionCost vector(const VectorWork &work, uint16_t microIndex, const CostParts &parts) {
    InstructionCost result;
    uint64_t points = work.parallelPoints * work.reductionPoints;
    uint64_t operations = 0;
    for (const MicroOp &op : program.micros[microIndex].ops) {
      operations += microOpInfo(op.opcode)->price != OpClass::Free;
    }
    result.parts = parts;
    result.cycles = parts.total();
    result.vectorOps = points * operations;
    result.sramBytes = points * work.bytesPerPoint;
    return result;
  }

  InstructionCost operator()(const Drain &i) {
    VectorWork w = work(i.micro, i.shape, 0, i.operands);
    return vector(w, i.micro, drainParts(target, w));
  }

  InstructionCost operator()(const VExec &i) {
    VectorWork w = work(i.micro, i.shape, i.reductionMask, i.operands);
    return vector(w, i.micro, vectorParts(target, w));
  }

  InstructionCost operator()(const VGather &i) {
    InstructionCost result;
    uint64_t points = product(i.shape);
    result.parts = elementGatherParts(target, points);
    result.cycles = result.parts.total();
    result.vectorOps = points;
    result.sramBytes = points * (2 * uint64_t(i.elementBytes) + dtypeBytes(i.indexDtype));
    return result;
  }

  InstructionCost operator()(const VSort &i) {
    InstructionCost result;
    uint64_t n = static_cast<uint64_t>(i.shape.back());
    uint64_t rows = product({i.shape.begin(), i.shape.end() - 1});
    uint64_t bytes = dtypeBytes(i.dtype);
    uint64_t resultBytes = ((i.results & kSortValues) != 0 ? bytes : 0) + ((i.results & kSortIndices) != 0 ? 4 : 0);
    result.sramBytes = rows * (n * bytes + static_cast<uint64_t>(i.k) * resultBytes);
    result.parts = sortParts(target, rows, n, result.sramBytes);
    result.cycles = result.parts.total();
    result.vectorOps = sortOperations(rows, n);
    return result;
  }

  // The control unit's time is that of dispatching.
  InstructionCost operator()(const LoopBegin &) { return {}; }
  InstructionCost operator()(const LoopEnd &) { return {}; }
  InstructionCost operator()(const Fence &) { return {}; }
  InstructionCost operator()(const Mark &) { return {}; }
  InstructionCost operator()(const Halt &) { return {}; }
  InstructionCost operator()(const Sync &) { return {}; }
};

} // namespace

InstructionCost npuhw::instructionCost(const Program &program, const Instruction &inst) {
  return std::visit(Pricer{program, program.target}, inst);
}
