// What a classifier does class by class, and what knowing nothing but the labels' shares would do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ClassMetrics.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfReductionOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Names of the variables (after `eval/`).
static constexpr StringLiteral kConfusion = "confusion";
static constexpr StringLiteral kSupport = "class_support";
static constexpr StringLiteral kPredicted = "class_predicted";
static constexpr StringLiteral kHits = "class_hits";
static constexpr StringLiteral kConfidentErrors = "confident_errors";

/// ln 1000: the loss of a row whose class has a probability of 1/1000.
static constexpr double kConfidentLoss = 6.907755278982137;

/// sum of `weights` ([n] of f64) by `ids` ([n] of i64 below `size`), [size].
static Value sumBy(GraphBuilder &b, Value weights, Value ids, int64_t size) {
  return df::SegmentReduceOp::create(b, RankedTensorType::get({size}, b.getF64Type()), df::RowReduction::Sum, weights,
                                     ids);
}

void ClassMetrics::update(MetricSums &sums, Value labels, Value predicted) const {
  GraphBuilder &b = sums.builder();
  Value weights = sums.weighted(b.repeat(b.i64(1), labels));
  if (hasConfusion()) {
    Value pairs = b.add(b.mul(labels, b.repeat(b.i64(classes_), labels)), predicted);
    return sums.add(kConfusion, sumBy(b, weights, pairs, classes_ * classes_));
  }
  sums.add(kSupport, sumBy(b, weights, labels, classes_));
  sums.add(kPredicted, sumBy(b, weights, predicted, classes_));
  Value hits = b.compare(df::Comparison::EQ, labels, predicted);
  sums.add(kHits, sumBy(b, b.select(hits, weights, b.scalar(0, b.getF64Type())), labels, classes_));
}

Value est2df::entropy(GraphBuilder &b, Value shares) {
  Value zero = b.scalar(0, b.getF64Type());
  Value isThere = b.compare(df::Comparison::GT, shares, zero);
  Value terms = b.select(isThere, b.mul(shares, b.unary<df::LogOp>(shares)), zero);
  return b.unary<df::NegOp>(b.sum(terms, {0}));
}

ClassMetrics::Counts ClassMetrics::counts(MetricSums &sums) const {
  if (!hasConfusion())
    return {sums.get(kSupport), sums.get(kPredicted), sums.get(kHits)};
  GraphBuilder &b = sums.builder();
  Value confusion = b.reshape(sums.get(kConfusion), {classes_, classes_});
  return {b.sum(confusion, {1}), b.sum(confusion, {0}), b.infer<df::DiagPartOp>(confusion)};
}

void ClassMetrics::metrics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  auto [support, predicted, hits] = counts(sums);
  Value zero = b.scalar(0, b.getF64Type()), one = b.scalar(1, b.getF64Type());
  Value both = b.add(support, predicted);
  Value scores = b.divNoNan(b.add(hits, hits), both);
  Value present = b.sum(b.select(b.compare(df::Comparison::GT, both, zero), b.repeat(one, both), zero), {0});
  outputs.push_back({"macro_f1", b.divNoNan(b.sum(scores, {0}), present)});
}

void ClassMetrics::diagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  auto [support, predicted, hits] = counts(sums);
  Value shares = b.divNoNan(support, b.repeat(sums.get(sums::kWeight), support));
  outputs.push_back({"baseline/accuracy", b.infer<df::ReduceMaxOp>(shares, ArrayRef<int64_t>{0})});
  outputs.push_back({"baseline/average_loss", entropy(b, shares)});
  if (hasConfusion()) {
    outputs.push_back({"report/confusion", b.reshape(sums.get(kConfusion), {classes_, classes_})});
    return;
  }
  outputs.push_back({"report/support", support});
  outputs.push_back({"report/predicted", predicted});
  outputs.push_back({"report/hits", hits});
}

void est2df::updateConfidentErrors(MetricSums &sums, Value losses) {
  GraphBuilder &b = sums.builder();
  sums.addWeighted(kConfidentErrors, b.compare(df::Comparison::GT, losses, b.f32(kConfidentLoss)));
}

void est2df::confidentErrorDiagnostics(MetricSums &sums, SmallVectorImpl<Output> &outputs) {
  outputs.push_back({"rate/confident_errors", sums.mean(kConfidentErrors)});
}
