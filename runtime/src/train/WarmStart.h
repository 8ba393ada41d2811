// Initial values from another model's checkpoint. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_WARMSTART_H
#define MLCRT_TRAIN_WARMSTART_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/ValueTarget.h"
#include "runtime/src/core/State.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/Reporter.h"

#include <functional>
#include <string>
#include <vector>

namespace mlcrt {

/// What replaces initial values: found and checked, not read yet.
struct InitialValues {
  /// Each copies the values of one tensor, piece by piece; in this order. kDataLoss: damaged.
  std::vector<std::function<absl::Status(ValueTarget &to)>> copies;
  std::string warmStart; ///< where those of train.warm_start are from; "" if the spec has none

  /// After an error, some of the target may have been written.
  absl::Status copyTo(ValueTarget &to) const;
};

/// A state that is here.
class StateTarget : public ValueTarget {
public:
  explicit StateTarget(State &state) : state_(state) {}
  absl::Status write(int32_t variable, int64_t offset, const void *data, int64_t bytes) override;

private:
  State &state_;
};

/// Finds the tables of embeddings with a ckpt_to_load_from, then (so a warm start that names one of these wins) what
/// train.warm_start says: trainable variables that match. They get the values of the checkpoint, rows and columns of
/// vocabularies by term. kInvalidArgument (E0219): a name that matches nothing, a variable or tensor that the
/// checkpoint lacks, shapes that do not fit, a tensor's name without a checkpoint; kNotFound: no checkpoint; kDataLoss:
/// damaged.
absl::StatusOr<InitialValues> findInitialValues(const Configuration &configuration, const Artifact &artifact,
                                                Reporter &reporter);

/// Finds all values of `checkpoint`, slots too, for a model that differs from it in vocabularies alone, each of which
/// has the terms of its old one and more: rows and columns go where their terms are, new ones keep their initial
/// values. kFailedPrecondition (E0402): something else differs, or terms are gone.
absl::StatusOr<InitialValues> findGrownValues(const std::string &checkpoint, const Configuration &configuration,
                                              const Artifact &artifact, Reporter &reporter);

} // namespace mlcrt

#endif // MLCRT_TRAIN_WARMSTART_H
