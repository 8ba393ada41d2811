// Any of n classes from n logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/ClassLabels.h"
#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/ThresholdMetrics.h"

#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
/// Labels are kept as f32, [n, classes] of 0 and 1; sums of metrics have one element for each class.
class MultiLabelHead final : public Head {
public:
  MultiLabelHead(est::MultiLabelHeadOp op, est::Compat compat, StringRef scope)
      : Head(op, scope), count_(est::getDimension(op.getLogits()[0].getType())),
        classes_(op.getVocabulary(), count_, scope),
        thresholds_(op.getThresholds().value_or(ArrayRef<double>()), compat),
        classMetrics_(op.getClassMetrics().value_or(ArrayRef<int64_t>())) {}

  SmallVector<Output> predictions(Entry &entry, Value logits) const override;

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void describeOwn(llvm::json::Object &object) const override {
    object["kind"] = "multi_label";
    object["classes"] = classes_.names();
  }

private:
  Value readSets(Entry &entry) const;
  Value readVectors(Entry &entry) const;

  int64_t count_;
  ClassLabels classes_;
  ThresholdMetrics thresholds_;
  SmallVector<int64_t> classMetrics_;
};
} // namespace

/// Sets of classes as rows of 0 and 1; a class that stands twice is in the set.
Value MultiLabelHead::readSets(Entry &entry) const {
  GraphBuilder &b = entry.builder();
  auto type = RankedTensorType::get({ShapedType::kDynamic, count_}, b.getF32Type());
  Value each = df::OneHotOp::create(b, type, classes_.read(entry, label()));
  Value counts =
      b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, each, entry.ends(label().getDefiningOp<est::FeatureOp>()));
  return b.cast(b.compare(df::Comparison::GT, counts, b.f32(0)), b.getF32Type());
}

/// Rows of 0 and 1 as they are; other numbers are an error of the data.
Value MultiLabelHead::readVectors(Entry &entry) const {
  GraphBuilder &b = entry.builder();
  Value labels = b.cast(entry.feature(label()), b.getF32Type());
  Value isTruth = b.binary<df::LogicalOrOp>(b.compare(df::Comparison::EQ, labels, b.f32(0)),
                                            b.compare(df::Comparison::EQ, labels, b.f32(1)));
  // The message shows the largest of a row's wrong numbers.
  Value wrong = b.select(isTruth, b.f32(std::numeric_limits<float>::lowest()), labels);
  Value shown = b.infer<df::ReduceMaxOp>(wrong, ArrayRef<int64_t>{1});
  Value verdicts = b.sub(b.sum(b.cast(isTruth, b.getI64Type()), {1}), b.i64(count_));
  b.infer<df::CheckIdsOp>(verdicts, shown, Value(), FlatSymbolRefAttr(), uint64_t{0}, uint64_t{1},
                          ("label '" + labelName() + "', 0 or 1 for each class").str(), b.getStringAttr(labelName()),
                          ArrayAttr());
  return labels;
}

void MultiLabelHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  bool isSet = label().getDefiningOp<est::FeatureOp>().getType().isMultiValued();
  examples.labels = isSet ? readSets(entry) : readVectors(entry);
  Value each = b.binary<df::SigmoidCrossEntropyOp>(examples.logits, examples.labels);
  examples.losses = b.div(b.sum(each, {1}), b.f32(static_cast<double>(count_)));
}

SmallVector<Output> MultiLabelHead::predictions(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  b.setLoc(op()->getLoc());
  SmallVector<double> numbers;
  for (int64_t i = 0; i < count_; ++i)
    numbers.push_back(static_cast<double>(i));
  Value ids = b.broadcast(b.vector(numbers, b.getI64Type()), logits, {1});
  return {
      {"logits", logits}, {"probabilities", b.unary<df::SigmoidOp>(logits)}, {"classes", classes_.name(entry, ids)}};
}

void MultiLabelHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  Value probabilities = b.unary<df::SigmoidOp>(examples.logits);
  Value positives = sums.weighted(examples.labels);
  Value negatives = sums.weighted(b.sub(b.f32(1), examples.labels));
  sums.add(sums::kLabel, b.sum(positives, {0}));
  sums.add(sums::kPrediction, b.sum(sums.weighted(probabilities), {0}));
  thresholds_.update(sums, probabilities, positives, negatives);
}

void MultiLabelHead::ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value weight = sums.get(sums::kWeight), positives = sums.get(sums::kLabel);
  Value negatives = b.sub(weight, positives);
  Value truePositives = sums.get(sums::kTruePositivesAt), falsePositives = sums.get(sums::kFalsePositivesAt);
  thresholds_.metrics(
      b, {b.sum(truePositives, {0}), b.sum(falsePositives, {0}), b.sum(positives, {0}), b.sum(negatives, {0})},
      outputs);
  for (int64_t which : classMetrics_) {
    std::string suffix = "/" + classes_.metricName(which);
    outputs.push_back({"probability_mean" + suffix, b.divNoNan(b.element(sums.get(sums::kPrediction), which), weight)});
    ThresholdCounts counts{b.row(truePositives, which), b.row(falsePositives, which), b.element(positives, which),
                           b.element(negatives, which)};
    thresholds_.areas(b, counts, suffix, outputs);
  }
}

std::unique_ptr<Head> est2df::createMultiLabelHead(est::MultiLabelHeadOp op, est::Compat compat, StringRef scope) {
  return std::make_unique<MultiLabelHead>(op, compat, scope);
}
