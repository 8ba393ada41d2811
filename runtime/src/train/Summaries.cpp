// Tags and directories of summaries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Summaries.h"

#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>

namespace mlcrt {

/// The path of the optimizer that a setting belongs to: all up to "optimizer", or empty.
static std::string optimizerOf(const std::string &path) {
  static const std::string word = "optimizer";
  for (size_t at = path.find(word); at != std::string::npos; at = path.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at == 0 || path[at - 1] == '.') && end < path.size() && path[end] == '.')
      return path.substr(0, end);
  }
  return {};
}

std::vector<std::pair<std::string, double>> constantLearningRates(const mlc::common::SettingsTable &settings) {
  static const std::string suffix = ".learning_rate";
  std::vector<std::pair<std::string, double>> found; // with the optimizer's path
  std::vector<std::string> scheduled;
  for (const mlc::common::Setting &setting : settings.settings()) {
    const std::string &path = setting.path;
    std::string optimizer = optimizerOf(path);
    if (optimizer.empty())
      continue;
    if (path.compare(optimizer.size(), 10, ".schedule.") == 0 && setting.value)
      scheduled.push_back(optimizer);
    bool isRate = path.size() > suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
    if (std::optional<double> value = isRate ? settings.getFloat(path) : std::nullopt)
      found.emplace_back(optimizer, *value);
  }
  std::vector<std::pair<std::string, double>> rates;
  for (const auto &[optimizer, value] : found) {
    if (std::find(scheduled.begin(), scheduled.end(), optimizer) != scheduled.end())
      continue;
    // "model.dnn_linear_combined.dnn.optimizer": the part is dnn.
    size_t end = optimizer.rfind('.');
    size_t begin = end == std::string::npos || end == 0 ? std::string::npos : optimizer.rfind('.', end - 1);
    begin = begin == std::string::npos ? 0 : begin + 1;
    bool named = found.size() > 1 && end != std::string::npos;
    rates.emplace_back((named ? optimizer.substr(begin, end - begin) + "/" : "") + "learning_rate", value);
  }
  return rates;
}

RunSummaries::RunSummaries(std::string modelDir, const Configuration &configuration)
    : modelDir_(std::move(modelDir)), everySteps_(configuration.number("run_config.save_summary_steps")),
      rates_(constantLearningRates(configuration.settings())) {}

absl::Status RunSummaries::begin(int64_t step) {
  firstStep_ = step + 1;
  if (everySteps_ <= 0)
    return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<EventWriter>> writer = EventWriter::create(modelDir_);
  if (!writer.ok())
    return writer.status();
  training_ = *std::move(writer);
  return training_->startSession(firstStep_);
}

/// Adds a value under `tag`: a scalar, or the histogram of what has more elements. Texts have no summary.
static void addValues(Summary &summary, const std::string &tag, bool isScalar, const std::vector<double> &values) {
  if (isScalar && !values.empty()) {
    summary.scalar(tag, values.front());
  } else if (!values.empty()) {
    Histogram histogram;
    for (double value : values)
      histogram.add(value);
    summary.histogram(tag, histogram);
  }
}

absl::Status RunSummaries::afterStep(int64_t step, const EntryRunner &results) {
  if (!training_ || (step % everySteps_ != 0 && step != firstStep_))
    return absl::OkStatus();
  Summary summary;
  for (int32_t i = 0; i < results.numOutputs(); ++i)
    addValues(summary, results.entry().outputs[i].name, results.output(i).rank == 0, numberElements(results.output(i)));
  for (const auto &[tag, value] : rates_)
    summary.scalar(tag, value);
  Clock::time_point now = Clock::now();
  double seconds = std::chrono::duration<double>(now - paceStart_).count();
  if (paceStep_ >= 0 && seconds > 0)
    summary.scalar("global_step/sec", static_cast<double>(step - paceStep_) / seconds);
  paceStep_ = step;
  paceStart_ = now;
  return training_->write(step, summary);
}

absl::Status RunSummaries::evaluated(const std::string &name, int64_t step, const std::vector<Metric> &metrics) {
  std::unique_ptr<EventWriter> &writer = evaluations_[name];
  if (!writer) {
    absl::StatusOr<std::unique_ptr<EventWriter>> created =
        EventWriter::create(modelDir_ + (name.empty() ? "/eval" : "/eval_" + name));
    if (!created.ok())
      return created.status();
    writer = *std::move(created);
    if (absl::Status status = writer->startSession(step); !status.ok())
      return status;
  }
  Summary summary;
  for (const Metric &metric : metrics)
    if (metric.name != "global_step")
      addValues(summary, metric.name, metric.isScalar, metric.values);
  if (absl::Status status = writer->write(step, summary); !status.ok())
    return status;
  return writer->flush(); // evaluations are rare, and waited for
}

absl::Status RunSummaries::flush() { return training_ ? training_->flush() : absl::OkStatus(); }

} // namespace mlcrt
