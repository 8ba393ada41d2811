// Reading and checking the rules of early stopping.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/EarlyStopping.h"

#include "common/cli/NearestMatch.h"
#include "common/settings/SettingError.h"

#include <algorithm>
#include <optional>

namespace mlc::common {

static constexpr StopIf kAll[] = {StopIf::NoDecrease, StopIf::NoIncrease, StopIf::Higher, StopIf::Lower};

const char *stopIfName(StopIf stopIf) {
  switch (stopIf) {
  case StopIf::NoDecrease:
    return "NO_DECREASE";
  case StopIf::NoIncrease:
    return "NO_INCREASE";
  case StopIf::Higher:
    return "HIGHER";
  case StopIf::Lower:
    return "LOWER";
  }
  return "";
}

/// "eval.valid" of "eval.valid.exporter.0".
static std::string withoutExporter(const std::string &prefix) {
  static constexpr std::string_view kExporter = ".exporter";
  const size_t end = prefix.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == prefix.size() || prefix[end] != '.' || end < kExporter.size() ||
      prefix.compare(end - kExporter.size(), kExporter.size(), kExporter) != 0)
    return prefix;
  return prefix.substr(0, end - kExporter.size());
}

std::vector<std::string> evalSetNames(const SettingsTable &settings) {
  std::vector<std::string> names;
  for (const Setting &setting : settings.settings()) {
    std::string prefix = withoutExporter(setting.path.substr(0, setting.path.rfind('.')));
    bool isUnnamed = prefix == "eval";
    if (prefix.size() == setting.path.size() || (!isUnnamed && prefix.compare(0, 5, "eval.") != 0))
      continue;
    std::string name = isUnnamed ? "" : prefix.substr(5);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

static std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Whether anything of a rule is set.
static bool isUsed(const SettingsTable &settings, const std::string &path) {
  for (const char *name : {".metric", ".eval", ".stop_if", ".max_steps_without", ".threshold"})
    if (hasValue(settings, path + name))
      return true;
  return false;
}

namespace {
class RuleReader {
public:
  RuleReader(const SettingsTable &settings, const std::vector<std::string> &evalSets,
             const std::vector<std::string> &metrics, MessageList &messages)
      : settings_(settings), evalSets_(evalSets), metrics_(metrics), messages_(messages) {}

  std::optional<EarlyStoppingRule> read(std::string path) {
    rule_ = {};
    rule_.path = std::move(path);
    good_ = true;
    for (const char *needed : {"metric", "stop_if"})
      if (!has(needed)) {
        Message message = makeError("E0218", std::string("early stopping needs '") + needed + "'");
        message.field = rule_.path + "." + needed;
        report(std::move(message));
      }
    if (!good_)
      return std::nullopt;
    readMetric();
    readStopIf();
    readEval();
    rule_.minSteps = settings_.getInt(rule_.path + ".min_steps").value_or(0);
    return good_ ? std::optional(rule_) : std::nullopt;
  }

private:
  const Setting &setting(const char *name) const { return *settings_.find(rule_.path + "." + name); }
  bool has(const char *name) const { return hasValue(settings_, rule_.path + "." + name); }
  void report(Message message) {
    messages_.add(std::move(message));
    good_ = false;
  }

  void readMetric() {
    rule_.metric = settings_.getString(rule_.path + ".metric").value_or("");
    if (metrics_.empty() || std::find(metrics_.begin(), metrics_.end(), rule_.metric) != metrics_.end())
      return;
    Message message = settingError(setting("metric"), "E0218", "evaluation gives no metric '" + rule_.metric + "'");
    message.expected = "one of " + listOf(metrics_);
    message.help = didYouMean(rule_.metric, metrics_);
    report(std::move(message));
  }

  void readStopIf() {
    std::string text = settings_.getString(rule_.path + ".stop_if").value_or("");
    for (StopIf each : kAll)
      if (text == stopIfName(each))
        rule_.stopIf = each;
    const char *needed = rule_.hasThreshold() ? "threshold" : "max_steps_without";
    const char *other = rule_.hasThreshold() ? "max_steps_without" : "threshold";
    if (!has(needed)) {
      Message message = settingError(setting("stop_if"), "E0218", text + " needs '" + needed + "'");
      message.help = std::string(needed) + (rule_.hasThreshold() ? ": VALUE" : ": STEPS");
      report(std::move(message));
    }
    if (has(other))
      report(settingError(setting(other), "E0218", "'" + std::string(other) + "' has no meaning for " + text));
    rule_.threshold = settings_.getFloat(rule_.path + ".threshold").value_or(0);
    rule_.maxStepsWithout = settings_.getInt(rule_.path + ".max_steps_without").value_or(0);
  }

  void readEval() {
    bool isNamed = has("eval");
    rule_.eval = settings_.getString(rule_.path + ".eval").value_or("");
    if (!isNamed && evalSets_.size() == 1)
      rule_.eval = evalSets_.front();
    if (std::find(evalSets_.begin(), evalSets_.end(), rule_.eval) != evalSets_.end())
      return;
    Message message = isNamed ? settingError(setting("eval"), "E0216", "no eval set is called '" + rule_.eval + "'")
                              : settingError(setting("metric"), "E0216", "'eval' must tell which eval set is meant");
    if (evalSets_.empty())
      message.expected = "an eval set in the spec: eval { files: ... }";
    else
      message.expected = "one of " + listOf(evalSets_);
    message.help = didYouMean(rule_.eval, evalSets_);
    report(std::move(message));
  }

  const SettingsTable &settings_;
  const std::vector<std::string> &evalSets_, &metrics_;
  MessageList &messages_;
  EarlyStoppingRule rule_;
  bool good_ = true;
};
} // namespace

bool readEarlyStopping(const SettingsTable &settings, const std::vector<std::string> &evalSets,
                       const std::vector<std::string> &metrics, std::vector<EarlyStoppingRule> &rules,
                       MessageList &messages) {
  RuleReader reader(settings, evalSets, metrics, messages);
  bool good = true;
  for (int i = 0;; ++i) {
    std::string path = "train.early_stopping." + std::to_string(i);
    if (!settings.find(path + ".metric"))
      return good;
    if (!isUsed(settings, path))
      continue;
    if (std::optional<EarlyStoppingRule> rule = reader.read(path))
      rules.push_back(*std::move(rule));
    else
      good = false;
  }
}

} // namespace mlc::common
