// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops, watchpoints, dumps and commands of the debugger.
//
//===----------------------------------------------------------------------===//

#include "simulator/debug/Prompt.h"
#include "simulator/tests/Builder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace npuhw;
using namespace npuhw::test;

namespace {

/// In a loop of two: input to SRAM, from there to the output.
Program copyProgram() {
  Program program = makeProgram(32, 32);
  LoopBegin loop;
  loop.count = 2;
  program.append(loop);
  program.append(signalling(load(sram(64, {{0, 16, 0}}), dram(0, 0, {{0, 16, 0}}), 16), {{0, 1}}), "fetch");
  program.append(waiting(store(dram(1, 0, {{0, 16, 0}}), sram(64, {{0, 16, 0}}), 16), {{0, 1}}), "put");
  program.append(LoopEnd());
  program.append(Halt());
  return program;
}

Bytes counting() {
  Bytes input(32);
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<uint8_t>(i + 1);
  }
  return input;
}

} // namespace

// The builder fills the output with 0xcc.
TEST(breakpointsStopBeforeTheResults) {
  Program program = copyProgram();
  std::vector<std::string> seen;
  Debugger debugger({&program}, [&](const Stop &stop) {
    Result<Bytes> bytes = stop.machine.read(Space::Sram, 0, 64, 16);
    Result<Bytes> output = stop.machine.read(Space::Dram, 1, 0, 1);
    seen.push_back(std::to_string(stop.moment.instruction) + " " + std::to_string(stop.moment.counters.at(0)) + " " +
                   std::to_string((*bytes)[0]) + " " + std::to_string((*output)[0]));
    EXPECT(!stop.machine.read(Space::Sram, 0, program.target.sramBytes, 1));
    EXPECT(!stop.machine.read(Space::Dram, 2, 0, 1));
    return StopAnswer::Continue;
  });
  EXPECT_EQ(debugger.addBreakpoint("put"), "");
  SimulatorOptions options;
  options.observer = &debugger;
  Report with, without;
  EXPECT(runProgram(program, counting(), options, &with) == counting());
  EXPECT(runProgram(program, counting(), {}, &without) == counting());
  EXPECT_EQ(toJSON(with), toJSON(without));
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen.at(0), "2 0 1 204");
  EXPECT_EQ(seen.at(1), "2 1 1 1");
}

TEST(watchpointsAndSteps) {
  Program program = copyProgram();
  std::vector<Stop::Event> events;
  Debugger debugger({&program}, [&](const Stop &stop) {
    events.push_back(stop.event);
    if (stop.event == Stop::Event::Watch) {
      EXPECT_EQ(stop.changes.size(), 1u);
      EXPECT_EQ(formatValues(stop.changes[0].before, "u8"), "0 0");
      EXPECT_EQ(formatValues(stop.changes[0].after, "u8"), "17 18");
    }
    return StopAnswer::Step;
  });
  EXPECT_EQ(debugger.addWatch("sram:0x50:2"), "");
  debugger.setStep(true);
  SimulatorOptions options;
  options.observer = &debugger;
  runProgram(program, counting(), options);
  EXPECT_EQ(events.size(), 4u);
  EXPECT_EQ(std::count(events.begin(), events.end(), Stop::Event::Watch), 1);
}

TEST(placesThatAreNone) {
  Program program = copyProgram();
  Debugger debugger({&program}, [](const Stop &) { return StopAnswer::Continue; });
  EXPECT_CONTAINS(debugger.addBreakpoint("fetsh"), "the nearest nodes are 'fetch'");
  EXPECT_CONTAINS(debugger.addBreakpoint("5"), "has instructions 0 to 4");
  EXPECT_CONTAINS(debugger.addBreakpoint("0"), "the next one of a queue is 1");
  EXPECT_CONTAINS(debugger.removeBreakpoint("1"), "no breakpoint");
  EXPECT_CONTAINS(debugger.addWatch("sram:0"), "no range of memory");
  EXPECT_CONTAINS(debugger.addWatch("dram7:0:1"), "has no memory 'dram7'");
  EXPECT_CONTAINS(debugger.addWatch("dram0:30:4"), "reaches past the end");
  Program other = program;
  other.name = "other";
  Debugger both({&program, &other}, [](const Stop &) { return StopAnswer::Continue; });
  EXPECT_CONTAINS(both.addBreakpoint("1"), "of which program?");
  EXPECT_EQ(both.addBreakpoint("other:1"), "");
  EXPECT_EQ(both.addBreakpoint("other:put"), "");
}

TEST(quittingEndsTheRun) {
  Program program = copyProgram();
  Debugger debugger({&program}, [](const Stop &) { return StopAnswer::Quit; });
  debugger.setStep(true);
  SimulatorOptions options;
  options.observer = &debugger;
  EXPECT_EQ(errorOf(program, counting(), options), kStoppedByObserver);
}

TEST(dumpsHoldTheMachine) {
  Program program = copyProgram();
  Debugger debugger({&program}, [](const Stop &) { return StopAnswer::Continue; });
  std::filesystem::path dir = std::filesystem::temp_directory_path() / "npu_debugger_dump_test";
  EXPECT_EQ(debugger.addDump("fetch", dir.string()), "");
  SimulatorOptions options;
  options.observer = &debugger;
  runProgram(program, counting(), options);
  std::ifstream file(dir / "sram.bin", std::ios::binary);
  Bytes bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(bytes.size(), program.target.sramBytes);
  EXPECT_EQ(int(bytes.at(64)), 1);
  EXPECT_EQ(int(bytes.at(80)), 0);
  EXPECT(std::filesystem::exists(dir / "state.json"));
  std::filesystem::remove_all(dir);
}

TEST(commandsOfThePrompt) {
  Program program = copyProgram();
  std::istringstream in("p sram:64:4 u8\nw dram1:0:2\nbt\nfoo\nd put\nc\ni\n");
  std::ostringstream out;
  Prompt prompt(in, out, false);
  Debugger *self = nullptr;
  Debugger debugger({&program}, [&](const Stop &stop) { return prompt(*self, stop); });
  self = &debugger;
  EXPECT_EQ(debugger.addBreakpoint("put"), "");
  SimulatorOptions options;
  options.observer = &debugger;
  EXPECT(runProgram(program, counting(), options) == counting());
  std::string text = out.str();
  EXPECT_CONTAINS(text, "breakpoint, starts: 2 (dma_st");
  EXPECT_CONTAINS(text, "of node 'put' in iteration [0]");
  EXPECT_CONTAINS(text, "1 2 3 4\n");
  EXPECT_CONTAINS(text, "unknown command 'foo'");
  EXPECT_CONTAINS(text, "watchpoint, completed: 2");
  EXPECT_CONTAINS(text, "was cc cc\n    is  01 02");
}

TEST(valuesAsText) {
  EXPECT_EQ(formatValues({0x00, 0x3c, 0x01, 0x00, 0x00, 0xfc}, "f16"), "1 5.96046448e-08 -inf");
  EXPECT_EQ(formatValues({0x80, 0x3f}, "bf16"), "1");
  EXPECT_EQ(formatValues({0xff, 0xff, 0xff, 0xff, 7}, "i32"), "-1");
  EXPECT_EQ(formatValues({0xff, 0x0a}, "hex"), "ff 0a");
}
