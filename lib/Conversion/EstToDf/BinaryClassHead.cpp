// Two classes from one logit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ClassLabels.h"
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
  BinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat)
      : Head(op, op.getLogits(), op.getLabel(), op.getWeight(), op.getReduction()), classes_(op.getVocabulary(), 2),
        thresholds_(op.getThresholds().value_or(ArrayRef<double>()), compat), group_(op.getGroup()),
        ranks_(/*hasGroups=*/bool(group_)) {}

  SmallVector<Value> evalFeatures() const override {
    return group_ ? SmallVector<Value>{group_} : SmallVector<Value>();
  }

  SmallVector<Output> predictions(Entry &entry, Value logits) const override;

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void describeOwn(llvm::json::Object &object) const override {
    object["kind"] = "binary_class";
    object["classes"] = classes_.names();
  }

private:
  /// Numbers of the rows' groups, or null without groups.
  Value groups(Entry &entry) const;

  ClassLabels classes_;
  ThresholdMetrics thresholds_;
  /// The est.feature of the group, or null.
  Value group_;
  RankMetrics ranks_;
};
} // namespace

void BinaryClassHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  examples.labels = classes_.read(entry, label());
  examples.losses =
      b.binary<df::SigmoidCrossEntropyOp>(b.asVector(examples.logits), b.cast(examples.labels, b.getF32Type()));
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
  auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type());
  // Fingerprints, but for the sign.
  return df::HashBucketOp::create(b, type, df::FingerprintOp::create(b, type, cells),
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

  Value predicted = b.compare(df::Comparison::GT, logits, b.f32(0));
  Value zero = b.scalar(0, b.getF64Type());
  sums.add(sums::kTruePositives, b.sum(b.select(predicted, positives, zero), {0}));
  sums.add(sums::kFalsePositives, b.sum(b.select(predicted, negatives, zero), {0}));
  thresholds_.update(sums, probabilities, positives, negatives);
  ranks_.update(sums, logits, examples.labels, examples.weights, positives, negatives, groups(sums.entry()));
}

void BinaryClassHead::ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value weight = sums.get(sums::kWeight), positives = sums.get(sums::kLabel);
  Value negatives = b.sub(weight, positives);
  Value truePositives = sums.get(sums::kTruePositives), falsePositives = sums.get(sums::kFalsePositives);
  Value labelMean = b.divNoNan(positives, weight);
  Value one = b.scalar(1, b.getF64Type());
  outputs.push_back({"accuracy", b.divNoNan(b.add(truePositives, b.sub(negatives, falsePositives)), weight)});
  outputs.push_back({"accuracy_baseline", b.binary<df::MaximumOp>(labelMean, b.sub(one, labelMean))});
  outputs.push_back({"label/mean", labelMean});
  outputs.push_back({"prediction/mean", sums.mean(sums::kPrediction)});
  outputs.push_back({"precision", shareOf(b, truePositives, falsePositives)});
  outputs.push_back({"recall", b.divNoNan(truePositives, positives)});
  outputs.push_back({"logloss", sums.mean(sums::kLoss)});
  thresholds_.metrics(b, {sums.get(sums::kTruePositivesAt), sums.get(sums::kFalsePositivesAt), positives, negatives},
                      outputs);
  ranks_.metrics(sums, positives, negatives, outputs);
}

std::unique_ptr<Head> est2df::createBinaryClassHead(est::BinaryClassHeadOp op, est::Compat compat) {
  return std::make_unique<BinaryClassHead>(op, compat);
}
