// What a classifier does class by class, of the outputs of an evaluation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluationReport.h"

#include "runtime/src/core/TextTable.h"
#include "runtime/src/train/HeadMetrics.h"

#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

#include <algorithm>
#include <cmath>

namespace mlcrt {

bool isForReports(std::string_view name) { return name.substr(0, 7) == "report/"; }

const Metric *findMetric(const std::vector<Metric> &metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric &m) { return m.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<ClassCounts> classCounts(const std::vector<Metric> &metrics) {
  ClassCounts counts;
  if (const Metric *confusion = findMetric(metrics, "report/confusion")) {
    const auto classes = static_cast<size_t>(std::lround(std::sqrt(confusion->values.size())));
    if (classes == 0 || classes * classes != confusion->values.size())
      return std::nullopt;
    counts.confusion = confusion->values;
    counts.support.resize(classes);
    counts.predicted.resize(classes);
    for (size_t label = 0; label < classes; ++label)
      for (size_t prediction = 0; prediction < classes; ++prediction) {
        const double weight = counts.confusion[label * classes + prediction];
        counts.support[label] += weight;
        counts.predicted[prediction] += weight;
      }
    for (size_t i = 0; i < classes; ++i)
      counts.hits.push_back(counts.confusion[i * classes + i]);
    return counts;
  }
  const Metric *support = findMetric(metrics, "report/support"), *predicted = findMetric(metrics, "report/predicted"),
               *hits = findMetric(metrics, "report/hits");
  if (!support || !predicted || !hits || support->values.empty() ||
      support->values.size() != predicted->values.size() || support->values.size() != hits->values.size())
    return std::nullopt;
  counts.support = support->values;
  counts.predicted = predicted->values;
  counts.hits = hits->values;
  return counts;
}

namespace {
/// Scores of a class, or means of them.
struct Scores {
  double precision = 0, recall = 0, f1 = 0, support = 0;
};

struct ScoreTable {
  std::vector<Scores> classes;
  Scores macro, weighted; ///< over the classes that are a label or a prediction of some row; by their support
};
} // namespace

/// 0 where nothing was counted.
static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static ScoreTable scoresOf(const ClassCounts &counts) {
  ScoreTable table;
  double present = 0, total = 0;
  const auto addTo = [](Scores &sum, const Scores &scores, double weight) {
    sum.precision += weight * scores.precision;
    sum.recall += weight * scores.recall;
    sum.f1 += weight * scores.f1;
  };
  const auto divide = [](Scores &sum, double by) {
    sum = {share(sum.precision, by), share(sum.recall, by), share(sum.f1, by), sum.support};
  };
  for (size_t i = 0; i < counts.support.size(); ++i) {
    const double support = counts.support[i], predicted = counts.predicted[i], hits = counts.hits[i];
    const Scores scores = {share(hits, predicted), share(hits, support), share(2 * hits, support + predicted), support};
    table.classes.push_back(scores);
    total += support;
    if (support + predicted == 0)
      continue;
    ++present;
    addTo(table.macro, scores, 1);
    addTo(table.weighted, scores, support);
  }
  divide(table.macro, present);
  divide(table.weighted, total);
  table.macro.support = table.weighted.support = total;
  return table;
}

static std::string nameOf(const ClassNames &names, const std::string &head, size_t id) {
  const auto own = names.find(head);
  return own != names.end() && id < own->second.size() ? own->second[id] : std::to_string(id);
}

/// A weight: a whole number where all rows weigh 1.
static std::string weightText(double weight) {
  return weight == std::floor(weight) ? absl::StrFormat("%.0f", weight) : absl::StrFormat("%.3f", weight);
}

static std::string textOf(const std::vector<Metric> &metrics, const ClassNames &names, const std::string &head) {
  constexpr size_t kMostShown = 20;
  const std::optional<ClassCounts> counts = classCounts(metrics);
  if (!counts)
    return "";
  const ScoreTable table = scoresOf(*counts);
  std::vector<std::vector<std::string>> rows = {{"class", "precision", "recall", "f1", "support"}};
  const auto add = [&](std::string name, const Scores &s) {
    rows.push_back({std::move(name), absl::StrFormat("%.4f", s.precision), absl::StrFormat("%.4f", s.recall),
                    absl::StrFormat("%.4f", s.f1), weightText(s.support)});
  };
  for (size_t i = 0; i < table.classes.size(); ++i)
    add(nameOf(names, head, i), table.classes[i]);
  add("macro mean", table.macro);
  add("weighted mean", table.weighted);
  std::string text = textTable(rows, TableLayout::Numbers);
  const size_t classes = table.classes.size();
  if (counts->confusion.empty() || classes > kMostShown)
    return text;
  rows = {{"label \\ predicted"}};
  for (size_t i = 0; i < classes; ++i)
    rows[0].push_back(nameOf(names, head, i));
  for (size_t label = 0; label < classes; ++label) {
    rows.push_back({nameOf(names, head, label)});
    for (size_t i = 0; i < classes; ++i)
      rows.back().push_back(weightText(counts->confusion[label * classes + i]));
  }
  return text + "\n" + textTable(rows, TableLayout::Numbers);
}

static nlohmann::ordered_json scoresJson(const Scores &scores) {
  return {{"precision", scores.precision}, {"recall", scores.recall}, {"f1", scores.f1}, {"support", scores.support}};
}

std::string reportText(const std::vector<Metric> &metrics, const ClassNames &names) {
  const std::vector<std::string> heads = headsOf(metrics);
  if (heads.empty())
    return textOf(metrics, names, "");
  std::string text;
  for (const std::string &head : heads)
    if (const std::string own = textOf(metricsOfHead(metrics, head), names, head); !own.empty())
      text += (text.empty() ? "" : "\n") + ("head '" + head + "'\n") + own;
  return text;
}

static nlohmann::ordered_json jsonOf(const std::vector<Metric> &metrics, const ClassNames &names,
                                     const std::string &head) {
  const std::optional<ClassCounts> counts = classCounts(metrics);
  if (!counts)
    return nullptr;
  const ScoreTable table = scoresOf(*counts);
  nlohmann::ordered_json report;
  report["classes"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < table.classes.size(); ++i) {
    nlohmann::ordered_json line = {{"id", i}, {"name", nameOf(names, head, i)}};
    line.update(scoresJson(table.classes[i]));
    report["classes"].push_back(std::move(line));
  }
  report["macro"] = scoresJson(table.macro);
  report["weighted"] = scoresJson(table.weighted);
  const size_t classes = table.classes.size();
  for (size_t label = 0; label < classes && !counts->confusion.empty(); ++label) {
    const double *row = counts->confusion.data() + label * classes;
    report["confusion_matrix"].push_back(std::vector<double>(row, row + classes));
  }
  return report;
}

std::string reportJson(const std::vector<Metric> &metrics, const ClassNames &names) {
  const std::vector<std::string> heads = headsOf(metrics);
  nlohmann::ordered_json report;
  if (heads.empty())
    report = jsonOf(metrics, names, "");
  for (const std::string &head : heads)
    report[head] = jsonOf(metricsOfHead(metrics, head), names, head);
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace mlcrt
