// What the metrics of an evaluation say against a model. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_MODELHEALTH_H
#define MLCRT_TRAIN_MODELHEALTH_H

#include "common/cli/Message.h"
#include "runtime/src/train/Evaluation.h"

#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Bounds of the warnings; each is far from what a useful model shows.
struct HealthBounds {
  double accuracyBelowBaseline = 0.005; ///< E0801: how much lower an accuracy may be
  double gap = 0.5;                     ///< E0803: of the baseline's loss, between training and evaluation
  double lossRatio = 4;                 ///< E0803 where there is no such baseline: evaluation's of training's
  double confidentErrors = 0.01;        ///< E0804: share of rows
};

/// Warnings about a model of these metrics (of eval set `evalSet`, which may be empty): E0801 not better than knowing
/// the labels' shares or mean alone, E0802 all rows in one class, E0803 far worse than on training data, E0804 wrong
/// with certainty. `trainLoss`: the recent loss of training steps, penalties of regularizers included. Metrics that are
/// not there say nothing, so models of df modules are judged by those of these names that they have. Of several heads
/// each is judged, but not against training data, of which the sum of their losses is known alone.
std::vector<mlc::common::Message> judgeModel(const std::vector<Metric> &metrics, const std::string &evalSet,
                                             std::optional<double> trainLoss, const HealthBounds &bounds = {});

/// The warning E0809 about a layer of which no unit was active in the batch of the last summary.
mlc::common::Message silentLayer(const std::string &layer);

} // namespace mlcrt

#endif // MLCRT_TRAIN_MODELHEALTH_H
