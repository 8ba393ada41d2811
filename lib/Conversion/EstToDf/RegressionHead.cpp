// A number from one logit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/Normalize.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
class RegressionHead final : public Head {
public:
  explicit RegressionHead(est::RegressionHeadOp op)
      : Head(op, op.getLogits(), op.getLabel(), op.getWeight(), op.getReduction()),
        transform_(op.getLabelTransformAttr()) {}

  SmallVector<Output> predictions(Entry &entry, Value logits) const override {
    entry.builder().setLoc(op()->getLoc());
    return {{"predictions", denormalize(entry.builder(), transform_, logits)}};
  }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override;
  void describeOwn(llvm::json::Object &object) const override { object["kind"] = "regression"; }

private:
  /// From the label's units to the scale of the loss; null if that is the same.
  Attribute transform_;
};
} // namespace

void RegressionHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  examples.labels = b.cast(entry.feature(label()), b.getF32Type());
  examples.losses =
      b.unary<df::SquareOp>(b.sub(b.asVector(examples.logits), normalize(b, transform_, examples.labels)));
}

void RegressionHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  Value predictions = denormalize(b, transform_, b.asVector(examples.logits));
  Value error = b.sub(b.cast(predictions, b.getF64Type()), b.cast(examples.labels, b.getF64Type()));
  sums.addWeighted(sums::kLabel, examples.labels);
  sums.addWeighted(sums::kPrediction, predictions);
  sums.addWeighted(sums::kSquaredError, b.unary<df::SquareOp>(error));
  sums.addWeighted(sums::kAbsoluteError, b.unary<df::AbsOp>(error));
}

void RegressionHead::ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  outputs.push_back({"label/mean", sums.mean(sums::kLabel)});
  outputs.push_back({"prediction/mean", sums.mean(sums::kPrediction)});
  outputs.push_back({"rmse", b.unary<df::SqrtOp>(sums.mean(sums::kSquaredError))});
  outputs.push_back({"mae", sums.mean(sums::kAbsoluteError)});
}

std::unique_ptr<Head> est2df::createRegressionHead(est::RegressionHeadOp op) {
  return std::make_unique<RegressionHead>(op);
}
