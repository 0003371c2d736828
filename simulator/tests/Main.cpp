// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs all tests, or those whose name contains an argument.
//
//===----------------------------------------------------------------------===//

#include "simulator/tests/Test.h"

#include <cstring>

int main(int argc, char **argv) {
  auto &registry = npuhw::test::Registry::get();
  for (const auto &test : registry.cases) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i) {
      wanted |= std::strstr(test.name, argv[i]) != nullptr;
    }
    if (wanted) {
      registry.current = test.name;
      test.run();
    }
  }
  std::cout << registry.passed << " passed, " << registry.failed << " failed\n";
  return registry.failed == 0 ? 0 : 1;
}
