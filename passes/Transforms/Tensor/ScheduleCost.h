// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a choice of tile sizes needs and costs, before the tiles exist.

#ifndef PASSES_TRANSFORMS_TENSOR_SCHEDULECOST_H
#define PASSES_TRANSFORMS_TENSOR_SCHEDULECOST_H

#include "dialects/Target/Target.h"
#include "machine/CostModel.h"
#include "passes/Transforms/Tensor/KernelInfo.h"

#include "llvm/ADT/SmallBitVector.h"

namespace mlir::npu {

/// On-chip memory that a tiled kernel needs.
struct MemoryNeed {
  int64_t sramBytes = 0;
  int64_t accBytes = 0;
};

/// A kernel as far as its schedule is concerned. Tile sizes are one per dimension of the root op, from 1 to the extent.
class KernelModel {
public:
  KernelModel(KernelOps ops, const TargetDesc &target);

  ArrayRef<int64_t> getExtents() const { return extents; }
  ArrayRef<utils::IteratorType> getIterators() const { return iterators; }
  /// What tile sizes of the dimension have to be a multiple of, unless they are the extent.
  int64_t getUnit(unsigned dim) const { return units[dim]; }
  const TargetDesc &getTarget() const { return target; }

  /// Memory for `depth` buffers of each tile that changes between iterations. It counts the tiles in front of and
  /// behind a loop as well, for they may be alive together with those inside.
  MemoryNeed computeNeed(ArrayRef<int64_t> tiles, int64_t depth) const;

  /// Whether the need for `tiles` is met by the target.
  bool fits(ArrayRef<int64_t> tiles, int64_t depth) const;

  /// Estimated cycles of the kernel.
  double computeCycles(ArrayRef<int64_t> tiles, int64_t depth) const;

  /// Number of loops that the tiles make.
  int64_t countLoops(ArrayRef<int64_t> tiles) const;

private:
  /// A tensor in DRAM that tiles are loaded from or stored to.
  struct Operand {
    Value tensor;
    AffineMap map; ///< Over the root's dimensions.
    SmallVector<SmallVector<int64_t>> factors; ///< For each tensor dimension, the factor of each root dimension.
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dims; ///< The root dimensions that the tile depends on.
    int64_t elementBytes = 1;
    bool isLoaded = false, isStored = false;
  };

  void addOperand(Value tensor, AffineMap map, bool isLoaded, bool isStored);
  void getBox(const Operand &operand, ArrayRef<int64_t> tiles, SmallVectorImpl<int64_t> &box) const;
  int64_t countTiles(unsigned dim, ArrayRef<int64_t> tiles) const;
  int64_t countSites(unsigned dim, ArrayRef<int64_t> tiles) const;
  double computeTileCycles(ArrayRef<int64_t> tiles) const;

  KernelOps ops;
  const TargetDesc &target;
  SmallVector<int64_t> extents, units;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<Operand> operands;
  AffineMap weightMap; ///< That of a contraction's rhs.
  npuhw::MacType macType = npuhw::MacType::F32;
  uint64_t cyclesPerPoint = 1; ///< Of the vector op or the drain.
};

} // namespace mlir::npu

#endif // PASSES_TRANSFORMS_TENSOR_SCHEDULECOST_H
