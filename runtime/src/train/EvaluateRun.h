// The verb evaluate. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EVALUATERUN_H
#define MLCRT_TRAIN_EVALUATERUN_H

#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/TrainRun.h"

#include <functional>
#include <vector>

namespace mlcrt {

/// Told of each eval set when it was evaluated.
using EvaluationSink = std::function<void(const EvalSet &set, const std::vector<Metric> &metrics)>;

/// Evaluates a checkpoint, as restoreModel, over the eval sets that have data, or the one that is named; events as
/// options.events. Errors as
/// restoreModel, openEntryData, checkReadMemory and evaluate.
absl::Status runEvaluate(RunContext &context, const EvaluationSink &sink);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATERUN_H
