// Metrics of the state over an eval set. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EVALUATION_H
#define MLCRT_TRAIN_EVALUATION_H

#include "absl/status/statusor.h"
#include "runtime/src/core/StopToken.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/GivenState.h"

#include <string>
#include <vector>

namespace mlcrt {

class StepObserver;

/// One metric: an output of eval_result under its name.
struct Metric {
  std::string name;
  std::string json; ///< its value as JSON text
  std::string text; ///< for people
  bool isScalar = true;
  std::vector<double> values = {}; ///< its elements; none of texts
  bool isFloat = false;            ///< they are floats
};

/// Names of the scalars that an evaluation gives: the outputs of eval_result.
std::vector<std::string> scalarMetrics(const Artifact &artifact);

/// What who calls an evaluation has to do with it; all may be null.
struct EvaluationCaller {
  StepObserver *observer = nullptr;          ///< sees each batch
  const GivenState *given = nullptr;         ///< where metrics begin
  std::shared_ptr<FedColumns> fed = nullptr; ///< replaces columns of batches
};

/// Runs eval_reset, eval_update over each batch, eval_result. The runtime knows no metric: it returns the outputs of
/// eval_result, and global_step (= `step`) unless the artifact gives it. `maxBatches`: -1 for all. `rows`: as
/// EntryFeed. kCancelled: `stop` asked for it. Errors of the observer and of writeGivenState.
absl::StatusOr<std::vector<Metric>> evaluate(Program &program, ThreadPool &pool, const EntryData &data,
                                             int64_t batchSize, int64_t maxBatches, int64_t seed, int64_t step,
                                             Reporter &reporter, const StopToken *stop = nullptr,
                                             RowSource *rows = nullptr, const EvaluationCaller &caller = {});

/// "accuracy 0.8538  auc 0.9066": a line for people, without global_step and without the variants of metrics
/// ("precision/positive_threshold_0.3"), unless there is nothing else.
std::string metricsLine(const std::vector<Metric> &metrics);
/// One object with the metrics under their names, without those for reports; `name`, if not empty, first under "eval";
/// `report`, if not empty, last under "report".
std::string metricsJson(const std::vector<Metric> &metrics, const std::string &name, const std::string &report = {});
/// The same metrics as lines of a name and a value.
std::string metricsText(const std::vector<Metric> &metrics);
/// The event "eval" and its line.
void reportEvaluation(Reporter &reporter, const std::string &evalSet, int64_t step, const std::vector<Metric> &metrics);
/// A number for people: four decimals, or six digits for large and small ones.
std::string numberText(double value);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATION_H
