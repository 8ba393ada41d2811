// What a classifier does class by class, and what knowing nothing but the labels' shares would do. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_CLASSMETRICS_H
#define LIB_CONVERSION_ESTTODF_CLASSMETRICS_H

#include "lib/Conversion/EstToDf/MetricSums.h"

namespace mlc::est2df {

/// Counts of classes over the rows, by their weights: of labels, of what is predicted, of what is both; up to
/// kMostConfused classes all pairs of label and prediction.
class ClassMetrics {
public:
  /// The confusion matrix has the square of this many numbers.
  static constexpr int64_t kMostConfused = 256;

  explicit ClassMetrics(int64_t classes) : classes_(classes) {}

  /// Adds the rows of a batch: `labels` and `predicted` are [n] of i64, below the number of classes.
  void update(MetricSums &sums, mlir::Value labels, mlir::Value predicted) const;

  /// macro_f1: the mean F1 of the classes that are a label or a prediction of some row, as scikit-learn's.
  void metrics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const;
  /// baseline/accuracy (always the most frequent class), baseline/average_loss (always the shares of the classes), and
  /// for reports report/confusion ([classes, classes], label by prediction), or report/support, report/predicted and
  /// report/hits ([classes]) where there are too many for it.
  void diagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const;

private:
  /// [classes] of f64 each.
  struct Counts {
    mlir::Value support, predicted, hits;
  };
  Counts counts(MetricSums &sums) const;
  bool hasConfusion() const { return classes_ <= kMostConfused; }

  int64_t classes_;
};

/// The weight of the rows that a classifier is wrong about with a probability of the true class below 1/1000.
void updateConfidentErrors(MetricSums &sums, mlir::Value losses);
/// rate/confident_errors, their share.
void confidentErrorDiagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs);

/// -sum(p log p), natural, a scalar; `shares` is [k] of f64. The loss of who always predicts them.
mlir::Value entropy(GraphBuilder &builder, mlir::Value shares);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_CLASSMETRICS_H
