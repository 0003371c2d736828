// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/VectorEngine.h"

#include "simulator/core/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// Points of a reduction that are loaded together where they are neighbours in
/// memory and the lanes are not.
constexpr int kTilePoints = 8;

/// How often an operation has to be computed: once for all, once a run, for
/// each block of lanes, for each point of the reduction.
enum class Level : uint8_t { Once, Run, Block, Point };
constexpr size_t kNumLevels = 4;

/// A dimension of the walked space, with the stride of each operand.
struct Dimension {
  int64_t extent;
  std::vector<int64_t> strides;
  int iota; ///< The dimension of the instruction, if the program asks for its index; else -1.
};

struct Step {
  const MicroOp *op;
  Level level = Level::Once;
  LaneKernel kernel = nullptr;
  WideKernel wide = nullptr;
  bool rounds = false; ///< The result is of a narrow float type and may need rounding.
  int output = -1;     ///< The output that the result may be written to right away.
  std::vector<uint32_t> tile; ///< Of an input that is loaded kTilePoints points at a time; else empty.
};

/// Joins neighbouring dimensions that every operand walks as one.
void joinDimensions(std::vector<Dimension> &dims) {
  for (size_t d = 0; d + 1 < dims.size();) {
    Dimension &outer = dims[d];
    Dimension &inner = dims[d + 1];
    bool joins = outer.iota < 0 && inner.iota < 0;
    for (size_t k = 0; joins && k < outer.strides.size(); ++k) {
      joins = outer.strides[k] == inner.strides[k] * inner.extent;
    }
    if (!joins) {
      ++d;
      continue;
    }
    inner.extent *= outer.extent;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
    d = d > 0 ? d - 1 : 0;
  }
}

/// The bytes that an operand can touch, from its place on.
struct Extent {
  int64_t low = 0;
  int64_t high = 0;

  bool meets(const uint8_t *place, const Extent &other, const uint8_t *otherPlace) const {
    auto a = reinterpret_cast<uintptr_t>(place);
    auto b = reinterpret_cast<uintptr_t>(otherPlace);
    return a + static_cast<uintptr_t>(low) < b + static_cast<uintptr_t>(other.high) &&
           b + static_cast<uintptr_t>(other.low) < a + static_cast<uintptr_t>(high);
  }
};

} // namespace

struct VectorPlan::State {
  const KernelTable &table;
  const MicroProgram &micro;
  std::vector<DType> dtypes;
  /// A block takes all of the last `whole` parallel dimensions and `chunk` indices of the one before.
  std::vector<Dimension> parallel;
  size_t whole = 0;
  int64_t wholePoints = 1;
  int64_t chunk = 1;
  std::vector<Dimension> reduction;
  int64_t reductionPoints = 1;
  bool empty = false;
  bool usesIota = false;

  std::vector<Step> steps;
  std::vector<size_t> order[kNumLevels]; ///< The steps of each level.
  /// An output that keeps its element over the whole reduction stays in a register from point to point.
  std::vector<bool> carried;
  bool allCarried = true;
  /// With it the steps of its current value, if the two registers can just change places; else -1.
  std::vector<int> exchanged;

  std::vector<LaneLayout> layouts;
  std::vector<Extent> extents;
  std::vector<int64_t> iotaOffsets; ///< [parallel dimension][lane]

  std::vector<uint32_t> registers;       ///< [op][lane]
  std::vector<uint32_t *> own;           ///< The register of each operation.
  std::vector<const uint32_t *> value;   ///< Its result: the register, or memory of the same form.
  std::vector<int64_t> wideRegisters;

  // The state of a run.
  const std::vector<Place> *places = nullptr;
  std::vector<bool> apart;     ///< No output shares bytes with the operand.
  Level repeated = Level::Run; ///< From where on a block computes, after the first.
  std::vector<int64_t> blockOffsets;
  std::vector<int64_t> reductionOffsets;
  std::vector<int64_t> blockIndex;
  int64_t reductionIndex[kMaxRank] = {};
  std::string fault;

  State(const KernelTable &table, const MicroProgram &micro) : table(table), micro(micro) {}

  void prepare(const std::vector<int64_t> &shape, unsigned reductionMask, const std::vector<Operand> &operands);
  void prepareDimensions(const std::vector<int64_t> &shape, unsigned reductionMask,
                         const std::vector<Operand> &operands);
  void prepareBlocks();
  void prepareSteps();
  void prepareCarrying();
  Level levelOfInput(size_t operand) const;
  bool canTile(size_t operand) const;
  bool canCarry(size_t output) const;
  void findApart();
  bool runBlock(Level from, int n);
  bool runLevel(Level level, bool first, int n);
  bool loadInput(size_t index, int n);
  bool loadCurrent(size_t index, bool first, int n);
  bool loadLanes(size_t operand, size_t index, bool inPlace, int n);
  void fillIota(size_t index, int n);
  void compute(size_t index, int n);
  void storeOutputs(bool last, int n);
  void advanceReduction();
  Place at(size_t operand) const {
    return (*places)[operand].at(blockOffsets[operand] + reductionOffsets[operand]);
  }
};

VectorPlan::VectorPlan(const KernelTable &table, const MicroProgram &micro, const std::vector<int64_t> &shape,
                       unsigned reductionMask, const std::vector<Operand> &operands)
    : state(std::make_unique<State>(table, micro)) {
  state->prepare(shape, reductionMask, operands);
}

VectorPlan::~VectorPlan() = default;
VectorPlan::VectorPlan(VectorPlan &&) noexcept = default;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

void VectorPlan::State::prepare(const std::vector<int64_t> &shape, unsigned reductionMask,
                                const std::vector<Operand> &operands) {
  for (const Operand &operand : operands) {
    dtypes.push_back(operand.dtype);
  }
  prepareDimensions(shape, reductionMask, operands);
  if (empty) {
    return;
  }
  prepareBlocks();
  prepareSteps();
  prepareCarrying();
  // Constants, and what follows from them alone, fill all lanes for good.
  runLevel(Level::Once, true, kLanes);
}

void VectorPlan::State::prepareDimensions(const std::vector<int64_t> &shape, unsigned reductionMask,
                                          const std::vector<Operand> &operands) {
  std::vector<bool> wanted(shape.size());
  for (const MicroOp &op : micro.ops) {
    if (op.opcode == MicroOpcode::Iota) {
      wanted[op.imm] = true;
      usesIota = true;
    }
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    empty |= shape[d] == 0;
    if (shape[d] == 1 && !wanted[d]) {
      continue;
    }
    Dimension dim{shape[d], {}, wanted[d] ? static_cast<int>(d) : -1};
    for (const Operand &operand : operands) {
      dim.strides.push_back(operand.strides[d]);
    }
    ((reductionMask >> d & 1) != 0 ? reduction : parallel).push_back(std::move(dim));
  }
  joinDimensions(parallel);
  joinDimensions(reduction);
  for (const Dimension &dim : reduction) {
    reductionPoints *= dim.extent;
  }
  if (parallel.empty()) {
    parallel.push_back({1, std::vector<int64_t>(operands.size()), -1});
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    Extent extent{0, dtypeBytes(dtypes[k])};
    for (const std::vector<Dimension> *dims : {&parallel, &reduction}) {
      for (const Dimension &dim : *dims) {
        int64_t reach = (dim.extent - 1) * dim.strides[k];
        (reach < 0 ? extent.low : extent.high) += reach;
      }
    }
    extents.push_back(extent);
  }
}

/// Cuts the parallel dimensions into blocks of at most kLanes points.
void VectorPlan::State::prepareBlocks() {
  while (whole + 1 < parallel.size()) {
    int64_t extent = parallel[parallel.size() - 1 - whole].extent;
    if (wholePoints * extent > kLanes) {
      break;
    }
    wholePoints *= extent;
    ++whole;
  }
  size_t split = parallel.size() - 1 - whole;
  chunk = std::min(parallel[split].extent, kLanes / wholePoints);
  int64_t lanes = chunk * wholePoints;
  std::vector<int64_t> index(parallel.size());
  std::vector<std::vector<int64_t>> offsets(dtypes.size(), std::vector<int64_t>(lanes));
  iotaOffsets.resize(parallel.size() * kLanes);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (size_t d = split; d < parallel.size(); ++d) {
      iotaOffsets[d * kLanes + lane] = index[d];
      for (size_t k = 0; k < dtypes.size(); ++k) {
        offsets[k][lane] += index[d] * parallel[d].strides[k];
      }
    }
    for (size_t d = parallel.size(); d-- > split;) {
      if (++index[d] < parallel[d].extent) {
        break;
      }
      index[d] = 0;
    }
  }
  for (size_t k = 0; k < dtypes.size(); ++k) {
    layouts.emplace_back(dtypes[k], std::move(offsets[k]));
  }
  apart.resize(dtypes.size());
  blockOffsets.resize(dtypes.size());
  reductionOffsets.resize(dtypes.size());
  blockIndex.resize(parallel.size());
}

Level VectorPlan::State::levelOfInput(size_t operand) const {
  for (const Dimension &dim : reduction) {
    if (dim.strides[operand] != 0) {
      return Level::Point;
    }
  }
  for (size_t d = 0; d + whole < parallel.size(); ++d) {
    if (parallel[d].strides[operand] != 0 && (parallel[d].extent > chunk || d + whole + 1 < parallel.size())) {
      return Level::Block;
    }
  }
  return Level::Run;
}

/// Neighbours along the last reduction dimension, but not along the lanes.
bool VectorPlan::State::canTile(size_t operand) const {
  return !reduction.empty() && dtypes[operand] != DType::I64 && reduction.back().extent >= kTilePoints &&
         reduction.back().strides[operand] == dtypeBytes(dtypes[operand]) && layouts[operand].isRegular() &&
         !layouts[operand].isContiguous();
}

void VectorPlan::State::prepareSteps() {
  registers.resize(micro.ops.size() * kLanes);
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    own.push_back(registers.data() + i * kLanes);
    value.push_back(own.back());
    const MicroOp &op = micro.ops[i];
    Step step;
    step.op = &op;
    const uint16_t regs[] = {op.a, op.b, op.c};
    for (unsigned k = 0; k < microOperandCount(op.opcode); ++k) {
      step.level = std::max(step.level, steps[regs[k]].level);
    }
    switch (op.opcode) {
    case MicroOpcode::Const:
      break;
    case MicroOpcode::Input:
      step.level = levelOfInput(op.imm);
      if (step.level == Level::Point && canTile(op.imm)) {
        step.tile.resize(kTilePoints * kLanes);
      }
      break;
    case MicroOpcode::Current:
      step.level = Level::Point;
      break;
    case MicroOpcode::Iota:
      step.level = Level::Block;
      for (const Dimension &dim : reduction) {
        step.level = dim.iota == static_cast<int>(op.imm) ? Level::Point : step.level;
      }
      break;
    default: {
      DType from = micro.ops[op.a].type;
      bool select = op.opcode == MicroOpcode::Select;
      if (from == DType::I64) {
        step.wide = table.wide(op.opcode, op.type);
      } else {
        step.kernel = table.lane(op.opcode, select ? op.type : from, op.type, op.imm);
      }
      step.rounds = isFloat(op.type) && op.type != DType::F32;
      break;
    }
    }
    if (op.type == DType::I64) {
      wideRegisters.resize(micro.ops.size() * kLanes);
    }
    order[static_cast<size_t>(step.level)].push_back(i);
    steps.push_back(std::move(step));
  }
}

/// The element must stay, and the register must not be overwritten before its
/// old value has been read at the next point.
bool VectorPlan::State::canCarry(size_t output) const {
  for (const Dimension &dim : reduction) {
    if (dim.strides[micro.numInputs + output] != 0) {
      return false;
    }
  }
  uint16_t result = micro.outputs[output];
  for (size_t i = result; i < micro.ops.size(); ++i) {
    if (micro.ops[i].opcode == MicroOpcode::Current) {
      return false;
    }
  }
  return true;
}

void VectorPlan::State::prepareCarrying() {
  for (size_t out = 0; out < micro.outputs.size(); ++out) {
    carried.push_back(canCarry(out));
    allCarried = allCarried && carried[out];
    size_t result = micro.outputs[out];
    int current = -1;
    int currents = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].op->opcode == MicroOpcode::Current && steps[i].op->imm == out) {
        current = static_cast<int>(i);
        ++currents;
      }
    }
    bool alone = std::count(micro.outputs.begin(), micro.outputs.end(), micro.outputs[out]) == 1;
    bool exchanges = carried[out] && alone && currents == 1 && steps[result].kernel;
    exchanged.push_back(exchanges ? current : -1);
    // Without a reduction the last operation can write where the result belongs.
    bool plain = dtypes[micro.numInputs + out] == DType::F32 || registerType(dtypes[micro.numInputs + out]) == DType::I32;
    if (reductionPoints == 1 && alone && currents == 0 && plain && layouts[micro.numInputs + out].isContiguous() &&
        steps[result].kernel && steps[result].level >= Level::Block) {
      steps[result].output = static_cast<int>(out);
    }
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// `inPlace`: the memory itself may be the result.
bool VectorPlan::State::loadLanes(size_t operand, size_t index, bool inPlace, int n) {
  Place place = at(operand);
  const LaneLayout &layout = layouts[operand];
  if (!layout.wasWritten(place, n)) {
    fault = kUnwritten;
    return false;
  }
  if (dtypes[operand] == DType::I64) {
    layout.loadWide(wideRegisters.data() + index * kLanes, place.data, n);
    return true;
  }
  value[index] = own[index];
  bool plain = dtypes[operand] == DType::F32 || registerType(dtypes[operand]) == DType::I32;
  if (inPlace && plain && apart[operand] && layout.isContiguous()) {
    value[index] = reinterpret_cast<const uint32_t *>(place.data);
  } else {
    layout.load(table, own[index], place.data, n);
  }
  return true;
}

bool VectorPlan::State::loadInput(size_t index, int n) {
  Step &step = steps[index];
  size_t operand = step.op->imm;
  if (step.tile.empty() || !apart[operand] || (*places)[operand].written) {
    if (!loadLanes(operand, index, true, n)) {
      fault = "input " + std::to_string(operand) + " " + fault;
      return false;
    }
    return true;
  }
  const Dimension &line = reduction.back();
  int64_t point = reductionIndex[reduction.size() - 1];
  if (point % kTilePoints == 0) {
    Place place = at(operand);
    auto points = static_cast<int>(std::min<int64_t>(kTilePoints, line.extent - point));
    int64_t stride = layouts[operand].laneStride();
    if (dtypeBytes(dtypes[operand]) == 4) {
      table.transpose(step.tile.data(), place.data, stride, n, points);
    } else {
      alignas(64) uint32_t side[kTilePoints * kLanes];
      LoadKernel convert = table.load(dtypes[operand]);
      for (int i = 0; i < n; ++i) {
        convert(side + i * kTilePoints, place.data + i * stride, points);
      }
      table.transpose(step.tile.data(), side, kTilePoints * sizeof(uint32_t), n, points);
    }
  }
  value[index] = step.tile.data() + point % kTilePoints * kLanes;
  return true;
}

bool VectorPlan::State::loadCurrent(size_t index, bool first, int n) {
  size_t out = steps[index].op->imm;
  size_t result = micro.outputs[out];
  if (first || !carried[out]) {
    if (!loadLanes(micro.numInputs + out, index, false, n)) {
      fault = "the current value of output " + std::to_string(out) + " " + fault;
      return false;
    }
    return true;
  }
  if (exchanged[out] >= 0) {
    // The result of the last point; the next one goes to the other register.
    std::swap(own[index], own[result]);
    value[index] = own[index];
    value[result] = own[result];
  } else {
    std::memcpy(own[index], value[result], sizeof(uint32_t) * static_cast<size_t>(n));
    value[index] = own[index];
  }
  return true;
}

void VectorPlan::State::fillIota(size_t index, int n) {
  auto wanted = static_cast<int>(steps[index].op->imm);
  uint32_t *lanes = own[index];
  for (size_t d = 0; d < reduction.size(); ++d) {
    if (reduction[d].iota == wanted) {
      table.fill(lanes, static_cast<uint32_t>(reductionIndex[d]), n);
      return;
    }
  }
  for (size_t d = 0; d < parallel.size(); ++d) {
    if (parallel[d].iota == wanted) {
      for (int i = 0; i < n; ++i) {
        lanes[i] = static_cast<uint32_t>(blockIndex[d] + iotaOffsets[d * kLanes + i]);
      }
      return;
    }
  }
}

void VectorPlan::State::compute(size_t index, int n) {
  Step &step = steps[index];
  const MicroOp &op = *step.op;
  if (step.wide) {
    step.wide(own[index], wideRegisters.data() + size_t(op.a) * kLanes, n);
  } else {
    uint32_t *result = own[index];
    if (step.output >= 0 && apart[micro.numInputs + static_cast<size_t>(step.output)]) {
      result = reinterpret_cast<uint32_t *>(at(micro.numInputs + static_cast<size_t>(step.output)).data);
    }
    step.kernel(result, value[op.a], value[op.b], value[op.c], n);
    value[index] = result;
  }
  if (step.rounds) {
    table.roundTo(op.type, own[index], n);
  }
}

bool VectorPlan::State::runLevel(Level level, bool first, int n) {
  for (size_t i : order[static_cast<size_t>(level)]) {
    const MicroOp &op = *steps[i].op;
    switch (op.opcode) {
    case MicroOpcode::Const:
      if (op.type == DType::I64) {
        std::fill_n(wideRegisters.data() + i * kLanes, n, static_cast<int64_t>(op.imm));
      } else {
        // Constants are given in memory form.
        uint32_t constant;
        table.load(op.type)(&constant, &op.imm, 1);
        table.fill(own[i], constant, n);
      }
      break;
    case MicroOpcode::Input:
      if (!loadInput(i, n)) {
        return false;
      }
      break;
    case MicroOpcode::Current:
      if (!loadCurrent(i, first, n)) {
        return false;
      }
      break;
    case MicroOpcode::Iota:
      fillIota(i, n);
      break;
    default:
      compute(i, n);
      break;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Finds which operands share no byte with an output (other than themselves).
void VectorPlan::State::findApart() {
  repeated = Level::Block;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    apart[k] = true;
    for (size_t other = 0; other < dtypes.size(); ++other) {
      if (other != k && (other >= micro.numInputs || k >= micro.numInputs)) {
        apart[k] = apart[k] && !extents[k].meets((*places)[k].data, extents[other], (*places)[other].data);
      }
    }
    // What an output may change is loaded for each block.
    repeated = k < micro.numInputs && !apart[k] ? Level::Run : repeated;
  }
}

void VectorPlan::State::advanceReduction() {
  for (size_t d = reduction.size(); d-- > 0;) {
    const Dimension &dim = reduction[d];
    bool wraps = ++reductionIndex[d] == dim.extent;
    for (size_t k = 0; k < reductionOffsets.size(); ++k) {
      reductionOffsets[k] += wraps ? dim.strides[k] * (1 - dim.extent) : dim.strides[k];
    }
    if (!wraps) {
      return;
    }
    reductionIndex[d] = 0;
  }
}

void VectorPlan::State::storeOutputs(bool last, int n) {
  for (size_t out = 0; out < micro.outputs.size(); ++out) {
    if (carried[out] && !last) {
      continue;
    }
    size_t operand = micro.numInputs + out;
    Place place = at(operand);
    const uint32_t *result = value[micro.outputs[out]];
    if (reinterpret_cast<const uint8_t *>(result) != place.data) {
      layouts[operand].store(table, place.data, result, n);
    }
    layouts[operand].markWritten(place, n);
  }
}

/// Runs all points of the reduction for a block of lanes.
bool VectorPlan::State::runBlock(Level from, int n) {
  for (Level level : {Level::Run, Level::Block}) {
    if (level >= from && !runLevel(level, true, n)) {
      return false;
    }
  }
  for (int64_t point = 0; point < reductionPoints; ++point) {
    if (!runLevel(Level::Point, point == 0, n)) {
      return false;
    }
    bool last = point + 1 == reductionPoints;
    if (last || !allCarried) {
      storeOutputs(last, n);
    }
    advanceReduction();
  }
  return true;
}

std::string VectorPlan::run(const std::vector<Place> &places) {
  State &s = *state;
  if (s.empty) {
    return "";
  }
  s.places = &places;
  s.findApart();
  size_t split = s.parallel.size() - 1 - s.whole;
  const Dimension &line = s.parallel[split];
  std::fill(s.blockIndex.begin(), s.blockIndex.end(), 0);
  Level from = Level::Run;
  while (true) {
    for (int64_t start = 0; start < line.extent; start += s.chunk) {
      s.blockIndex[split] = start;
      for (size_t k = 0; k < s.blockOffsets.size(); ++k) {
        s.blockOffsets[k] = 0;
        for (size_t d = 0; d <= split; ++d) {
          s.blockOffsets[k] += s.blockIndex[d] * s.parallel[d].strides[k];
        }
      }
      if (!s.runBlock(from, static_cast<int>(std::min(s.chunk, line.extent - start) * s.wholePoints))) {
        return s.fault;
      }
      from = s.repeated;
    }
    size_t d = split;
    while (d > 0 && ++s.blockIndex[d - 1] == s.parallel[d - 1].extent) {
      s.blockIndex[--d] = 0;
    }
    if (d == 0) {
      return "";
    }
  }
}
