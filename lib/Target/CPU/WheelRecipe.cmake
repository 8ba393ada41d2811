# The recipe of trainers in a wheel: the object of the runtime lies with the start-up files and the linker in mlc/link. Of
# the system the C library alone is needed, as programs load it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the linker scripts libm.so and libc.so name, but for the shared libraries.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc_nonshared.a OUTPUT_VARIABLE _nonshared OUTPUT_STRIP_TRAILING_WHITESPACE)
list(APPEND _archives ${_nonshared})
add_library(mlc_glibc OBJECT ${PROJECT_SOURCE_DIR}/python/link/Glibc.c)
target_compile_definitions(mlc_glibc PRIVATE _GNU_SOURCE)
list(APPEND _objects $<TARGET_OBJECTS:mlc_glibc>)

# Names without a directory are of mlc/link.
set(MLC_LINK_PROGRAM ld.lld)
set(MLC_LINK_DIRECTORY link)
set(MLC_LINK_HEAD -pie --eh-frame-hdr -melf_x86_64 --dynamic-linker=/lib64/ld-linux-x86-64.so.2 --gc-sections --as-needed -s -O0
    -L/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L/usr/lib64 -L/lib64 Scrt1.o crti.o crtbeginS.o)
set(MLC_LINK_RUNTIME runtime.o)
set(MLC_LINK_SYSTEM -l:libm.so.6 -l:libc.so.6 -l:ld-linux-x86-64.so.2)
set(MLC_LINK_TAIL crtendS.o crtn.o)
