// The settings of a compiled model: typed values with rules and origins, changed by --set. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SETTINGS_H
#define MLC_COMMON_SETTINGS_H

#include "common/cli/Message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace mlc::common {

/// Type of a setting's value, or of the elements of a repeated one.
enum class SettingType { Bool, Int, Float, String };

/// "bool", "int", "float", "string".
std::string_view settingTypeName(SettingType type);

/// When a setting is fixed. Start: may change each time the trainer starts; Compile: compiled in.
enum class SettingStage { Compile, Start };

/// One value: its alternative is the setting's type.
using SettingScalar = std::variant<bool, int64_t, double, std::string>;
/// Exactly one scalar, or any number if the setting is repeated.
using SettingValue = std::vector<SettingScalar>;

/// What values are allowed. Bounds hold for Int and Float.
struct SettingRule {
  std::optional<double> min;
  std::optional<double> max;
  /// The bound itself is not allowed.
  bool minExclusive = false;
  bool maxExclusive = false;
  /// A Float is stored as float32: bounds hold for what it is rounded to, which must be finite.
  bool single = false;
  /// A String must be one of these, if there are any.
  std::vector<std::string> oneOf;
  /// Must have a value.
  bool required = false;
};

/// One setting.
struct Setting {
  /// Dotted: "train.batch_size", "model.dnn.optimizer.adagrad.learning_rate", "eval.valid.files".
  std::string path;
  SettingType type = SettingType::String;
  bool repeated = false;
  SettingStage stage = SettingStage::Start;
  SettingRule rule;
  /// Absent: no default.
  std::optional<SettingValue> defaultValue;
  /// In force; absent: unset.
  std::optional<SettingValue> value;
  /// Where `value` is from: "default", "census.pbtxt:36", "--set", "--batch_size".
  std::string origin = "default";
  /// What it is, for people: the comment of the field in the spec's schema.
  std::string doc;
};

/// The nearest float32; infinite for numbers beyond the largest one.
double roundedToSingle(double number);
/// What is said of the range of a number that is fine but for its rounding.
inline constexpr const char *kAsSingle = ", rounded to float32 (at most 3.4e38, at least 1.4e-45)";

/// A scalar as the user would type it; floats in the fewest digits that read back to the same bits.
std::string settingText(const SettingScalar &scalar);
/// A value: scalars with commas between.
std::string settingText(const SettingValue &value);
/// "an integer >= 1", "one of AUTO, NONE", "a number in [0, 1)".
std::string expectedText(const Setting &setting);

/// A table of settings by path, in the order of adding.
class SettingsTable {
public:
  /// Adds a setting; one of the same path is replaced.
  void add(Setting setting);
  const std::vector<Setting> &settings() const { return settings_; }
  bool empty() const { return settings_.empty(); }
  /// The setting, or null.
  const Setting *find(std::string_view path) const;

  /// Assigns the value written as `text` (a repeated setting's is split at commas; a String takes the rest as it is).
  /// Parses and checks; on an error adds to `messages`, changes nothing and returns false.
  bool assignText(std::string_view path, std::string_view text, std::string origin, MessageList &messages);
  /// Assigns a parsed value under the same checks.
  bool assign(std::string_view path, SettingValue value, std::string origin, MessageList &messages);
  /// Makes a setting unset, back to its default.
  bool unset(std::string_view path, MessageList &messages);
  /// Applies one --set argument, PATH=VALUE or PATH+=VALUE (appends to a repeated setting). Refuses a setting of a
  /// stage before `stage`: "compiled in; change it in the spec and compile again".
  bool applySet(std::string_view argument, SettingStage stage, MessageList &messages);
  /// Checks every value and that required ones are there.
  bool check(MessageList &messages) const;

  /// Values in force; nullopt if unset, absent or of another type.
  std::optional<int64_t> getInt(std::string_view path) const;
  std::optional<double> getFloat(std::string_view path) const;
  std::optional<bool> getBool(std::string_view path) const;
  std::optional<std::string> getString(std::string_view path) const;
  /// The elements of a repeated String setting; empty if unset.
  std::vector<std::string> getStrings(std::string_view path) const;

  /// The configuration in force as text: one line "path = value  # origin" per setting that has a value.
  std::string format() const;

private:
  Setting *findMutable(std::string_view path);
  Setting *findOrReport(std::string_view path, MessageList &messages);
  const SettingScalar *scalar(std::string_view path) const;

  std::vector<Setting> settings_;
  std::unordered_map<std::string, size_t> index_;
};

/// Checks `value` against type and rule of `setting`; on an error adds to `messages` and returns false.
bool checkSettingValue(const Setting &setting, const SettingValue &value, MessageList &messages);

/// The table as a JSON array, one object per setting (docs/manifest.md, "Settings"); on one line.
std::string settingsToJson(const SettingsTable &table);
/// Reads settingsToJson's text into `table`; on damage adds an error naming the element to `messages` and returns
/// false.
bool settingsFromJson(std::string_view json, SettingsTable &table, MessageList &messages);

} // namespace mlc::common

#endif // MLC_COMMON_SETTINGS_H
