// What samples of data say against them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_DATAHEALTH_H
#define MLCRT_TRAIN_DATAHEALTH_H

#include "common/cli/Message.h"
#include "runtime/src/train/DataCheck.h"

#include <vector>

namespace mlcrt {

/// Bounds of the warnings about data.
struct DataBounds {
  int64_t leastRows = 20;    ///< fewer rows say nothing
  double most = 0.5;         ///< share of unknown values, and of missing ones, above which a column is named
  double chance = 1e-6;      ///< how probable at most what new data have must be, by the shares of training data
  double largestLabel = 100; ///< mean or deviation of labels that a regression learns in their own units
};

/// Warnings about training data: E0805 most values of a column are unknown to its vocabulary or range, E0806 a column
/// of one value, E0807 a column without values, E0808 large labels without a label_transform.
std::vector<mlc::common::Message> judgeTrainingData(const DataFindings &found,
                                                    const std::vector<mlc::common::ColumnCheck> &checks,
                                                    const DataBounds &bounds = {});

/// Warnings about other data of the same model, where training data are not so: E0805, E0806, E0807 (most values are
/// missing). `train` has no rows: it is not known, and E0805 and E0808 alone are told.
std::vector<mlc::common::Message> judgeNewData(const DataFindings &found,
                                               const std::vector<mlc::common::ColumnCheck> &checks,
                                               const DataFindings &train, const DataBounds &bounds = {});

} // namespace mlcrt

#endif // MLCRT_TRAIN_DATAHEALTH_H
