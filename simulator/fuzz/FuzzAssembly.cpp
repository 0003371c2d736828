// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer target: bytes as assembly. What is read must print as text that
// reads back as the same program.
//
//===----------------------------------------------------------------------===//

#include "simulator/program/Program.h"

#include <cstdio>
#include <cstdlib>

using namespace npuhw;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Program> program = parseAssembly(std::string(reinterpret_cast<const char *>(data), size));
  if (!program) {
    return 0;
  }
  Result<Program> again = parseAssembly(printAssembly(*program));
  if (!again || !(*again == *program)) {
    std::fprintf(stderr, "broken: assembly reads back as the same program\n");
    std::abort();
  }
  return 0;
}
