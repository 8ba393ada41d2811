// Reading and checking the exporters of eval sets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Exporter.h"

#include "common/checkpoint/CheckpointPolicy.h"
#include "common/cli/NearestMatch.h"
#include "common/settings/SettingError.h"

#include <algorithm>
#include <optional>

namespace mlc::common {

const char *exporterKindName(ExporterKind kind) {
  switch (kind) {
  case ExporterKind::Best:
    return "BEST";
  case ExporterKind::Latest:
    return "LATEST";
  case ExporterKind::Final:
    return "FINAL";
  }
  return "";
}

/// Whether anything of an exporter is set.
static bool isUsed(const SettingsTable &settings, const std::string &path) {
  for (const char *name : {".name", ".kind", ".metric", ".better", ".exports_to_keep"})
    if (hasValue(settings, path + name))
      return true;
  return false;
}

namespace {
class ExporterReader {
public:
  ExporterReader(const SettingsTable &settings, const ExportableModel &model, const std::vector<ExporterRule> &others,
                 MessageList &messages)
      : settings_(settings), model_(model), others_(others), messages_(messages) {}

  std::optional<ExporterRule> read(std::string path, const std::string &evalSet) {
    rule_ = {};
    rule_.path = std::move(path);
    rule_.eval = evalSet;
    good_ = true;
    for (const char *needed : {"name", "kind"})
      if (!has(needed)) {
        Message message = makeError("E0224", std::string("an exporter needs '") + needed + "'");
        message.field = rule_.path + "." + needed;
        report(std::move(message));
      }
    if (!good_)
      return std::nullopt;
    if (!model_.predicts)
      report(settingError(setting("kind"), "E0224", "an exporter of a model without a predict entry"));
    readName();
    readKind();
    rule_.exportsToKeep = settings_.getInt(rule_.path + ".exports_to_keep").value_or(rule_.exportsToKeep);
    return good_ ? std::optional(rule_) : std::nullopt;
  }

private:
  const Setting &setting(const char *name) const { return *settings_.find(rule_.path + "." + name); }
  bool has(const char *name) const { return hasValue(settings_, rule_.path + "." + name); }
  std::string text(const char *name) const { return settings_.getString(rule_.path + "." + name).value_or(""); }
  void report(Message message) {
    messages_.add(std::move(message));
    good_ = false;
  }

  void readName() {
    rule_.name = text("name");
    auto isSame = [&](const ExporterRule &other) { return other.name == rule_.name; };
    if (!isDirectoryName(rule_.name)) {
      Message message = settingError(setting("name"), "E0224", "'" + rule_.name + "' cannot name a directory here");
      message.expected = "a letter, then letters, digits, '_' and '-', at most 100";
      report(std::move(message));
    } else if (std::any_of(others_.begin(), others_.end(), isSame)) {
      report(settingError(setting("name"), "E0224", "two exporters are called '" + rule_.name + "'"));
    } else if (rule_.name == model_.name) {
      Message message =
          settingError(setting("name"), "E0224", "'" + rule_.name + "' is the name of the model, of the verb export");
      message.help = "another name: an exporter removes old exports of its directory";
      report(std::move(message));
    }
  }

  void refuse(std::initializer_list<const char *> names, const std::string &kind) {
    for (const char *name : names)
      if (has(name))
        report(settingError(setting(name), "E0224", "'" + std::string(name) + "' has no meaning for " + kind));
  }

  void readKind() {
    const std::string kind = text("kind");
    for (ExporterKind each : {ExporterKind::Best, ExporterKind::Latest, ExporterKind::Final})
      if (kind == exporterKindName(each))
        rule_.kind = each;
    if (rule_.kind == ExporterKind::Best)
      return readMetric();
    refuse({"metric", "better"}, kind);
    if (rule_.kind == ExporterKind::Final)
      refuse({"exports_to_keep"}, kind);
  }

  void readMetric() {
    rule_.metric = has("metric") ? text("metric") : "loss";
    rule_.isLargerBetter = text("better") == "LARGER";
    if (has("metric") && !has("better")) {
      Message message = settingError(setting("metric"), "E0224", "'metric' needs 'better'");
      message.expected = "better: LARGER or better: SMALLER";
      report(std::move(message));
    }
    const std::vector<std::string> &metrics = model_.metrics;
    if (metrics.empty() || std::find(metrics.begin(), metrics.end(), rule_.metric) != metrics.end())
      return;
    Message message = settingError(setting(has("metric") ? "metric" : "kind"), "E0224",
                                   "evaluation gives no metric '" + rule_.metric + "'");
    for (const std::string &metric : metrics)
      message.expected += (message.expected.empty() ? "one of " : ", ") + metric;
    message.help = didYouMean(rule_.metric, metrics);
    report(std::move(message));
  }

  const SettingsTable &settings_;
  const ExportableModel &model_;
  const std::vector<ExporterRule> &others_;
  MessageList &messages_;
  ExporterRule rule_;
  bool good_ = true;
};
} // namespace

bool readExporters(const SettingsTable &settings, const std::vector<std::string> &evalSets,
                   const ExportableModel &model, std::vector<ExporterRule> &exporters, MessageList &messages) {
  ExporterReader reader(settings, model, exporters, messages);
  bool good = true;
  for (const std::string &set : evalSets)
    for (int i = 0;; ++i) {
      const std::string path = (set.empty() ? "eval" : "eval." + set) + ".exporter." + std::to_string(i);
      if (!settings.find(path + ".name"))
        break;
      if (!isUsed(settings, path))
        continue;
      if (std::optional<ExporterRule> rule = reader.read(path, set))
        exporters.push_back(*std::move(rule));
      else
        good = false;
    }
  return good;
}

} // namespace mlc::common
