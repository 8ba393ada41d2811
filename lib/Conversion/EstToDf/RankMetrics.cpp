// Areas under the ROC curve from the order of the rows' logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/RankMetrics.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Names of the variables (after `eval/`).
static constexpr StringLiteral kRows = "rows";
static constexpr StringLiteral kLogits = "kept_logits";
static constexpr StringLiteral kSignedWeights = "kept_signed_weights";
static constexpr StringLiteral kGroups = "kept_groups";
static constexpr StringLiteral kPositiveBins = "positive_bins";
static constexpr StringLiteral kNegativeBins = "negative_bins";

//===-- parts ------------------------------------------------------------------===//

/// 0, 1, .. in the shape of a vector.
static Value positionsIn(GraphBuilder &b, Value vector) {
  auto type = cast<RankedTensorType>(vector.getType()).clone(b.getI64Type());
  return df::IotaOp::create(b, type, type.hasStaticShape() ? Value() : vector, /*axis=*/0);
}

/// The vector with updates[i] combined at places[i], in order; those of a negative place are dropped.
static Value scatter(GraphBuilder &b, df::ScatterKind kind, Value vector, Value places, Value updates) {
  return b.infer<df::ScatterOp>(kind, vector, places, updates, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(),
                                /*skip_negative=*/true);
}

/// The elements of a vector at `places`, 0 for negative ones.
static Value elementsAt(GraphBuilder &b, Value vector, Value places) { return df::GatherOp::create(b, vector, places); }

/// Numbers of ui32 that grow as those of f32 do: the bits of a number (of -0: those of +0), inverted if it is negative,
/// else with the sign bit set.
static Value orderedBits(GraphBuilder &b, Value numbers) {
  Type ui32 = b.getIntegerType(32, /*isSigned=*/false);
  auto number = [&](uint64_t bits) -> Value {
    auto value = IntegerAttr::get(ui32, APInt(32, bits));
    return df::ConstantOp::create(b, DenseElementsAttr::get(RankedTensorType::get({}, ui32), Attribute(value)));
  };
  Value sum = b.add(numbers, b.f32(0)); // of -0 and 0 it is 0
  Value bits = df::BitcastOp::create(b, cast<RankedTensorType>(sum.getType()).clone(ui32), sum);
  Value sign = b.binary<df::ShiftRightArithmeticOp>(bits, number(31));
  return b.binary<df::BitwiseXorOp>(bits, b.binary<df::BitwiseOrOp>(sign, number(uint64_t{1} << 31)));
}

/// The distinct ones of some numbers, ascending, and which of them each number is.
namespace {
struct Distinct {
  Distinct(GraphBuilder &b, Value numbers) {
    auto any = RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type());
    auto unique = df::UniqueOp::create(b, TypeRange{any, numbers.getType(), any}, numbers, /*sorted=*/true);
    values = unique.getValues();
    places = unique.getInverse();
  }
  Value values, places;
};
} // namespace

/// The sum of the weights of each distinct number's rows, in their order.
static Value sumsOf(GraphBuilder &b, const Distinct &rows, Value weights) {
  Value zeros = b.repeat(b.scalar(0, b.getF64Type()), rows.values);
  return scatter(b, df::ScatterKind::Add, zeros, rows.places, weights);
}

/// Of ascending places with weights: the weight below each one and half of its own. With `groups`, which ascend, too,
/// from 0, only what is of its group counts.
static Value midRanksOf(GraphBuilder &b, Value weights, Value groups) {
  Value below;
  if (groups) {
    Value before = b.sub(positionsIn(b, weights), b.i64(1));
    Value isSame = b.compare(df::Comparison::EQ, groups, elementsAt(b, groups, before));
    Value added = b.select(isSame, elementsAt(b, weights, before), b.scalar(0, b.getF64Type()));
    below = b.infer<df::LinearScanOp>(b.cast(isSame, b.getF64Type()), added, IntegerAttr(), /*exclusive=*/false,
                                      /*reverse=*/false);
  } else {
    below = b.infer<df::CumsumOp>(weights, IntegerAttr(), /*exclusive=*/true, /*reverse=*/false);
  }
  return b.add(below, b.mul(weights, b.scalar(0.5, b.getF64Type())));
}

/// The sum over the rows of class 1 of the weight of class 0 that they are above.
static Value concordance(GraphBuilder &b, Value positives, Value ranks) { return b.sum(b.mul(positives, ranks), {0}); }

//===-- entries -------------------------------------------------------------------===//

void RankMetrics::update(MetricSums &sums, Value logits, Value labels, Value weights, Value positives, Value negatives,
                         Value groups) const {
  GraphBuilder &b = sums.builder();
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  df::VariableOp rows = sums.variable(kRows, scalar);
  Value at = b.read(rows);
  // What finds no place after the rows that are kept is dropped.
  Value next = b.add(positionsIn(b, logits), at);
  // Within bounds whatever the variable holds, as can be seen.
  Value none = b.i64(-1);
  Value place = b.binary<df::MaximumOp>(b.binary<df::MinimumOp>(next, b.i64(kCapacity - 1)), none);
  Value places = b.select(b.compare(df::Comparison::LT, next, b.i64(kCapacity)), place, none);
  auto keep = [&](StringRef name, Value values) {
    Type element = cast<RankedTensorType>(values.getType()).getElementType();
    df::VariableOp store = sums.variable(name, RankedTensorType::get({kCapacity}, element));
    df::AssignOp::create(b, store.getSymName(), scatter(b, df::ScatterKind::Set, b.read(store), places, values));
  };
  keep(kLogits, logits);
  // One number holds class and weight; weights are >= 0.
  Value size = weights ? weights : b.repeat(b.f32(1), logits);
  keep(kSignedWeights, b.select(b.compare(df::Comparison::EQ, labels, b.i64(1)), size, b.unary<df::NegOp>(size)));
  if (groups)
    keep(kGroups, groups);
  df::AssignAddOp::create(b, rows.getSymName(), b.countRows(logits));

  // The bin is the upper bits: sign, exponent and the first ones of the fraction.
  constexpr int64_t kRest = 32 - llvm::ConstantLog2<kBins>();
  Value bin = b.binary<df::ShiftRightLogicalOp>(b.cast(orderedBits(b, logits), b.getI64Type()), b.i64(kRest));
  auto binsType = RankedTensorType::get({kBins}, b.getF64Type());
  for (auto [name, part] : {std::pair(kPositiveBins, positives), std::pair(kNegativeBins, negatives)}) {
    df::VariableOp bins = sums.variable(name, binsType);
    df::AssignOp::create(b, bins.getSymName(), scatter(b, df::ScatterKind::Add, b.read(bins), bin, part));
  }
}

void RankMetrics::metrics(MetricSums &sums, Value allPositives, Value allNegatives,
                          SmallVectorImpl<Output> &outputs) const {
  GraphBuilder &b = sums.builder();
  Value zero = b.scalar(0, b.getF64Type()), rows = sums.get(kRows);
  Value isExact = b.compare(df::Comparison::LE, rows, b.i64(kCapacity));
  // Only what is kept, so that few rows cost little.
  Value count = b.binary<df::MinimumOp>(rows, b.i64(kCapacity));
  Value kept = b.infer<df::RangeOp>(b.i64(0), count, b.i64(1));
  Value weights = b.cast(elementsAt(b, sums.get(kSignedWeights), kept), b.getF64Type());
  Value positives = b.binary<df::MaximumOp>(weights, zero);
  Value negatives = b.binary<df::MaximumOp>(b.unary<df::NegOp>(weights), zero);

  Distinct logits(b, b.cast(orderedBits(b, elementsAt(b, sums.get(kLogits), kept)), b.getI64Type()));
  Value ranks = midRanksOf(b, sumsOf(b, logits, negatives), /*groups=*/Value());
  Value exact = concordance(b, positives, elementsAt(b, ranks, logits.places));
  Value binned = concordance(b, sums.get(kPositiveBins), midRanksOf(b, sums.get(kNegativeBins), /*groups=*/Value()));
  outputs.push_back({"auc_exact", b.div(b.select(isExact, exact, binned), b.mul(allPositives, allNegatives))});
  if (!hasGroups_)
    return;

  // Rows by group, then by logit.
  Distinct groups(b, elementsAt(b, sums.get(kGroups), kept));
  Distinct pairs(b, b.add(b.mul(groups.places, b.countRows(logits.values)), logits.places));
  Value groupOf = scatter(b, df::ScatterKind::Set, b.repeat(b.i64(0), pairs.values), pairs.places, groups.places);
  Value groupRanks = elementsAt(b, midRanksOf(b, sumsOf(b, pairs, negatives), groupOf), pairs.places);
  auto totals = [&](Value part) { return elementsAt(b, sumsOf(b, groups, part), groups.places); };
  Value groupPositives = totals(positives), groupNegatives = totals(negatives);
  Value groupPairs = b.mul(groupPositives, groupNegatives);
  Value groupWeights = b.add(groupPositives, groupNegatives);
  Value areas = b.sum(b.mul(b.mul(positives, groupRanks), b.divNoNan(groupWeights, groupPairs)), {0});
  Value counts = b.compare(df::Comparison::GT, groupPairs, zero);
  Value counted = b.sum(b.select(counts, b.add(positives, negatives), zero), {0});
  Value unknown = b.scalar(std::numeric_limits<double>::quiet_NaN(), b.getF64Type());
  outputs.push_back({"gauc", b.select(isExact, b.div(areas, counted), unknown)});
}
