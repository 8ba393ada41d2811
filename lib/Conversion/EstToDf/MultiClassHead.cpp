// One of n > 2 classes from n logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ClassLabels.h"
#include "lib/Conversion/EstToDf/Head.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
class MultiClassHead final : public Head {
public:
  explicit MultiClassHead(est::MultiClassHeadOp op)
      : Head(op, op.getLogits(), op.getLabel(), op.getWeight(), op.getReduction()),
        classes_(op.getVocabulary(), cast<est::LogitsType>(op.getLogits()[0].getType()).getDimension()) {}

  SmallVector<Output> predictions(Entry &entry, Value logits) const override;
  llvm::json::Object constantPredictions() const override { return classes_.all(); }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    outputs.push_back({"accuracy", sums.mean(sums::kCorrect)});
  }
  void describeOwn(llvm::json::Object &object) const override {
    object["kind"] = "multi_class";
    object["classes"] = classes_.names();
  }

private:
  ClassLabels classes_;
};
} // namespace

/// The class with the largest logit of each row, [n] of i64.
static Value bestClass(GraphBuilder &b, Value logits) {
  return df::ArgmaxOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()), logits,
                              /*axis=*/IntegerAttr());
}

void MultiClassHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  examples.labels = classes_.read(entry, label());
  examples.losses = df::SoftmaxCrossEntropyOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type()),
                                                      examples.logits, examples.labels);
}

SmallVector<Output> MultiClassHead::predictions(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  b.setLoc(op()->getLoc());
  Value ids = b.asColumn(bestClass(b, logits));
  return {{"logits", logits},
          {"probabilities", df::SoftmaxOp::create(b, logits.getType(), logits, /*axis=*/IntegerAttr())},
          {"class_ids", ids},
          {"classes", classes_.name(entry, ids)}};
}

void MultiClassHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  sums.addWeighted(sums::kCorrect, b.compare(df::Comparison::EQ, bestClass(b, examples.logits), examples.labels));
}

std::unique_ptr<Head> est2df::createMultiClassHead(est::MultiClassHeadOp op) {
  return std::make_unique<MultiClassHead>(op);
}
