// Which summaries a run writes, and where. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_SUMMARIES_H
#define MLCRT_TRAIN_SUMMARIES_H

#include "absl/status/status.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/summary/EventWriter.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/Reporter.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// Summaries of training go to event files of model_dir, those of eval sets to model_dir/eval and eval_<name>. They are
/// not worth a run: a disk that is full, or fails, is counted and told, what was to be written is lost, and the next
/// summaries are tried again.
class RunSummaries {
public:
  /// `everySteps`: run_config.save_summary_steps, 0: none of training. References outlive the object.
  RunSummaries(std::string modelDir, int64_t everySteps, Program &program, ThreadPool &pool, Reporter &reporter);

  /// Training begins or goes on after `step` steps; `graph` is the model's. `state`: what histograms of the trained
  /// variables are made of every `histogramSteps` steps; null or 0: there are none.
  absl::Status begin(int64_t step, const std::vector<GraphNode> &graph, State *state = nullptr,
                     int64_t histogramSteps = 0);
  /// Sees to it that what the entry's step reads of the state is here; gets what its features segments made.
  using Fetch = std::function<absl::Status(const FeatureSlot &slot, const CallContext &context)>;
  /// Before each step: if the step gets a summary, runs the entry of role summary, if there is one, on its batch;
  /// `fetch` may be null.
  absl::Status beforeStep(const BatchView &batch, const CallContext &context, const Fetch &fetch = nullptr);
  /// After each step: every so many steps, and after the first, writes the outputs of the step (loss; what is no scalar
  /// as a histogram), those of the summary entry, and from the second time on global_step/sec; of a task of a cluster
  /// cluster/bytes_per_sec and, in asynchronous training, cluster/staleness, too.
  absl::Status afterStep(int64_t step, const EntryOutputs &results);
  /// Whether nothing is written after `step`, which is the one after the last, nor for the one after it, so that the
  /// state after it is not read.
  bool isIdleAfter(int64_t step) const {
    return !isDue(step + 1) &&
           !(everySteps_ > 0 && state_ && step / histogramSteps_ > lastHistogram_ / histogramSteps_);
  }
  /// The metrics of an eval set but global_step and what is for reports; of a binary classifier the curve of precision
  /// over recall, pr_curves.
  absl::Status evaluated(const std::string &name, int64_t step, const std::vector<Metric> &metrics);
  absl::Status flush();
  /// Layers whose values were all 0 in the last summary of training, and there were enough of them to say so.
  const std::vector<std::string> &silentLayers() const { return silentLayers_; }

private:
  absl::Status addWeights(Summary &summary);
  void addExchange(Summary &summary, double seconds);

  using Clock = std::chrono::steady_clock;

  /// Opens the file of training, if it is not open.
  absl::Status open();
  absl::Status writeEvaluation(const std::string &name, int64_t step, const Summary &summary);
  absl::Status writeTraining(int64_t step, const Summary &summary);
  /// OK for the errors of a disk.
  absl::Status tolerate(const absl::Status &written);

  /// Whether a multiple of everySteps_ lies after the last step, up to this one.
  bool isDue(int64_t step) const {
    return everySteps_ > 0 && (step / everySteps_ > lastStep_ / everySteps_ || lastStep_ < firstStep_);
  }

  std::string modelDir_;
  int64_t everySteps_;
  Reporter &reporter_;
  RunObservation *const observation_;  ///< the program's
  bool hasFailed_ = false;             ///< the last write
  std::unique_ptr<EntryRunner> entry_; ///< of role summary, or null
  FeatureSlot slot_;
  std::unique_ptr<EventWriter> training_;
  std::map<std::string, std::unique_ptr<EventWriter>> evaluations_; ///< by the set's name
  int64_t firstStep_ = 0, lastStep_ = 0, paceStep_ = -1;
  const std::vector<GraphNode> *graph_ = nullptr;
  State *state_ = nullptr; ///< with histograms of variables
  int64_t histogramSteps_ = 0, lastHistogram_ = 0;
  bool due_ = false; ///< the step that runs
  Clock::time_point paceStart_;
  std::vector<std::string> silentLayers_;
  int64_t paceBytes_ = 0, paceStaleSum_ = 0, paceStaleCount_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_SUMMARIES_H
