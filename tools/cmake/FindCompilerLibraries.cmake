# MLIR, LLVM and lld for the compiler. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(MLC_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")
set(MLIR_MAIN_INCLUDE ${MLIR_INCLUDE_DIRS})
list(GET MLIR_MAIN_INCLUDE 0 MLIR_MAIN_INCLUDE)
# mlir_tablegen looks for includes in the directory's include path.
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/include)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

if(MLC_WHEEL)
  # What is referred to is taken from them: of the targets, X86 and NVPTX.
  file(GLOB MLC_LLVM_ARCHIVES ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  find_package(zstd REQUIRED)
  list(APPEND MLC_LLVM_ARCHIVES ${MLC_ZSTD} ZLIB::ZLIB)
endif()

# Header parsing dominates the compile time of MLIR code: one precompiled header for all of it. Ops of our dialects are
# not in it, so that an edit of them compiles what uses them alone.
mlc_precompiled(mlc_pch ${PROJECT_SOURCE_DIR}/include/mlc/Support/Precompiled.h)
mlc_compiler_target(mlc_pch)
set(MLC_PRECOMPILED mlc_pch)
