// Two classes from one logit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "lib/Conversion/EstToDf/ClassLabels.h"
#include "lib/Conversion/EstToDf/ClassMetrics.h"
#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/RankMetrics.h"
#include "lib/Conversion/EstToDf/ThresholdMetrics.h"

#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
class BinaryClassHead final : public Head {
public:
  BinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat, StringRef scope)
      : Head(op, scope), hasVocabulary_(op.getVocabulary().has_value()), classes_(op.getVocabulary(), 2, scope),
        thresholds_(op.getThresholds().value_or(ArrayRef<double>()), compat), group_(op.getGroup()),
        ranks_(/*hasGroups=*/bool(group_)) {}

  SmallVector<Value> evalFeatures() const override {
    return group_ ? SmallVector<Value>{group_} : SmallVector<Value>();
  }

  SmallVector<Output> predictions(Entry &entry, Value logits) const override;
  llvm::json::Object constantPredictions() const override { return classes_.all(); }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void ownDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void describeOwn(llvm::json::Object &object) const override {
    object["kind"] = "binary_class";
    object["classes"] = classes_.names();
  }

private:
  /// Whether labels are numbers from 0 to 1: floats without a vocabulary. As in tf, the loss takes them as they are,
  /// metrics of classes take one above 0 for class 1, and `accuracy` counts a row only if the label is its class.
  bool isSoft() const { return !hasVocabulary_ && label().getDefiningOp<est::FeatureOp>().getType().isFloat(); }
  void readSoftLabels(Entry &entry, Examples &examples) const;
  /// Numbers of the rows' groups, or null without groups.
  Value groups(Entry &entry) const;

  bool hasVocabulary_;
  ClassLabels classes_;
  ThresholdMetrics thresholds_;
  /// The est.feature of the group, or null.
  Value group_;
  RankMetrics ranks_;
};
} // namespace

void BinaryClassHead::readSoftLabels(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  Value labels = examples.softLabels = b.cast(entry.feature(label()), b.getF32Type());
  Value isShare = b.binary<df::LogicalAndOp>(b.compare(df::Comparison::GE, labels, b.f32(0)),
                                             b.compare(df::Comparison::LE, labels, b.f32(1)));
  Value verdicts = b.select(isShare, b.i64(0), b.i64(-1));
  b.infer<df::CheckIdsOp>(verdicts, labels, labelEnds(entry), FlatSymbolRefAttr(), uint64_t{0}, uint64_t{1},
                          ("label '" + labelName() + "', a number from 0 to 1").str(), b.getStringAttr(labelName()),
                          ArrayAttr());
  examples.labels = b.cast(b.compare(df::Comparison::GT, labels, b.f32(0)), b.getI64Type());
}

void BinaryClassHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  if (isSoft())
    readSoftLabels(entry, examples);
  else
    examples.labels = classes_.read(entry, label());
  Value labels = isSoft() ? examples.softLabels : b.cast(examples.labels, b.getF32Type());
  examples.losses = b.binary<df::SigmoidCrossEntropyOp>(b.asVector(examples.logits), labels);
}

SmallVector<Output> BinaryClassHead::predictions(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  b.setLoc(op()->getLoc());
  Value logistic = b.unary<df::SigmoidOp>(logits);
  // The class whose logit is larger, class 0 having the logit 0; class 0 if they are equal.
  Value ids = b.cast(b.compare(df::Comparison::GT, logits, b.f32(0)), b.getI64Type());
  return {{"logits", logits},
          {"logistic", logistic},
          {"probabilities", b.concatColumns({b.sub(b.f32(1), logistic), logistic})},
          {"class_ids", ids},
          {"classes", classes_.name(entry, ids)}};
}

Value BinaryClassHead::groups(Entry &entry) const {
  if (!group_)
    return {};
  GraphBuilder &b = entry.builder();
  Value cells = entry.feature(group_);
  if (!group_.getDefiningOp<est::FeatureOp>().getType().isString())
    cells = b.cast(cells, b.getI64Type());
  // Fingerprints, but for the sign.
  return b.infer<df::HashBucketOp>(b.infer<df::FingerprintOp>(cells),
                                   static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

void BinaryClassHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  Value logits = b.asVector(examples.logits);
  Value probabilities = b.unary<df::SigmoidOp>(logits);
  Value positives = sums.weighted(examples.labels);
  Value negatives = sums.weighted(b.sub(b.i64(1), examples.labels));
  sums.add(sums::kLabel, b.sum(positives, {0}));
  sums.addWeighted(sums::kPrediction, probabilities);

  updateConfidentErrors(sums, examples.losses);
  Value predicted = b.compare(df::Comparison::GT, logits, b.f32(0));
  Value zero = b.scalar(0, b.getF64Type());
  sums.add(sums::kTruePositives, b.sum(b.select(predicted, positives, zero), {0}));
  sums.add(sums::kFalsePositives, b.sum(b.select(predicted, negatives, zero), {0}));
  if (isSoft()) {
    sums.addWeighted(sums::kSoftLabel, examples.softLabels);
    Value predictedLabels = b.cast(predicted, b.getF32Type());
    sums.addWeighted(sums::kCorrect, b.compare(df::Comparison::EQ, predictedLabels, examples.softLabels));
    thresholds_.updateRight(sums, probabilities, examples.softLabels);
  }
  thresholds_.update(sums, probabilities, positives, negatives);
  ranks_.update(sums, logits, examples.labels, examples.weights, positives, negatives, groups(sums.entry()));
}

void BinaryClassHead::ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value weight = sums.get(sums::kWeight), positives = sums.get(sums::kLabel);
  Value negatives = b.sub(weight, positives);
  Value truePositives = sums.get(sums::kTruePositives), falsePositives = sums.get(sums::kFalsePositives);
  Value labelMean = isSoft() ? sums.mean(sums::kSoftLabel) : b.divNoNan(positives, weight);
  Value right = b.add(truePositives, b.sub(negatives, falsePositives));
  Value one = b.scalar(1, b.getF64Type());
  outputs.push_back({"accuracy", isSoft() ? sums.mean(sums::kCorrect) : b.divNoNan(right, weight)});
  outputs.push_back({"accuracy_baseline", b.binary<df::MaximumOp>(labelMean, b.sub(one, labelMean))});
  outputs.push_back({"label/mean", labelMean});
  outputs.push_back({"prediction/mean", sums.mean(sums::kPrediction)});
  outputs.push_back({"precision", shareOf(b, truePositives, falsePositives)});
  outputs.push_back({"recall", b.divNoNan(truePositives, positives)});
  outputs.push_back({"logloss", sums.mean(sums::kLoss)});
  ThresholdCounts counts{sums.get(sums::kTruePositivesAt), sums.get(sums::kFalsePositivesAt), positives, negatives};
  if (isSoft() && thresholds_.hasGiven())
    counts.right = sums.get(sums::kRightAt);
  thresholds_.metrics(b, counts, outputs);
  ranks_.metrics(sums, positives, negatives, outputs);
}

void BinaryClassHead::ownDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value weight = sums.get(sums::kWeight), positives = sums.get(sums::kLabel);
  Value truePositives = sums.get(sums::kTruePositives), falsePositives = sums.get(sums::kFalsePositives);
  Value negatives = b.sub(weight, positives);
  auto asVector = [&](ValueRange numbers) -> Value {
    SmallVector<Value> elements;
    for (Value number : numbers)
      elements.push_back(b.reshape(number, {1}));
    return b.infer<df::ConcatOp>(elements, uint64_t{0});
  };
  Value one = b.scalar(1, b.getF64Type());
  Value share = isSoft() ? sums.mean(sums::kSoftLabel) : b.divNoNan(positives, weight);
  outputs.push_back({"baseline/average_loss", entropy(b, asVector({b.sub(one, share), share}))});
  // Of labels between 0 and 1 the accuracy says little: a row counts only if its label is one of both.
  if (!isSoft())
    outputs.push_back({"baseline/accuracy", b.binary<df::MaximumOp>(share, b.sub(one, share))});
  Value confusion =
      asVector({b.sub(negatives, falsePositives), falsePositives, b.sub(positives, truePositives), truePositives});
  outputs.push_back({"report/confusion", b.reshape(confusion, {2, 2})});
  outputs.push_back(
      {"report/precision_recall", thresholds_.curve(b, {sums.get(sums::kTruePositivesAt),
                                                        sums.get(sums::kFalsePositivesAt), positives, negatives})});
  confidentErrorDiagnostics(sums, outputs);
}

std::unique_ptr<Head> est2df::createBinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat, StringRef scope) {
  return std::make_unique<BinaryClassHead>(op, compat, scope);
}
