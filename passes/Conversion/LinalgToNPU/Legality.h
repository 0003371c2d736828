// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The one predicate of what the device runs. npu-place wraps what it rejects; convert-linalg-to-npu converts what it
// admits, in the way that the verdict names.

#ifndef PASSES_CONVERSION_LINALGTONPU_LEGALITY_H
#define PASSES_CONVERSION_LINALGTONPU_LEGALITY_H

#include "dialects/NPU/IR/SourceName.h"
#include "dialects/Target/Target.h"

namespace mlir::npu {

/// What a tensor op becomes on the device.
enum class DeviceForm {
  View,      ///< No work: constants, tensor.empty, reshapes and slices stay.
  Matmul,    ///< npu.matmul or npu.batch_matmul.
  Conv2d,    ///< npu.conv2d.
  Depthwise, ///< npu.depthwise_conv2d.
  Gather,    ///< npu.gather.
  Transpose, ///< npu.transpose.
  Copy,      ///< npu.copy.
  Pad,       ///< npu.pad.
  Generic,   ///< npu.generic.
};

/// Whether the device runs an op: a form, or the reason why not.
struct Verdict {
  std::optional<DeviceForm> form;
  /// The identifier of the rule that rejects, for tests and reports, for example "element-type".
  StringRef rule;
  /// "<op>: <what, with the value found>".
  std::string reason;
};

/// Judges an op on tensors that is not inside npu.host_region.
Verdict judge(Operation *op, const TargetDesc &target);

} // namespace mlir::npu

#endif // PASSES_CONVERSION_LINALGTONPU_LEGALITY_H
