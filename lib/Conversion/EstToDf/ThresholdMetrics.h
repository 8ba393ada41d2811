// Metrics of a binary classifier over many thresholds: areas under curves, rates at given thresholds. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_THRESHOLDMETRICS_H
#define LIB_CONVERSION_ESTTODF_THRESHOLDMETRICS_H

#include "lib/Conversion/EstToDf/MetricSums.h"

namespace mlc::est2df {

/// What follows from the counts of rows above each threshold.
struct ThresholdCounts {
  /// Weights of the rows of class 1, of class 0, that are above each threshold: vectors of f64.
  mlir::Value truePositives, falsePositives;
  /// Weights of all rows of either class: scalars of f64.
  mlir::Value positives, negatives;
  /// Weights of the rows that are right at each of the given thresholds, a vector of f64, where that does not follow
  /// from the others; else null.
  mlir::Value right = {};
};

/// auc, auc_precision_recall, and accuracy, precision and recall `/positive_threshold_<t>`. Rows with a prediction
/// above each of a list of thresholds are counted, positive and negative ones; all else follows from these counts.
class ThresholdMetrics {
public:
  ThresholdMetrics(llvm::ArrayRef<double> thresholds, est::Compat compat);

  /// `predictions`: probabilities, [n] or [n, k] of f32. `positives`, `negatives`: the weight of each that is of class
  /// 1, of class 0, else 0; f64 of that shape. Adds to the sums kTruePositivesAt and kFalsePositivesAt: [thresholds],
  /// or [k, thresholds].
  void update(MetricSums &sums, mlir::Value predictions, mlir::Value positives, mlir::Value negatives) const;
  /// Of labels that are numbers from 0 to 1, [n] of f32: adds to the sum kRightAt, [given thresholds], the weight of
  /// the rows whose label is the class that a threshold gives their prediction.
  void updateRight(MetricSums &sums, mlir::Value predictions, mlir::Value labels) const;
  bool hasGiven() const { return !given_.empty(); }
  /// All of them.
  void metrics(GraphBuilder &builder, const ThresholdCounts &counts, llvm::SmallVectorImpl<Output> &outputs) const;
  /// auc<suffix> and auc_precision_recall<suffix>.
  void areas(GraphBuilder &builder, const ThresholdCounts &counts, llvm::StringRef suffix,
             llvm::SmallVectorImpl<Output> &outputs) const;

  /// The counts at the points of the curves, [4, points] of f64: true positives, false positives, true negatives, false
  /// negatives.
  mlir::Value curve(GraphBuilder &builder, const ThresholdCounts &counts) const;

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
