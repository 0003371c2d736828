// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/HostCalls.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::npu;

//===----------------------------------------------------------------------===//
// The run of this thread
//===----------------------------------------------------------------------===//

namespace {

/// Stands in front of every allocation; its size keeps the alignment of what follows.
struct alignas(64) Allocation {
  Allocation *previous, *next;
  size_t bytes;
};

struct HostRun {
  std::jmp_buf onError;
  LaunchHandler launch;
  HostRunResult result;
  Allocation list = {&list, &list, 0};
  size_t liveBytes = 0;
};

thread_local HostRun *current = nullptr;

} // namespace

HostRunResult npu::runHostCode(void (*function)(void **), void **arguments, LaunchHandler launch) {
  HostRun run;
  run.launch = launch;
  HostRun *outer = current;
  current = &run;
  // Compiled code has no destructors: leaving it by a jump loses nothing but memory, which the list knows.
  if (setjmp(run.onError) == 0) {
    function(arguments);
  }
  current = outer;
  for (Allocation *it = run.list.next; it != &run.list;) {
    Allocation *next = it->next;
    std::free(it);
    it = next;
  }
  return std::move(run.result);
}

static void *hostAllocate(size_t bytes) {
  size_t total = (bytes + sizeof(Allocation) + 63) / 64 * 64;
  auto *allocation = static_cast<Allocation *>(total < bytes ? nullptr : std::aligned_alloc(64, total));
  if (!allocation) {
    current->result.error = "out of memory: " + std::to_string(bytes) + " bytes of host memory are not available";
    std::longjmp(current->onError, 1);
  }
  Allocation &list = current->list;
  *allocation = {&list, list.next, bytes};
  list.next->previous = allocation;
  list.next = allocation;
  current->liveBytes += bytes;
  current->result.peakBytes = std::max(current->result.peakBytes, current->liveBytes);
  return allocation + 1;
}

static void *hostAllocateAligned(size_t, size_t bytes) { return hostAllocate(bytes); }

static void *hostAllocateZeroed(size_t count, size_t bytes) {
  return std::memset(hostAllocate(count * bytes), 0, count * bytes);
}

static void hostFree(void *pointer) {
  if (!pointer) {
    return;
  }
  Allocation *allocation = static_cast<Allocation *>(pointer) - 1;
  allocation->previous->next = allocation->next;
  allocation->next->previous = allocation->previous;
  current->liveBytes -= allocation->bytes;
  std::free(allocation);
}

static void hostFail(const char *message) {
  current->result.error = message;
  std::longjmp(current->onError, 1);
}

static void hostLaunch(const char *program, const int64_t *list, int64_t count) {
  {
    SmallVector<LaunchArgument> arguments;
    for (int64_t i = 0; i < count; ++i) {
      arguments.push_back({reinterpret_cast<void *>(list[2 * i]), list[2 * i + 1]});
    }
    current->result.error = current->launch(program, arguments);
  }
  if (!current->result.error.empty()) {
    std::longjmp(current->onError, 1);
  }
}

//===----------------------------------------------------------------------===//
// Copies between strided memrefs
//===----------------------------------------------------------------------===//

namespace {
/// A memref of any rank as compiled code passes it.
struct UnrankedMemRef {
  int64_t rank;
  int64_t *descriptor; // allocated, aligned, offset, sizes, strides

  char *data(int64_t elementBytes) const {
    return reinterpret_cast<char *>(descriptor[1]) + descriptor[2] * elementBytes;
  }
  int64_t size(int64_t dim) const { return descriptor[3 + dim]; }
  int64_t stride(int64_t dim) const { return descriptor[3 + rank + dim]; }
};
} // namespace

static void copyDimension(int64_t elementBytes, const UnrankedMemRef &from, const UnrankedMemRef &to, int64_t dim,
                          const char *source, char *target) {
  if (dim == from.rank) {
    std::memcpy(target, source, elementBytes);
    return;
  }
  int64_t size = from.size(dim);
  if (dim + 1 == from.rank && from.stride(dim) == 1 && to.stride(dim) == 1) {
    std::memcpy(target, source, size * elementBytes);
    return;
  }
  for (int64_t i = 0; i < size; ++i) {
    copyDimension(elementBytes, from, to, dim + 1, source + i * from.stride(dim) * elementBytes,
                  target + i * to.stride(dim) * elementBytes);
  }
}

static void hostCopy(int64_t elementBytes, const UnrankedMemRef *from, const UnrankedMemRef *to) {
  for (int64_t dim = 0; dim < from->rank; ++dim) {
    if (from->size(dim) == 0) {
      return;
    }
  }
  copyDimension(elementBytes, *from, *to, 0, from->data(elementBytes), to->data(elementBytes));
}

//===----------------------------------------------------------------------===//
// Conversions that processors without the instruction call
//===----------------------------------------------------------------------===//

// They are called with the register conventions of the types: a 16-bit float travels as the low half of a vector
// register, which a float does, too.

static float asFloat(uint16_t bits) { return llvm::bit_cast<float>(static_cast<uint32_t>(bits)); }

template <typename T>
static uint16_t roundTo(const llvm::fltSemantics &semantics, T value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

static float floatToHalf(float value) { return asFloat(roundTo(llvm::APFloat::IEEEhalf(), value)); }
static float doubleToHalf(double value) { return asFloat(roundTo(llvm::APFloat::IEEEhalf(), value)); }
static float floatToBFloat(float value) { return asFloat(roundTo(llvm::APFloat::BFloat(), value)); }
static float doubleToBFloat(double value) { return asFloat(roundTo(llvm::APFloat::BFloat(), value)); }

static float halfToFloat(float half) {
  uint64_t bits = llvm::bit_cast<uint32_t>(half) & 0xffff;
  llvm::APFloat number(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToFloat();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

ArrayRef<std::pair<StringRef, void *>> npu::getHostSymbols() {
  auto address = [](auto *function) { return reinterpret_cast<void *>(function); };
  static const std::pair<StringRef, void *> symbols[] = {
      {"malloc", address(&hostAllocate)},
      {"aligned_alloc", address(&hostAllocateAligned)},
      {"calloc", address(&hostAllocateZeroed)},
      {"free", address(&hostFree)},
      {"memrefCopy", address(&hostCopy)},
      {"npuRuntimeFail", address(&hostFail)},
      {"npuRuntimeLaunch", address(&hostLaunch)},
      {"__truncsfhf2", address(&floatToHalf)},
      {"__truncdfhf2", address(&doubleToHalf)},
      {"__extendhfsf2", address(&halfToFloat)},
      {"__truncsfbf2", address(&floatToBFloat)},
      {"__truncdfbf2", address(&doubleToBFloat)},
  };
  return symbols;
}
