// Tags and directories of summaries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Summaries.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/train/EvaluationReport.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace mlcrt {

RunSummaries::RunSummaries(std::string modelDir, int64_t everySteps, Program &program, ThreadPool &pool,
                           Reporter &reporter)
    : modelDir_(std::move(modelDir)), everySteps_(everySteps), reporter_(reporter),
      observation_(program.observation()) {
  if (const mlcrt_entry *entry = program.artifact().entry(MLCRT_ROLE_SUMMARY))
    entry_ = std::make_unique<EntryRunner>(program, *entry, pool);
  if (entry_)
    slot_ = entry_->makeSlot();
}

absl::Status RunSummaries::begin(int64_t step, const std::vector<GraphNode> &graph, State *state,
                                 int64_t histogramSteps) {
  firstStep_ = step + 1;
  lastStep_ = lastHistogram_ = step;
  graph_ = &graph;
  state_ = histogramSteps > 0 ? state : nullptr;
  histogramSteps_ = histogramSteps;
  return everySteps_ > 0 ? tolerate(open()) : absl::OkStatus();
}

absl::Status RunSummaries::open() {
  if (training_)
    return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<EventWriter>> writer = EventWriter::create(modelDir_);
  if (!writer.ok())
    return writer.status();
  training_ = *std::move(writer);
  absl::Status status = training_->startSession(firstStep_);
  return status.ok() ? training_->writeGraph(*graph_) : status;
}

absl::Status RunSummaries::writeTraining(int64_t step, const Summary &summary) {
  absl::Status written = open();
  if (written.ok())
    written = training_->write(step, summary);
  return tolerate(written);
}

absl::Status RunSummaries::tolerate(const absl::Status &written) {
  const bool isOfDisk = absl::IsResourceExhausted(written) || absl::IsPermissionDenied(written);
  if (isOfDisk) {
    if (observation_)
      observation_->metrics().summaryFailures.add(1);
    mlc::common::Message message = messageOf(written);
    message.severity = mlc::common::Severity::Warning;
    message.help = (needsRoom(written) ? "make room; " : "") + std::string("training goes on without these summaries");
    if (!hasFailed_) // each of a disk that stays full would say the same
      reporter_.message(message);
    reporter_.event(JsonObject().text("event", "summary_failed").raw("message", messageToJson(message)).str());
  }
  hasFailed_ = isOfDisk;
  return isOfDisk ? absl::OkStatus() : written;
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

/// Of what est gives a binary classifier: true positives, false positives, true and false negatives at each threshold.
/// `head`: "/<name>" of one of several.
static void addPrecisionRecall(Summary &summary, const std::string &head, const std::vector<double> &counts) {
  const size_t points = counts.size() / 4;
  std::vector<double> rows[4];
  for (size_t i = 0; i < 4; ++i)
    rows[i].assign(counts.begin() + static_cast<ptrdiff_t>(i * points),
                   counts.begin() + static_cast<ptrdiff_t>((i + 1) * points));
  summary.precisionRecall("precision_recall/pr_curves" + head, rows[0], rows[1], rows[2], rows[3]);
}

static void addOutputs(Summary &summary, const EntryOutputs &outputs) {
  for (int32_t i = 0; i < outputs.size(); ++i)
    if (!outputs.isFetched(i))
      addValues(summary, outputs.type(i).name, outputs.value(i).rank() == 0, numberElements(outputs.value(i).buffer()));
}

/// The layers among the outputs of a summary entry ("dnn/hiddenlayer_0/activation") of which all of many values are 0.
static std::vector<std::string> findSilentLayers(const EntryOutputs &outputs) {
  constexpr size_t kLeastValues = 64;
  constexpr std::string_view kSuffix = "/activation";
  std::vector<std::string> layers;
  for (int32_t i = 0; i < outputs.size(); ++i) {
    std::string_view name = outputs.type(i).name;
    if (name.size() <= kSuffix.size() || name.substr(name.size() - kSuffix.size()) != kSuffix)
      continue;
    const std::vector<double> values = numberElements(outputs.value(i).buffer());
    if (values.size() >= kLeastValues && std::all_of(values.begin(), values.end(), [](double v) { return v == 0; }))
      layers.emplace_back(name.substr(0, name.size() - kSuffix.size()));
  }
  return layers;
}

static bool isFloat(int32_t dtype) {
  return dtype == MLCRT_F32 || dtype == MLCRT_F64 || dtype == MLCRT_F16 || dtype == MLCRT_BF16;
}

absl::Status RunSummaries::addWeights(Summary &summary) {
  constexpr int64_t kAtOnce = 1 << 16;
  Tensor copy;
  for (const StateTensor &tensor : state_->tensors()) {
    const int32_t v = tensor.variable;
    if (!(tensor.flags & MLCRT_VARIABLE_TRAINABLE) || !isFloat(tensor.value.dtype))
      continue;
    const Guard::Set readers = {{v, /*write=*/false}};
    std::optional<Guard::Hold> hold;
    TensorView all;
    if (state_->variable(v).unpack) { // stored otherwise
      if (absl::Status status = state_->read(v, copy); !status.ok())
        return status;
      all = copy.buffer();
    } else {
      hold.emplace(state_->guard(), readers);
      if (absl::Status status = state_->current(v); !status.ok())
        return status;
      all = state_->storage(v);
    }
    Histogram histogram;
    const int64_t dtypeBytes = dtypeSize(tensor.value.dtype), count = tensor.bytes() / dtypeBytes;
    const char *const values = static_cast<const char *>(all.data) + tensor.offset();
    for (int64_t at = 0; at < count; at += kAtOnce) {
      TensorView part = makeBuffer(const_cast<char *>(values) + at * dtypeBytes,
                                   static_cast<mlcrt_dtype>(tensor.value.dtype), {std::min(kAtOnce, count - at)});
      for (double value : numberElements(part))
        histogram.add(value);
    }
    summary.histogram(tensor.value.name, histogram);
  }
  return absl::OkStatus();
}

absl::Status RunSummaries::beforeStep(const BatchView &batch, const CallContext &context, const Fetch &fetch) {
  due_ = isDue(context.step + 1);
  if (!entry_ || !due_)
    return absl::OkStatus();
  absl::Status status = entry_->runFeatures(batch, slot_, context);
  if (status.ok() && fetch)
    status = fetch(slot_, context);
  return status.ok() ? entry_->runStep(batch, slot_, context) : status;
}

absl::Status RunSummaries::afterStep(int64_t step, const EntryOutputs &results) {
  const bool writes = due_ && step > lastStep_;
  const bool isFirst = lastStep_ < firstStep_;
  lastStep_ = std::max(lastStep_, step);
  if (everySteps_ > 0 && state_ && (isFirst || step / histogramSteps_ > lastHistogram_ / histogramSteps_)) {
    lastHistogram_ = step;
    Summary weights;
    if (absl::Status status = addWeights(weights); !status.ok())
      return status;
    if (absl::Status status = writeTraining(step, weights); !status.ok())
      return status;
  }
  if (!writes)
    return absl::OkStatus();
  Summary summary;
  addOutputs(summary, results);
  if (entry_) {
    addOutputs(summary, entry_->outputs());
    silentLayers_ = findSilentLayers(entry_->outputs());
  }
  Clock::time_point now = Clock::now();
  double seconds = std::chrono::duration<double>(now - paceStart_).count();
  if (paceStep_ >= 0 && seconds > 0)
    summary.scalar("global_step/sec", static_cast<double>(step - paceStep_) / seconds);
  if (observation_)
    addExchange(summary, paceStep_ >= 0 ? seconds : 0);
  paceStep_ = step;
  paceStart_ = now;
  return writeTraining(step, summary);
}

/// What the task exchanged with others in the `seconds` since the last summary; 0: there was none.
void RunSummaries::addExchange(Summary &summary, double seconds) {
  const TaskMetrics &metrics = observation_->metrics();
  const int64_t bytes = metrics.exchangedBytes.value(), sum = metrics.staleness.sum(),
                count = metrics.staleness.count();
  if (seconds > 0 && bytes > 0)
    summary.scalar("cluster/bytes_per_sec", static_cast<double>(bytes - paceBytes_) / seconds);
  if (paceStep_ >= 0 && count > paceStaleCount_)
    summary.scalar("cluster/staleness",
                   static_cast<double>(sum - paceStaleSum_) / static_cast<double>(count - paceStaleCount_));
  paceBytes_ = bytes;
  paceStaleSum_ = sum;
  paceStaleCount_ = count;
}

absl::Status RunSummaries::writeEvaluation(const std::string &name, int64_t step, const Summary &summary) {
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
  if (absl::Status status = writer->write(step, summary); !status.ok())
    return status;
  return writer->flush(); // evaluations are rare, and waited for
}

absl::Status RunSummaries::evaluated(const std::string &name, int64_t step, const std::vector<Metric> &metrics) {
  constexpr std::string_view kCurve = "report/precision_recall";
  Summary summary;
  for (const Metric &metric : metrics)
    if (metric.name.compare(0, kCurve.size(), kCurve) == 0)
      addPrecisionRecall(summary, metric.name.substr(kCurve.size()), metric.values);
    else if (metric.name != "global_step" && !isForReports(metric.name))
      addValues(summary, metric.name, metric.isScalar, metric.values);
  return tolerate(writeEvaluation(name, step, summary));
}

absl::Status RunSummaries::flush() { return training_ ? tolerate(training_->flush()) : absl::OkStatus(); }

} // namespace mlcrt
