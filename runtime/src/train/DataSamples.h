// Samples of the data of a run, and what speaks against them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_DATASAMPLES_H
#define MLCRT_TRAIN_DATASAMPLES_H

#include "runtime/src/core/Artifact.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/DataCheck.h"
#include "runtime/src/train/Reporter.h"

#include <string>
#include <vector>

namespace mlcrt {

/// Looks at some rows of the data sets of a run and tells the warnings of DataHealth.h. Data of which the manifest says
/// nothing to look for, as those of a df program, and arrays in memory cost nothing.
class DataSamples {
public:
  /// All outlive this.
  DataSamples(const Configuration &configuration, const Artifact &artifact, Reporter &reporter);

  /// Files of training data, which others are held against from here on.
  void judgeTraining(const std::vector<DataFile> &files);
  /// As training data where the settings name files that are there; nothing is told of them.
  void findTraining();
  /// Files of an eval set; nothing if it is a part of the training files.
  void judgeEvaluation(const EvalSet &set, const std::vector<DataFile> &files);

private:
  const Configuration &configuration_;
  Reporter &reporter_;
  std::vector<mlc::common::ColumnCheck> checks_;
  DataFindings train_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_DATASAMPLES_H
