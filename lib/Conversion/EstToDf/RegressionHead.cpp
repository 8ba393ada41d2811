// A number from each logit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "lib/Conversion/EstToDf/Head.h"
#include "lib/Conversion/EstToDf/Normalize.h"
#include "lib/Conversion/EstToDf/RegressionMetrics.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
class RegressionHead final : public Head {
public:
  RegressionHead(est::RegressionHeadOp op, StringRef scope) : Head(op, scope), transform_(op.getLabelTransformAttr()) {}

  SmallVector<Output> predictions(Entry &entry, Value logits) const override {
    entry.builder().setLoc(op()->getLoc());
    return {{"predictions", denormalize(entry.builder(), transform_, logits)}};
  }

protected:
  void computeLosses(Entry &entry, Examples &examples) const override;
  void updateOwn(MetricSums &sums, const Examples &examples) const override;
  void ownMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    regressionMetrics(sums, outputs);
  }
  void ownDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const override {
    regressionDiagnostics(sums, outputs);
    if (isLogarithmic())
      lossScaleDiagnostics(sums, outputs);
  }
  void describeOwn(llvm::json::Object &object) const override { object["kind"] = "regression"; }

private:
  bool isLogarithmic() const { return isa_and_nonnull<est::Log1pAttr>(transform_); }

  /// From the label's units to the scale of the loss; null if that is the same.
  Attribute transform_;
};
} // namespace

void RegressionHead::computeLosses(Entry &entry, Examples &examples) const {
  GraphBuilder &b = entry.builder();
  examples.labels = b.cast(entry.feature(label()), b.getF32Type());
  examples.losses =
      b.unary<df::SquareOp>(b.sub(asLabels(b, examples.logits), normalize(b, transform_, examples.labels)));
}

void RegressionHead::updateOwn(MetricSums &sums, const Examples &examples) const {
  GraphBuilder &b = sums.builder();
  updateRegression(sums, examples.labels, denormalize(b, transform_, asLabels(b, examples.logits)));
  if (isLogarithmic())
    updateLossScale(sums, normalize(b, transform_, examples.labels));
}

std::unique_ptr<Head> est2df::createRegressionHead(est::RegressionHeadOp op, StringRef scope) {
  return std::make_unique<RegressionHead>(op, scope);
}
