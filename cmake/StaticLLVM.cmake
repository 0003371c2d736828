# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The wheels' MLIR archives name the shared library target LLVM. The package must be self-contained (another
# LLVM may live in the same process, inside torch_mlir), so that target is pointed at the static archives.
set(LLVM_LINK_LLVM_DYLIB OFF)
set(MLIR_LINK_MLIR_DYLIB OFF)
get_target_property(_support LLVMSupport IMPORTED_LOCATION_RELEASE)
set_target_properties(LLVM PROPERTIES
  IMPORTED_LOCATION_RELEASE "${_support}"
  IMPORTED_SONAME_RELEASE "")
set_property(TARGET LLVM PROPERTY INTERFACE_LINK_LIBRARIES
  LLVMSupport LLVMCore LLVMOrcJIT LLVMJITLink LLVMPasses LLVMX86CodeGen LLVMX86AsmParser LLVMX86Desc
  LLVMX86Info LLVMIRReader LLVMBitWriter LLVMBitReader LLVMFrontendOpenMP LLVMTargetParser LLVMAsmParser
  LLVMLinker LLVMSupportLSP LLVMTransformUtils)
