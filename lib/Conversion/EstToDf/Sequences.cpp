// Columns of sequences: the numbers of each step of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/Columns.h"
#include "lib/Conversion/EstToDf/Normalize.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Value Columns::embeddedSteps(est::EmbeddingOp op, const Ids &of, Part &part) {
  GraphBuilder &b = entry_.builder();
  df::VariableOp table = declareTable(op, part);
  auto clipped = [&](Value rows) { return op.getMaxNorm() ? clip(rows, op.getMaxNorm()->convertToDouble()) : rows; };
  if (!absentMovesFirst(op, part))
    return clipped(gather(table, of.ids));
  Value isId = b.compare(df::Comparison::GE, of.ids, b.i64(0));
  Value steps = clipped(gatherKept(table, b.select(isId, of.ids, b.i64(0)), isId));
  // tf looks up the padding of shorter rows, too: row 0 of the table once more for each such row of the batch.
  Value ones = b.repeat(b.i64(1), of.ids);
  Value lengths = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, ones, of.ends);
  Value longest = b.infer<df::ReduceMaxOp>(lengths, ArrayRef<int64_t>{0});
  Value isLongest = b.compare(df::Comparison::EQ, lengths, longest);
  Value none = gatherKept(table, b.select(isLongest, b.i64(-1), b.i64(0)), isLongest);
  return b.add(steps, b.infer<df::RaggedRepeatOp>(none, of.ends, of.ids));
}

Steps Columns::sequence(Value column, Part &part) {
  GraphBuilder &b = entry_.builder();
  b.setLoc(column.getLoc());
  if (auto numeric = column.getDefiningOp<est::SequenceNumericOp>()) {
    auto feature = numeric.getFeature().getDefiningOp<est::FeatureOp>();
    Value numbers = normalize(b, numeric.getNormalizerAttr(), number(feature));
    return {b.asColumn(numbers), entry_.ends(feature), feature};
  }
  Value categorical = column.getDefiningOp()->getOperand(0);
  Ids of = ids(categorical);
  b.setLoc(column.getLoc());
  Value values = llvm::TypeSwitch<Operation *, Value>(column.getDefiningOp())
                     .Case([&](est::EmbeddingOp op) { return embeddedSteps(op, of, part); })
                     .Case([&](est::IndicatorOp op) {
                       auto type = RankedTensorType::get({ShapedType::kDynamic, op.getDimension()}, b.getF32Type());
                       return df::OneHotOp::create(b, type, of.ids);
                     });
  return {values, of.ends, est::getIdFeature(categorical)};
}
