// Metrics of a binary classifier over many thresholds: areas under curves, rates at given thresholds. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_THRESHOLDMETRICS_H
#define LIB_CONVERSION_ESTTODF_THRESHOLDMETRICS_H

#include "lib/Conversion/EstToDf/MetricSums.h"

namespace mlc::est2df {

/// auc, auc_precision_recall, and accuracy, precision and recall `/positive_threshold_<t>`. Rows with a prediction
/// above each of a list of thresholds are counted, positive and negative ones; all else follows from these counts.
class ThresholdMetrics {
public:
  ThresholdMetrics(llvm::ArrayRef<double> thresholds, est::Compat compat);

  /// `predictions`: probabilities, [n] of f32. `labels`: classes, [n] of i64. `positives`, `negatives`: the weight of
  /// each row that is of class 1, of class 0, else 0; [n] of f64.
  void update(MetricSums &sums, mlir::Value predictions, mlir::Value labels, mlir::Value positives,
              mlir::Value negatives) const;
  /// `positives`, `negatives`: the weights of all rows of class 1 and of class 0, scalars of f64.
  void metrics(MetricSums &sums, mlir::Value positives, mlir::Value negatives,
               llvm::SmallVectorImpl<Output> &outputs) const;

private:
  llvm::SmallVector<double> given_;
  /// In the order of the counts: those of the curves, then for each given one that of accuracy, then those of precision
  /// and recall.
  llvm::SmallVector<double> all_;
  est::Compat compat_;
};

/// part / (part + rest), and 0 of nothing.
mlir::Value shareOf(GraphBuilder &builder, mlir::Value part, mlir::Value rest);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_THRESHOLDMETRICS_H
