# Helpers of the build: one function for each kind of thing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

find_program(MLC_CCACHE ccache)
if(MLC_CCACHE)
  # The sloppiness lets ccache serve files that use a precompiled header. What a file includes is what the compiler says
  # of it: to preprocess each file before is a seventh of the time of a build that finds nothing in the cache.
  set(_launcher ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${MLC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()
find_program(MLC_LLD NAMES ld.lld-22 ld.lld)
if(MLC_LLD)
  add_link_options(-fuse-ld=${MLC_LLD})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type)
# Clang tells of std::get_temporary_buffer wherever std::stable_sort of libstdc++ 12, which calls it, is instantiated.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
# C artifacts of tests leave out the last fields of the ABI's tables, which are zeros then: that is how it grows.
add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-missing-field-initializers>)
# An FMA stands where the source says so: results must not depend on what the compiler contracts.
add_compile_options(-ffp-contract=off)
if(MLC_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()
if(MLC_SANITIZE)
  add_compile_options(-fsanitize=${MLC_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${MLC_SANITIZE})
endif()

# mlc_precompiled(NAME headers...): an object library that carries a precompiled header of C++, for REUSE_FROM. Parsing
# headers is most of the compile time here.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fpch-instantiate-templates>)
file(WRITE ${PROJECT_BINARY_DIR}/pch.cpp.in "// empty: carries the precompiled header\n")
function(mlc_precompiled name)
  configure_file(${PROJECT_BINARY_DIR}/pch.cpp.in ${PROJECT_BINARY_DIR}/${name}.cpp COPYONLY)
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  # Its time is none of the cache's business: what it was made of is.
  target_compile_options(${name} PUBLIC $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# mlc_runtime_library(NAME sources... [LINK libs...]): a library of common/ or runtime/ (no LLVM).
function(mlc_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(MLC_RUNTIME_PRECOMPILED)
    # -pthread as gRPC says it to some of them: a precompiled header serves one mode only.
    target_compile_options(${name} PRIVATE -pthread)
    target_precompile_headers(${name} REUSE_FROM ${MLC_RUNTIME_PRECOMPILED})
  endif()
endfunction()

# A program that is brought to machines where its shared libraries are not: those in lib/ beside it, or beside its
# directory, come first, for what they need, too.
function(mlc_packed_program name)
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/lib;$ORIGIN/../lib")
  target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
endfunction()

# mlc_library(NAME sources... [LINK libs...] [DEPENDS targets...]): a library of the compiler.
function(mlc_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  mlc_compiler_target(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY MLC_COMPILER_LIBRARIES ${name})
endfunction()

# mlc_compiler_target(TARGET): include paths, flags and the precompiled header of the compiler.
function(mlc_compiler_target name)
  get_target_property(_type ${name} TYPE)
  set(_scope PUBLIC)
  if(_type STREQUAL EXECUTABLE)
    set(_scope PRIVATE) # nobody is built with them
  endif()
  target_include_directories(${name} ${_scope} ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/include)
  target_include_directories(${name} SYSTEM ${_scope} ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${name} ${_scope} ${MLC_LLVM_DEFINITIONS})
  # -fPIC for executables too (CMake would say -fPIE): a precompiled header serves one mode only.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fno-exceptions -fPIC)
  if(MLC_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${MLC_PRECOMPILED})
  endif()
endfunction()

# mlc_dialect(NAME OPS_TD): tablegen of a dialect in the current directory. NAME is the dialect's namespace; OPS_TD the
# umbrella file (without .td). Makes target MLC<OPS_TD>IncGen and its reference page docs/dialects/<NAME>.md.
# THEMES t... cuts the ops of a large dialect: those of theme t stand in <class><t>Ops.td, where <class> is OPS_TD without
# "Ops", are declared by <class><t>Ops.h.inc and defined in a source made of <OPS_TD>Theme.cpp.in. So an edit of an op
# compiles what uses its theme. Sets <OPS_TD>_SOURCES to these sources.
function(mlc_dialect name ops)
  cmake_parse_arguments(ARG "" "" "THEMES" ${ARGN})
  string(REGEX REPLACE "Ops$" "" class ${ops})
  foreach(theme ${ARG_THEMES})
    set(LLVM_TARGET_DEFINITIONS ${class}${theme}Ops.td)
    mlir_tablegen(${class}${theme}Ops.h.inc -gen-op-decls)
    mlir_tablegen(${class}${theme}Ops.cpp.inc -gen-op-defs)
    configure_file(${ops}Theme.cpp.in ${class}${theme}OpsClasses.cpp @ONLY)
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/${class}${theme}OpsClasses.cpp)
    string(APPEND list "MLC_OPS_THEME(${theme})\n")
  endforeach()
  set(LLVM_TARGET_DEFINITIONS ${ops}.td)
  if(ARG_THEMES)
    file(CONFIGURE OUTPUT ${ops}Themes.def CONTENT "${list}")
    # Classes of ops are long and no loop runs in them: without inlining beyond accessors they compile in two thirds of
    # the time, to two thirds of the size.
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
      set_source_files_properties(${sources} PROPERTIES COMPILE_FLAGS "-mllvm -inline-threshold=10")
    endif()
    set(${ops}_SOURCES ${sources} PARENT_SCOPE)
  else()
    mlir_tablegen(${ops}.h.inc -gen-op-decls)
    mlir_tablegen(${ops}.cpp.inc -gen-op-defs)
  endif()
  mlir_tablegen(${ops}Dialect.h.inc -gen-dialect-decls -dialect=${name})
  mlir_tablegen(${ops}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
  mlir_tablegen(${ops}Types.h.inc -gen-typedef-decls -typedefs-dialect=${name})
  mlir_tablegen(${ops}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${name})
  mlir_tablegen(${ops}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
  mlir_tablegen(${ops}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
  mlir_tablegen(${ops}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${ops}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(MLC${ops}IncGen)
  mlc_reference(dialects/${name}.md -gen-dialect-doc -dialect=${name})
endfunction()

# mlc_interfaces(TD): tablegen of op interfaces. Makes target MLC<TD>IncGen.
function(mlc_interfaces td)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  mlir_tablegen(${td}.h.inc -gen-op-interface-decls)
  mlir_tablegen(${td}.cpp.inc -gen-op-interface-defs)
  add_public_tablegen_target(MLC${td}IncGen)
endfunction()

# mlc_passes(TD GROUP): tablegen of passes. Makes target MLC<GROUP>PassesIncGen and docs/passes/<GROUP>.md.
function(mlc_passes td group)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  mlir_tablegen(${td}.h.inc -gen-pass-decls -name ${group})
  add_public_tablegen_target(MLC${group}PassesIncGen)
  mlc_reference(passes/${group}.md -gen-pass-doc)
endfunction()

# mlc_reference(PAGE mlir-tblgen arguments...): a page of the generated reference from LLVM_TARGET_DEFINITIONS, made by
# target mlc-doc under <build>/docs.
function(mlc_reference page)
  get_filename_component(folder ${PROJECT_BINARY_DIR}/docs/${page} DIRECTORY)
  get_filename_component(td ${LLVM_TARGET_DEFINITIONS} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB _parts ${CMAKE_CURRENT_SOURCE_DIR}/*.td)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/docs/${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I${PROJECT_SOURCE_DIR} -I${MLIR_MAIN_INCLUDE}
            ${td} -o ${PROJECT_BINARY_DIR}/docs/${page}
    DEPENDS ${td} ${_parts})
  # A target of this directory: a rule is known only where it is written.
  string(MAKE_C_IDENTIFIER ${page} target)
  add_custom_target(${target} DEPENDS ${PROJECT_BINARY_DIR}/docs/${page})
  set_property(GLOBAL APPEND PROPERTY MLC_REFERENCE_PAGES ${target})
endfunction()

# mlc_unit_test(NAME sources... LINK libs... [TOGETHER]): a GoogleTest binary, one ctest per test case. TOGETHER: one ctest of all,
# for hundreds of cases that take less time than a process takes to begin.
function(mlc_unit_test name)
  cmake_parse_arguments(ARG "COMPILER;TOGETHER" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_COMPILER)
    mlc_compiler_target(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  else()
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    # -fPIC for executables too (CMake would say -fPIE), as the precompiled header has it.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
    target_precompile_headers(${name} REUSE_FROM mlc_test_pch)
    list(FILTER ARG_UNPARSED_ARGUMENTS INCLUDE REGEX "[.]c$")
    set_source_files_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY MLC_UNIT_TESTS ${name})
  set(_environment "MLC_SOURCE_DIR=${PROJECT_SOURCE_DIR};MLC_BINARY_DIR=${PROJECT_BINARY_DIR}")
  if(ARG_TOGETHER)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${_environment}")
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ENVIRONMENT "${_environment}")
  endif()
endfunction()
