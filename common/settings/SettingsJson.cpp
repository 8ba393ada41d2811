// The settings table as JSON, as it stands in an artifact's manifest (docs/manifest.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Settings.h"

#include <nlohmann/json.hpp>

namespace mlc::common {

using Json = nlohmann::ordered_json;

static Json scalarToJson(const SettingScalar &scalar) {
  return std::visit([](const auto &held) { return Json(held); }, scalar);
}

static Json valueToJson(const SettingValue &value, bool repeated) {
  if (!repeated)
    return value.empty() ? Json() : scalarToJson(value.front());
  Json list = Json::array();
  for (const SettingScalar &scalar : value)
    list.push_back(scalarToJson(scalar));
  return list;
}

std::string settingsToJson(const SettingsTable &table) {
  Json list = Json::array();
  for (const Setting &setting : table.settings()) {
    Json object;
    object["path"] = setting.path;
    object["type"] = std::string(settingTypeName(setting.type));
    if (setting.repeated)
      object["repeated"] = true;
    object["stage"] = setting.stage == SettingStage::Start ? "start" : "compile";
    Json rule = Json::object();
    if (setting.rule.min)
      rule[setting.rule.minExclusive ? "min_exclusive" : "min"] = *setting.rule.min;
    if (setting.rule.max)
      rule[setting.rule.maxExclusive ? "max_exclusive" : "max"] = *setting.rule.max;
    if (!setting.rule.oneOf.empty())
      rule["one_of"] = setting.rule.oneOf;
    if (setting.rule.single)
      rule["single"] = true;
    if (setting.rule.required)
      rule["required"] = true;
    if (!rule.empty())
      object["rule"] = rule;
    if (setting.defaultValue)
      object["default"] = valueToJson(*setting.defaultValue, setting.repeated);
    if (setting.value)
      object["value"] = valueToJson(*setting.value, setting.repeated);
    object["origin"] = setting.origin;
    if (!setting.doc.empty())
      object["doc"] = setting.doc;
    list.push_back(std::move(object));
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static bool scalarFromJson(SettingType type, const Json &json, SettingScalar &scalar) {
  switch (type) {
  case SettingType::Bool:
    if (!json.is_boolean())
      return false;
    scalar = json.get<bool>();
    return true;
  case SettingType::Int:
    if (!json.is_number_integer())
      return false;
    scalar = json.get<int64_t>();
    return true;
  case SettingType::Float:
    if (!json.is_number())
      return false;
    scalar = json.get<double>();
    return true;
  case SettingType::String:
    if (!json.is_string())
      return false;
    scalar = json.get<std::string>();
    return true;
  }
  return false;
}

/// Reads object[key], absent allowed; false if it is of another type.
static bool readValue(const Json &object, const char *key, const Setting &setting, std::optional<SettingValue> &value) {
  auto it = object.find(key);
  if (it == object.end() || it->is_null())
    return true;
  value.emplace();
  if (!setting.repeated)
    return scalarFromJson(setting.type, *it, value->emplace_back());
  if (!it->is_array())
    return false;
  for (const Json &element : *it)
    if (!scalarFromJson(setting.type, element, value->emplace_back()))
      return false;
  return true;
}

static bool readBound(const Json &rule, const char *key, const char *exclusiveKey, std::optional<double> &bound,
                      bool &exclusive) {
  exclusive = rule.contains(exclusiveKey);
  auto it = rule.find(exclusive ? exclusiveKey : key);
  if (it == rule.end())
    return true;
  if (!it->is_number())
    return false;
  bound = it->get<double>();
  return true;
}

static bool readRule(const Json &object, SettingRule &rule) {
  auto it = object.find("rule");
  if (it == object.end())
    return true;
  if (!it->is_object() || !readBound(*it, "min", "min_exclusive", rule.min, rule.minExclusive) ||
      !readBound(*it, "max", "max_exclusive", rule.max, rule.maxExclusive))
    return false;
  if (auto oneOf = it->find("one_of"); oneOf != it->end()) {
    if (!oneOf->is_array())
      return false;
    for (const Json &text : *oneOf) {
      if (!text.is_string())
        return false;
      rule.oneOf.push_back(text.get<std::string>());
    }
  }
  for (auto [key, flag] : {std::pair("required", &rule.required), std::pair("single", &rule.single)})
    if (auto value = it->find(key); value != it->end()) {
      if (!value->is_boolean())
        return false;
      *flag = value->get<bool>();
    }
  return true;
}

static bool readText(const Json &object, const char *key, std::string &text) {
  auto it = object.find(key);
  if (it == object.end() || !it->is_string())
    return false;
  text = it->get<std::string>();
  return true;
}

/// Reads one setting; returns the key at fault, or null.
static const char *readSetting(const Json &object, Setting &setting) {
  if (!object.is_object() || !readText(object, "path", setting.path) || setting.path.empty())
    return "path";
  std::string type, stage;
  if (!readText(object, "type", type))
    return "type";
  bool known = false;
  for (SettingType candidate : {SettingType::Bool, SettingType::Int, SettingType::Float, SettingType::String})
    if (type == settingTypeName(candidate)) {
      setting.type = candidate;
      known = true;
    }
  if (!known)
    return "type";
  if (!readText(object, "stage", stage) || (stage != "start" && stage != "compile"))
    return "stage";
  setting.stage = stage == "start" ? SettingStage::Start : SettingStage::Compile;
  if (auto repeated = object.find("repeated"); repeated != object.end()) {
    if (!repeated->is_boolean())
      return "repeated";
    setting.repeated = repeated->get<bool>();
  }
  if (!readRule(object, setting.rule))
    return "rule";
  if (!readValue(object, "default", setting, setting.defaultValue))
    return "default";
  if (!readValue(object, "value", setting, setting.value))
    return "value";
  if (!readText(object, "origin", setting.origin))
    return "origin";
  if (object.contains("doc") && !readText(object, "doc", setting.doc))
    return "doc";
  return nullptr;
}

bool settingsFromJson(std::string_view json, SettingsTable &table, MessageList &messages) {
  Json list = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) {
    messages.add(makeError("E0215", "the manifest's settings are not a JSON array"));
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    Setting setting;
    if (const char *key = readSetting(list[i], setting)) {
      Message message = makeError("E0215", "the manifest's settings are damaged");
      message.field = "settings[" + std::to_string(i) + "]." + key;
      messages.add(std::move(message));
      return false;
    }
    if (table.find(setting.path)) {
      messages.add(makeError("E0215", "the manifest has the setting '" + setting.path + "' twice"));
      return false;
    }
    table.add(std::move(setting));
  }
  return true;
}

} // namespace mlc::common
