// Columns of sequences: the numbers of each step of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/Columns.h"
#include "lib/Conversion/EstToDf/Normalize.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

void est2df::checkLengths(Entry &entry, est::FeatureOp feature, StringRef what, Value lengths, est::FeatureOp of) {
  GraphBuilder &b = entry.builder();
  Value ones = b.repeat(b.i64(1), entry.feature(feature.getValue()));
  Value own = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, ones, entry.ends(feature));
  std::string text =
      (what + " of '" + feature.getName() + "', which are as many as those of '" + of.getName() + "' in each row")
          .str();
  b.infer<df::CheckIdsOp>(b.sub(own, lengths), own, /*ends=*/Value(), FlatSymbolRefAttr(), uint64_t{0}, uint64_t{1},
                          text, feature.getNameAttr(), ArrayAttr());
}

Columns::Ids Columns::stepIds(est::StepsOp op) {
  GraphBuilder &b = entry_.builder();
  Ids of = ids(op.getIds());
  b.setLoc(op.getLoc());
  auto feature = op.getLengths().getDefiningOp<est::FeatureOp>();
  est::FeatureOp values = est::getIdFeature(op.getIds());
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  Value given = b.cast(entry_.feature(op.getLengths()), b.getI64Type()), rowEnds = entry_.ends(feature);
  Value lengths = b.infer<df::CheckIdsOp>(given, Value(), rowEnds, FlatSymbolRefAttr(), uint64_t{0}, kMost,
                                          ("number of values of '" + values.getName() + "' in a step").str(),
                                          feature.getNameAttr(), ArrayAttr());
  Value ofRows = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, lengths, rowEnds);
  Value ones = b.repeat(b.i64(1), of.ids);
  Value own = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, ones, of.ends);
  std::string what = ("values of '" + values.getName() + "', of which '" + feature.getName() +
                      "' tells how many each step has: they add up to all of the row")
                         .str();
  b.infer<df::CheckIdsOp>(b.sub(own, ofRows), own, /*ends=*/Value(), FlatSymbolRefAttr(), uint64_t{0}, uint64_t{1},
                          what, values.getNameAttr(), ArrayAttr());
  of.ends = b.infer<df::CumsumOp>(lengths, IntegerAttr(), /*exclusive=*/false, /*reverse=*/false);
  return of;
}

/// The feature that has a value for each step of the ids of a column of sequences.
static est::FeatureOp featureOfSteps(Value categorical) {
  if (auto steps = categorical.getDefiningOp<est::StepsOp>())
    return steps.getLengths().getDefiningOp<est::FeatureOp>();
  return est::getIdFeature(categorical);
}

Value Columns::embeddedSteps(est::EmbeddingOp op, Part &part) {
  GraphBuilder &b = entry_.builder();
  Value steps;
  if (isa<est::StepsOp>(op.getIds().getDefiningOp())) {
    steps = embedding(op, part);
  } else {
    Ids of = ids(op.getIds());
    b.setLoc(op.getLoc());
    df::VariableOp table = declareTable(op, part);
    auto clipped = [&](Value rows) { return op.getMaxNorm() ? clip(rows, op.getMaxNorm()->convertToDouble()) : rows; };
    if (!absentMovesFirst(op, part))
      return clipped(gather(table, of.ids));
    Value isId = b.compare(df::Comparison::GE, of.ids, b.i64(0));
    steps = clipped(gatherKept(table, b.select(isId, of.ids, b.i64(0)), isId));
  }
  if (!absentMovesFirst(op, part))
    return steps;
  // tf looks up the padding of shorter rows, too: row 0 of the table once more for each such row of the batch.
  est::FeatureOp feature = featureOfSteps(op.getIds());
  Value like = entry_.feature(feature.getValue()), ends = entry_.ends(feature);
  Value lengths = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, b.repeat(b.i64(1), like), ends);
  Value longest = b.infer<df::ReduceMaxOp>(lengths, ArrayRef<int64_t>{0});
  Value isLongest = b.compare(df::Comparison::EQ, lengths, longest);
  Value none = gatherKept(declareTable(op, part), b.select(isLongest, b.i64(-1), b.i64(0)), isLongest);
  return b.add(steps, b.infer<df::RaggedRepeatOp>(none, ends, like));
}

Value Columns::indicatedSteps(est::IndicatorOp op) {
  if (isa<est::StepsOp>(op.getIds().getDefiningOp()))
    return indicator(op);
  Ids of = ids(op.getIds());
  GraphBuilder &b = entry_.builder();
  b.setLoc(op.getLoc());
  auto type = RankedTensorType::get({ShapedType::kDynamic, op.getDimension()}, b.getF32Type());
  return df::OneHotOp::create(b, type, of.ids);
}

Steps Columns::sequence(Value column, Part &part) {
  GraphBuilder &b = entry_.builder();
  b.setLoc(column.getLoc());
  if (auto numeric = column.getDefiningOp<est::SequenceNumericOp>()) {
    auto feature = numeric.getFeature().getDefiningOp<est::FeatureOp>();
    Value numbers = normalize(b, numeric.getNormalizerAttr(), number(feature));
    return {b.asColumn(numbers), entry_.ends(feature), feature};
  }
  Value values = llvm::TypeSwitch<Operation *, Value>(column.getDefiningOp())
                     .Case([&](est::EmbeddingOp op) { return embeddedSteps(op, part); })
                     .Case([&](est::IndicatorOp op) { return indicatedSteps(op); });
  est::FeatureOp feature = featureOfSteps(column.getDefiningOp()->getOperand(0));
  return {values, entry_.ends(feature), feature};
}
