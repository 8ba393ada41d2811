// Areas under the ROC curve from the order of the rows' logits. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_RANKMETRICS_H
#define LIB_CONVERSION_ESTTODF_RANKMETRICS_H

#include "lib/Conversion/EstToDf/MetricSums.h"

namespace mlc::est2df {

/// auc_exact: the share, by weight, of the pairs of a row of class 1 and one of class 0 in which the first has the
/// larger logit; pairs of equal logits count half. Logits and weights of up to kCapacity rows are kept, and the area is
/// that of their order. Of more rows it is that of a histogram over all f32 numbers with 2^16 bins, where the logits of
/// a bin differ by less than 2^-7 of their size: pairs of one bin count half, so that it is off by at most half their
/// share. NaN if there is only one class.
///
/// gauc, if rows have groups: the mean of the same area within each group, weighted by the weight of the group's rows;
/// groups of one class do not count. NaN if none counts, and for more than kCapacity rows.
///
/// Two sets of rows merge by putting the kept rows of one after those of the other, and by adding the histograms.
class RankMetrics {
public:
  static constexpr int64_t kCapacity = int64_t{1} << 20;
  static constexpr int64_t kBins = int64_t{1} << 16;

  explicit RankMetrics(bool hasGroups) : hasGroups_(hasGroups) {}

  /// `logits`: [n] of f32. `labels`: classes, [n] of i64. `weights`: [n] of f32, or null if every row weighs 1.
  /// `positives`, `negatives`: as in ThresholdMetrics. `groups`: [n] of i64, >= 0; null without groups.
  void update(MetricSums &sums, mlir::Value logits, mlir::Value labels, mlir::Value weights, mlir::Value positives,
              mlir::Value negatives, mlir::Value groups) const;
  /// `positives`, `negatives`: the weights of all rows of class 1 and of class 0, scalars of f64.
  void metrics(MetricSums &sums, mlir::Value positives, mlir::Value negatives,
               llvm::SmallVectorImpl<Output> &outputs) const;

private:
  bool hasGroups_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_RANKMETRICS_H
