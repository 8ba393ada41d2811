// What the metrics of an evaluation say against a model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelHealth.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/src/train/EvaluationReport.h"
#include "runtime/src/train/HeadMetrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mlcrt {

using mlc::common::Message;

namespace {
class Judge {
public:
  /// `head`: the name of one of several, else empty.
  Judge(const std::vector<Metric> &metrics, const std::string &evalSet, const std::string &head,
        const HealthBounds &bounds)
      : metrics_(metrics),
        prefix_(absl::StrCat(evalSet.empty() ? "" : "[" + evalSet + "] ", head.empty() ? "" : "head '" + head + "': ")),
        bounds_(bounds) {}

  void againstBaseline();
  void classesPredicted();
  void againstTraining(double trainLoss);
  void confidentErrors();

  std::vector<Message> warnings;

private:
  /// A finite scalar, if it is there.
  std::optional<double> find(const std::string &name) const {
    const Metric *metric = findMetric(metrics_, name);
    if (!metric || metric->values.size() != 1 || !std::isfinite(metric->values[0]))
      return std::nullopt;
    return metric->values[0];
  }
  void warn(const char *code, std::string what, std::string expected, std::string help) {
    Message message = mlc::common::makeError(code, prefix_ + what, std::move(help));
    message.severity = mlc::common::Severity::Warning;
    message.expected = std::move(expected);
    warnings.push_back(std::move(message));
  }

  const std::vector<Metric> &metrics_;
  const std::string prefix_;
  const HealthBounds &bounds_;
};
} // namespace

void Judge::againstBaseline() {
  static const char *const kHelp = "other features or columns, another learning rate, fewer or more steps; "
                                   "'mlc spec check --data' looks at the data";
  // Of one class only, or of labels that are all the same, there is nothing to learn.
  const std::optional<double> loss = find("average_loss"), base = find("baseline/average_loss"), rmse = find("rmse");
  if (loss && base && *base > 0 && *loss >= *base)
    return warn("E0801",
                absl::StrCat("the model is not better than no model: average_loss is ", numberText(*loss), ", and ",
                             numberText(*base), " if ", rmse ? "one number is" : "the classes' shares are",
                             " predicted for every row"),
                absl::StrCat("below ", numberText(*base)), kHelp);
  const std::optional<double> accuracy = find("accuracy"), frequent = find("baseline/accuracy");
  if (accuracy && frequent && *accuracy < *frequent - bounds_.accuracyBelowBaseline)
    return warn("E0801",
                absl::StrCat("the model is not better than no model: accuracy is ", numberText(*accuracy), ", and ",
                             numberText(*frequent), " if the most frequent class is predicted for every row"),
                absl::StrCat("at least ", numberText(*frequent)), kHelp);
  // Where the loss has a baseline of its own, its scale is the one that training looks at: one extreme label makes an
  // rmse above the mean's of a model of logarithms that is good.
  const std::optional<double> mean = find("baseline/rmse");
  if (!base && rmse && mean && *mean > 0 && *rmse >= *mean)
    warn("E0801",
         absl::StrCat("the model is not better than no model: rmse is ", numberText(*rmse), ", and ", numberText(*mean),
                      " if the mean of the labels is predicted for every row"),
         absl::StrCat("below ", numberText(*mean)), kHelp);
}

void Judge::classesPredicted() {
  const std::optional<ClassCounts> counts = classCounts(metrics_);
  if (!counts)
    return;
  const auto isThere = [](double weight) { return weight > 0; };
  const auto labels = std::count_if(counts->support.begin(), counts->support.end(), isThere);
  const auto predicted = std::count_if(counts->predicted.begin(), counts->predicted.end(), isThere);
  if (labels > 1 && predicted == 1)
    warn("E0802",
         absl::StrCat(
             "all rows are predicted to be of one class, of ", labels, " that the labels have: ", "the class with id ",
             std::find_if(counts->predicted.begin(), counts->predicted.end(), isThere) - counts->predicted.begin()),
         "predictions of several classes",
         "where a class is rare, its probability may still be useful: see auc, or head.thresholds");
}

void Judge::againstTraining(double trainLoss) {
  const std::optional<double> average = find("average_loss"), loss = find("loss");
  const double penalty = find("regularization_loss").value_or(0);
  // The loss of a step is a mean over its rows, or (loss_reduction: SUM) a sum, which is not compared.
  if (!average || !loss || *average <= 0 || !std::isfinite(trainLoss) || *loss - penalty > 2 * *average)
    return;
  const double train = std::max(trainLoss - penalty, 0.0);
  const std::optional<double> shares = find("baseline/average_loss");
  const bool isFar = shares && *shares > 0 ? *average - train > bounds_.gap * *shares
                                           : train > 0 && *average > bounds_.lossRatio * train;
  if (isFar)
    warn(
        "E0803",
        absl::StrCat("the model fits training data far better than other data: a loss of ", numberText(train), " and ",
                     numberText(*average)),
        "losses of one size",
        "early stopping, dropout, regularizers, a smaller model or more rows; is the evaluation data of another kind?");
}

void Judge::confidentErrors() {
  if (const std::optional<double> rate = find("rate/confident_errors"); rate && *rate > bounds_.confidentErrors)
    warn("E0804",
         absl::StrFormat("the model is sure of what is wrong: the true class of %.1f %% of the rows has a probability "
                         "below 1/1000",
                         100 * *rate),
         absl::StrFormat("at most %.1f %%", 100 * bounds_.confidentErrors),
         "a smaller learning rate, fewer steps, regularizers; are the labels right?");
}

std::vector<Message> judgeModel(const std::vector<Metric> &metrics, const std::string &evalSet,
                                std::optional<double> trainLoss, const HealthBounds &bounds) {
  const std::vector<std::string> heads = headsOf(metrics);
  std::vector<Message> warnings;
  for (const std::string &head : heads) {
    const std::vector<Metric> own = metricsOfHead(metrics, head);
    Judge judge(own, evalSet, head, bounds);
    judge.againstBaseline();
    judge.classesPredicted();
    judge.confidentErrors();
    std::move(judge.warnings.begin(), judge.warnings.end(), std::back_inserter(warnings));
  }
  if (!heads.empty())
    return warnings;
  Judge judge(metrics, evalSet, "", bounds);
  judge.againstBaseline();
  judge.classesPredicted();
  if (trainLoss)
    judge.againstTraining(*trainLoss);
  judge.confidentErrors();
  return std::move(judge.warnings);
}

Message silentLayer(const std::string &layer) {
  Message message = mlc::common::makeError(
      "E0809", absl::StrCat("no unit of layer '", layer, "' is active: what it gives is 0 for all rows"),
      "a smaller learning rate, inputs and labels of deviation 1 (z_score), or activation_fn: LEAKY_RELU");
  message.severity = mlc::common::Severity::Warning;
  message.expected = "units that are active for some rows";
  return message;
}

} // namespace mlcrt
