// Metrics of numbers that are predicted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/RegressionMetrics.h"
#include "dialects/Df/IR/DfElementwiseOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Value est2df::asLabels(GraphBuilder &b, Value values) {
  return cast<RankedTensorType>(values.getType()).getDimSize(1) == 1 ? b.asVector(values) : values;
}

void est2df::updateRegression(MetricSums &sums, Value labels, Value predictions) {
  GraphBuilder &b = sums.builder();
  Value error = b.sub(b.cast(predictions, b.getF64Type()), b.cast(labels, b.getF64Type()));
  sums.addWeighted(sums::kLabel, labels);
  sums.addWeighted(sums::kSquaredLabel, b.unary<df::SquareOp>(b.cast(labels, b.getF64Type())));
  sums.addWeighted(sums::kPrediction, predictions);
  sums.addWeighted(sums::kSquaredError, b.unary<df::SquareOp>(error));
  sums.addWeighted(sums::kAbsoluteError, b.unary<df::AbsOp>(error));
}

void est2df::regressionMetrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) {
  GraphBuilder &b = sums.builder();
  outputs.push_back({"label/mean", sums.mean(sums::kLabel)});
  outputs.push_back({"prediction/mean", sums.mean(sums::kPrediction)});
  outputs.push_back({"rmse", b.unary<df::SqrtOp>(sums.mean(sums::kSquaredError))});
  outputs.push_back({"mae", sums.mean(sums::kAbsoluteError)});
}

/// Of what has these sums; rounding makes it no negative number.
static Value varianceOf(MetricSums &sums, StringRef values, StringRef squares) {
  GraphBuilder &b = sums.builder();
  Value variance = b.sub(sums.mean(squares), b.unary<df::SquareOp>(sums.mean(values)));
  return b.binary<df::MaximumOp>(variance, b.scalar(0, b.getF64Type()));
}

void est2df::regressionDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) {
  GraphBuilder &b = sums.builder();
  outputs.push_back({"baseline/rmse", b.unary<df::SqrtOp>(varianceOf(sums, sums::kLabel, sums::kSquaredLabel))});
}

void est2df::updateLossScale(MetricSums &sums, Value labels) {
  GraphBuilder &b = sums.builder();
  sums.addWeighted(sums::kLossLabel, labels);
  sums.addWeighted(sums::kSquaredLossLabel, b.unary<df::SquareOp>(b.cast(labels, b.getF64Type())));
}

void est2df::lossScaleDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) {
  outputs.push_back({"baseline/average_loss", varianceOf(sums, sums::kLossLabel, sums::kSquaredLossLabel)});
}
