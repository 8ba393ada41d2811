// Regular expressions that choose names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/NameExpression.h"

#include <algorithm>
#include <regex.h>

namespace mlc::common {

ChosenNames chooseNames(const std::string &expression, const std::vector<std::string> &names) {
  ChosenNames chosen;
  regex_t compiled;
  if (int problem = ::regcomp(&compiled, ("^(" + expression + ")").c_str(), REG_EXTENDED | REG_NOSUB)) {
    char text[200];
    ::regerror(problem, &compiled, text, sizeof(text));
    chosen.problem = text;
    return chosen;
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (::regexec(&compiled, names[i].c_str(), 0, nullptr, 0) == 0)
      chosen.indices.push_back(i);
  ::regfree(&compiled);
  return chosen;
}

std::string someOf(const std::vector<std::string> &names) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += (i ? ", " : "") + names[i];
  return names.size() > kShown ? text + ", and " + std::to_string(names.size() - kShown) + " more" : text;
}

} // namespace mlc::common
