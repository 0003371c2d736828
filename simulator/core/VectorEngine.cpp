// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/VectorEngine.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

namespace {

constexpr const char *kUnwritten = "reads bytes that nobody has written";

/// A dimension shorter than this is not worth a block of lanes of its own.
constexpr int64_t kLineExtent = 64;

/// How often an operation has to be computed.
enum class Level : uint8_t { Once, Block, Point };

/// A dimension of the walked space, with the stride of each operand.
struct Dimension {
  int64_t extent;
  std::vector<int64_t> strides;
  int iota; ///< The dimension of the instruction, if the program asks for its index; else -1.
};

/// Where the lanes of a block lie, for one operand: at `stride` from one
/// another, or at `offsets`.
struct LaneLayout {
  int64_t base = 0;
  bool regular = true;
  int64_t stride = 0;
  std::vector<int64_t> offsets;
};

struct Step {
  const MicroOp *op;
  Level level = Level::Once;
  LaneKernel kernel = nullptr;
  WideKernel wide = nullptr;
  bool rounds = false; ///< The result is of a narrow float type and may need rounding.
};

template <class T> void gatherLanes(T *out, const uint8_t *base, const LaneLayout &layout, int n) {
  if (layout.regular) {
    for (int i = 0; i < n; ++i) {
      std::memcpy(out + i, base + i * layout.stride, sizeof(T));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      std::memcpy(out + i, base + layout.offsets[i], sizeof(T));
    }
  }
}

template <class T> void scatterLanes(uint8_t *base, const T *in, const LaneLayout &layout, int n) {
  if (layout.regular) {
    for (int i = 0; i < n; ++i) {
      std::memcpy(base + i * layout.stride, in + i, sizeof(T));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      std::memcpy(base + layout.offsets[i], in + i, sizeof(T));
    }
  }
}

int64_t laneOffset(const LaneLayout &layout, int lane) {
  return layout.regular ? lane * layout.stride : layout.offsets[lane];
}

bool readable(const Place &base, const LaneLayout &layout, int n, unsigned bytes) {
  if (base.written) {
    for (int i = 0; i < n; ++i) {
      if (!wasWritten(base.at(laneOffset(layout, i)), bytes)) {
        return false;
      }
    }
  }
  return true;
}

void mark(const Place &base, const LaneLayout &layout, int n, unsigned bytes) {
  if (base.written) {
    for (int i = 0; i < n; ++i) {
      markWritten(base.at(laneOffset(layout, i)), bytes);
    }
  }
}

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

} // namespace

struct VectorPlan::State {
  const KernelTable &table;
  const MicroProgram &micro;
  std::vector<DType> dtypes;
  std::vector<Dimension> parallel;
  std::vector<Dimension> reduction;
  std::vector<Step> steps;
  bool empty = false;
  bool usesIota = false;
  bool lines = false;           ///< Blocks lie in the innermost parallel dimension.
  int64_t blocks = 1;           ///< With lines: how many lines there are; else all parallel points.
  int64_t reductionPoints = 1;
  /// An output that keeps its element over the whole reduction stays in a
  /// register from point to point.
  std::vector<bool> carried;
  std::vector<uint32_t> registers; ///< [op][lane]
  std::vector<int64_t> wideRegisters;
  std::vector<LaneLayout> layouts;
  std::vector<int64_t> reductionOffsets;
  std::vector<int64_t> laneIota; ///< [parallel dimension][lane]

  State(const KernelTable &table, const MicroProgram &micro) : table(table), micro(micro) {}

  uint32_t *reg(size_t op) { return registers.data() + op * kLanes; }

  void prepare(const std::vector<int64_t> &shape, unsigned reductionMask, const std::vector<Operand> &operands);
  void prepareSteps();
  bool canCarry(size_t output) const;
  std::string runLines(const std::vector<Place> &places);
  std::string runScattered(const std::vector<Place> &places);
  std::string runBlock(const std::vector<Place> &places, int n);
  std::string runSteps(const std::vector<Place> &places, const int64_t *reductionIndex, Level from, Level to,
                       bool first, int n);
  std::string loadLanes(size_t operand, size_t op, const Place &place, int n);
  void storeLanes(size_t operand, const uint32_t *values, const Place &place, int n);
  void fillIota(size_t op, uint64_t dim, const int64_t *reductionIndex, int n);
  Place at(const std::vector<Place> &places, size_t operand) const {
    return places[operand].at(layouts[operand].base + reductionOffsets[operand]);
  }
};

VectorPlan::VectorPlan(const KernelTable &table, const MicroProgram &micro, const std::vector<int64_t> &shape,
                       unsigned reductionMask, const std::vector<Operand> &operands)
    : state(std::make_unique<State>(table, micro)) {
  state->prepare(shape, reductionMask, operands);
}

VectorPlan::~VectorPlan() = default;
VectorPlan::VectorPlan(VectorPlan &&) noexcept = default;

void VectorPlan::State::prepare(const std::vector<int64_t> &shape, unsigned reductionMask,
                                const std::vector<Operand> &operands) {
  for (const Operand &operand : operands) {
    dtypes.push_back(operand.dtype);
  }
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

  // The order of the parallel dimensions does not matter: make lines long.
  auto longest = std::max_element(parallel.begin(), parallel.end(),
                                  [](const Dimension &a, const Dimension &b) { return a.extent < b.extent; });
  if (!parallel.empty() && parallel.back().extent < kLineExtent && longest->extent >= kLanes) {
    std::rotate(longest, longest + 1, parallel.end());
  }
  lines = !parallel.empty() && (parallel.back().extent >= kLineExtent || parallel.size() == 1);
  for (size_t d = 0; d + (lines ? 1 : 0) < parallel.size(); ++d) {
    blocks *= parallel[d].extent;
  }
  for (const Dimension &dim : reduction) {
    reductionPoints *= dim.extent;
  }
  for (size_t out = 0; out < micro.outputs.size(); ++out) {
    carried.push_back(canCarry(out));
  }
  layouts.resize(operands.size());
  for (LaneLayout &layout : layouts) {
    layout.offsets.resize(kLanes);
  }
  reductionOffsets.resize(operands.size());
  laneIota.resize(parallel.size() * kLanes);
  prepareSteps();
  // Constants, and what follows from them alone, fill all lanes for good.
  runSteps({}, nullptr, Level::Once, Level::Once, true, kLanes);
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

void VectorPlan::State::prepareSteps() {
  registers.resize(micro.ops.size() * kLanes);
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    const MicroOp &op = micro.ops[i];
    Step step;
    step.op = &op;
    const uint16_t regs[] = {op.a, op.b, op.c};
    for (unsigned k = 0; k < microOperandCount(op.opcode); ++k) {
      step.level = std::max(step.level, steps[regs[k]].level);
    }
    bool moves = false;
    switch (op.opcode) {
    case MicroOpcode::Const:
      break;
    case MicroOpcode::Input:
      for (const Dimension &dim : reduction) {
        moves |= dim.strides[op.imm] != 0;
      }
      step.level = moves ? Level::Point : Level::Block;
      break;
    case MicroOpcode::Current:
      step.level = Level::Point;
      break;
    case MicroOpcode::Iota:
      for (const Dimension &dim : reduction) {
        moves |= dim.iota == static_cast<int>(op.imm);
      }
      step.level = moves ? Level::Point : Level::Block;
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
    steps.push_back(step);
  }
}

std::string VectorPlan::State::loadLanes(size_t operand, size_t op, const Place &place, int n) {
  const LaneLayout &layout = layouts[operand];
  DType dtype = dtypes[operand];
  unsigned bytes = dtypeBytes(dtype);
  if (!readable(place, layout, n, bytes)) {
    return kUnwritten;
  }
  if (dtype == DType::I64) {
    gatherLanes(wideRegisters.data() + op * kLanes, place.data, layout, n);
    return "";
  }
  if (layout.regular && layout.stride == static_cast<int64_t>(bytes)) {
    table.load(dtype)(reg(op), place.data, n);
    return "";
  }
  if (layout.regular && layout.stride == 0) {
    uint32_t value;
    table.load(dtype)(&value, place.data, 1);
    std::fill_n(reg(op), n, value);
    return "";
  }
  alignas(64) uint8_t buffer[kLanes * 4];
  if (bytes == 4) {
    gatherLanes(reinterpret_cast<uint32_t *>(buffer), place.data, layout, n);
  } else if (bytes == 2) {
    gatherLanes(reinterpret_cast<uint16_t *>(buffer), place.data, layout, n);
  } else {
    gatherLanes(buffer, place.data, layout, n);
  }
  table.load(dtype)(reg(op), buffer, n);
  return "";
}

void VectorPlan::State::storeLanes(size_t operand, const uint32_t *values, const Place &place, int n) {
  const LaneLayout &layout = layouts[operand];
  DType dtype = dtypes[operand];
  unsigned bytes = dtypeBytes(dtype);
  mark(place, layout, n, bytes);
  if (layout.regular && layout.stride == static_cast<int64_t>(bytes)) {
    table.store(dtype)(place.data, values, n);
    return;
  }
  alignas(64) uint8_t buffer[kLanes * 4];
  table.store(dtype)(buffer, values, n);
  if (bytes == 4) {
    scatterLanes(place.data, reinterpret_cast<const uint32_t *>(buffer), layout, n);
  } else if (bytes == 2) {
    scatterLanes(place.data, reinterpret_cast<const uint16_t *>(buffer), layout, n);
  } else {
    scatterLanes(place.data, buffer, layout, n);
  }
}

void VectorPlan::State::fillIota(size_t op, uint64_t dim, const int64_t *reductionIndex,
                                 int n) {
  for (size_t d = 0; d < reduction.size(); ++d) {
    if (reduction[d].iota == static_cast<int>(dim)) {
      std::fill_n(reg(op), n, static_cast<uint32_t>(reductionIndex[d]));
      return;
    }
  }
  for (size_t d = 0; d < parallel.size(); ++d) {
    if (parallel[d].iota == static_cast<int>(dim)) {
      for (int i = 0; i < n; ++i) {
        reg(op)[i] = static_cast<uint32_t>(laneIota[d * kLanes + i]);
      }
      return;
    }
  }
}

/// Computes the steps of the levels `from` to `to`, in order.
std::string VectorPlan::State::runSteps(const std::vector<Place> &places, const int64_t *reductionIndex, Level from,
                                        Level to, bool first, int n) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    const MicroOp &op = *step.op;
    if (step.level < from || step.level > to) {
      continue;
    }
    switch (op.opcode) {
    case MicroOpcode::Const:
      if (op.type == DType::I64) {
        std::fill_n(wideRegisters.data() + i * kLanes, n, static_cast<int64_t>(op.imm));
      } else {
        // Constants are given in memory form.
        uint32_t value;
        table.load(op.type)(&value, &op.imm, 1);
        std::fill_n(reg(i), n, value);
      }
      break;
    case MicroOpcode::Input: {
      std::string fault = loadLanes(op.imm, i, at(places, op.imm), n);
      if (!fault.empty()) {
        return "input " + std::to_string(op.imm) + " " + fault;
      }
      break;
    }
    case MicroOpcode::Current: {
      size_t operand = micro.numInputs + op.imm;
      if (!first && carried[op.imm]) {
        std::memcpy(reg(i), reg(micro.outputs[op.imm]), sizeof(uint32_t) * static_cast<size_t>(n));
        break;
      }
      std::string fault = loadLanes(operand, i, at(places, operand), n);
      if (!fault.empty()) {
        return "the current value of output " + std::to_string(op.imm) + " " + fault;
      }
      break;
    }
    case MicroOpcode::Iota:
      fillIota(i, op.imm, reductionIndex, n);
      break;
    default:
      if (step.wide) {
        step.wide(reg(i), wideRegisters.data() + size_t(op.a) * kLanes, n);
      } else {
        step.kernel(reg(i), reg(op.a), reg(op.b), reg(op.c), n);
      }
      if (step.rounds) {
        table.roundTo(op.type, reg(i), n);
      }
      break;
    }
  }
  return "";
}

/// Runs all points of the reduction for the lanes that `layouts` describes.
std::string VectorPlan::State::runBlock(const std::vector<Place> &places, int n) {
  int64_t index[kMaxRank] = {};
  std::fill(reductionOffsets.begin(), reductionOffsets.end(), 0);
  for (int64_t point = 0; point < reductionPoints; ++point) {
    bool first = point == 0;
    std::string fault = runSteps(places, index, first ? Level::Block : Level::Point, Level::Point, first, n);
    if (!fault.empty()) {
      return fault;
    }
    for (size_t out = 0; out < micro.outputs.size(); ++out) {
      if (!carried[out] || point + 1 == reductionPoints) {
        size_t operand = micro.numInputs + out;
        storeLanes(operand, reg(micro.outputs[out]), at(places, operand), n);
      }
    }
    for (size_t d = reduction.size(); d-- > 0;) {
      const Dimension &dim = reduction[d];
      bool wraps = ++index[d] == dim.extent;
      for (size_t k = 0; k < reductionOffsets.size(); ++k) {
        reductionOffsets[k] += wraps ? dim.strides[k] * (1 - dim.extent) : dim.strides[k];
      }
      if (!wraps) {
        break;
      }
      index[d] = 0;
    }
  }
  return "";
}

/// Lines: every block lies in the innermost parallel dimension.
std::string VectorPlan::State::runLines(const std::vector<Place> &places) {
  const Dimension &line = parallel.back();
  size_t outerRank = parallel.size() - 1;
  std::vector<int64_t> index(outerRank);
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t start = 0; start < line.extent; start += kLanes) {
      auto n = static_cast<int>(std::min<int64_t>(kLanes, line.extent - start));
      for (size_t k = 0; k < layouts.size(); ++k) {
        layouts[k].base = start * line.strides[k];
        layouts[k].stride = line.strides[k];
        for (size_t d = 0; d < outerRank; ++d) {
          layouts[k].base += index[d] * parallel[d].strides[k];
        }
      }
      for (size_t d = 0; usesIota && d < parallel.size(); ++d) {
        for (int i = 0; i < n; ++i) {
          laneIota[d * kLanes + i] = d == outerRank ? start + i : index[d];
        }
      }
      std::string fault = runBlock(places, n);
      if (!fault.empty()) {
        return fault;
      }
    }
    for (size_t d = outerRank; d-- > 0;) {
      if (++index[d] < parallel[d].extent) {
        break;
      }
      index[d] = 0;
    }
  }
  return "";
}

/// Short innermost dimensions: a block takes points across several of them.
std::string VectorPlan::State::runScattered(const std::vector<Place> &places) {
  std::vector<int64_t> index(parallel.size());
  std::vector<int64_t> offset(layouts.size());
  for (int64_t start = 0; start < blocks; start += kLanes) {
    auto n = static_cast<int>(std::min<int64_t>(kLanes, blocks - start));
    for (size_t k = 0; k < layouts.size(); ++k) {
      layouts[k].base = offset[k];
    }
    for (int i = 0; i < n; ++i) {
      for (size_t k = 0; k < layouts.size(); ++k) {
        layouts[k].offsets[i] = offset[k] - layouts[k].base;
      }
      for (size_t d = 0; usesIota && d < parallel.size(); ++d) {
        laneIota[d * kLanes + i] = index[d];
      }
      for (size_t d = parallel.size(); d-- > 0;) {
        bool wraps = ++index[d] == parallel[d].extent;
        for (size_t k = 0; k < layouts.size(); ++k) {
          offset[k] += wraps ? parallel[d].strides[k] * (1 - parallel[d].extent) : parallel[d].strides[k];
        }
        if (!wraps) {
          break;
        }
        index[d] = 0;
      }
    }
    for (LaneLayout &layout : layouts) {
      layout.stride = n > 1 ? layout.offsets[1] : 0;
      layout.regular = true;
      for (int i = 1; i < n && layout.regular; ++i) {
        layout.regular = layout.offsets[i] == i * layout.stride;
      }
    }
    std::string fault = runBlock(places, n);
    if (!fault.empty()) {
      return fault;
    }
  }
  return "";
}

std::string VectorPlan::run(const std::vector<Place> &places) {
  if (state->empty) {
    return "";
  }
  return state->lines ? state->runLines(places) : state->runScattered(places);
}
