// Sums over rows and batches that metrics are made of. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_METRICSUMS_H
#define LIB_CONVERSION_ESTTODF_METRICSUMS_H

#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Entry.h"

namespace mlc::est2df {

/// Names of the variables of lifetime eval (after `eval/`).
namespace sums {
inline constexpr llvm::StringLiteral kWeight = "weight";
inline constexpr llvm::StringLiteral kLoss = "loss";
inline constexpr llvm::StringLiteral kBatchLoss = "batch_loss";
inline constexpr llvm::StringLiteral kBatches = "batches";
inline constexpr llvm::StringLiteral kLabel = "label";
inline constexpr llvm::StringLiteral kPrediction = "prediction";
inline constexpr llvm::StringLiteral kCorrect = "correct";
inline constexpr llvm::StringLiteral kTruePositives = "true_positives";
inline constexpr llvm::StringLiteral kFalsePositives = "false_positives";
inline constexpr llvm::StringLiteral kTruePositivesAt = "true_positives_at_thresholds";
inline constexpr llvm::StringLiteral kFalsePositivesAt = "false_positives_at_thresholds";
inline constexpr llvm::StringLiteral kSoftLabel = "soft_label";
inline constexpr llvm::StringLiteral kRightAt = "right_at_thresholds";
inline constexpr llvm::StringLiteral kSquaredError = "squared_error";
inline constexpr llvm::StringLiteral kAbsoluteError = "absolute_error";
inline constexpr llvm::StringLiteral kSquaredLabel = "squared_label";
inline constexpr llvm::StringLiteral kLossLabel = "loss_label";
inline constexpr llvm::StringLiteral kSquaredLossLabel = "squared_loss_label";
} // namespace sums

/// The accumulators of one entry. Sums are f64, so that those over many rows keep what a row adds, and plain, so that
/// those of two parts of the data add up to those of the whole.
class MetricSums {
public:
  /// `weights`: [n] of f32, or null if every row weighs 1. `scope`, if not empty, goes before the names of the
  /// variables.
  MetricSums(Entry &entry, mlir::Value weights, llvm::StringRef scope);

  GraphBuilder &builder() { return entry_.builder(); }
  Entry &entry() { return entry_; }
  /// The variable `name`, which starts at 0.
  df::VariableOp variable(llvm::StringRef name, mlir::RankedTensorType type);
  /// Adds `value`, a tensor of f64, to the sum `name`.
  void add(llvm::StringRef name, mlir::Value value);
  /// Adds sum(weight * values) to the sum `name`; `values` is [n] of numbers or truth values, or [n, k], of which the
  /// mean of each row counts.
  void addWeighted(llvm::StringRef name, mlir::Value values);
  /// weight * values as f64; `values` is [n] or [n, k] of numbers or truth values.
  mlir::Value weighted(mlir::Value values);
  /// Adds the loss of a batch, a scalar of f32.
  void addLoss(mlir::Value batchLoss);
  /// The sum `name`, which another entry adds to.
  mlir::Value get(llvm::StringRef name);
  /// The sum `name` divided by the sum of weights; 0 of no rows.
  mlir::Value mean(llvm::StringRef name);
  /// Adds the mean of the losses of the batches to `outputs`, and `regularization`, what they have besides, if it is
  /// not null, a scalar of f32.
  void loss(mlir::Value regularization, llvm::SmallVectorImpl<Output> &outputs);

private:
  std::string scoped(llvm::StringRef name) const { return scope_.empty() ? name.str() : scope_ + "/" + name.str(); }

  Entry &entry_;
  mlir::Value weights_;
  std::string scope_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_METRICSUMS_H
