// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses between the compilations of the inner loops.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Kernels.h"

using namespace npuhw;

namespace npuhw {
namespace portable {
extern const KernelTable kTable;
} // namespace portable
#if defined(__x86_64__) && defined(__GNUC__)
namespace avx2 {
extern const KernelTable kTable;
} // namespace avx2
#endif
} // namespace npuhw

const std::vector<const KernelTable *> &npuhw::runnableKernels() {
  static const std::vector<const KernelTable *> tables = [] {
    std::vector<const KernelTable *> found = {&portable::kTable};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      found.push_back(&avx2::kTable);
    }
#endif
    return found;
  }();
  return tables;
}

const KernelTable &npuhw::portableKernels() { return portable::kTable; }

const KernelTable &npuhw::kernels() { return *runnableKernels().back(); }
