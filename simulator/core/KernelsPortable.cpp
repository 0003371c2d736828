// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/core/Kernels.h"
#include "simulator/numerics/Transcendental.h"

#define NPU_KERNELS_NAMESPACE portable
#define NPU_KERNELS_NAME "portable"
#include "simulator/core/Kernels.inc"

#if defined(__x86_64__) && defined(__GNUC__)
namespace npuhw::wide {
extern const KernelTable kTable;
} // namespace npuhw::wide
#endif

const npuhw::KernelTable &npuhw::portableKernels() { return portable::kTable; }

const npuhw::KernelTable &npuhw::kernels() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool wideRuns = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wideRuns) {
    return wide::kTable;
  }
#endif
  return portable::kTable;
}
