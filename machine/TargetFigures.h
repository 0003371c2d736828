// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the numbers of a target: peaks, bandwidths, balance, area.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_MACHINE_TARGETFIGURES_H
#define NPU_MACHINE_TARGETFIGURES_H

#include "machine/TargetDesc.h"

namespace npuhw {

/// A number that is derived from a target, for people.
struct TargetFigure {
  const char *key;
  const char *unit;
  const char *doc; ///< The formula, in the keys of the target file.
  double value;
};

/// Peak rates of the element types that the target lists, bandwidths, the
/// arithmetic intensity where the roofline bends, and the area.
std::vector<TargetFigure> targetFigures(const TargetDesc &desc);

/// {"keys": {key: {"unit": .., "doc": ..}}, "figures": {key: {"unit": .., "doc": .., "value": ..}}}: what a reader of
/// the values of `desc` needs beside them.
std::string explainTargetJSON(const TargetDesc &desc);

} // namespace npuhw

#endif // NPU_MACHINE_TARGETFIGURES_H
