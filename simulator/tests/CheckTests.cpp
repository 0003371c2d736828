// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker against brute force: sets of bytes listed one by one, and random
// programs whose order is the transitive closure over all instructions of all
// iterations.
//
//===----------------------------------------------------------------------===//

#include "simulator/check/Box.h"
#include "simulator/check/Checker.h"
#include "simulator/check/Written.h"
#include "simulator/tests/Builder.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <map>
#include <set>

using namespace npuhw;
using namespace npuhw::test;

//===----------------------------------------------------------------------===//
// Sets of bytes
//===----------------------------------------------------------------------===//

namespace {

struct ListedBox {
  Box box;
  std::set<int64_t> bytes;
};

ListedBox randomBox(Random &random) {
  std::vector<Box::Dim> dims(random.below(4));
  std::set<int64_t> starts{random.between(0, 40)};
  int64_t offset = *starts.begin();
  int64_t run = random.between(1, 4);
  for (Box::Dim &dim : dims) {
    dim = {random.between(-12, 12), random.between(1, 5)};
    std::set<int64_t> next;
    for (int64_t start : starts) {
      for (int64_t i = 0; i < dim.count; ++i) {
        next.insert(start + i * dim.stride);
      }
    }
    starts = next;
  }
  ListedBox result{Box::make(offset, run, dims), {}};
  for (int64_t start : starts) {
    for (int64_t i = 0; i < run; ++i) {
      result.bytes.insert(start + i);
    }
  }
  return result;
}

} // namespace

TEST(boxesAreTheirBytes) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    ListedBox a = randomBox(random);
    ListedBox b = randomBox(random);
    std::set<int64_t> runs;
    forEachRun(a.box, 0, [&](int64_t begin, int64_t end) {
      for (int64_t byte = begin; byte < end; ++byte) {
        runs.insert(byte);
      }
      return true;
    });
    EXPECT(runs == a.bytes);
    EXPECT(a.box.low == *a.bytes.begin() && a.box.high == *a.bytes.rbegin() + 1);
    int64_t move = random.between(-20, 20);
    bool shared = std::any_of(a.bytes.begin(), a.bytes.end(), [&](int64_t x) { return b.bytes.count(x - move) != 0; });
    std::optional<ByteRange> met = meet(a.box, 0, b.box, move);
    EXPECT(met.has_value() == shared);
    EXPECT(!met || (a.bytes.count(met->first) != 0 && b.bytes.count(met->second - 1 - move) != 0));
  }
}

TEST(byteSetsFindWhatIsMissing) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    constexpr int64_t kSize = 200000;
    ByteSet set(kSize);
    std::vector<bool> bytes(kSize);
    for (int j = 0; j < 6; ++j) {
      int64_t begin = random.between(0, kSize);
      int64_t end = random.between(begin, random.below(2) != 0 ? kSize : std::min(kSize, begin + 200));
      set.insert(begin, end);
      std::fill(bytes.begin() + begin, bytes.begin() + end, true);
      int64_t from = random.between(0, kSize);
      auto gap = std::find(bytes.begin() + from, bytes.end(), false);
      EXPECT_EQ(set.findMissing(from, kSize), int64_t(gap - bytes.begin()));
    }
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t kSramBytes = 1024;

/// Random loops around instructions of four queues on a little memory, with semaphores for some pairs of them.
class ProgramMaker {
public:
  explicit ProgramMaker(Random &random) : random(random) {}

  Program make() {
    program = makeProgram(kSramBytes, kSramBytes);
    program.target.sramBytes = kSramBytes;
    program.target.numSemaphores = 64;
    program.target.maxSemaphoreCount = 255;
    MicroProgram copy;
    copy.name = "copy";
    copy.numInputs = 1;
    copy.ops = {op(MicroOpcode::Input, DType::I8)};
    copy.outputs = {0};
    program.micros.push_back(copy);
    // What is written is not the question here.
    program.append(load(sram(0), dram(0), kSramBytes));
    DmaFill fill;
    fill.queue = Queue::ST;
    fill.dst = dram(1);
    fill.dstStrides = {1};
    fill.shape = {kSramBytes};
    fill.elementBytes = 1;
    program.append(fill);
    program.append(Fence());
    makeBlock(0);
    program.append(Halt());
    return std::move(program);
  }

private:
  Random &random;
  Program program;
  uint8_t semaphores = 0;
  int64_t distance = random.between(4, 8) * 8; ///< Between places.
  std::vector<int64_t> trips;

  Address place() {
    // Few places, so that some are shared.
    Address address = sram(random.between(0, 7) * distance);
    for (size_t loop = 0; loop < trips.size(); ++loop) {
      if (random.below(3) == 0) {
        continue;
      }
      AddressTerm term;
      term.loop = static_cast<uint8_t>(loop);
      term.modulus = random.below(3) == 0 ? 0 : static_cast<uint16_t>(random.between(2, 4));
      int64_t steps = term.modulus == 0 ? trips[loop] : std::min<int64_t>(trips[loop], term.modulus);
      term.stride = std::min<int64_t>(random.between(1, 3) * 16, 300 / std::max<int64_t>(steps, 1));
      address.terms.push_back(term);
    }
    return address;
  }

  Instruction makeInstruction() {
    int64_t bytes = random.between(1, 3) * 8;
    switch (random.below(5)) {
    case 0:
      return load(place(), dram(0), bytes);
    case 1:
      return store(dram(1, random.between(0, 3) * 16), place(), bytes);
    case 2: {
      MmLoadW weights;
      weights.queue = Queue::MM;
      weights.src = place();
      weights.dtype = DType::I8;
      weights.k = static_cast<uint16_t>(random.between(1, 4));
      weights.n = static_cast<uint16_t>(random.between(1, 8));
      weights.kStride = 16;
      weights.nStride = 1;
      return weights;
    }
    default: {
      VExec exec;
      exec.queue = Queue::VE;
      exec.shape = {bytes};
      int64_t stride = random.between(1, 2);
      exec.operands = {{place(), DType::I8, {stride}}, {place(), DType::I8, {1}}};
      return exec;
    }
    }
  }

  bool hasRoom(size_t i, bool signals) {
    const InstructionHeader &head = header(program.code[i]);
    return (signals ? head.signals : head.waits).size() < kMaxSyncs;
  }

  void makeBlock(unsigned depth) {
    std::vector<size_t> members;
    uint64_t items = 2 + random.below(depth == 0 ? 3 : 4);
    std::vector<std::pair<size_t, size_t>> loops;
    for (uint64_t i = 0; i < items; ++i) {
      if (depth < 2 && random.below(depth == 0 ? 2 : 4) == 0) {
        LoopBegin loop;
        loop.count = random.below(3) == 0 ? random.between(1, 4) : random.between(5, depth == 0 ? 40 : 12);
        trips.push_back(loop.count);
        makeLoop(loop, depth);
        trips.pop_back();
      } else {
        program.append(makeInstruction());
        members.push_back(program.code.size() - 1);
      }
    }
    connect(members);
  }

  /// A loop, with credits around it for what is carried.
  void makeLoop(LoopBegin loop, unsigned depth) {
    size_t before = program.code.size();
    program.append(loop);
    std::vector<size_t> members;
    uint64_t items = 2 + random.below(4);
    for (uint64_t i = 0; i < items; ++i) {
      if (depth < 1 && random.below(4) == 0) {
        LoopBegin inner;
        inner.count = random.between(1, 12);
        trips.push_back(inner.count);
        makeLoop(inner, depth + 1);
        trips.pop_back();
      } else {
        program.append(makeInstruction());
        members.push_back(program.code.size() - 1);
      }
    }
    program.append(LoopEnd());
    connect(members);
    // Back edges: the syncs that start and end them are inserted last, in front and behind.
    std::vector<std::pair<Sync, Sync>> around;
    for (int i = 0; i < 4; ++i) {
      size_t from = members.empty() ? 0 : members[random.below(members.size())];
      size_t to = members.empty() ? 0 : members[random.below(members.size())];
      if (from <= to || semaphores == 60 || !crosses(from, to) || !hasRoom(from, true) || !hasRoom(to, false)) {
        continue;
      }
      auto credits = static_cast<uint8_t>(random.between(1, 3));
      Sync start;
      start.queue = header(program.code[from]).queue;
      start.signals = {{semaphores, credits}};
      Sync end;
      end.queue = header(program.code[to]).queue;
      end.waits = {{semaphores, credits}};
      around.emplace_back(start, end);
      header(program.code[from]).signals.push_back({semaphores, 1});
      header(program.code[to]).waits.push_back({semaphores, 1});
      ++semaphores;
    }
    for (const auto &[start, end] : around) {
      program.code.insert(program.code.begin() + static_cast<int64_t>(before), start);
      program.sourceOf.push_back(kNoSource);
      program.append(end);
    }
  }

  bool crosses(size_t a, size_t b) { return header(program.code[a]).queue != header(program.code[b]).queue; }

  /// Forward edges between members of a block.
  void connect(const std::vector<size_t> &members) {
    for (size_t i = 0; i + 1 < members.size(); ++i) {
      for (size_t j = i + 1; j < members.size(); ++j) {
        size_t a = members[i];
        size_t b = members[j];
        if (random.below(6) != 0 && semaphores < 60 && crosses(a, b) && hasRoom(a, true) && hasRoom(b, false)) {
          header(program.code[a]).signals.push_back({semaphores, 1});
          header(program.code[b]).waits.push_back({semaphores, 1});
          ++semaphores;
        }
      }
    }
  }
};

/// All instructions of all iterations, and what they touch.
class BruteForce {
public:
  static constexpr size_t kMost = 1200;

  explicit BruteForce(const Program &program) : program(program) {
    std::vector<int64_t> counters;
    unroll(0, program.code.size(), counters);
  }

  bool isTooLarge() const { return instances.size() > kMost; }

  /// Whether two accesses that conflict are not in the order of the program.
  bool hasRace() {
    order();
    for (size_t j = 0; j < instances.size(); ++j) {
      for (size_t i = 0; i < j; ++i) {
        const One &a = instances[i];
        const One &b = instances[j];
        if (a.queue == b.queue || before[j].test(i)) {
          continue;
        }
        if ((a.writes & (b.reads | b.writes)).any() || (a.reads & b.writes).any()) {
          return true;
        }
      }
    }
    return false;
  }

private:
  static constexpr size_t kBytes = 2 * kSramBytes;
  struct One {
    size_t instruction;
    Queue queue;
    bool fence;
    std::bitset<kBytes> reads, writes;
  };
  const Program &program;
  std::vector<One> instances;
  std::vector<std::bitset<kMost>> before;

  void unroll(size_t begin, size_t end, std::vector<int64_t> &counters) {
    for (size_t i = begin; i < end && instances.size() <= kMost; ++i) {
      const Instruction &inst = program.code[i];
      if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
        size_t close = i + 1;
        for (int depth = 1; depth > 0; ++close) {
          depth += std::holds_alternative<LoopBegin>(program.code[close]);
          depth -= std::holds_alternative<LoopEnd>(program.code[close]);
        }
        counters.push_back(0);
        for (counters.back() = 0; counters.back() < loop->count; ++counters.back()) {
          unroll(i + 1, close - 1, counters);
        }
        counters.pop_back();
        i = close - 1;
        continue;
      }
      bool fence = std::holds_alternative<Fence>(inst);
      if (!fence && header(inst).queue == Queue::Control) {
        continue;
      }
      One one{i, header(inst).queue, fence, {}, {}};
      for (const Access &access : accessesOf(program, inst)) {
        if (access.address->space == Space::Dram && access.address->region == 0) {
          continue;
        }
        int64_t at = access.address->offset + (access.address->space == Space::Dram ? kSramBytes : 0);
        for (const AddressTerm &term : access.address->terms) {
          int64_t counter = counters[term.loop];
          at += term.stride * (term.modulus != 0 ? counter % term.modulus : counter);
        }
        touch(access, 0, at, one);
      }
      instances.push_back(one);
    }
  }

  static void touch(const Access &access, size_t dim, int64_t at, One &one) {
    if (dim < access.shape.size()) {
      for (int64_t i = 0; i < access.shape[dim]; ++i) {
        touch(access, dim + 1, at + i * access.strides[dim], one);
      }
      return;
    }
    for (uint64_t i = 0; i < access.elementBytes; ++i) {
      if (access.reads) {
        one.reads.set(static_cast<size_t>(at) + i);
      }
      if (access.writes) {
        one.writes.set(static_cast<size_t>(at) + i);
      }
    }
  }

  void order() {
    before.resize(instances.size());
    std::map<Queue, size_t> last;
    std::map<unsigned, std::vector<size_t>> signals; // one entry a count
    std::map<unsigned, size_t> taken;
    int64_t fence = -1;
    for (size_t i = 0; i < instances.size(); ++i) {
      const One &one = instances[i];
      auto follow = [&](size_t j) {
        before[i] |= before[j];
        before[i].set(j);
      };
      if (one.fence) {
        for (size_t j = 0; j < i; ++j) {
          before[i].set(j);
        }
        fence = static_cast<int64_t>(i);
        continue;
      }
      if (fence >= 0) {
        follow(static_cast<size_t>(fence));
      }
      if (auto it = last.find(one.queue); it != last.end()) {
        follow(it->second);
      }
      last[one.queue] = i;
      const InstructionHeader &head = header(program.code[one.instruction]);
      for (const SyncRef &wait : head.waits) {
        for (unsigned c = 0; c < wait.count; ++c) {
          follow(signals[wait.semaphore][taken[wait.semaphore]++]);
        }
      }
      for (const SyncRef &signal : head.signals) {
        signals[signal.semaphore].insert(signals[signal.semaphore].end(), signal.count, i);
      }
    }
  }
};

} // namespace

TEST(checkerAgreesWithBruteForce) {
  Random random(3);
  unsigned races = 0;
  unsigned clean = 0;
  unsigned shortened = 0;
  for (int i = 0; i < 4000; ++i) {
    Program program = ProgramMaker(random).make();
    CheckReport report = checkProgram(program);
    if (report.violation && report.violation->fault == Fault::Invalid) {
      continue;
    }
    BruteForce truth(program);
    if (truth.isTooLarge()) {
      continue;
    }
    bool racy = truth.hasRace();
    bool found = report.violation && (report.violation->fault == Fault::Race || report.violation->fault == Fault::Order);
    if (racy != found) {
      EXPECT_EQ(report.str() + "\n" + printAssembly(program), racy ? "a race" : "no race");
    }
    EXPECT_EQ(found, racy);
    races += racy;
    clean += !racy;
    shortened += !racy && report.followed < report.executed;
  }
  // The test is worth something only if all kinds occur.
  EXPECT(races > 500);
  EXPECT(clean > 200);
  EXPECT(shortened > 100);
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

TEST(costDoesNotGrowWithIterations) {
  // A ring of three slots in two loops, with credits.
  constexpr int64_t kInner = 1'000'000;
  Program program = makeProgram(64, 64);
  program.append(signalling([] {
    Sync sync;
    sync.queue = Queue::ST;
    return sync;
  }(), {{1, 3}}));
  LoopBegin outer;
  outer.count = 1000;
  LoopBegin inner;
  inner.count = 3 * kInner;
  program.append(outer);
  program.append(inner);
  program.append(signalling(waiting(load(sram(0, {{1, 64, 3}}), dram(0), 64), {{1, 1}}), {{0, 1}}));
  program.append(signalling(waiting(store(dram(1), sram(0, {{1, 64, 3}}), 64), {{0, 1}}), {{1, 1}}));
  program.append(LoopEnd());
  program.append(LoopEnd());
  program.append(waiting([] {
    Sync sync;
    sync.queue = Queue::LD;
    return sync;
  }(), {{1, 3}}));
  program.append(Halt());
  CheckReport report = checkProgram(program);
  EXPECT_EQ(report.str(), "9 instructions, 6000000002 executed, 2 semaphores up to 3: no race, no read of unwritten "
                          "bytes, no imbalance, no overflow, no deadlock");
  EXPECT(report.followed < 2000);
  // One slot less makes the third load overwrite the first.
  for (size_t i : {3, 4}) {
    for (const Address *address : addressesOf(program.code[i])) {
      if (address->space == Space::Sram) {
        const_cast<Address *>(address)->terms.front().modulus = 2;
      }
    }
  }
  report = checkProgram(program);
  EXPECT(report.violation && report.violation->fault == Fault::Race);
  EXPECT(report.followed < 10);
}

TEST(streamsThatRunAheadStayApart) {
  // Nothing tells the loads how far the stores are, and nothing needs to: each iteration has its own bytes.
  constexpr int64_t kCount = 1'000'000;
  for (int64_t stride : {64, 63}) {
    Program program = makeProgram(64, static_cast<uint64_t>(64 * kCount));
    program.regions.push_back({RegionRole::Arena, "t", static_cast<uint64_t>(64 * kCount), DType::I8, {64 * kCount}, {}});
    auto copy = [](Queue queue, Address dst, Address src) {
      DmaCp inst;
      inst.queue = queue;
      inst.dst = std::move(dst);
      inst.src = std::move(src);
      inst.shape = {64};
      inst.dstStrides = inst.srcStrides = {1};
      inst.elementBytes = 1;
      return inst;
    };
    LoopBegin loop;
    loop.count = kCount;
    program.append(loop);
    program.append(signalling(copy(Queue::LD, dram(2, 0, {{0, stride, 0}}), dram(0)), {{0, 1}}));
    program.append(waiting(copy(Queue::ST, dram(1, 0, {{0, 64, 0}}), dram(2, 0, {{0, stride, 0}})), {{0, 1}}));
    program.append(LoopEnd());
    program.append(Halt());
    CheckReport report = checkProgram(program);
    if (stride == 64) {
      EXPECT_EQ(report.str(), "5 instructions, 2000000 executed, 1 semaphores up to 5: no race, no read of unwritten "
                              "bytes, no imbalance, no overflow, no deadlock");
      EXPECT(report.followed < 200);
    } else {
      // A byte of the next load lies where a store may still read.
      EXPECT(report.violation && report.violation->fault == Fault::Race);
    }
  }
}
