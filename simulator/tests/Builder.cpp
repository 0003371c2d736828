// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/tests/Builder.h"

#include <limits>

using namespace npuhw;

TargetDesc npuhw::test::testTarget() {
  TargetDesc d;
  d.name = "test";
  d.description = "target of the unit tests";
  d.clockMHz = 1000;
  d.dtypes = {"i8", "i16", "i32", "f16", "bf16", "f32"};
  d.arrayRows = 16;
  d.arrayCols = 16;
  d.macCyclesI8 = 1;
  d.macCyclesF16 = 2;
  d.macCyclesBF16 = 2;
  d.macCyclesF32 = 8;
  d.matrixSetupCycles = 0;
  d.weightDoubleBuffer = false;
  d.accBytes = 16384;
  d.accBanks = 2;
  d.vectorLanes = 16;
  d.vectorSetupCycles = 4;
  d.drainLanes = 16;
  d.drainSetupCycles = 4;
  d.cyclesSimple = 1;
  d.cyclesDivide = 8;
  d.cyclesSqrt = 8;
  d.cyclesExp = 12;
  d.cyclesLog = 16;
  d.cyclesTanh = 24;
  d.cyclesErf = 24;
  d.cyclesTrig = 16;
  d.cyclesPow = 48;
  d.maxMicroOps = 128;
  d.maxMicroRegisters = 64;
  d.maxOperands = 16;
  d.sramBytes = 65536;
  d.sramBanks = 4;
  d.sramBytesPerCycle = 64;
  d.alignmentBytes = 16;
  d.dramBytesPerCycle = 8;
  d.dramLatencyCycles = 100;
  d.dramBurstBytes = 32;
  d.dmaSetupCycles = 10;
  d.dmaMaxRank = 6;
  d.queueDepthLd = 4;
  d.queueDepthSt = 4;
  d.queueDepthMm = 4;
  d.queueDepthDr = 4;
  d.queueDepthVe = 4;
  d.dispatchCycles = 1;
  d.numSemaphores = 16;
  d.maxSemaphoreCount = 7;
  d.semaphoreLatencyCycles = 2;
  d.loopDepth = 4;
  d.hostSyncCycles = 100;
  d.hostBytesPerCycle = 8;
  d.hostCyclesPerScalarOp = 1;
  d.energyMacI8 = 0.3;
  d.energyMacF16 = 2;
  d.energyMacF32 = 4.6;
  d.energyVectorOp = 0.9;
  d.energySramByte = 2.5;
  d.energyDramByte = 160;
  d.staticPowerMilliwatts = 10;
  d.energySource = "none";
  d.areaSource = "none";
  return d;
}

DmaLd npuhw::test::load(Address dst, Address src, int64_t bytes) {
  DmaLd inst;
  inst.dst = std::move(dst);
  inst.src = std::move(src);
  inst.shape = {bytes};
  inst.dstStrides = {1};
  inst.srcStrides = {1};
  inst.elementBytes = 1;
  return inst;
}

DmaSt npuhw::test::store(Address dst, Address src, int64_t bytes) {
  DmaSt inst;
  inst.dst = std::move(dst);
  inst.src = std::move(src);
  inst.shape = {bytes};
  inst.dstStrides = {1};
  inst.srcStrides = {1};
  inst.elementBytes = 1;
  return inst;
}

Program npuhw::test::makeProgram(uint64_t inputBytes, uint64_t outputBytes) {
  Program program;
  program.name = "test";
  program.target = testTarget();
  program.regions.push_back({RegionRole::Input, "x", inputBytes, DType::I8, {static_cast<int64_t>(inputBytes)}, {}});
  program.regions.push_back({RegionRole::Output, "y", outputBytes, DType::I8, {static_cast<int64_t>(outputBytes)}, {}});
  return program;
}

MicroOp npuhw::test::op(MicroOpcode opcode, DType type, uint16_t a, uint16_t b, uint16_t c, uint64_t imm) {
  MicroOp result;
  result.opcode = opcode;
  result.type = type;
  result.a = a;
  result.b = b;
  result.c = c;
  result.imm = imm;
  return result;
}

namespace {

Result<Report> tryRun(const Program &program, const Bytes &input, Bytes &output, SimulatorOptions options) {
  Result<Simulator> simulator = Simulator::create(program, options);
  if (!simulator) {
    return simulator.error();
  }
  std::vector<Buffer> buffers(program.regions.size());
  std::vector<Bytes> storage(program.regions.size());
  for (size_t i = 0; i < program.regions.size(); ++i) {
    RegionRole role = program.regions[i].role;
    if (role == RegionRole::Constant || role == RegionRole::Arena) {
      continue;
    }
    storage[i].assign(program.regions[i].bytes, 0xcc);
    if (role == RegionRole::Input) {
      storage[i] = input;
    }
    buffers[i] = {storage[i].data(), storage[i].size()};
  }
  Result<Report> report = simulator->run(buffers);
  for (size_t i = 0; i < program.regions.size(); ++i) {
    if (program.regions[i].role == RegionRole::Output) {
      output = storage[i];
    }
  }
  return report;
}

} // namespace

Bytes npuhw::test::runProgram(const Program &program, const Bytes &input, SimulatorOptions options, Report *report) {
  Bytes output;
  Result<Report> result = tryRun(program, input, output, options);
  Registry::get().check(static_cast<bool>(result), __FILE__, __LINE__, result ? "" : result.error().str());
  if (!result) {
    return {};
  }
  if (report) {
    *report = *result;
  }
  return output;
}

std::string npuhw::test::errorOf(const Program &program, const Bytes &input, SimulatorOptions options) {
  Bytes output;
  Result<Report> result = tryRun(program, input, output, options);
  return result ? "" : result.error().str();
}

namespace {

using npuhw::test::Random;

/// Fills fields with random values of their range.
struct RandomFields {
  Random &random;

  template <class T> std::enable_if_t<std::is_integral_v<T>> operator()(const FieldInfo &info, T &value) {
    bool ranged = info.minimum != info.maximum && info.minimum != INT64_MIN;
    int64_t low = ranged ? info.minimum : static_cast<int64_t>(std::numeric_limits<T>::min());
    int64_t high = ranged ? info.maximum : static_cast<int64_t>(std::numeric_limits<T>::max());
    // A third of the fields are at their bounds.
    switch (random.below(6)) {
    case 0:
      value = static_cast<T>(low);
      break;
    case 1:
      value = static_cast<T>(high);
      break;
    default:
      value = static_cast<T>(ranged ? random.between(low, high) : static_cast<int64_t>(random.next()));
      break;
    }
  }
  void operator()(const FieldInfo &info, DType &value) { value = dtype(info); }
  void operator()(const FieldInfo &, Address &value) { value = address(); }
  void operator()(const FieldInfo &info, std::vector<int64_t> &value) {
    value = list(static_cast<uint64_t>(info.maximum));
  }
  void operator()(const FieldInfo &info, std::vector<Operand> &value) {
    for (uint64_t n = random.below(5); n > 0; --n) {
      value.push_back({address(), dtype(info), list(kMaxRank)});
    }
  }

  DType dtype(const FieldInfo &info) {
    DType dtype;
    do {
      dtype = kAllDTypes[random.below(std::size(kAllDTypes))];
    } while (!info.takes(dtype));
    return dtype;
  }
  std::vector<int64_t> list(uint64_t most) {
    std::vector<int64_t> values(random.below(4) ? random.below(most + 1) : most);
    for (int64_t &v : values) {
      switch (random.below(6)) {
      case 0:
        v = random.below(2) ? INT64_MIN : INT64_MAX;
        break;
      case 1:
      case 2:
        v = static_cast<int64_t>(random.next());
        break;
      default:
        v = random.between(-100, 100);
        break;
      }
    }
    return values;
  }
  Address address() {
    Address a;
    a.space = kAllSpaces[random.below(3)];
    a.region = static_cast<uint16_t>(a.space == Space::Dram ? random.below(65536) : 0);
    a.offset = static_cast<int64_t>(random.next());
    for (uint64_t n = random.below(kMaxTerms + 1); n > 0; --n) {
      a.terms.push_back({static_cast<uint8_t>(random.below(kMaxLoopDepth)), static_cast<int64_t>(random.next()),
                         static_cast<uint16_t>(random.below(2) ? random.below(4) : random.below(65536))});
    }
    return a;
  }
};

std::string randomText(Random &random) {
  std::string text;
  for (uint64_t n = random.below(12); n > 0; --n) {
    text += static_cast<char>(random.below(256));
  }
  return text;
}

MicroProgram randomMicro(Random &random) {
  using npuhw::test::op;
  MicroProgram micro;
  micro.name = randomText(random);
  micro.numInputs = static_cast<uint16_t>(1 + random.below(3));
  micro.ops.push_back(op(MicroOpcode::Input, DType::F32, 0, 0, 0, 0));
  micro.ops.push_back(op(MicroOpcode::Const, DType::F32, 0, 0, 0, random.next() & 0xffffffffu));
  for (uint64_t n = random.below(6); n > 0; --n) {
    auto last = static_cast<uint16_t>(micro.ops.size() - 1);
    switch (random.below(4)) {
    case 0:
      micro.ops.push_back(op(MicroOpcode::Fma, DType::F32, last, 0, 1));
      break;
    case 1:
      micro.ops.push_back(op(MicroOpcode::Exp, DType::F32, last));
      break;
    case 2:
      micro.ops.push_back(op(MicroOpcode::Maxnumf, DType::F32, last, 1));
      break;
    default:
      micro.ops.push_back(op(MicroOpcode::Cmpf, DType::B8, last, 0, 0, random.below(kNumCmpfPredicates)));
      micro.ops.push_back(op(MicroOpcode::Select, DType::F32, static_cast<uint16_t>(last + 1), last, 0));
      break;
    }
  }
  micro.outputs.push_back(static_cast<uint16_t>(micro.ops.size() - 1));
  return micro;
}

} // namespace

Program npuhw::test::randomProgram(Random &random) {
  Program program = makeProgram(random.below(100), random.below(100));
  program.name = randomText(random);
  Region constant{RegionRole::Constant, randomText(random), 0, DType::F32, {1, 2}, {}};
  constant.contents.resize(random.below(150));
  for (uint8_t &byte : constant.contents) {
    byte = static_cast<uint8_t>(random.next());
  }
  constant.bytes = constant.contents.size();
  program.regions.push_back(constant);
  for (uint64_t n = random.below(3); n > 0; --n) {
    program.micros.push_back(randomMicro(random));
  }
  uint64_t open = 0;
  for (uint64_t n = random.below(20); n > 0; --n) {
    Instruction inst;
    makeInstruction(kAllOpcodes[random.below(std::size(kAllOpcodes))], inst);
    if (std::holds_alternative<Halt>(inst) || (std::holds_alternative<LoopEnd>(inst) && open == 0) ||
        (std::holds_alternative<LoopBegin>(inst) && open == kMaxLoopDepth)) {
      continue;
    }
    open += std::holds_alternative<LoopBegin>(inst);
    open -= std::holds_alternative<LoopEnd>(inst);
    std::visit([&](auto &i) { std::decay_t<decltype(i)>::visit(i, RandomFields{random}); }, inst);
    InstructionHeader &head = header(inst);
    do {
      head.queue = kAllQueues[random.below(std::size(kAllQueues))];
    } while ((allowedQueues(inst) & queueBit(head.queue)) == 0);
    if (head.queue != Queue::Control) {
      for (auto *syncs : {&head.waits, &head.signals}) {
        for (uint64_t k = random.below(kMaxSyncs + 1); k > 0; --k) {
          syncs->push_back({static_cast<uint8_t>(random.below(256)), static_cast<uint8_t>(1 + random.below(255))});
        }
      }
    }
    program.append(inst, random.below(3) ? randomText(random) : "");
  }
  for (; open > 0; --open) {
    program.append(LoopEnd());
  }
  program.append(Halt());
  return program;
}
