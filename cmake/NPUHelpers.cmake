# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Headers that nearly every source includes, compiled once.
add_library(NPUPrecompiledHeader STATIC "${CMAKE_CURRENT_LIST_DIR}/PrecompiledHeader.cpp")
target_precompile_headers(NPUPrecompiledHeader PRIVATE "${CMAKE_CURRENT_LIST_DIR}/PrecompiledHeader.h")
llvm_update_compile_flags(NPUPrecompiledHeader)

# npu_tablegen(NAME TD OUTPUT_AND_FLAGS...): runs mlir-tblgen for each pair "file flag[ flag...]" and makes target NAME.
function(npu_tablegen name td)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  foreach(pair ${ARGN})
    separate_arguments(words UNIX_COMMAND "${pair}")
    list(POP_FRONT words output)
    mlir_tablegen(${output} ${words} -I${CMAKE_SOURCE_DIR})
  endforeach()
  add_public_tablegen_target(${name})
  set_property(GLOBAL APPEND PROPERTY NPU_TABLEGEN_TARGETS ${name})
endfunction()

# npu_add_library(NAME SOURCES... DEPENDS targets... LINK_LIBS libs...): a static library of the compiler.
function(npu_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM NPUPrecompiledHeader)
  get_property(tablegen GLOBAL PROPERTY NPU_TABLEGEN_TARGETS)
  add_dependencies(${name} ${tablegen} ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

# npu_add_tool(NAME ENTRY): a thin main that calls `int ENTRY(int, char **)` of the shared library.
function(npu_add_tool name entry)
  set(main "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${main}" CONTENT
       "extern \"C\" int @entry@(int argc, char **argv);\nint main(int argc, char **argv) { return @entry@(argc, argv); }\n"
       @ONLY)
  add_executable(${name} "${main}")
  target_link_libraries(${name} PRIVATE NPUMLIRPythonCAPI)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
    INSTALL_RPATH "\$ORIGIN/../mlir/_mlir_libs")
  install(TARGETS ${name} RUNTIME DESTINATION "npu_mlir/bin" COMPONENT NPUMLIRPythonModules)
endfunction()
