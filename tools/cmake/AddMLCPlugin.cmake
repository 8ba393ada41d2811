# What a project that builds plug-ins gets with find_package(MLC). SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# mlir_tablegen looks for includes in the directory's include path.
include_directories(${MLC_INCLUDE_DIRS} ${CMAKE_CURRENT_BINARY_DIR})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# mlc_add_plugin(NAME sources... [DEPENDS targets...]): NAME.so, which mlc loads with --load and mlc-opt with
# --load-dialect-plugin and --load-pass-plugin.
function(mlc_add_plugin name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  separate_arguments(_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${name} PRIVATE ${_definitions})
  target_compile_features(${name} PRIVATE cxx_std_17)
  # Sums have one order and an FMA stands where the source says so, as in the compiler itself.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_libraries(${name} PRIVATE MLC::MLC)
  set_target_properties(${name} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()
