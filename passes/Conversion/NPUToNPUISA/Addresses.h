// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What index values and memrefs of a program are to the hardware: affine forms in the counters of its loops, and
// addresses with byte strides.

#ifndef PASSES_CONVERSION_NPUTONPUISA_ADDRESSES_H
#define PASSES_CONVERSION_NPUTONPUISA_ADDRESSES_H

#include "dialects/NPU/IR/NPU.h"
#include "simulator/isa/Types.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::npu {

/// A constant plus strides of loop counters.
struct CounterForm {
  int64_t constant = 0;
  SmallVector<npuhw::AddressTerm> terms;

  static CounterForm counter(unsigned loopDepth, int64_t stride);

  bool isConstant() const { return terms.empty(); }
  /// Adds `factor * other`.
  void add(const CounterForm &other, int64_t factor = 1);
};

/// A strided view of memory.
struct View {
  npuhw::Address address;
  npuhw::DType dtype = npuhw::DType::B8;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides; ///< Bytes.

  unsigned elementBytes() const { return npuhw::dtypeBytes(dtype); }
  /// Moves the first element by a number of bytes.
  void advance(const CounterForm &bytes, int64_t factor = 1);
};

/// The element type in memory. Integers are signless in MLIR and signed here; there is none for other types.
std::optional<npuhw::DType> getDType(Type type);

/// Resolves the index values and memrefs of one program. Faults are diagnostics at the op that cannot be resolved.
class AddressResolver {
public:
  /// Says what a value is that has no defining op to look at: the induction variable of a loop.
  void bindIndex(Value value, CounterForm form) { indices[value] = std::move(form); }
  /// Says which region of DRAM a program argument is.
  void bindRegion(Value argument, unsigned region) { regions[argument] = region; }
  /// The region of the buffers in DRAM.
  void setArena(unsigned region) { arena = region; }

  FailureOr<CounterForm> resolveIndex(Value value);
  FailureOr<View> resolveView(Value memref);

private:
  /// A memref's storage and the bytes from its start to the view's first element.
  struct Place {
    npuhw::Address base;
    CounterForm offset;
  };

  DenseMap<Value, CounterForm> indices;
  DenseMap<Value, unsigned> regions;
  unsigned arena = 0;

  FailureOr<CounterForm> resolveFolded(OpFoldResult value, Operation *user);
  FailureOr<CounterForm> resolveExpr(AffineExpr expr, AffineMap map, ValueRange operands, Operation *user);
  FailureOr<Place> resolvePlace(Value memref);
  FailureOr<Place> resolveBuffer(Operation *op, std::optional<int64_t> offset, MemRefType type);
};

} // namespace mlir::npu

#endif // PASSES_CONVERSION_NPUTONPUISA_ADDRESSES_H
