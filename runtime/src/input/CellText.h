// What parsing of cells and messages about them share. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_CELLTEXT_H
#define MLCRT_INPUT_CELLTEXT_H

#include <string>
#include <string_view>

namespace mlcrt {

/// `text` without blanks and tabs at both ends.
inline std::string_view trimBlanks(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// `text` in quotes, cut if long, without control characters.
std::string quotedCell(std::string_view text);

} // namespace mlcrt

#endif // MLCRT_INPUT_CELLTEXT_H
