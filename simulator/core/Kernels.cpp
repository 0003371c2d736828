// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses between the compilations of the inner loops.
//
//===----------------------------------------------------------------------===//

#include "simulator/core/Kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

using namespace npuhw;

namespace npuhw {
namespace portable {
extern const KernelTable kTable;
} // namespace portable
#if defined(__x86_64__) && defined(__GNUC__)
namespace avx2 {
extern const KernelTable kTable;
extern const KernelTable kByteTable;
} // namespace avx2
namespace avx512 {
extern const KernelTable kTable;
extern const KernelTable kByteTable;
} // namespace avx512

/// Whether the processor has AVX-VNNI, which __builtin_cpu_supports of GCC 12 does not know. Asked for only
/// where AVX2 runs.
static bool hasAvxVnni() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & (1u << 4)) != 0;
}
#endif
} // namespace npuhw

const std::vector<const KernelTable *> &npuhw::runnableKernels() {
  static const std::vector<const KernelTable *> tables = [] {
    std::vector<const KernelTable *> found = {&portable::kTable};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      found.push_back(&avx2::kTable);
      if (hasAvxVnni()) {
        found.push_back(&avx2::kByteTable);
      }
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        found.push_back(&avx512::kTable);
        if (__builtin_cpu_supports("avx512vnni")) {
          found.push_back(&avx512::kByteTable);
        }
      }
    }
#endif
    return found;
  }();
  return tables;
}

const KernelTable &npuhw::portableKernels() { return portable::kTable; }

const KernelTable &npuhw::kernels() { return *runnableKernels().back(); }
