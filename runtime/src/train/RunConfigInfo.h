// info --runconfig: how this process understands its environment. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RUNCONFIGINFO_H
#define MLCRT_TRAIN_RUNCONFIGINFO_H

#include "common/cluster/TfConfig.h"
#include "runtime/src/train/Configuration.h"

#include <string>

namespace mlcrt {

/// The properties of tf.estimator.RunConfig, by its names: those of the environment, and the settings run_config.*.
/// Text, or one JSON object on one line.
std::string describeRunConfig(const mlc::common::RunConfig &run, const Configuration &configuration, bool json);

/// TF_CONFIG of this process and the directory that --model_dir names, or "". False after errors (E0222): it cannot be
/// used, or the two name different directories.
bool readRunConfig(const char *tfConfig, const std::string &modelDir, mlc::common::RunConfig &run,
                   mlc::common::MessageList &messages);

} // namespace mlcrt

#endif // MLCRT_TRAIN_RUNCONFIGINFO_H
