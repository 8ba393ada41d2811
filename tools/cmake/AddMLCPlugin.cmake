# What a project that builds plug-ins gets with find_package(MLC). SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# mlir_tablegen looks for includes in the directory's include path.
include_directories(${MLC_INCLUDE_DIRS} ${CMAKE_CURRENT_BINARY_DIR})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# C functions become bitcode by the clang of this LLVM.
find_program(MLC_CLANG NAMES clang-${LLVM_VERSION_MAJOR} clang HINTS ${LLVM_TOOLS_BINARY_DIR})
# What a plug-in says that it is built with.
find_program(MLC_READELF NAMES llvm-readelf readelf HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
set(MLC_PLUGIN_BUILD ${CMAKE_CURRENT_LIST_DIR}/PluginBuild.cmake)
set(MLC_EMBED_FILE ${CMAKE_CURRENT_LIST_DIR}/EmbedFile.cmake)

# mlc_add_plugin(NAME sources... [FUNCTIONS files...] [DEPENDS targets...]): NAME.so, which mlc loads with --load and
# mlc-opt with --load-dialect-plugin and --load-pass-plugin. FUNCTIONS are C files with functions that compute ops: each
# X.c is part of the plug-in, for the interpreter, and its bitcode is in X.bc.inc, the elements of an array of bytes,
# which sources include. The plug-in says which mlc it is built with, and no other one loads it.
function(mlc_add_plugin name)
  cmake_parse_arguments(ARG "" "" "FUNCTIONS;DEPENDS" ${ARGN})
  set(_build ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.cpp)
  add_custom_command(OUTPUT ${_build}
    COMMAND ${CMAKE_COMMAND} -DREADELF=${MLC_READELF} -DLIBRARY=$<TARGET_FILE:MLC::MLC> -DOUT=${_build} -P ${MLC_PLUGIN_BUILD}
    DEPENDS $<TARGET_FILE:MLC::MLC> ${MLC_PLUGIN_BUILD} VERBATIM)
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS} ${ARG_FUNCTIONS} ${_build})
  separate_arguments(_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${name} PRIVATE ${_definitions})
  target_compile_features(${name} PRIVATE cxx_std_17)
  # Sums have one order and an FMA stands where the source says so, as in the compiler itself.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_libraries(${name} PRIVATE MLC::MLC)
  set_target_properties(${name} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON)
  if(ARG_FUNCTIONS AND NOT MLC_CLANG)
    message(FATAL_ERROR "mlc_add_plugin(${name}): FUNCTIONS need clang ${LLVM_VERSION_MAJOR}; set MLC_CLANG")
  endif()
  foreach(_file ${ARG_FUNCTIONS})
    get_filename_component(_name ${_file} NAME_WE)
    get_filename_component(_path ${_file} ABSOLUTE)
    set(_bitcode ${CMAKE_CURRENT_BINARY_DIR}/${_name}.bc)
    add_custom_command(OUTPUT ${_bitcode}.inc
      COMMAND ${MLC_CLANG} --target=x86_64-unknown-linux-gnu -O2 -fPIC -ffp-contract=off -fno-math-errno -fno-stack-protector
              -I${MLC_INCLUDE_DIRS} -emit-llvm -c ${_path} -o ${_bitcode}
      COMMAND ${CMAKE_COMMAND} -DIN=${_bitcode} -DOUT=${_bitcode}.inc -P ${MLC_EMBED_FILE}
      DEPENDS ${_path} ${MLC_EMBED_FILE} VERBATIM)
    target_sources(${name} PRIVATE ${_bitcode}.inc)
  endforeach()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()
