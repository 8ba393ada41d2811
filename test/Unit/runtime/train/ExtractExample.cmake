# cmake -DIN=PAGE.md -DOUT=FILE.c -P ExtractExample.cmake: writes the C block of a page to a file.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(READ "${IN}" page)
string(FIND "${page}" "\n```c\n" begin)
if(begin LESS 0)
  message(FATAL_ERROR "${IN} has no block of C")
endif()
math(EXPR begin "${begin} + 6")
string(SUBSTRING "${page}" ${begin} -1 rest)
string(FIND "${rest}" "\n```\n" length)
string(SUBSTRING "${rest}" 0 ${length} code)
file(WRITE "${OUT}" "/* From ${IN}. */\n${code}\n")
