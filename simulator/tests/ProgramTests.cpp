// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program file and the assembly: round trips and damage.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Verifier.h"
#include "simulator/tests/Builder.h"

#include <algorithm>

using namespace npuhw;
using namespace npuhw::test;

TEST(binaryRoundTrip) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    Program program = randomProgram(random);
    EXPECT_EQ(verifyStructure(program), std::string());
    Bytes file = writeProgram(program);
    Result<Program> back = readProgram(file);
    EXPECT(static_cast<bool>(back));
    if (back) {
      EXPECT(*back == program);
      EXPECT(writeProgram(*back) == file);
    }
  }
}

TEST(assemblyRoundTrip) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    Program program = randomProgram(random);
    std::string text = printAssembly(program);
    Result<Program> back = parseAssembly(text);
    EXPECT(static_cast<bool>(back));
    if (back) {
      EXPECT(*back == program);
      EXPECT_EQ(printAssembly(*back), text);
    } else {
      EXPECT_EQ(back.error().str(), "");
    }
  }
}

TEST(truncatedFileIsAnError) {
  Random random(3);
  Bytes file = writeProgram(randomProgram(random));
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of exactly this size, so that a sanitizer sees reads past it.
    Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT(!readProgram(part));
  }
}

TEST(flippedByteIsAnError) {
  Random random(4);
  Bytes file = writeProgram(randomProgram(random));
  for (size_t at = 0; at < file.size(); ++at) {
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      Bytes damaged = file;
      damaged[at] ^= mask;
      EXPECT(!readProgram(damaged));
    }
  }
}

/// Damage inside of the sections with the checksums put right again: reading
/// may succeed, and so may verification; neither may crash.
TEST(damagedSectionsNeverCrash) {
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    Bytes file = writeProgram(randomProgram(random));
    Result<Container> container = readContainer(file);
    EXPECT(static_cast<bool>(container));
    for (Section &section : container->sections) {
      if (section.bytes.empty()) {
        continue;
      }
      for (int k = 0; k < 200; ++k) {
        Bytes original = section.bytes;
        for (uint64_t n = 1 + random.below(3); n > 0; --n) {
          section.bytes[random.below(section.bytes.size())] = static_cast<uint8_t>(random.next());
        }
        if (random.below(4) == 0) {
          section.bytes.resize(random.below(section.bytes.size() + 1));
        }
        Result<Program> program = readProgram(writeContainer(*container));
        if (program) {
          EXPECT(static_cast<bool>(readProgram(writeProgram(*program))));
          verifyProgram(*program);
        } else {
          EXPECT(!program.error().message.empty());
        }
        section.bytes = original;
      }
    }
  }
}

TEST(damagedAssemblyNeverCrashes) {
  Random random(6);
  for (int i = 0; i < 30; ++i) {
    std::string text = printAssembly(randomProgram(random));
    for (int k = 0; k < 100; ++k) {
      std::string damaged = text;
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      if (random.below(4) == 0) {
        damaged.resize(random.below(damaged.size()));
      }
      Result<Program> program = parseAssembly(damaged);
      if (!program) {
        EXPECT(program.error().line > 0);
      }
    }
  }
}

TEST(errorsNameByteAndReason) {
  Random random(7);
  Bytes file = writeProgram(randomProgram(random));
  EXPECT_CONTAINS(readProgram(Bytes()).error().str(), "inside its header");
  Bytes foreign(64, 'x');
  EXPECT_CONTAINS(readProgram(foreign).error().str(), "neither a program");
  Bytes newer = file;
  newer[8] = 9;
  EXPECT_CONTAINS(readProgram(newer).error().str(), "format version 9.1 is not supported");
  Bytes damaged = file;
  damaged[file.size() - 9] ^= 1;
  EXPECT_CONTAINS(readProgram(damaged).error().str(), "the file is damaged");
  Container package;
  package.kind = FileKind::Package;
  package.sections.push_back({SectionKind::Manifest, "manifest", {'{', '}'}});
  package.sections.push_back({SectionKind::Program, "main", file});
  Bytes packed = writeContainer(package);
  EXPECT_CONTAINS(readProgram(packed).error().str(), "this is a package");
  Result<Container> back = readContainer(packed);
  EXPECT(static_cast<bool>(back));
  EXPECT(back && back->find(SectionKind::Program, "main")->bytes == file);
}

TEST(structureIsChecked) {
  Program program = makeProgram(4, 4);
  EXPECT_CONTAINS(verifyStructure(program), "must be 'halt'");
  program.append(LoopEnd());
  program.append(Halt());
  EXPECT_CONTAINS(verifyStructure(program), "'loop_end' without 'loop_begin'");
  program.code.front() = LoopBegin();
  EXPECT_CONTAINS(verifyStructure(program), "'count' is 0");
}

TEST(aProgramHasOneFormAsAFile) {
  Program program = makeProgram(64, 64);
  program.append(Halt());
  Result<Container> container = readContainer(writeProgram(program));
  Container renamed = *container;
  renamed.sections[1].name = "code2";
  EXPECT_CONTAINS(readProgram(writeContainer(renamed)).error().message, "has the name 'code2'");
  Container flagged = *container;
  for (Section &section : flagged.sections) {
    if (section.kind == SectionKind::Target) {
      const std::string key = "weight_double_buffer";
      auto at = std::search(section.bytes.begin(), section.bytes.end(), key.begin(), key.end());
      // The type of the value stands between the key and the value.
      at[static_cast<int64_t>(key.size()) + 1] = 2;
    }
  }
  EXPECT_CONTAINS(readProgram(writeContainer(flagged)).error().message, "flag 'weight_double_buffer' is 2");
}
