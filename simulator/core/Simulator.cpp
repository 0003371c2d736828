// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Simulator.h"

#include "simulator/core/DmaEngine.h"
#include "simulator/core/EventLoop.h"
#include "simulator/core/MatrixEngine.h"
#include "simulator/core/VectorEngine.h"
#include "simulator/core/VectorMoves.h"
#include "simulator/core/Verifier.h"
#include "simulator/profile/Attribution.h"

#include <algorithm>
#include <cstring>

using namespace npuhw;

struct Simulator::Impl {
  Program program;
  SimulatorOptions options;
  ProgramInfo info;
  std::vector<InstructionCost> costs;
  const KernelTable &table;
  std::vector<std::vector<const Address *>> addresses;
  std::vector<std::unique_ptr<VectorPlan>> plans; ///< For drain and v_exec, made when first executed.

  // The state of a run.
  Memory sram;
  Memory acc;
  std::vector<Memory> regions;
  std::vector<Place> places;

  Impl(Program p, SimulatorOptions o, ProgramInfo i)
      : program(std::move(p)), options(o), info(std::move(i)),
        table(o.portableKernels ? portableKernels() : kernels()) {
    for (const Instruction &inst : program.code) {
      costs.push_back(instructionCost(program, inst));
      addresses.push_back(addressesOf(inst));
    }
    plans.resize(program.code.size());
  }

  std::string prepareMemory(const std::vector<Buffer> &buffers);
  Place resolve(const Address &address, const std::vector<int64_t> &counters) const;
  std::string execute(uint32_t index, const std::vector<int64_t> &counters, MatrixEngine &matrix);
  std::string runMicro(uint32_t index, uint16_t micro, const std::vector<int64_t> &shape, unsigned reductionMask,
                       const std::vector<Operand> &operands);
  void summarize(Report &report) const;
  Result<Bytes> read(Space space, unsigned region, uint64_t offset, uint64_t size) const;
};

Simulator::Simulator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Simulator::Simulator(Simulator &&) noexcept = default;
Simulator &Simulator::operator=(Simulator &&) noexcept = default;
Simulator::~Simulator() = default;

const Program &Simulator::program() const { return impl->program; }

Result<Simulator> Simulator::create(Program program, SimulatorOptions options) {
  Result<ProgramInfo> info = verifyProgram(program);
  if (!info) {
    return info.error();
  }
  return Simulator(std::make_unique<Impl>(std::move(program), options, std::move(*info)));
}

std::string Simulator::Impl::prepareMemory(const std::vector<Buffer> &buffers) {
  if (buffers.size() != program.regions.size()) {
    return "the program has " + std::to_string(program.regions.size()) + " regions, but " +
           std::to_string(buffers.size()) + " buffers were given";
  }
  if (options.functional) {
    sram.allocate(info.sramHighWater, options.poison);
    acc.allocate(info.accHighWater, options.poison);
  }
  regions.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    Region &region = program.regions[i];
    std::string where = "region " + std::to_string(i) + " ('" + region.name + "')";
    if (region.role == RegionRole::Constant) {
      // The verifier made sure that nobody writes here.
      regions[i].attach(region.contents.data(), region.bytes, false);
      continue;
    }
    if (region.role == RegionRole::Arena && buffers[i].size == 0) {
      if (!options.functional) {
        continue;
      }
      uint64_t reached = info.regionHighWater[i];
      try {
        regions[i].allocate(reached, options.poison);
      } catch (const std::bad_alloc &) {
        return where + " needs " + std::to_string(reached) + " bytes, which this machine does not have";
      }
      continue;
    }
    if (buffers[i].size < region.bytes || (!buffers[i].data && region.bytes != 0)) {
      return where + " needs a buffer of " + std::to_string(region.bytes) + " bytes, but " +
             std::to_string(buffers[i].size) + " were given";
    }
    bool written = region.role == RegionRole::Input || region.role == RegionRole::State;
    regions[i].attach(buffers[i].data, region.bytes, options.poison && !written);
  }
  return "";
}

Place Simulator::Impl::resolve(const Address &address, const std::vector<int64_t> &counters) const {
  const Memory &memory = address.space == Space::Sram  ? sram
                         : address.space == Space::Acc ? acc
                                                       : regions[address.region];
  // Unsigned: of an empty access the address may be anything.
  auto offset = static_cast<uint64_t>(address.offset);
  for (const AddressTerm &term : address.terms) {
    int64_t counter = counters[term.loop];
    int64_t factor = term.modulus != 0 ? counter % term.modulus : counter;
    offset += static_cast<uint64_t>(term.stride) * static_cast<uint64_t>(factor);
  }
  return memory.base.at(static_cast<int64_t>(offset));
}

std::string Simulator::Impl::runMicro(uint32_t index, uint16_t micro, const std::vector<int64_t> &shape,
                                      unsigned reductionMask, const std::vector<Operand> &operands) {
  if (!plans[index]) {
    plans[index] = std::make_unique<VectorPlan>(table, program.micros[micro], shape, reductionMask, operands);
  }
  return plans[index]->run(places);
}

template <class Copy> static std::string runCopy(const Copy &i, const std::vector<Place> &places) {
  return dmaCopy(i.shape, i.elementBytes, places[0], i.dstStrides, places[1], i.srcStrides);
}

std::string Simulator::Impl::execute(uint32_t index, const std::vector<int64_t> &counters, MatrixEngine &matrix) {
  places.clear();
  for (const Address *address : addresses[index]) {
    places.push_back(resolve(*address, counters));
  }
  struct Visitor {
    Impl &self;
    uint32_t index;
    const std::vector<Place> &places;
    MatrixEngine &matrix;

    std::string operator()(const DmaLd &i) { return runCopy(i, places); }
    std::string operator()(const DmaSt &i) { return runCopy(i, places); }
    std::string operator()(const DmaCp &i) { return runCopy(i, places); }
    std::string operator()(const DmaFill &i) { return dmaFill(i, places[0]); }
    std::string operator()(const DmaGather &i) { return dmaGather(i, places[0], places[1], places[2]); }
    std::string operator()(const DmaScatter &i) { return dmaScatter(i, places[0], places[1], places[2]); }
    std::string operator()(const MmLoadW &i) { return matrix.loadWeights(i, places[0]); }
    std::string operator()(const MmExec &i) { return matrix.execute(i, places[0], places[1]); }
    std::string operator()(const MmClear &i) { return matrix.clear(i, places[0]); }
    std::string operator()(const Drain &i) { return self.runMicro(index, i.micro, i.shape, 0, i.operands); }
    std::string operator()(const VExec &i) {
      return self.runMicro(index, i.micro, i.shape, i.reductionMask, i.operands);
    }
    std::string operator()(const VGather &i) { return vectorGather(i, places[0], places[1], places[2]); }
    std::string operator()(const VSort &i) { return vectorSort(i, self.table, places[0], places[1], places[2]); }
    std::string operator()(const LoopBegin &) { return ""; }
    std::string operator()(const LoopEnd &) { return ""; }
    std::string operator()(const Fence &) { return ""; }
    std::string operator()(const Mark &) { return ""; }
    std::string operator()(const Halt &) { return ""; }
    std::string operator()(const Sync &) { return ""; }
  };
  return std::visit(Visitor{*this, index, places, matrix}, program.code[index]);
}

void Simulator::Impl::summarize(Report &report) const {
  const TargetDesc &target = program.target;
  report.sramHighWater = info.sramHighWater;
  report.sramSize = target.sramBytes;
  report.accHighWater = info.accHighWater;
  report.accSize = target.accBytes;
  double capacity = 0;
  uint64_t total[4];
  for (unsigned t = 0; t < 4; ++t) {
    total[t] = report.macs[t];
    capacity += static_cast<double>(total[t] * macCyclesPerRow(target, static_cast<MacType>(t)));
  }
  double matrixCycles = capacity / static_cast<double>(target.arrayRows * target.arrayCols);
  double dramCycles = static_cast<double>(report.dramReadBytes + report.dramWriteBytes) /
                      static_cast<double>(target.dramBytesPerCycle);
  auto cycles = static_cast<double>(std::max<uint64_t>(report.cycles, 1));
  report.utilization = matrixCycles / cycles;
  report.rooflineCycles = std::max(matrixCycles, dramCycles);
  report.rooflineUtilization = report.rooflineCycles / cycles;
  EnergyCounts counts;
  counts.macsI8 = total[static_cast<unsigned>(MacType::I8)];
  counts.macsF16 = total[static_cast<unsigned>(MacType::F16)] + total[static_cast<unsigned>(MacType::BF16)];
  counts.macsF32 = total[static_cast<unsigned>(MacType::F32)];
  counts.vectorOps = report.vectorOps;
  counts.sramBytes = report.sramBytesMoved;
  counts.dramBytes = report.dramBusBytes;
  counts.cycles = report.cycles;
  report.energyPicojoules = energyPicojoules(target, counts);
}

Result<Bytes> Simulator::Impl::read(Space space, unsigned region, uint64_t offset, uint64_t size) const {
  if (!options.functional) {
    return Error{"this run computes no values, so that its memories hold nothing"};
  }
  std::string name = spell(space);
  uint64_t limit = space == Space::Sram ? program.target.sramBytes : program.target.accBytes;
  if (space == Space::Dram) {
    if (region >= program.regions.size()) {
      return Error{"there is no region " + std::to_string(region) + "; program '" + program.name + "' has " +
                   std::to_string(program.regions.size())};
    }
    name = "region '" + program.regions[region].name + "'";
    limit = program.regions[region].bytes;
  }
  if (offset > limit || size > limit - offset) {
    return Error{std::to_string(size) + " bytes at " + std::to_string(offset) + " reach past the end of " + name +
                 ", which has " + std::to_string(limit) + " bytes"};
  }
  const Memory &memory = space == Space::Sram ? sram : space == Space::Acc ? acc : regions[region];
  // What no instruction reaches has no memory here; it is as it was at the beginning.
  Bytes bytes(size, 0);
  if (offset < memory.size) {
    std::copy_n(memory.base.data + offset, std::min(size, memory.size - offset), bytes.begin());
  }
  return bytes;
}

Result<Report> Simulator::run(const std::vector<Buffer> &buffers) {
  std::string fault = impl->prepareMemory(buffers);
  if (!fault.empty()) {
    return Error{fault};
  }
  MatrixEngine matrix(impl->table);
  EventLoopOptions options;
  options.perturbSeed = impl->options.perturbSeed;
  options.maxInstructions = impl->options.maxInstructions;
  options.maxCycles = impl->options.maxCycles;
  options.trace = impl->options.trace || impl->options.profile;
  options.extrapolate =
      impl->options.extrapolate && !impl->options.functional && !options.trace && options.perturbSeed == 0 &&
      !impl->options.observer;
  ExecuteFn execute = [&](uint32_t index, const std::vector<int64_t> &counters) -> std::string {
    return impl->options.functional ? impl->execute(index, counters, matrix) : "";
  };
  struct View final : MachineView {
    const Impl &self;
    const ScheduleView &loop;

    View(const Impl &self, const ScheduleView &loop) : self(self), loop(loop) {}
    const Program &program() const override { return self.program; }
    const ScheduleView &schedule() const override { return loop; }
    Result<Bytes> read(Space space, unsigned region, uint64_t offset, uint64_t size) const override {
      return self.read(space, region, offset, size);
    }
  };
  if (RunObserver *observer = impl->options.observer) {
    observer->begin(impl->program);
    options.observe = [this, observer](const Moment &moment, const ScheduleView &schedule) {
      return observer->observe(moment, View(*impl, schedule));
    };
  }
  Result<Report> report = runEventLoop(impl->program, impl->costs, options, execute);
  if (!report) {
    return report;
  }
  impl->summarize(*report);
  if (impl->options.profile) {
    Result<Timeline> timeline = buildTimeline(impl->program, *report);
    if (!timeline) {
      return timeline.error();
    }
    report->profile = std::make_shared<const ProgramProfile>(
        attributeCycles(impl->program, impl->costs, *report, *timeline));
    if (!impl->options.trace) {
      report->trace.clear();
    }
  }
  return report;
}
