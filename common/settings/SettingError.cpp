// Errors about settings that belong together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/SettingError.h"

#include "common/checkpoint/NameExpression.h"
#include "common/cli/NearestMatch.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace mlc::common {

Message settingError(const Setting &setting, const char *code, std::string what) {
  Message message = makeError(code, std::move(what));
  message.field = setting.path;
  size_t colon = setting.origin.rfind(':');
  int64_t line = 0;
  if (colon != std::string::npos) {
    const char *end = setting.origin.data() + setting.origin.size();
    auto [stop, error] = std::from_chars(setting.origin.data() + colon + 1, end, line);
    if (error == std::errc() && stop == end && line > 0) {
      message.place.file = setting.origin.substr(0, colon);
      message.place.line = line;
    }
  }
  return message;
}

bool hasValue(const SettingsTable &settings, const std::string &path) {
  const Setting *found = settings.find(path);
  return found && found->value;
}

/// Those that an expression may have meant first.
static std::vector<std::string> nearestFirst(const std::string &expression, std::vector<std::string> names) {
  auto nearer = [&](const std::string &a, const std::string &b) {
    return editDistance(expression, a) < editDistance(expression, b);
  };
  std::stable_sort(names.begin(), names.end(), nearer);
  return names;
}

bool chooseVariables(const Setting &setting, const char *code, const std::vector<std::string> &names,
                     std::vector<size_t> &variables, MessageList &messages) {
  std::set<size_t> chosen;
  bool good = true;
  for (const SettingScalar &scalar : *setting.value) {
    const std::string &expression = std::get<std::string>(scalar);
    ChosenNames matched = chooseNames(expression, names);
    chosen.insert(matched.indices.begin(), matched.indices.end());
    if (!matched.indices.empty())
      continue;
    Message message =
        settingError(setting, code,
                     matched.problem.empty() ? "no variable's name begins as '" + expression + "' says"
                                             : "'" + expression + "' is no regular expression: " + matched.problem);
    if (matched.problem.empty()) {
      message.expected = "one of " + someOf(nearestFirst(expression, names));
      message.help = didYouMean(expression, names);
    }
    messages.add(std::move(message));
    good = false;
  }
  variables.assign(chosen.begin(), chosen.end());
  return good;
}

} // namespace mlc::common
