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
  uint64_t passed = 0, failed = 0;
  for (const auto &test : registry.cases) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i) {
      wanted |= std::strstr(test.name, argv[i]) != nullptr;
    }
    if (!wanted) {
      continue;
    }
    registry.current = test.name;
    uint64_t checksBefore = registry.passed + registry.failed, faultsBefore = registry.failed;
    test.run();
    bool hasChecked = registry.passed + registry.failed > checksBefore;
    if (!hasChecked) {
      std::cout << test.name << ": checks nothing\n";
    }
    (hasChecked && registry.failed == faultsBefore ? passed : failed) += 1;
  }
  std::cout << registry.passed + registry.failed << " checks, " << registry.failed << " of them wrong\n"
            << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
