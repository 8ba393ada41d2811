// Parsing, checking and changing settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Settings.h"

#include "common/cli/NearestMatch.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace mlc::common {

std::string_view settingTypeName(SettingType type) {
  switch (type) {
  case SettingType::Bool:
    return "bool";
  case SettingType::Int:
    return "int";
  case SettingType::Float:
    return "float";
  case SettingType::String:
    return "string";
  }
  return "string";
}

static std::string floatText(double number) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return error == std::errc() ? std::string(buffer, end) : std::to_string(number);
}

std::string settingText(const SettingScalar &scalar) {
  if (const bool *flag = std::get_if<bool>(&scalar))
    return *flag ? "true" : "false";
  if (const int64_t *integer = std::get_if<int64_t>(&scalar))
    return std::to_string(*integer);
  if (const double *number = std::get_if<double>(&scalar))
    return floatText(*number);
  return std::get<std::string>(scalar);
}

std::string settingText(const SettingValue &value) {
  std::string text;
  for (const SettingScalar &scalar : value)
    text += (text.empty() ? "" : ",") + settingText(scalar);
  return text;
}

static std::string boundText(double bound, SettingType type) {
  return type == SettingType::Int ? std::to_string(static_cast<int64_t>(bound)) : floatText(bound);
}

std::string expectedText(const Setting &setting) {
  const SettingRule &rule = setting.rule;
  std::string text;
  switch (setting.type) {
  case SettingType::Bool:
    text = "true or false";
    break;
  case SettingType::Int:
    text = setting.repeated ? "integers" : "an integer";
    break;
  case SettingType::Float:
    text = setting.repeated ? "numbers" : "a number";
    break;
  case SettingType::String:
    if (rule.oneOf.empty())
      return setting.repeated ? "texts with commas between" : "a text";
    text = "one of ";
    for (size_t i = 0; i < rule.oneOf.size(); ++i)
      text += (i ? ", " : "") + rule.oneOf[i];
    break;
  }
  if (rule.min && rule.max)
    text += std::string(" in ") + (rule.minExclusive ? "(" : "[") + boundText(*rule.min, setting.type) + ", " +
            boundText(*rule.max, setting.type) + (rule.maxExclusive ? ")" : "]");
  else if (rule.min)
    text += std::string(rule.minExclusive ? " > " : " >= ") + boundText(*rule.min, setting.type);
  else if (rule.max)
    text += std::string(rule.maxExclusive ? " < " : " <= ") + boundText(*rule.max, setting.type);
  return setting.repeated ? text + ", with commas between" : text;
}

static Message wrongValue(const Setting &setting, const std::string &found) {
  Message message = makeError("E0213", "'" + found + "' is not a value of " + setting.path);
  message.field = setting.path;
  message.expected = expectedText(setting);
  return message;
}

static void reportValue(const Setting &setting, const std::string &found, MessageList &messages) {
  messages.add(wrongValue(setting, found));
}

/// Parses one scalar; false if `text` is not of the type.
static bool parseScalar(SettingType type, std::string_view text, SettingScalar &scalar) {
  const char *end = text.data() + text.size();
  switch (type) {
  case SettingType::Bool:
    if (text == "true" || text == "1" || text == "false" || text == "0") {
      scalar = text == "true" || text == "1";
      return true;
    }
    return false;
  case SettingType::Int: {
    int64_t integer = 0;
    auto [stop, error] = std::from_chars(text.data(), end, integer);
    scalar = integer;
    return error == std::errc() && stop == end && !text.empty();
  }
  case SettingType::Float: {
    double number = 0;
    auto [stop, error] = std::from_chars(text.data(), end, number);
    scalar = number;
    return error == std::errc() && stop == end && !text.empty() && std::isfinite(number);
  }
  case SettingType::String:
    scalar = std::string(text);
    return true;
  }
  return false;
}

static bool parseValue(const Setting &setting, std::string_view text, SettingValue &value, MessageList &messages) {
  value.clear();
  if (setting.repeated && text.empty())
    return true;
  while (true) {
    size_t comma = setting.repeated ? text.find(',') : std::string_view::npos;
    std::string_view part = text.substr(0, comma);
    SettingScalar scalar;
    if (!parseScalar(setting.type, part, scalar)) {
      reportValue(setting, std::string(part), messages);
      return false;
    }
    value.push_back(std::move(scalar));
    if (comma == std::string_view::npos)
      return true;
    text.remove_prefix(comma + 1);
  }
}

double roundedToSingle(double number) {
  // The conversion of a number that float32 has no room for is undefined.
  if (std::abs(number) > std::numeric_limits<float>::max())
    return std::copysign(std::numeric_limits<double>::infinity(), number);
  return static_cast<float>(number);
}

static bool fitsRule(const Setting &setting, const SettingScalar &scalar) {
  const SettingRule &rule = setting.rule;
  if (const std::string *text = std::get_if<std::string>(&scalar)) {
    for (const std::string &allowed : rule.oneOf)
      if (*text == allowed)
        return true;
    return rule.oneOf.empty();
  }
  double number = 0;
  if (const int64_t *integer = std::get_if<int64_t>(&scalar))
    number = static_cast<double>(*integer);
  else if (const double *real = std::get_if<double>(&scalar))
    number = rule.single ? roundedToSingle(*real) : *real;
  else
    return true;
  if (rule.min && !(rule.minExclusive ? number > *rule.min : number >= *rule.min))
    return false;
  if (rule.max && !(rule.maxExclusive ? number < *rule.max : number <= *rule.max))
    return false;
  return std::isfinite(number);
}

bool checkSettingValue(const Setting &setting, const SettingValue &value, MessageList &messages) {
  if (!setting.repeated && value.size() != 1) {
    reportValue(setting, settingText(value), messages);
    return false;
  }
  for (const SettingScalar &scalar : value) {
    if (scalar.index() == static_cast<size_t>(setting.type) && fitsRule(setting, scalar))
      continue;
    Message message = wrongValue(setting, settingText(scalar));
    // What fails only as it is stored would read as a contradiction without the reason.
    Setting exact = setting;
    exact.rule.single = false;
    if (setting.rule.single && fitsRule(exact, scalar))
      message.expected += kAsSingle;
    messages.add(std::move(message));
    return false;
  }
  return true;
}

void SettingsTable::add(Setting setting) {
  auto [it, inserted] = index_.emplace(setting.path, settings_.size());
  if (inserted)
    settings_.push_back(std::move(setting));
  else
    settings_[it->second] = std::move(setting);
}

const Setting *SettingsTable::find(std::string_view path) const {
  auto it = index_.find(std::string(path));
  return it == index_.end() ? nullptr : &settings_[it->second];
}

Setting *SettingsTable::findMutable(std::string_view path) { return const_cast<Setting *>(find(path)); }

Setting *SettingsTable::findOrReport(std::string_view path, MessageList &messages) {
  if (Setting *setting = findMutable(path))
    return setting;
  std::vector<std::string> paths, sameTail;
  std::string tail = "." + std::string(path);
  for (const Setting &setting : settings_) {
    paths.push_back(setting.path);
    if (setting.path.size() > tail.size() &&
        setting.path.compare(setting.path.size() - tail.size(), tail.size(), tail) == 0)
      sameTail.push_back(setting.path);
  }
  Message message = makeError("E0211", "unknown setting '" + std::string(path) + "'");
  // A tail that is unique today is ambiguous tomorrow, so only full paths are taken; the candidates are shown.
  if (!sameTail.empty()) {
    message.help = "full paths only: ";
    for (size_t i = 0; i < sameTail.size(); ++i)
      message.help += (i ? ", " : "") + sameTail[i];
  } else {
    message.help = didYouMean(path, paths);
    if (message.help.empty())
      message.help = "TRAINER info lists the settings";
  }
  messages.add(std::move(message));
  return nullptr;
}

bool SettingsTable::assign(std::string_view path, SettingValue value, std::string origin, MessageList &messages) {
  Setting *setting = findOrReport(path, messages);
  if (!setting || !checkSettingValue(*setting, value, messages))
    return false;
  setting->value = std::move(value);
  setting->origin = std::move(origin);
  return true;
}

bool SettingsTable::assignText(std::string_view path, std::string_view text, std::string origin,
                               MessageList &messages) {
  Setting *setting = findOrReport(path, messages);
  SettingValue value;
  return setting && parseValue(*setting, text, value, messages) &&
         assign(path, std::move(value), std::move(origin), messages);
}

bool SettingsTable::unset(std::string_view path, MessageList &messages) {
  Setting *setting = findOrReport(path, messages);
  if (!setting)
    return false;
  setting->value = setting->defaultValue;
  setting->origin = "default";
  return true;
}

bool SettingsTable::applySet(std::string_view argument, SettingStage stage, MessageList &messages) {
  size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    Message message = makeError("E0203", "'" + std::string(argument) + "' is not a value of --set");
    message.expected = "PATH=VALUE or PATH+=VALUE";
    messages.add(std::move(message));
    return false;
  }
  bool append = argument[equals - 1] == '+';
  std::string_view path = argument.substr(0, equals - append);
  Setting *setting = findOrReport(path, messages);
  if (!setting)
    return false;
  if (setting->stage < stage) {
    Message message = makeError("E0212", "'" + setting->path + "' is compiled in",
                                "change it in the spec and compile again, or use mlc compile --set");
    message.field = setting->path;
    messages.add(std::move(message));
    return false;
  }
  if (append && !setting->repeated) {
    Message message = makeError("E0213", "'" + setting->path + "' has a single value; += appends to a list");
    message.field = setting->path;
    message.help = "--set " + setting->path + "=" + std::string(argument.substr(equals + 1));
    messages.add(std::move(message));
    return false;
  }
  SettingValue value;
  if (!parseValue(*setting, argument.substr(equals + 1), value, messages))
    return false;
  if (append && setting->value)
    value.insert(value.begin(), setting->value->begin(), setting->value->end());
  return assign(path, std::move(value), "--set", messages);
}

bool SettingsTable::check(MessageList &messages) const {
  bool good = true;
  for (const Setting &setting : settings_) {
    if (setting.value) {
      good &= checkSettingValue(setting, *setting.value, messages);
    } else if (setting.rule.required) {
      Message message = makeError("E0214", "'" + setting.path + "' has no value");
      message.field = setting.path;
      message.expected = expectedText(setting);
      messages.add(std::move(message));
      good = false;
    }
  }
  return good;
}

const SettingScalar *SettingsTable::scalar(std::string_view path) const {
  const Setting *setting = find(path);
  return setting && setting->value && setting->value->size() == 1 ? &setting->value->front() : nullptr;
}

std::optional<int64_t> SettingsTable::getInt(std::string_view path) const {
  const SettingScalar *found = scalar(path);
  return found && std::holds_alternative<int64_t>(*found) ? std::optional(std::get<int64_t>(*found)) : std::nullopt;
}

std::optional<double> SettingsTable::getFloat(std::string_view path) const {
  const SettingScalar *found = scalar(path);
  return found && std::holds_alternative<double>(*found) ? std::optional(std::get<double>(*found)) : std::nullopt;
}

std::optional<bool> SettingsTable::getBool(std::string_view path) const {
  const SettingScalar *found = scalar(path);
  return found && std::holds_alternative<bool>(*found) ? std::optional(std::get<bool>(*found)) : std::nullopt;
}

std::optional<std::string> SettingsTable::getString(std::string_view path) const {
  const SettingScalar *found = scalar(path);
  return found && std::holds_alternative<std::string>(*found) ? std::optional(std::get<std::string>(*found))
                                                              : std::nullopt;
}

std::vector<std::string> SettingsTable::getStrings(std::string_view path) const {
  std::vector<std::string> texts;
  const Setting *setting = find(path);
  if (setting && setting->value)
    for (const SettingScalar &scalar : *setting->value)
      if (const std::string *text = std::get_if<std::string>(&scalar))
        texts.push_back(*text);
  return texts;
}

std::string SettingsTable::format() const {
  std::string text;
  for (const Setting &setting : settings_)
    if (setting.value)
      text += setting.path + " = " + settingText(*setting.value) + "  # " + setting.origin + "\n";
  return text;
}

} // namespace mlc::common
