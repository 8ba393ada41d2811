// Errors about settings that belong together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/SettingError.h"

#include <charconv>

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

} // namespace mlc::common
