// Regressions whose prediction is a function of the logit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/RegressionMetrics.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
/// What they share: the label is a number, and so is what is predicted, the inverse link of the logit.
class LinkRegressionHead : public Head {
public:
  using Head::Head;

  SmallVector<Output> predictions(Entry &entry, Value logits) const override {
    entry.builder().setLoc(op()->getLoc());
    return {{"predictions", inverseLink(entry.builder(), logits)}, {"logits", logits}};
  }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    regressionMetrics(sums, outputs);
  }
  void ownDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    regressionDiagnostics(sums, outputs);
  }

private:
  /// The prediction for a logit, element by element.
  virtual Value inverseLink(GraphBuilder &b, Value logits) const = 0;
  /// Truth values: whether the head takes a label.
  virtual Value accepts(GraphBuilder &b, Value labels) const = 0;
  /// The labels that it takes, for a message.
  virtual StringRef range() const = 0;
  /// The losses, f32 of the shape of both operands.
  virtual Value losses(GraphBuilder &b, Value logits, Value labels) const = 0;
};

class LogisticRegressionHead final : public LinkRegressionHead {
public:
  LogisticRegressionHead(est::LogisticRegressionHeadOp op, StringRef scope) : LinkRegressionHead(op, scope) {}

protected:
  void describeOwn(llvm::json::Object &object) const override { object["kind"] = "logistic_regression"; }

private:
  Value inverseLink(GraphBuilder &b, Value logits) const override { return b.unary<df::SigmoidOp>(logits); }
  Value accepts(GraphBuilder &b, Value labels) const override {
    return b.binary<df::LogicalAndOp>(b.compare(df::Comparison::GE, labels, b.f32(0)),
                                      b.compare(df::Comparison::LE, labels, b.f32(1)));
  }
  StringRef range() const override { return "a number from 0 to 1"; }
  Value losses(GraphBuilder &b, Value logits, Value labels) const override {
    return b.binary<df::SigmoidCrossEntropyOp>(logits, labels);
  }
};

class PoissonRegressionHead final : public LinkRegressionHead {
public:
  PoissonRegressionHead(est::PoissonRegressionHeadOp op, StringRef scope)
      : LinkRegressionHead(op, scope), isFullLoss_(op.getComputeFullLoss()) {}

protected:
  void describeOwn(llvm::json::Object &object) const override { object["kind"] = "poisson_regression"; }

private:
  Value inverseLink(GraphBuilder &b, Value logits) const override { return b.unary<df::ExpOp>(logits); }
  Value accepts(GraphBuilder &b, Value labels) const override {
    return b.compare(df::Comparison::GE, labels, b.f32(0));
  }
  StringRef range() const override { return "a number of at least 0"; }
  Value losses(GraphBuilder &b, Value logits, Value labels) const override;

  bool isFullLoss_;
};
} // namespace

void LinkRegressionHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  Value labels = examples.labels = b.cast(entry.feature(label()), b.getF32Type());
  // Of a vector the check shows its least or its largest number; what is accepted is a range.
  Value least = labels, largest = labels;
  if (cast<RankedTensorType>(labels.getType()).getRank() > 1) {
    least = b.infer<df::ReduceMinOp>(labels, ArrayRef<int64_t>{1});
    largest = b.infer<df::ReduceMaxOp>(labels, ArrayRef<int64_t>{1});
  }
  Value shown = least == largest ? labels : b.select(accepts(b, largest), least, largest);
  Value verdicts = b.select(accepts(b, shown), b.i64(0), b.i64(-1));
  b.infer<df::CheckIdsOp>(verdicts, shown, labelEnds(entry), FlatSymbolRefAttr(), uint64_t{0}, uint64_t{1},
                          ("label '" + labelName() + "', " + range()).str(), b.getStringAttr(labelName()), ArrayAttr());
  examples.losses = losses(b, asLabels(b, examples.logits), labels);
}

void LinkRegressionHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  updateRegression(sums, examples.labels, inverseLink(b, asLabels(b, examples.logits)));
}

Value PoissonRegressionHead::losses(GraphBuilder &b, Value logits, Value labels) const {
  Value losses = b.sub(b.unary<df::ExpOp>(logits), b.mul(labels, logits));
  if (!isFullLoss_)
    return losses;
  Value entropy = b.sub(b.mul(labels, b.unary<df::LogOp>(labels)), labels);
  Value circle = b.unary<df::LogOp>(b.mul(labels, b.f32(2 * llvm::numbers::pi)));
  Value stirling = b.add(entropy, b.mul(circle, b.f32(0.5)));
  // The approximation is for labels above 1; that of 0 and 1 is 0, where the formula has no value or a wrong one.
  return b.add(losses, b.select(b.compare(df::Comparison::GT, labels, b.f32(1)), stirling, b.f32(0)));
}

std::unique_ptr<Head> est2df::createLogisticRegressionHead(est::LogisticRegressionHeadOp op, StringRef scope) {
  return std::make_unique<LogisticRegressionHead>(op, scope);
}

std::unique_ptr<Head> est2df::createPoissonRegressionHead(est::PoissonRegressionHeadOp op, StringRef scope) {
  return std::make_unique<PoissonRegressionHead>(op, scope);
}
