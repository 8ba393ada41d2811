# cmake -DIN=FILE -DOUT=FILE.inc -P EmbedFile.cmake: writes the bytes of a file as the elements of a C array.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "${bytes}\n")
