// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops for x86 processors with AVX2 and FMA; kernels() checks for
// them before it hands this table out.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && defined(__GNUC__)

// Everything from the standard library comes before the target changes, so that
// no inline function shared with other files is compiled for it.
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "simulator/core/Kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#include "simulator/numerics/Transcendental.h"

#define NPU_KERNELS_NAMESPACE wide
#define NPU_KERNELS_NAME "avx2"
#include "simulator/core/Kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
