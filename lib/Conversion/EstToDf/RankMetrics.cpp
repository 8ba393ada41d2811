// Areas under the ROC curve from the order of the rows' logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/RankMetrics.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfStatisticsOps.h"

#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Names of the variables (behind `eval/`).
static constexpr StringLiteral kRows = "rows";
static constexpr StringLiteral kLogits = "kept_logits";
static constexpr StringLiteral kSignedWeights = "kept_signed_weights";
static constexpr StringLiteral kGroups = "kept_groups";
static constexpr StringLiteral kPositiveBins = "positive_bins";
static constexpr StringLiteral kNegativeBins = "negative_bins";

void RankMetrics::update(MetricSums &sums, Value logits, Value labels, Value weights, Value positives, Value negatives,
                         Value groups) const {
  GraphBuilder &b = sums.builder();
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  df::VariableOp rows = sums.variable(kRows, scalar);
  Value at = b.read(rows);
  auto keep = [&](StringRef name, Value values) {
    Type element = cast<RankedTensorType>(values.getType()).getElementType();
    auto type = RankedTensorType::get({kCapacity}, element);
    df::VariableOp store = sums.variable(name, type);
    Value kept = b.infer<df::PutValuesOp>(b.read(store), values, at);
    df::AssignOp::create(b, store.getSymName(), kept);
  };
  keep(kLogits, logits);
  // One number holds class and weight; weights are >= 0.
  Value size = weights ? weights : b.repeat(b.f32(1), logits);
  keep(kSignedWeights, b.select(b.compare(df::Comparison::EQ, labels, b.i64(1)), size, b.unary<df::NegOp>(size)));
  if (groups)
    keep(kGroups, groups);
  df::AssignAddOp::create(b, rows.getSymName(), b.countRows(logits));

  auto binsType = RankedTensorType::get({kBins}, b.getF64Type());
  for (auto [name, part] : {std::pair(kPositiveBins, positives), std::pair(kNegativeBins, negatives)}) {
    df::VariableOp bins = sums.variable(name, binsType);
    df::AssignOp::create(b, bins.getSymName(), b.infer<df::AddToBinsOp>(b.read(bins), logits, part));
  }
}

/// Ranks by `weights`, as df.mid_ranks.
static Value midRanks(GraphBuilder &b, Value weights, Value count, Value keys, Value groups) {
  return b.infer<df::MidRanksOp>(weights, count, keys, groups);
}

/// The sum over the rows of class 1 of the weight of class 0 that they are above.
static Value concordance(GraphBuilder &b, Value positives, Value ranks) { return b.sum(b.mul(positives, ranks), {0}); }

void RankMetrics::metrics(MetricSums &sums, Value allPositives, Value allNegatives,
                          SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value zero = b.scalar(0, b.getF64Type());
  Value rows = sums.get(kRows), logits = sums.get(kLogits);
  Value weights = b.cast(sums.get(kSignedWeights), b.getF64Type());
  Value positives = b.binary<df::MaximumOp>(weights, zero);
  Value negatives = b.binary<df::MaximumOp>(b.unary<df::NegOp>(weights), zero);
  Value isExact = b.compare(df::Comparison::LE, rows, b.i64(kCapacity));

  Value exact = concordance(b, positives, midRanks(b, negatives, rows, logits, Value()));
  Value binRanks = midRanks(b, sums.get(kNegativeBins), b.i64(kBins), Value(), Value());
  Value binned = concordance(b, sums.get(kPositiveBins), binRanks);
  outputs.push_back({"auc_exact", b.div(b.select(isExact, exact, binned), b.mul(allPositives, allNegatives))});
  if (!hasGroups_)
    return;

  Value groups = sums.get(kGroups);
  Value ranks = midRanks(b, negatives, rows, logits, groups);
  // Among equal keys each has the middle of all: half of the group's weight.
  Value equal = b.repeat(b.f32(0), logits), two = b.scalar(2, b.getF64Type());
  auto totals = [&](Value part) { return b.mul(midRanks(b, part, rows, equal, groups), two); };
  Value groupPositives = totals(positives), groupNegatives = totals(negatives);
  Value pairs = b.mul(groupPositives, groupNegatives);
  Value groupWeights = b.add(groupPositives, groupNegatives);
  Value areas = b.sum(b.mul(b.mul(positives, ranks), b.divNoNan(groupWeights, pairs)), {0});
  Value counts = b.compare(df::Comparison::GT, pairs, zero);
  Value counted = b.sum(b.select(counts, b.add(positives, negatives), zero), {0});
  Value unknown = b.scalar(std::numeric_limits<double>::quiet_NaN(), b.getF64Type());
  outputs.push_back({"gauc", b.select(isExact, b.div(areas, counted), unknown)});
}
