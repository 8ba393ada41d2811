// The task of role evaluator: metrics of checkpoints as they come. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EVALUATORRUN_H
#define MLCRT_TRAIN_EVALUATORRUN_H

#include "runtime/src/train/Cluster.h"

namespace mlcrt {

/// Evaluates the checkpoints of --model_dir by the settings of the eval sets, until training ended and its last one is
/// evaluated. What was evaluated stands in the model_dir: a run that was killed goes on there. A job that had ended
/// before this began is waited for as the first checkpoint is, for --start_timeout: another may begin in its place.
/// kDeadlineExceeded (E0410): no checkpoint came; kInvalidArgument: there is nothing to evaluate on.
absl::Status runEvaluator(RunContext &context, const ClusterSetup &setup, mlc::common::ExitCode &exitCode);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATORRUN_H
