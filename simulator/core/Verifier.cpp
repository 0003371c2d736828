// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Verifier.h"

#include "simulator/core/MatrixEngine.h"

#include <algorithm>

using namespace npuhw;

namespace {

/// Points of one instruction, at most: more than any memory holds elements, so
/// that only a broken program reaches it.
constexpr int64_t kMaxPoints = int64_t(1) << 33;

using Wide = __int128;

std::string text(Wide value) {
  if (value == 0) {
    return "0";
  }
  bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10) {
    int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return (negative ? "-" : "") + digits;
}

std::string text(uint64_t value) { return std::to_string(value); }
std::string text(int64_t value) { return std::to_string(value); }
std::string text(size_t value, const char *noun) { return std::to_string(value) + " " + noun; }

struct AddressCollector {
  std::vector<const Address *> addresses;

  template <class T> void operator()(const FieldInfo &, const T &value) {
    if constexpr (std::is_same_v<T, Address>) {
      addresses.push_back(&value);
    } else if constexpr (std::is_same_v<T, std::vector<Operand>>) {
      for (const Operand &operand : value) {
        addresses.push_back(&operand.address);
      }
    }
  }
};

Access reading(const char *name, const Address &address, std::vector<int64_t> shape, std::vector<int64_t> strides,
               uint64_t elementBytes) {
  return {name, -1, &address, std::move(shape), std::move(strides), elementBytes, true, false, false};
}

Access writing(const char *name, const Address &address, std::vector<int64_t> shape, std::vector<int64_t> strides,
               uint64_t elementBytes) {
  return {name, -1, &address, std::move(shape), std::move(strides), elementBytes, false, true, false};
}

/// Some elements of a table.
Access choosing(Access access) {
  access.chosen = true;
  return access;
}

template <class Copy> std::vector<Access> copyAccesses(const Copy &i) {
  return {writing("dst", i.dst, i.shape, i.dstStrides, i.elementBytes),
          reading("src", i.src, i.shape, i.srcStrides, i.elementBytes)};
}

std::vector<Access> microAccesses(const Program &program, uint16_t microIndex, const std::vector<int64_t> &shape,
                                  const std::vector<Operand> &operands) {
  const MicroProgram &micro = program.micros[microIndex];
  std::vector<Access> result;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand &operand = operands[k];
    bool output = k >= micro.numInputs;
    bool current = false;
    for (const MicroOp &op : micro.ops) {
      current |= op.opcode == MicroOpcode::Current && output && op.imm == k - micro.numInputs;
    }
    result.push_back({"operands", static_cast<int>(k), &operand.address, shape, operand.strides,
                      dtypeBytes(operand.dtype), !output || current, output, false});
  }
  return result;
}

} // namespace

std::vector<const Address *> npuhw::addressesOf(const Instruction &inst) {
  AddressCollector collector;
  std::visit([&](const auto &i) { std::decay_t<decltype(i)>::visit(i, collector); }, inst);
  return std::move(collector.addresses);
}

std::vector<Access> npuhw::accessesOf(const Program &program, const Instruction &inst) {
  struct Visitor {
    const Program &program;

    std::vector<Access> operator()(const DmaLd &i) { return copyAccesses(i); }
    std::vector<Access> operator()(const DmaSt &i) { return copyAccesses(i); }
    std::vector<Access> operator()(const DmaCp &i) { return copyAccesses(i); }
    std::vector<Access> operator()(const DmaFill &i) {
      return {writing("dst", i.dst, i.shape, i.dstStrides, i.elementBytes)};
    }
    std::vector<Access> operator()(const DmaGather &i) {
      auto rowBytes = static_cast<uint64_t>(i.rowBytes);
      int64_t indexBytes = dtypeBytes(i.indexDtype);
      return {writing("dst", i.dst, {i.count}, {i.dstStride}, rowBytes),
              choosing(reading("table", i.table, {i.tableRows}, {i.tableStride}, rowBytes)),
              reading("indices", i.indices, {i.count}, {indexBytes}, static_cast<uint64_t>(indexBytes))};
    }
    std::vector<Access> operator()(const DmaScatter &i) {
      auto rowBytes = static_cast<uint64_t>(i.rowBytes);
      int64_t indexBytes = dtypeBytes(i.indexDtype);
      return {choosing(writing("table", i.table, {i.tableRows}, {i.tableStride}, rowBytes)),
              reading("src", i.src, {i.count}, {i.srcStride}, rowBytes),
              reading("indices", i.indices, {i.count}, {indexBytes}, static_cast<uint64_t>(indexBytes))};
    }
    std::vector<Access> operator()(const MmLoadW &i) {
      if (isPacked(i.dtype)) {
        // Bytes: along a stride of one half byte two neighbours share one.
        auto bytes = [](int64_t extent, int64_t stride) { return stride == 1 ? (extent + 1) / 2 : extent; };
        auto distance = [](int64_t stride) { return stride == 1 ? 1 : stride / 2; };
        return {reading("src", i.src, {bytes(i.k, i.kStride), bytes(i.n, i.nStride)},
                        {distance(i.kStride), distance(i.nStride)}, 1)};
      }
      return {reading("src", i.src, {i.k, i.n}, {i.kStride, i.nStride}, dtypeBytes(i.dtype))};
    }
    std::vector<Access> operator()(const MmExec &i) {
      std::vector<int64_t> rows = i.rows;
      std::vector<int64_t> rowStrides = i.rowStrides;
      rows.push_back(i.k);
      rowStrides.push_back(i.kStride);
      std::vector<int64_t> sums = i.rows;
      std::vector<int64_t> sumStrides = i.accStrides;
      sums.push_back(i.n);
      sumStrides.push_back(4);
      Access acc = writing("acc", i.acc, sums, sumStrides, 4);
      acc.reads = true;
      return {reading("src", i.src, rows, rowStrides, dtypeBytes(i.dtype)), acc};
    }
    std::vector<Access> operator()(const MmClear &i) { return {writing("acc", i.acc, i.shape, i.strides, 4)}; }
    std::vector<Access> operator()(const Drain &i) { return microAccesses(program, i.micro, i.shape, i.operands); }
    std::vector<Access> operator()(const VExec &i) { return microAccesses(program, i.micro, i.shape, i.operands); }
    std::vector<Access> operator()(const VGather &i) {
      std::vector<int64_t> shape = i.shape;
      std::vector<int64_t> strides = i.tableStrides;
      shape.push_back(i.tableRows);
      strides.push_back(i.tableStride);
      return {writing("dst", i.dst, i.shape, i.dstStrides, i.elementBytes),
              choosing(reading("table", i.table, shape, strides, i.elementBytes)),
              reading("indices", i.indices, i.shape, i.indexStrides, dtypeBytes(i.indexDtype))};
    }
    std::vector<Access> operator()(const VSort &i) {
      std::vector<int64_t> first = i.shape;
      first.back() = i.k;
      std::vector<int64_t> values = (i.results & kSortValues) != 0 ? first : std::vector<int64_t>(i.shape.size());
      std::vector<int64_t> indices = (i.results & kSortIndices) != 0 ? first : std::vector<int64_t>(i.shape.size());
      return {writing("dst", i.dst, values, i.dstStrides, dtypeBytes(i.dtype)),
              writing("indices", i.indices, indices, i.indexStrides, 4),
              reading("src", i.src, i.shape, i.srcStrides, dtypeBytes(i.dtype))};
    }
    std::vector<Access> operator()(const LoopBegin &) { return {}; }
    std::vector<Access> operator()(const LoopEnd &) { return {}; }
    std::vector<Access> operator()(const Fence &) { return {}; }
    std::vector<Access> operator()(const Mark &) { return {}; }
    std::vector<Access> operator()(const Halt &) { return {}; }
    std::vector<Access> operator()(const Sync &) { return {}; }
  };
  return std::visit(Visitor{program}, inst);
}

std::string npuhw::describeInstruction(const Program &program, size_t index) {
  std::string source = program.source(index);
  return "instruction " + std::to_string(index) + " ('" + mnemonic(program.code[index]) + "' on " +
         spell(header(program.code[index]).queue) + (source.empty() ? "" : ", node '" + source + "'") + ")";
}

namespace {

/// Checks one instruction after the other; a check returns "" or the fault.
class ProgramVerifier {
public:
  explicit ProgramVerifier(const Program &program) : program(program), target(program.target) {
    info.regionHighWater.resize(program.regions.size());
  }

  Result<ProgramInfo> run() {
    std::vector<std::string> targetFaults;
    if (!validate(target, targetFaults)) {
      return Error{"target '" + target.name + "': " + targetFaults.front()};
    }
    std::string fault = verifyStructure(program);
    if (fault.empty()) {
      fault = checkMicros();
    }
    if (!fault.empty()) {
      return Error{fault};
    }
    for (size_t i = 0; i < program.code.size(); ++i) {
      const Instruction &inst = program.code[i];
      if (std::holds_alternative<LoopEnd>(inst)) {
        trips.pop_back();
      }
      info.depth.push_back(static_cast<unsigned>(trips.size()));
      fault = checkInstruction(inst);
      if (!fault.empty()) {
        return Error{describeInstruction(program, i) + ": " + fault};
      }
      if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
        trips.push_back(loop->count);
        if (trips.size() > target.loopDepth) {
          return Error{describeInstruction(program, i) + ": loops are nested " + text(uint64_t(trips.size())) +
                       " deep, but the target has " + text(target.loopDepth) + " ('loop_depth')"};
        }
      }
    }
    return info;
  }

private:
  const Program &program;
  const TargetDesc &target;
  ProgramInfo info;
  std::vector<int64_t> trips; ///< Trip counts of the enclosing loops, outermost first.

  std::string checkMicros() {
    for (size_t i = 0; i < program.micros.size(); ++i) {
      const MicroProgram &micro = program.micros[i];
      std::string where = "microprogram " + std::to_string(i) + " ('" + micro.name + "') ";
      if (micro.ops.size() > target.maxMicroOps) {
        return where + "has " + text(micro.ops.size(), "operations") + ", but the target takes " +
               text(target.maxMicroOps) + " ('max_micro_ops')";
      }
      unsigned live = maxLiveRegisters(micro);
      if (live > target.maxMicroRegisters) {
        return where + "needs " + text(live, "registers") + ", but the target has " +
               text(target.maxMicroRegisters) + " ('max_micro_registers')";
      }
    }
    return "";
  }

  std::string checkInstruction(const Instruction &inst) {
    const InstructionHeader &head = header(inst);
    for (const auto *syncs : {&head.waits, &head.signals}) {
      for (const SyncRef &sync : *syncs) {
        if (sync.semaphore >= target.numSemaphores) {
          return "semaphore " + std::to_string(sync.semaphore) + " does not exist: the target has " +
                 text(target.numSemaphores) + " ('num_semaphores')";
        }
        if (sync.count > target.maxSemaphoreCount) {
          return "a count of " + std::to_string(sync.count) + " is above the target's " +
                 text(target.maxSemaphoreCount) + " ('max_semaphore_count')";
        }
      }
    }
    std::string fault = std::visit([&](const auto &i) { return check(i); }, inst);
    if (!fault.empty()) {
      return fault;
    }
    for (const Access &access : accessesOf(program, inst)) {
      fault = checkAccess(access);
      if (!fault.empty()) {
        std::string name = std::string("'") + access.name + "'";
        return (access.operand >= 0 ? "operand " + std::to_string(access.operand) : name) + " " + fault;
      }
    }
    return "";
  }

  //===--------------------------------------------------------------------===//
  // Shapes and places
  //===--------------------------------------------------------------------===//

  std::string checkShape(const char *name, const std::vector<int64_t> &shape, const char *stridesName,
                         size_t strides) {
    Wide points = 1;
    for (int64_t extent : shape) {
      if (extent < 0) {
        return std::string("'") + name + "' has the extent " + text(extent) + ", but extents are not negative";
      }
      points *= extent;
      if (points > kMaxPoints) {
        return std::string("'") + name + "' spans more than " + text(kMaxPoints) + " points";
      }
    }
    if (strides != shape.size()) {
      return std::string("'") + stridesName + "' has " + text(strides, "entries") + ", but '" + name + "' has " +
             text(uint64_t(shape.size()));
    }
    return "";
  }

  std::string checkElementBytes(unsigned bytes) {
    bool good = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return good ? "" : "'element_bytes' is " + std::to_string(bytes) + ", but must be 1, 2, 4 or 8";
  }

  std::string expectSpace(const char *name, const Address &address, std::initializer_list<Space> spaces) {
    if (std::find(spaces.begin(), spaces.end(), address.space) != spaces.end()) {
      return "";
    }
    std::string wanted;
    for (Space space : spaces) {
      wanted += (wanted.empty() ? "" : " or ") + std::string(spell(space));
    }
    return std::string("'") + name + "' must be in " + wanted + ", but is in " + spell(address.space);
  }

  /// The bytes that an access reaches over all iterations of all loops.
  std::string checkAccess(const Access &access) {
    const Address &address = *access.address;
    Wide low = address.offset;
    Wide high = address.offset;
    for (const AddressTerm &term : address.terms) {
      if (term.loop >= trips.size()) {
        return "uses the counter of the loop at depth " + std::to_string(term.loop) + ", but only " +
               text(trips.size(), "loops") + " enclose the instruction";
      }
      int64_t count = trips[term.loop];
      if (term.modulus != 0) {
        count = std::min<int64_t>(count, term.modulus);
      }
      Wide reach = static_cast<Wide>(term.stride) * (count - 1);
      (reach < 0 ? low : high) += reach;
    }
    bool empty = access.elementBytes == 0;
    for (size_t d = 0; d < access.shape.size(); ++d) {
      empty |= access.shape[d] == 0;
      Wide reach = static_cast<Wide>(access.strides[d]) * (access.shape[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    if (address.space == Space::Dram && address.region >= program.regions.size()) {
      return "names region " + std::to_string(address.region) + ", but there are " +
             text(uint64_t(program.regions.size()));
    }
    if (empty) {
      return "";
    }
    high += static_cast<Wide>(access.elementBytes);
    Wide size = address.space == Space::Sram  ? static_cast<Wide>(target.sramBytes)
                : address.space == Space::Acc ? static_cast<Wide>(target.accBytes)
                                              : static_cast<Wide>(program.regions[address.region].bytes);
    if (low < 0 || high > size) {
      std::string place = spell(address.space);
      if (address.space == Space::Dram) {
        place = "region " + std::to_string(address.region) + " ('" + program.regions[address.region].name + "')";
      }
      return "reaches bytes " + text(low) + " to " + text(high - 1) + " of " + place + ", which has " + text(size);
    }
    if (address.space == Space::Dram && access.writes) {
      RegionRole role = program.regions[address.region].role;
      if (role == RegionRole::Constant || role == RegionRole::Input) {
        return "writes to region " + std::to_string(address.region) + " ('" + program.regions[address.region].name +
               "'), which is " + (role == RegionRole::Input ? "an input" : "constant");
      }
    }
    if (address.space == Space::Sram) {
      info.sramHighWater = std::max(info.sramHighWater, static_cast<uint64_t>(high));
    } else if (address.space == Space::Acc) {
      info.accHighWater = std::max(info.accHighWater, static_cast<uint64_t>(high));
    } else {
      uint64_t &reach = info.regionHighWater[address.region];
      reach = std::max(reach, static_cast<uint64_t>(high));
    }
    return "";
  }

  /// Engines access whole elements: every address that occurs is a multiple of
  /// the element size.
  std::string checkAlignment(const char *name, const Address &address, const std::vector<int64_t> &strides,
                             unsigned bytes) {
    auto aligned = [&](int64_t value) { return value % static_cast<int64_t>(bytes) == 0; };
    bool good = aligned(address.offset);
    for (const AddressTerm &term : address.terms) {
      good &= aligned(term.stride);
    }
    for (int64_t stride : strides) {
      good &= aligned(stride);
    }
    return good ? ""
                : std::string("'") + name + "' is misaligned: offset and strides must be multiples of " +
                      std::to_string(bytes) + " bytes";
  }

  /// The first of several faults.
  static std::string first(std::initializer_list<std::string> faults) {
    for (const std::string &fault : faults) {
      if (!fault.empty()) {
        return fault;
      }
    }
    return "";
  }

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  template <class T> std::string check(const T &) { return ""; }

  template <class Copy> std::string checkCopy(const Copy &i) {
    if (i.shape.size() > target.dmaMaxRank) {
      return "'shape' has " + text(i.shape.size(), "dimensions") + ", but the target takes " +
             text(target.dmaMaxRank) + " ('dma_max_rank')";
    }
    return first({checkShape("shape", i.shape, "dst_strides", i.dstStrides.size()),
                  checkShape("shape", i.shape, "src_strides", i.srcStrides.size()), checkElementBytes(i.elementBytes)});
  }

  std::string check(const DmaLd &i) {
    return first({expectSpace("dst", i.dst, {Space::Sram}), expectSpace("src", i.src, {Space::Dram}), checkCopy(i)});
  }

  std::string check(const DmaSt &i) {
    return first({expectSpace("dst", i.dst, {Space::Dram}), expectSpace("src", i.src, {Space::Sram}), checkCopy(i)});
  }

  std::string check(const DmaCp &i) {
    if (i.src.space != i.dst.space) {
      return std::string("'src' is in ") + spell(i.src.space) + " and 'dst' in " + spell(i.dst.space) +
             ", but both must be in the same space";
    }
    return first({expectSpace("dst", i.dst, {Space::Dram, Space::Sram}), checkCopy(i)});
  }

  std::string check(const DmaFill &i) {
    if (i.shape.size() > target.dmaMaxRank) {
      return "'shape' has " + text(i.shape.size(), "dimensions") + ", but the target takes " +
             text(target.dmaMaxRank) + " ('dma_max_rank')";
    }
    return first({expectSpace("dst", i.dst, {Space::Dram, Space::Sram}),
                  checkShape("shape", i.shape, "dst_strides", i.dstStrides.size()), checkElementBytes(i.elementBytes)});
  }

  template <class Rows> std::string checkRows(const Rows &i) {
    bool fits = i.count <= 0 || i.rowBytes <= kMaxPoints / i.count;
    return fits ? "" : "copies more than " + text(kMaxPoints) + " bytes";
  }

  std::string check(const DmaScatter &i) {
    return first({checkRows(i), expectSpace("table", i.table, {Space::Dram}),
                  expectSpace("src", i.src, {Space::Dram, Space::Sram}),
                  expectSpace("indices", i.indices, {Space::Dram, Space::Sram})});
  }

  std::string check(const DmaGather &i) {
    return first({checkRows(i), expectSpace("dst", i.dst, {Space::Dram, Space::Sram}),
                  expectSpace("table", i.table, {Space::Dram}), expectSpace("indices", i.indices, {Space::Dram, Space::Sram})});
  }

  std::string checkMacType(DType dtype, int32_t zeroPoint) {
    // Packed weights are widened on their way into the array.
    std::string listed = spell(isPacked(dtype) ? DType::I8 : registerType(dtype));
    if (!target.supports(listed)) {
      return "target '" + target.name + "' does not support '" + listed + "' ('dtypes')";
    }
    if (isFloat(dtype) && zeroPoint != 0) {
      return "'zero_point' is " + std::to_string(zeroPoint) + ", but floats have none";
    }
    return "";
  }

  std::string checkTile(unsigned k, unsigned n) {
    if (k > target.arrayRows) {
      return "'k' is " + std::to_string(k) + ", but the array has " + text(target.arrayRows) + " rows";
    }
    if (n > target.arrayCols) {
      return "'n' is " + std::to_string(n) + ", but the array has " + text(target.arrayCols) + " columns";
    }
    return "";
  }

  /// Of packed weights two in a row share a byte; in the other direction each row starts with a whole byte.
  std::string checkPacking(const MmLoadW &i) {
    bool neighbours = i.kStride != 1 || i.nStride != 1;
    bool whole = (i.kStride == 1 || i.kStride % 2 == 0) && (i.nStride == 1 || i.nStride % 2 == 0);
    if (!isPacked(i.dtype) || (neighbours && whole)) {
      return "";
    }
    return std::string("'k_stride' is ") + text(i.kStride) + " and 'n_stride' " + text(i.nStride) +
           " half bytes, but for '" + spell(i.dtype) + "' one may be 1 and the others must be even";
  }

  std::string check(const MmLoadW &i) {
    return first({expectSpace("src", i.src, {Space::Sram}), checkMacType(i.dtype, i.zeroPoint), checkTile(i.k, i.n),
                  checkPacking(i), checkAlignment("src", i.src, {i.kStride, i.nStride}, dtypeBytes(i.dtype))});
  }

  std::string check(const MmExec &i) {
    std::vector<int64_t> strides = i.rowStrides;
    strides.push_back(i.kStride);
    return first({expectSpace("src", i.src, {Space::Sram}), expectSpace("acc", i.acc, {Space::Acc}),
                  checkMacType(i.dtype, i.zeroPoint), checkTile(i.k, i.n),
                  checkShape("rows", i.rows, "row_strides", i.rowStrides.size()),
                  checkShape("rows", i.rows, "acc_strides", i.accStrides.size()),
                  checkAlignment("src", i.src, strides, dtypeBytes(i.dtype)),
                  checkAlignment("acc", i.acc, i.accStrides, 4)});
  }

  std::string check(const MmClear &i) {
    return first({expectSpace("acc", i.acc, {Space::Acc}), checkShape("shape", i.shape, "strides", i.strides.size()),
                  checkAlignment("acc", i.acc, i.strides, 4)});
  }

  std::string check(const Drain &i) {
    std::string fault = checkMicroUse(i.micro, i.shape, 0, i.operands, true);
    if (!fault.empty()) {
      return fault;
    }
    return dtypeBytes(i.operands[0].dtype) == 4 ? ""
                                                : std::string("operand 0 has type '") + spell(i.operands[0].dtype) +
                                                      "', but sums have 4 bytes";
  }

  std::string check(const VExec &i) {
    if (i.shape.size() < 8 && (i.reductionMask >> i.shape.size()) != 0) {
      return "'reduction_mask' is " + std::to_string(i.reductionMask) + ", but there are " +
             text(i.shape.size(), "dimensions");
    }
    return checkMicroUse(i.micro, i.shape, i.reductionMask, i.operands, false);
  }

  std::string check(const VGather &i) {
    unsigned indexBytes = dtypeBytes(i.indexDtype);
    std::vector<int64_t> tableStrides = i.tableStrides;
    tableStrides.push_back(i.tableStride);
    std::string fault = checkElementBytes(i.elementBytes);
    if (!fault.empty()) {
      return fault;
    }
    return first({expectSpace("dst", i.dst, {Space::Sram}), expectSpace("table", i.table, {Space::Sram}),
                  expectSpace("indices", i.indices, {Space::Sram}),
                  checkShape("shape", i.shape, "dst_strides", i.dstStrides.size()),
                  checkShape("shape", i.shape, "table_strides", i.tableStrides.size()),
                  checkShape("shape", i.shape, "index_strides", i.indexStrides.size()),
                  checkAlignment("dst", i.dst, i.dstStrides, i.elementBytes),
                  checkAlignment("table", i.table, tableStrides, i.elementBytes),
                  checkAlignment("indices", i.indices, i.indexStrides, indexBytes)});
  }

  /// What is not asked for has no place.
  std::string checkAbsent(const char *name, const Address &address, const std::vector<int64_t> &strides) {
    bool zeros = std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 0; });
    return address == Address() && zeros ? ""
                                         : std::string("'") + name + "' is not in 'results': it must be sram[0] " +
                                               "with strides of 0";
  }

  std::string check(const VSort &i) {
    if (i.shape.empty()) {
      return "'shape' has no dimension to sort along";
    }
    std::string fault = first({checkShape("shape", i.shape, "src_strides", i.srcStrides.size()),
                               checkShape("shape", i.shape, "dst_strides", i.dstStrides.size()),
                               checkShape("shape", i.shape, "index_strides", i.indexStrides.size())});
    if (!fault.empty()) {
      return fault;
    }
    if (i.k > i.shape.back()) {
      return "'k' is " + text(i.k) + ", but rows have " + text(i.shape.back()) + " elements";
    }
    auto most = static_cast<int64_t>(std::min<uint64_t>(target.sramBytes, INT32_MAX));
    if (i.shape.back() > most) {
      return "rows have " + text(i.shape.back()) + " elements, but may have at most " + text(most) +
             " (the smaller of 'sram_bytes' and 2147483647)";
    }
    bool values = (i.results & kSortValues) != 0;
    bool indices = (i.results & kSortIndices) != 0;
    return first({expectSpace("src", i.src, {Space::Sram}), expectSpace("dst", i.dst, {Space::Sram}),
                  expectSpace("indices", i.indices, {Space::Sram}),
                  values ? "" : checkAbsent("dst", i.dst, i.dstStrides),
                  indices ? "" : checkAbsent("indices", i.indices, i.indexStrides),
                  checkAlignment("src", i.src, i.srcStrides, dtypeBytes(i.dtype)),
                  checkAlignment("dst", i.dst, i.dstStrides, dtypeBytes(i.dtype)),
                  checkAlignment("indices", i.indices, i.indexStrides, 4)});
  }

  std::string checkMicroUse(uint16_t index, const std::vector<int64_t> &shape, unsigned reductionMask,
                            const std::vector<Operand> &operands, bool drains) {
    if (index >= program.micros.size()) {
      return "microprogram " + std::to_string(index) + " does not exist: there are " +
             text(uint64_t(program.micros.size()));
    }
    const MicroProgram &micro = program.micros[index];
    std::string fault = verifyMicro(micro, static_cast<unsigned>(shape.size()));
    if (!fault.empty()) {
      return "microprogram '" + micro.name + "' does not fit: " + fault;
    }
    if (operands.size() != micro.numInputs + micro.outputs.size()) {
      return "there are " + text(operands.size(), "operands") + ", but microprogram '" + micro.name + "' has " +
             std::to_string(micro.numInputs) + " inputs and " + text(micro.outputs.size(), "outputs");
    }
    if (operands.size() > target.maxOperands) {
      return "there are " + text(operands.size(), "operands") + ", but the target takes " +
             text(target.maxOperands) + " ('max_operands')";
    }
    if (drains && micro.numInputs == 0) {
      return "microprogram '" + micro.name + "' has no input to drain";
    }
    for (size_t k = 0; k < operands.size(); ++k) {
      fault = checkOperand(micro, shape, reductionMask, operands[k], k, drains);
      if (!fault.empty()) {
        return "operand " + std::to_string(k) + ": " + fault;
      }
    }
    return "";
  }

  std::string checkOperand(const MicroProgram &micro, const std::vector<int64_t> &shape, unsigned reductionMask,
                           const Operand &operand, size_t k, bool drains) {
    Space space = drains && k == 0 ? Space::Acc : Space::Sram;
    std::string fault = first({expectSpace("address", operand.address, {space}),
                               checkShape("shape", shape, "strides", operand.strides.size()),
                               checkAlignment("address", operand.address, operand.strides, dtypeBytes(operand.dtype))});
    if (!fault.empty()) {
      return fault;
    }
    DType type = registerType(operand.dtype);
    bool output = k >= micro.numInputs;
    size_t out = k - micro.numInputs;
    for (const MicroOp &op : micro.ops) {
      bool names = output ? op.opcode == MicroOpcode::Current && op.imm == out
                          : op.opcode == MicroOpcode::Input && op.imm == k;
      if (names && op.type != type) {
        return std::string("has type '") + spell(operand.dtype) + "', but the microprogram reads '" +
               spell(op.type) + "'";
      }
    }
    if (!output) {
      return "";
    }
    if (micro.ops[micro.outputs[out]].type != type) {
      return std::string("has type '") + spell(operand.dtype) + "', but the microprogram gives '" +
             spell(micro.ops[micro.outputs[out]].type) + "'";
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      bool parallel = (reductionMask >> d & 1) == 0;
      if (parallel && shape[d] > 1 && operand.strides[d] == 0) {
        return "is written by all points of dimension " + std::to_string(d) +
               " in the same place, but the dimension is parallel";
      }
    }
    return "";
  }
};

} // namespace

Result<ProgramInfo> npuhw::verifyProgram(const Program &program) { return ProgramVerifier(program).run(); }
