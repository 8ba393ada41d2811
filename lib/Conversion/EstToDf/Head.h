// Heads: labels, losses, predictions and metrics of a model. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_HEAD_H
#define LIB_CONVERSION_ESTTODF_HEAD_H

#include "lib/Conversion/EstToDf/MetricSums.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <string>

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
  /// The head of an est op. `scope`: what its variables and tables are called by besides their names, where it is one
  /// of several; else empty.
  static std::unique_ptr<Head> create(mlir::Operation *op, est::Compat compat, llvm::StringRef scope);
  virtual ~Head() = default;

  mlir::Operation *op() const { return op_; }
  llvm::StringRef name() const { return op_->getAttrOfType<mlir::StringAttr>("name").getValue(); }
  llvm::StringRef scope() const { return scope_; }
  /// The est.feature values that training and evaluation need, besides those of the columns.
  llvm::SmallVector<mlir::Value> labelFeatures() const;

  /// Those that evaluation alone needs, besides them.
  virtual llvm::SmallVector<mlir::Value> evalFeatures() const { return {}; }

  /// Reads labels and weights and computes each row's loss. `logits`: the head's own.
  Examples examples(Entry &entry, mlir::Value logits) const;
  /// The loss of the batch, a scalar of f32, under the head's reduction.
  mlir::Value batchLoss(Entry &entry, const Examples &examples) const;
  /// `loss`, of a batch, times the head's weight.
  mlir::Value timesWeight(GraphBuilder &b, mlir::Value loss) const;
  /// Adds the rows of a batch to the sums.
  void update(MetricSums &sums, const Examples &examples, mlir::Value batchLoss) const;
  /// Adds the metrics, scalars of f64 under their names, and what says how good they are. `regularization`: what the
  /// loss has besides the losses of the rows, a scalar of f32, or null.
  void metrics(MetricSums &sums, mlir::Value regularization, llvm::SmallVectorImpl<Output> &outputs,
               llvm::SmallVectorImpl<Output> &diagnostics) const;
  /// The predictions, [n, ...] under their keys.
  virtual llvm::SmallVector<Output> predictions(Entry &entry, mlir::Value logits) const = 0;
  /// Prediction keys that are the same for every row, for the manifest: lists of texts or integers by key.
  virtual llvm::json::Object constantPredictions() const { return {}; }
  /// For the manifest.
  llvm::json::Object describe() const;

protected:
  template <typename Op>
  Head(Op op, llvm::StringRef scope)
      : op_(op), scope_(scope), label_(op.getLabel()), weight_(op.getWeight()), reduction_(op.getReduction()) {}

  /// Sets labels and losses of `examples`, whose logits are there.
  virtual void computeLosses(Entry &entry, Examples &examples) const = 0;
  virtual void updateOwn(MetricSums &sums, const Examples &examples) const = 0;
  virtual void ownMetrics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const = 0;
  /// What says how good the metrics are, under names of groups ("baseline/accuracy"); after them, as it is ours alone.
  virtual void ownDiagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs) const {}
  virtual void describeOwn(llvm::json::Object &object) const = 0;

  /// The est.feature of the label.
  mlir::Value label() const { return label_; }
  /// Where the labels of each row end, [rows], of labels of steps; else null: each row has one.
  mlir::Value labelEnds(Entry &entry) const {
    auto feature = label_.getDefiningOp<est::FeatureOp>();
    return feature.getType().isMultiValued() ? entry.ends(feature) : mlir::Value();
  }
  llvm::StringRef labelName() const { return label_.getDefiningOp<est::FeatureOp>().getName(); }

private:
  mlir::Operation *op_;
  std::string scope_;
  mlir::Value label_, weight_;
  est::LossReduction reduction_;
};

std::unique_ptr<Head> createBinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat, llvm::StringRef scope);
std::unique_ptr<Head> createMultiClassHead(est::MultiClassHeadOp op, llvm::StringRef scope);
std::unique_ptr<Head> createMultiLabelHead(est::MultiLabelHeadOp op, est::Compat compat, llvm::StringRef scope);
std::unique_ptr<Head> createRegressionHead(est::RegressionHeadOp op, llvm::StringRef scope);
std::unique_ptr<Head> createLogisticRegressionHead(est::LogisticRegressionHeadOp op, llvm::StringRef scope);
std::unique_ptr<Head> createPoissonRegressionHead(est::PoissonRegressionHeadOp op, llvm::StringRef scope);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_HEAD_H
