// Heads: labels, losses, predictions and metrics of a model. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_HEAD_H
#define LIB_CONVERSION_ESTTODF_HEAD_H

#include "lib/Conversion/EstToDf/MetricSums.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace mlc::est2df {

/// What a head makes of the rows of a batch.
struct Examples {
  /// [n, dimension] of f32.
  mlir::Value logits;
  /// Classes, [n] of i64; sets of classes, [n, classes] of f32; or numbers, [n] or [n, dimension] of f32 in the label's
  /// own units.
  mlir::Value labels;
  /// The labels as numbers of [n] of f32 where those are no classes, else null.
  mlir::Value softLabels;
  /// [n] of f32; [n, dimension] of a regression of more than one number.
  mlir::Value losses;
  /// [n] of f32, or null if every row weighs 1.
  mlir::Value weights;
};

/// A head; stateless but for the op it lowers.
class Head {
public:
  /// The head of an estimator; null after an error.
  static std::unique_ptr<Head> create(est::EstimatorOp estimator);
  virtual ~Head() = default;

  mlir::Operation *op() const { return op_; }
  /// The bodies' logits.
  mlir::ValueRange bodies() const { return bodies_; }
  /// The est.feature values that training and evaluation need, besides those of the columns.
  llvm::SmallVector<mlir::Value> labelFeatures() const;

  /// Those that evaluation alone needs, besides them.
  virtual llvm::SmallVector<mlir::Value> evalFeatures() const { return {}; }

  /// Reads labels and weights and computes each row's loss.
  Examples examples(Entry &entry, mlir::Value logits) const;
  /// The loss of the batch, a scalar of f32, under the head's reduction, times its weight.
  mlir::Value batchLoss(Entry &entry, const Examples &examples) const;
  /// Adds the rows of a batch to the sums.
  void update(MetricSums &sums, const Examples &examples, mlir::Value batchLoss) const;
  /// The metrics, scalars of f64 under their names. `regularization`: what the loss has besides the losses of the rows,
  /// a scalar of f32, or null.
  llvm::SmallVector<Output> metrics(MetricSums &sums, mlir::Value regularization) const;
  /// The predictions, [n, ...] under their keys.
  virtual llvm::SmallVector<Output> predictions(Entry &entry, mlir::Value logits) const = 0;
  /// Prediction keys that are the same for every row, for the manifest: lists of texts or integers by key.
  virtual llvm::json::Object constantPredictions() const { return {}; }
  /// For the manifest.
  llvm::json::Object describe() const;

protected:
  Head(mlir::Operation *op, mlir::ValueRange bodies, mlir::Value label, mlir::Value weight,
       est::LossReduction reduction)
      : op_(op), bodies_(bodies), label_(label), weight_(weight), reduction_(reduction) {}

  /// Sets labels and losses of `examples`, whose logits are there.
  virtual void computeLosses(Entry &entry, Examples &examples) const = 0;
  virtual void updateOwn(MetricSums &sums, const Examples &examples) const = 0;
  virtual void ownMetrics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const = 0;
  /// What says how good the metrics are, under names of groups ("baseline/accuracy"); behind them, as it is ours alone.
  virtual void ownDiagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const {}
  virtual void describeOwn(llvm::json::Object &object) const = 0;

  /// The est.feature of the label.
  mlir::Value label() const { return label_; }
  llvm::StringRef labelName() const { return label_.getDefiningOp<est::FeatureOp>().getName(); }

private:
  mlir::Operation *op_;
  mlir::ValueRange bodies_;
  mlir::Value label_, weight_;
  est::LossReduction reduction_;
};

std::unique_ptr<Head> createBinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat);
std::unique_ptr<Head> createMultiClassHead(est::MultiClassHeadOp op);
std::unique_ptr<Head> createMultiLabelHead(est::MultiLabelHeadOp op, est::Compat compat);
std::unique_ptr<Head> createRegressionHead(est::RegressionHeadOp op);
std::unique_ptr<Head> createLogisticRegressionHead(est::LogisticRegressionHeadOp op);
std::unique_ptr<Head> createPoissonRegressionHead(est::PoissonRegressionHeadOp op);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_HEAD_H
