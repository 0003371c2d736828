// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIALECTS_NPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define DIALECTS_NPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace npu {

/// Teaches one-shot bufferization every destination-style op of the npu dialect: results lie in the inits.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace npu
} // namespace mlir

#endif // DIALECTS_NPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
