// Ends training by what evaluations say. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EARLYSTOPPING_H
#define MLCRT_TRAIN_EARLYSTOPPING_H

#include "absl/status/statusor.h"
#include "common/settings/EarlyStopping.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/Evaluation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// The rules train.early_stopping of a run, and how far each is. A pure function of the evaluations observed: with its
/// records in the checkpoints, a resumed run ends where an uninterrupted one does.
class EarlyStopping {
public:
  EarlyStopping() = default;
  explicit EarlyStopping(std::vector<mlc::common::EarlyStoppingRule> rules);
  /// kInvalidArgument (E0216, E0218): a metric, an eval set or a bound that is not there, or an eval set without files.
  static absl::StatusOr<EarlyStopping> create(const Configuration &configuration, const Artifact &artifact);

  bool empty() const { return rules_.empty(); }

  /// Goes on from the records of a checkpoint. Those of rules that are no more are dropped; returns whether there were
  /// any.
  bool restore(const std::vector<StopRecord> &records);
  /// Whether an evaluation of this set was due at the step that was restored, and is to be done first.
  bool isPending(const std::string &evalSet) const;

  /// Takes the metrics of an eval set in. Returns whether they are the best so far for some rule.
  bool observe(const std::string &evalSet, int64_t step, const std::vector<Metric> &metrics);

  /// Why training ends now: "auc of eval 'valid' did not grow for 2000 steps: ..."; empty if it goes on.
  std::string reason() const;
  /// The step whose evaluation ends training; -1 while it goes on.
  int64_t decidedAt() const;
  /// The last step whose evaluation of this set counted for a rule; -1: none.
  int64_t lastStep(const std::string &evalSet) const;
  /// Steps whose checkpoints are kept.
  std::vector<int64_t> bestSteps() const;
  /// "best auc 0.9079 at step 3000"; empty before an evaluation counted.
  std::string summary() const;
  /// The same as a JSON list.
  std::string json() const;

  /// For a checkpoint of the state before the evaluations of `dueSets`, which follow it.
  std::vector<StopRecord> records(const std::vector<std::string> &dueSets) const;

private:
  struct Rule {
    mlc::common::EarlyStoppingRule rule;
    StopRecord record;
  };
  static bool isMet(const Rule &rule);

  std::vector<Rule> rules_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_EARLYSTOPPING_H
