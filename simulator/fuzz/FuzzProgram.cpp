// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer target: bytes as a program file. Checksums are made right first, so
// that damage gets past them. What is read must be written back to the same
// bytes and survive the way through assembly; the verifier must come to an end.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Verifier.h"
#include "simulator/program/Container.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace npuhw;

namespace {

// docs/program-format.md, "Container".
constexpr size_t kHeaderBytes = 32;
constexpr size_t kEntryBytes = 32;
constexpr size_t kHeaderChecksum = 28;

template <class T> T load(const Bytes &bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

void repairChecksums(Bytes &file) {
  if (file.size() < kHeaderBytes) {
    return;
  }
  uint64_t count = load<uint32_t>(file, 12);
  uint64_t first = file.size();
  for (uint64_t i = 0; i < count && kHeaderBytes + (i + 1) * kEntryBytes <= file.size(); ++i) {
    size_t entry = kHeaderBytes + i * kEntryBytes;
    auto offset = load<uint64_t>(file, entry + 8);
    auto size = load<uint64_t>(file, entry + 16);
    if (offset <= file.size() && size <= file.size() - offset) {
      uint32_t sum = crc32(file.data() + offset, size);
      std::memcpy(file.data() + entry + 4, &sum, sizeof(sum));
      first = offset < first ? offset : first;
    }
  }
  std::memset(file.data() + kHeaderChecksum, 0, 4);
  uint32_t sum = crc32(file.data(), first);
  std::memcpy(file.data() + kHeaderChecksum, &sum, sizeof(sum));
}

void require(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes file(data, data + size);
  repairChecksums(file);
  Result<Program> program = readProgram(file);
  if (!program) {
    require(!program.error().message.empty(), "a reject has a reason");
    return 0;
  }
  // An older minor version is read, the newest one is written.
  bool isNewest = load<uint16_t>(file, 10) == kFormatMinor;
  require(!isNewest || writeProgram(*program) == file, "a program has one form as a file");
  Result<Program> again = parseAssembly(printAssembly(*program));
  require(bool(again) && *again == *program, "assembly reads back as the same program");
  Result<ProgramInfo> info = verifyProgram(*program);
  require(bool(info) || !info.error().message.empty(), "a reject has a reason");
  return 0;
}
