// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_INITALLDIALECTS_H
#define DIALECTS_INITALLDIALECTS_H

namespace mlir {
class DialectRegistry;
namespace npu {

/// Registers the dialects of this project and the upstream ones that its pipelines use, with the interface
/// implementations that they need.
void registerAllDialects(DialectRegistry &registry);

} // namespace npu
} // namespace mlir

#endif // DIALECTS_INITALLDIALECTS_H
