// Metrics of a binary classifier over many thresholds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ThresholdMetrics.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// tf's number of points on a curve, and how far the outer ones lie outside [0, 1].
static constexpr int64_t kCurvePoints = 200;
static constexpr double kOutside = 1e-7;
/// What the tf1 profile adds within the rates of a curve.
static constexpr double kTf1Epsilon = 1e-6;

ThresholdMetrics::ThresholdMetrics(ArrayRef<double> thresholds, est::Compat compat)
    : given_(thresholds.begin(), thresholds.end()), compat_(compat) {
  all_.push_back(-kOutside);
  for (int64_t i = 1; i < kCurvePoints - 1; ++i)
    all_.push_back(static_cast<double>(i) / (kCurvePoints - 1));
  all_.push_back(1 + kOutside);
  // The tf1 profile counts p >= t for the accuracy: above the number before t.
  for (double t : given_)
    all_.push_back(compat == est::Compat::TF1
                       ? std::nextafterf(static_cast<float>(t), -std::numeric_limits<float>::infinity())
                       : t);
  all_.insert(all_.end(), given_.begin(), given_.end());
}

void ThresholdMetrics::update(MetricSums &sums, Value predictions, Value positives, Value negatives) const {
  GraphBuilder &b = sums.builder();
  auto type = cast<RankedTensorType>(predictions.getType());
  SmallVector<int64_t> dims(type.getShape()), axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  dims.push_back(static_cast<int64_t>(all_.size()));
  // Broadcasts take the number of rows from a value of their shape; its elements are not used.
  Value shape = df::OneHotOp::create(b, type.clone(dims), b.cast(positives, b.getI64Type()));
  Value above = b.compare(df::Comparison::GT, b.broadcast(predictions, shape, axes),
                          b.broadcast(b.vector(all_, b.getF32Type()), shape, {type.getRank()}));
  Value zero = b.scalar(0, b.getF64Type());
  auto count = [&](StringRef name, Value weights) {
    sums.add(name, b.sum(b.select(above, b.broadcast(weights, shape, axes), zero), {0}));
  };
  count(sums::kTruePositivesAt, positives);
  count(sums::kFalsePositivesAt, negatives);
}

void ThresholdMetrics::updateRight(MetricSums &sums, Value predictions, Value labels) const {
  if (given_.empty())
    return;
  GraphBuilder &b = sums.builder();
  SmallVector<Value> right;
  for (double threshold : ArrayRef(all_).slice(kCurvePoints, given_.size())) {
    Value predicted = b.cast(b.compare(df::Comparison::GT, predictions, b.f32(threshold)), b.getF32Type());
    Value weight = b.sum(sums.weighted(b.compare(df::Comparison::EQ, predicted, labels)), {0});
    right.push_back(b.reshape(weight, {1}));
  }
  sums.add(sums::kRightAt, right.size() == 1 ? right.front() : b.infer<df::ConcatOp>(ValueRange(right), uint64_t{0}));
}

Value est2df::shareOf(GraphBuilder &b, Value part, Value rest) { return b.divNoNan(part, b.add(part, rest)); }

static Value allButLast(GraphBuilder &b, Value points) { return b.slice(points, 0, kCurvePoints - 1); }
static Value allButFirst(GraphBuilder &b, Value points) { return b.slice(points, 1, kCurvePoints - 1); }

/// The area under the lines between the points (x, y), x falling.
static Value trapezoids(GraphBuilder &b, Value x, Value y) {
  Value width = b.sub(allButLast(b, x), allButFirst(b, x));
  Value height = b.mul(b.add(allButLast(b, y), allButFirst(b, y)), b.scalar(0.5, b.getF64Type()));
  return b.sum(b.mul(width, height), {0});
}

/// Recall over the rate of false positives, as Keras' AUC.
static Value rocArea(GraphBuilder &b, const ThresholdCounts &c) {
  return trapezoids(b, b.divNoNan(c.falsePositives, c.negatives), b.divNoNan(c.truePositives, c.positives));
}

/// Precision over recall, as Keras' AUC with its "interpolation" (Davis and Goadrich, 2006): between two points, true
/// positives grow linearly with positive predictions.
static Value interpolatedPrecisionRecallArea(GraphBuilder &b, const ThresholdCounts &c) {
  Value zero = b.scalar(0, b.getF64Type()), one = b.scalar(1, b.getF64Type());
  Value predicted = b.add(c.truePositives, c.falsePositives);
  Value before = allButLast(b, predicted), after = allButFirst(b, predicted);
  Value trueAfter = allButFirst(b, c.truePositives);
  Value trueStep = b.sub(allButLast(b, c.truePositives), trueAfter);
  Value slope = b.divNoNan(trueStep, b.binary<df::MaximumOp>(b.sub(before, after), zero));
  Value intercept = b.sub(trueAfter, b.mul(slope, after));
  Value bothPositive = b.binary<df::LogicalAndOp>(b.compare(df::Comparison::GT, before, zero),
                                                  b.compare(df::Comparison::GT, after, zero));
  Value ratio = b.select(bothPositive, b.divNoNan(before, after), one);
  Value area = b.mul(slope, b.add(trueStep, b.mul(intercept, b.unary<df::LogOp>(ratio))));
  return b.sum(b.divNoNan(area, c.positives), {0});
}

/// Both areas as the tf1 profile has them.
static std::pair<Value, Value> tf1Areas(GraphBuilder &b, const ThresholdCounts &c) {
  Value epsilon = b.scalar(kTf1Epsilon, b.getF64Type());
  Value positives = b.add(c.positives, epsilon), negatives = b.add(c.negatives, epsilon);
  Value recall = b.div(b.add(c.truePositives, epsilon), positives);
  Value falseRate = b.div(c.falsePositives, negatives);
  Value precision = b.div(b.add(c.truePositives, epsilon), b.add(b.add(c.truePositives, c.falsePositives), epsilon));
  return {trapezoids(b, falseRate, recall), trapezoids(b, recall, precision)};
}

void ThresholdMetrics::areas(GraphBuilder &b, const ThresholdCounts &counts, StringRef suffix,
                             SmallVectorImpl<Output> &outputs) const {
  ThresholdCounts curve = counts;
  curve.truePositives = b.slice(counts.truePositives, 0, kCurvePoints);
  curve.falsePositives = b.slice(counts.falsePositives, 0, kCurvePoints);
  auto [roc, precisionRecall] = compat_ == est::Compat::TF1
                                    ? tf1Areas(b, curve)
                                    : std::pair(rocArea(b, curve), interpolatedPrecisionRecallArea(b, curve));
  outputs.push_back({("auc" + suffix).str(), roc});
  outputs.push_back({("auc_precision_recall" + suffix).str(), precisionRecall});
}

Value ThresholdMetrics::curve(GraphBuilder &b, const ThresholdCounts &counts) const {
  Value truePositives = b.slice(counts.truePositives, 0, kCurvePoints);
  Value falsePositives = b.slice(counts.falsePositives, 0, kCurvePoints);
  SmallVector<Value> rows;
  for (Value row :
       {truePositives, falsePositives, b.sub(counts.negatives, falsePositives), b.sub(counts.positives, truePositives)})
    rows.push_back(b.reshape(row, {1, kCurvePoints}));
  return b.infer<df::ConcatOp>(rows, uint64_t{0});
}

void ThresholdMetrics::metrics(GraphBuilder &b, const ThresholdCounts &counts, SmallVectorImpl<Output> &outputs) const {
  areas(b, counts, /*suffix=*/"", outputs);
  int64_t count = given_.size();
  for (auto [i, threshold] : llvm::enumerate(given_)) {
    std::string suffix = "/positive_threshold_";
    llvm::raw_string_ostream(suffix) << llvm::format("%g", threshold);
    int64_t ofAccuracy = kCurvePoints + i, ofRates = ofAccuracy + count;
    Value right = counts.right ? b.element(counts.right, i)
                               : b.add(b.element(counts.truePositives, ofAccuracy),
                                       b.sub(counts.negatives, b.element(counts.falsePositives, ofAccuracy)));
    Value found = b.element(counts.truePositives, ofRates), wrong = b.element(counts.falsePositives, ofRates);
    outputs.push_back({"accuracy" + suffix, b.divNoNan(right, b.add(counts.positives, counts.negatives))});
    outputs.push_back({"precision" + suffix, shareOf(b, found, wrong)});
    outputs.push_back({"recall" + suffix, b.divNoNan(found, counts.positives)});
  }
}
