// Rules over the metrics of eval sets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EarlyStopping.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"

#include <algorithm>
#include <cmath>

namespace mlcrt {

using mlc::common::EarlyStoppingRule;
using mlc::common::StopIf;

absl::StatusOr<EarlyStopping> EarlyStopping::create(const Configuration &configuration, const Artifact &artifact) {
  std::vector<std::string> sets;
  for (const EvalSet &set : configuration.evalSets())
    sets.push_back(set.name);
  std::vector<EarlyStoppingRule> rules;
  mlc::common::MessageList messages;
  readEarlyStopping(configuration.settings(), sets, scalarMetrics(artifact), rules, messages);
  for (const EarlyStoppingRule &rule : rules)
    for (const EvalSet &set : configuration.evalSets())
      if (set.name == rule.eval && configuration.evalSource(set).empty()) {
        mlc::common::Message message =
            mlc::common::makeError("E0218", "early stopping by '" + rule.metric + "' needs files to evaluate on",
                                   "--set " + set.prefix + ".files=GLOB");
        message.field = set.prefix + ".files";
        messages.add(std::move(message));
      }
  if (messages.hasErrors())
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  return EarlyStopping(std::move(rules));
}

EarlyStopping::EarlyStopping(std::vector<EarlyStoppingRule> rules) {
  for (EarlyStoppingRule &rule : rules) {
    StopRecord record;
    record.metric = rule.metric;
    record.eval = rule.eval;
    record.stopIf = stopIfName(rule.stopIf);
    rules_.push_back({std::move(rule), std::move(record)});
  }
}

bool EarlyStopping::restore(const std::vector<StopRecord> &records) {
  size_t used = 0;
  for (Rule &each : rules_)
    for (const StopRecord &record : records)
      if (record.metric == each.record.metric && record.eval == each.record.eval &&
          record.stopIf == each.record.stopIf) {
        each.record = record;
        ++used;
        break;
      }
  return used < records.size();
}

bool EarlyStopping::isPending(const std::string &evalSet) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [&](const Rule &each) { return each.rule.eval == evalSet && each.record.isPending; });
}

bool EarlyStopping::observe(const std::string &evalSet, int64_t step, const std::vector<Metric> &metrics) {
  bool isBest = false;
  for (Rule &each : rules_) {
    const EarlyStoppingRule &rule = each.rule;
    StopRecord &record = each.record;
    if (rule.eval != evalSet)
      continue;
    record.isPending = false;
    auto metric =
        std::find_if(metrics.begin(), metrics.end(), [&](const Metric &each) { return each.name == rule.metric; });
    // A metric that is no finite number (of no rows) is no better than any.
    if (step < rule.minSteps || metric == metrics.end() || metric->values.size() != 1 ||
        !std::isfinite(metric->values[0]))
      continue;
    record.last = metric->values[0];
    record.lastStep = step;
    bool better =
        record.bestStep < 0 || (rule.isGreaterBetter() ? record.last > record.best : record.last < record.best);
    if (!better)
      continue;
    record.best = record.last;
    record.bestStep = step;
    isBest = true;
  }
  return isBest;
}

bool EarlyStopping::isMet(const Rule &each) {
  const auto &[rule, record] = each;
  if (record.lastStep < 0)
    return false;
  if (rule.stopIf == StopIf::Higher)
    return record.last > rule.threshold;
  if (rule.stopIf == StopIf::Lower)
    return record.last < rule.threshold;
  return record.lastStep - record.bestStep >= rule.maxStepsWithout;
}

std::string EarlyStopping::reason() const {
  for (const Rule &each : rules_) {
    if (!isMet(each))
      continue;
    const auto &[rule, record] = each;
    std::string what = rule.metric + (rule.eval.empty() ? "" : " of eval '" + rule.eval + "'");
    if (rule.hasThreshold())
      return what + " is " + numberText(record.last) + ", " + (rule.isGreaterBetter() ? "above " : "below ") +
             mlc::common::settingText(mlc::common::SettingScalar(rule.threshold));
    return what + " did not " + (rule.isGreaterBetter() ? "grow" : "become less") + " for " +
           std::to_string(record.lastStep - record.bestStep) + " steps: " + numberText(record.best) + " at step " +
           std::to_string(record.bestStep) + ", " + numberText(record.last) + " at step " +
           std::to_string(record.lastStep);
  }
  return {};
}

int64_t EarlyStopping::decidedAt() const {
  auto met = std::find_if(rules_.begin(), rules_.end(), isMet);
  return met == rules_.end() ? -1 : met->record.lastStep;
}

int64_t EarlyStopping::lastStep(const std::string &evalSet) const {
  int64_t last = -1;
  for (const auto &[rule, record] : rules_)
    if (rule.eval == evalSet)
      last = std::max(last, record.lastStep);
  return last;
}

std::vector<int64_t> EarlyStopping::bestSteps() const {
  std::vector<int64_t> steps;
  for (const Rule &each : rules_)
    if (each.record.bestStep >= 0)
      steps.push_back(each.record.bestStep);
  return steps;
}

std::string EarlyStopping::summary() const {
  std::string text;
  for (const auto &[rule, record] : rules_)
    if (record.bestStep >= 0)
      text += (text.empty() ? "best " : ", ") + rule.metric + " " +
              (rule.eval.empty() || rules_.size() == 1 ? "" : "of eval '" + rule.eval + "' ") +
              numberText(record.best) + " at step " + std::to_string(record.bestStep);
  return text;
}

std::string EarlyStopping::json() const {
  std::string list;
  for (const auto &[rule, record] : rules_)
    if (record.bestStep >= 0)
      list += (list.empty() ? "" : ",") + JsonObject()
                                              .text("metric", rule.metric)
                                              .text("eval", rule.eval)
                                              .number("value", record.best)
                                              .integer("step", record.bestStep)
                                              .str();
  return "[" + list + "]";
}

std::vector<StopRecord> EarlyStopping::records(const std::vector<std::string> &dueSets) const {
  std::vector<StopRecord> list;
  for (const auto &[rule, record] : rules_) {
    list.push_back(record);
    list.back().isPending = std::find(dueSets.begin(), dueSets.end(), rule.eval) != dueSets.end();
  }
  return list;
}

} // namespace mlcrt
