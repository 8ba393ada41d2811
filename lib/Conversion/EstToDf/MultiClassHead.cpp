// One of n > 2 classes from n logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/ClassLabels.h"
#include "lib/Conversion/EstToDf/ClassMetrics.h"
#include "lib/Conversion/EstToDf/Head.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// top_5_accuracy: how many classes of a row may have a logit as large as the label's, it included.
static constexpr int64_t kBest = 5;
static constexpr StringLiteral kAmongBest = "among_best";

namespace {
class MultiClassHead final : public Head {
public:
  MultiClassHead(est::MultiClassHeadOp op, StringRef scope)
      : Head(op, scope), numClasses_(est::getDimension(op.getLogits()[0].getType())),
        classes_(op.getVocabulary(), numClasses_, scope), metrics_(numClasses_) {}

  SmallVector<Output> predictions(Entry &entry, Value logits) const override;
  llvm::json::Object constantPredictions() const override { return classes_.all(); }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void ownDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    metrics_.diagnostics(sums, outputs);
    confidentErrorDiagnostics(sums, outputs);
  }
  void describeOwn(llvm::json::Object &object) const override {
    object["kind"] = "multi_class";
    object["classes"] = classes_.names();
  }

private:
  /// Whether the best kBest classes are not all of them.
  bool hasBest() const { return numClasses_ > kBest; }

  int64_t numClasses_;
  ClassLabels classes_;
  ClassMetrics metrics_;
};
} // namespace

/// The class with the largest logit of each row, [n] of i64.
static Value bestClass(GraphBuilder &b, Value logits) { return b.infer<df::ArgmaxOp>(logits, /*axis=*/IntegerAttr()); }

void MultiClassHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  examples.labels = classes_.read(entry, label());
  examples.losses = b.infer<df::SoftmaxCrossEntropyOp>(examples.logits, examples.labels);
}

SmallVector<Output> MultiClassHead::predictions(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  b.setLoc(op()->getLoc());
  Value ids = b.asColumn(bestClass(b, logits));
  return {{"logits", logits},
          {"probabilities", b.infer<df::SoftmaxOp>(logits, /*axis=*/IntegerAttr())},
          {"class_ids", ids},
          {"classes", classes_.name(entry, ids)}};
}

/// Whether fewer than kBest logits of a row are above its label's, [n] of i1; as tf.math.in_top_k, ties are for the
/// label and a label whose logit is NaN is not among the best.
static Value isAmongBest(GraphBuilder &b, Value logits, Value labels, int64_t numClasses) {
  Value own = b.infer<df::TakeAlongAxisOp>(logits, b.asColumn(labels), uint64_t{1});
  Value isNotAbove = b.compare(df::Comparison::LE, logits, b.broadcast(b.asVector(own), logits, {0}));
  Value notAbove = b.sum(b.cast(isNotAbove, b.getI64Type()), {1});
  return b.compare(df::Comparison::GT, notAbove, b.repeat(b.i64(numClasses - kBest), notAbove));
}

void MultiClassHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  Value best = bestClass(b, examples.logits);
  sums.addWeighted(sums::kCorrect, b.compare(df::Comparison::EQ, best, examples.labels));
  if (hasBest())
    sums.addWeighted(kAmongBest, isAmongBest(b, examples.logits, examples.labels, numClasses_));
  metrics_.update(sums, examples.labels, best);
  updateConfidentErrors(sums, examples.losses);
}

void MultiClassHead::ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  outputs.push_back({"accuracy", sums.mean(sums::kCorrect)});
  if (hasBest())
    outputs.push_back({("top_" + Twine(kBest) + "_accuracy").str(), sums.mean(kAmongBest)});
  metrics_.metrics(sums, outputs);
}

std::unique_ptr<Head> est2df::createMultiClassHead(est::MultiClassHeadOp op, StringRef scope) {
  return std::make_unique<MultiClassHead>(op, scope);
}
