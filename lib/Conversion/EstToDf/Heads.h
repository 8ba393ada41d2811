// The heads of a model, one or several. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_HEADS_H
#define LIB_CONVERSION_ESTTODF_HEADS_H

#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/Logits.h"

namespace mlc::est2df {

/// The heads of an estimator, one at least. Several share the bodies, whose logits are those of all heads beside each
/// other; predictions of a head are called `<head>/<key>` then, metrics `<metric>/<head>`, and the loss is the sum of
/// theirs, each times its weight. Metrics of one alone are called so, too, but for the loss, if the estimator has
/// `est.names_in_metrics`.
class Heads {
public:
  explicit Heads(est::EstimatorOp estimator);

  /// The bodies' logits.
  mlir::ValueRange bodies() const { return bodies_; }
  /// The est.feature values that training and evaluation need, besides those of the columns.
  llvm::SmallVector<mlir::Value> labelFeatures() const;
  /// Those that evaluation alone needs, besides them.
  llvm::SmallVector<mlir::Value> evalFeatures() const;

  /// The loss of a batch, a scalar of f32; of logits of steps that of the steps that there are.
  mlir::Value batchLoss(Entry &entry, const Logits &logits) const;
  /// Adds the rows of a batch, or its steps, to the sums that metrics are made of, and gives its loss: as batchLoss.
  mlir::Value update(Entry &entry, const Logits &logits) const;
  /// The metrics, scalars of f64 under their names. `regularization`: what the loss has besides the losses of the rows,
  /// a scalar of f32, or null.
  llvm::SmallVector<Output> metrics(Entry &entry, mlir::Value regularization) const;
  /// The predictions, [n, ...] under their keys. Of steps they are [n, longest, ...], and `sequence_mask` tells which
  /// of them a row has.
  llvm::SmallVector<Output> predictions(Entry &entry, const Logits &logits) const;
  /// Adds what the manifest says of heads: "head", or "heads" if metrics have their names, and "prediction_constants".
  void describe(llvm::json::Object &manifest) const;

private:
  bool areSeveral() const { return heads_.size() > 1; }
  /// The logits of a head, of those of the bodies.
  mlir::Value logitsOf(Entry &entry, const Head &head, mlir::Value logits) const;
  /// The logits that labels are beside, [n, dimension]: of steps those that there are.
  mlir::Value labelled(Entry &entry, const Logits &logits) const;

  llvm::SmallVector<std::unique_ptr<Head>, 1> heads_;
  llvm::SmallVector<mlir::Value> bodies_;
  /// Whether metrics have the names of their heads.
  bool namesMetrics_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_HEADS_H
