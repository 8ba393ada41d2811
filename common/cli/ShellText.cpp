// Quoting for a shell.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/ShellText.h"

namespace mlc::common {

std::string shellWord(std::string_view word) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace mlc::common
