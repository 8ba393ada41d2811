# The recipe of trainers in a wheel: runtime and system's libraries are one object, made here, and lie with the start-up
# files and the linker in mlc/link. Of the system the C library alone is needed, as programs load it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the linker scripts libm.so and libc.so name, but for the shared libraries.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc_nonshared.a OUTPUT_VARIABLE _nonshared OUTPUT_STRIP_TRAILING_WHITESPACE)
set(_system ${MLC_LINK_SYSTEM})
list(REMOVE_ITEM _system ${_libm.so} ${_libc.so})
set(_runtime)
foreach(_library ${MLC_LINK_RUNTIME})
  string(REGEX REPLACE "^lib(.*)[.]a$" "\\1" _target ${_library})
  list(APPEND _runtime $<TARGET_FILE:${_target}>)
endforeach()
add_library(mlc_glibc OBJECT ${PROJECT_SOURCE_DIR}/python/link/Glibc.c)
target_compile_definitions(mlc_glibc PRIVATE _GNU_SOURCE)
set(MLC_WHEEL_RUNTIME ${PROJECT_BINARY_DIR}/lib/runtime.o)
add_custom_command(OUTPUT ${MLC_WHEEL_RUNTIME}
  COMMAND ${MLC_LLD} -r --gc-sections --strip-debug -u main -o ${MLC_WHEEL_RUNTIME} $<TARGET_OBJECTS:mlc_glibc> --start-group ${_runtime} ${_system} ${_nonshared} --end-group
  DEPENDS ${_runtime} $<TARGET_OBJECTS:mlc_glibc> VERBATIM)
add_custom_target(mlc_wheel_runtime DEPENDS ${MLC_WHEEL_RUNTIME})
set_property(GLOBAL PROPERTY MLC_WHEEL_LINK_FILES ${MLC_WHEEL_RUNTIME} ${_Scrt1.o} ${_crti.o} ${_crtbeginS.o} ${_crtendS.o} ${_crtn.o})

# Names without a directory are of mlc/link.
set(MLC_LINK_PROGRAM ld.lld)
set(MLC_LINK_DIRECTORY link)
set(MLC_LINK_HEAD -pie --eh-frame-hdr -melf_x86_64 --dynamic-linker=/lib64/ld-linux-x86-64.so.2 --gc-sections --as-needed -s
    -L/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L/usr/lib64 -L/lib64 Scrt1.o crti.o crtbeginS.o)
set(MLC_LINK_RUNTIME runtime.o)
set(MLC_LINK_SYSTEM -l:libm.so.6 -l:libc.so.6 -l:ld-linux-x86-64.so.2)
set(MLC_LINK_TAIL crtendS.o crtn.o)
