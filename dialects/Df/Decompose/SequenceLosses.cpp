// Decompositions of losses of sequences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Loops.h"
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfLossOps.h"
#include "dialects/Df/IR/DfReductionOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

namespace {

/// The forward variables of Graves et al., ICML 2006, as logarithms. Of u labels with a blank before, between and
/// after them there are two tensors [n, u + 1]: at s the probability of what ends in the blank before label s, and of
/// what ends in label s, of which the last one is none.
class CtcLoss {
public:
  CtcLoss(CtcLossOp op, ExpressionBuilder &b);
  Value build();

private:
  /// The logarithm of 0: a number, so that differences of two are one, and no gradient is NaN.
  static constexpr double kNever = -1e30;

  Value both(Value p, Value q) { return b.binary<LogicalAndOp>(p, q); }
  Value never(Value like) { return b.splatLike(like, kNever); }
  /// `x` where `condition` holds, else the logarithm of 0.
  Value where(Value condition, Value x) { return b.select(condition, x, never(x)); }
  /// The logarithm of the sum of exponentials.
  Value sumOf(ArrayRef<Value> terms);
  /// Element s of the result is element s - 1; the logarithm of 0 is the first.
  Value shifted(Value x) { return where(isBehindFirst, elementBefore(b, x, 1)); }
  /// `lengths` from 0 to the size of dimension 1 of `of`.
  Value cut(Value lengths, Value of);
  Value withRows(Value x);
  /// `x` with its first two dimensions exchanged.
  Value byTime(Value x);
  Value positions(Value like) {
    RankedTensorType type = typeOf(like);
    return IotaOp::create(b.builder, b.loc, type.clone(b.builder.getI64Type()), type.hasStaticShape() ? Value() : like,
                          1);
  }

  CtcLossOp op;
  ExpressionBuilder &b;
  int64_t rows;
  Value logits, labels, logitLengths, labelLengths;
  Value isBehindFirst; ///< [n, u + 1]
};

} // namespace

CtcLoss::CtcLoss(CtcLossOp op, ExpressionBuilder &b) : op(op), b(b), rows(shapeOf(op.getType())[0]) {
  for (Value operand : op->getOperands())
    rows = joinSizes(rows, shapeOf(operand.getType())[0]);
  logits = withRows(widen(b, op.getLogits()));
  labels = withRows(op.getLabels());
  logitLengths = cut(op.getLogitLengths(), logits);
  labelLengths = cut(op.getLabelLengths(), labels);
}

Value CtcLoss::withRows(Value x) {
  SmallVector<int64_t> shape(shapeOf(x.getType()));
  shape[0] = rows;
  return b.castShape(x, typeOf(x).clone(shape));
}

Value CtcLoss::cut(Value lengths, Value of) {
  lengths = withRows(lengths);
  Value size = b.count(of, 1, b.builder.getI64Type());
  return b.binary<MinimumOp>(b.binary<MaximumOp>(lengths, b.splatLike(lengths, 0)), repeated(b, size, lengths));
}

Value CtcLoss::byTime(Value x) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(x).getRank()));
  std::swap(permutation[0], permutation[1]);
  return b.infer<TransposeOp>(x, permutation);
}

Value CtcLoss::sumOf(ArrayRef<Value> terms) {
  Value largest = terms.front();
  for (Value term : terms.drop_front())
    largest = b.binary<MaximumOp>(largest, term);
  // The sum does not depend on what is taken out of it.
  largest = b.unary<StopGradientOp>(largest);
  Value sum;
  for (Value term : terms) {
    Value share = b.unary<ExpOp>(b.sub(term, largest));
    sum = sum ? b.add(sum, share) : share;
  }
  return b.add(largest, b.unary<LogOp>(sum));
}

Value CtcLoss::build() {
  OpBuilder &builder = b.builder;
  const auto blank = static_cast<int64_t>(op.getBlank());
  Type element = elementType(logits.getType());
  // What is after the labels, and one more, is the blank.
  Value padded = b.infer<PadOp>(labels, Value(), ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{0, 1}, ArrayRef<int64_t>());
  Value place = positions(padded), lengths = b.broadcast(labelLengths, padded, {0});
  Value isLabel = b.compare(Comparison::LT, place, lengths);
  padded = b.select(isLabel, padded, b.splatLike(padded, static_cast<double>(blank)));
  isBehindFirst = b.compare(Comparison::GT, place, b.splatLike(place, 0));

  Value logarithms = b.infer<LogSoftmaxOp>(logits, builder.getI64IntegerAttr(2));
  logarithms = b.binary<MaximumOp>(logarithms, never(logarithms));
  // [n, t, u + 1] and [n, t]; over time [t, n, u + 1] and [t, n].
  Value ofLabels =
      b.infer<GatherOp>(logarithms, padded, ArrayRef<int64_t>{2}, ArrayRef<int64_t>{0}, /*skip_negative=*/false);
  Value blankClass = b.splat(RankedTensorType::get({}, builder.getI64Type()), static_cast<double>(blank));
  Value ofBlank =
      b.infer<GatherOp>(logarithms, blankClass, ArrayRef<int64_t>{2}, ArrayRef<int64_t>(), /*skip_negative=*/false);
  ofLabels = byTime(ofLabels);
  ofBlank = byTime(ofBlank);

  // A label may follow the one before it without a blank if it is another.
  Value follows = both(both(isBehindFirst, isLabel), b.compare(Comparison::NE, padded, elementBefore(b, padded, 1)));
  Value zeros = b.cast(b.splatLike(padded, 0), element);
  Value inBlank = b.select(isBehindFirst, never(zeros), zeros), inLabel = never(zeros);
  auto step = [&](ValueRange in, ValueRange given) -> Values {
    Value blanks = in[0], labelled = in[1], time = in[2];
    Value before = shifted(labelled);
    Value nextBlank = b.add(sumOf({blanks, before}), b.broadcast(given[1], blanks, {0}));
    Value nextLabel = b.add(sumOf({labelled, blanks, where(follows, before)}), given[0]);
    nextLabel = where(isLabel, nextLabel);
    Value isWithin = b.compare(Comparison::LT, repeated(b, time, blanks), b.broadcast(logitLengths, blanks, {0}));
    return {b.select(isWithin, nextBlank, blanks), b.select(isWithin, nextLabel, labelled),
            b.add(time, b.splatLike(time, 1))};
  };
  Value start = b.splat(RankedTensorType::get({}, builder.getI64Type()), 0);
  Values last = scanOver(b, {inBlank, inLabel, start}, {ofLabels, ofBlank}, /*reverse=*/false, step);

  // What ends in the blank after the last label, and in that.
  auto at = [&](Value x, Value isThere) { return b.infer<ReduceMaxOp>(where(isThere, x), ArrayRef<int64_t>{1}); };
  Value ends = at(last[0], b.compare(Comparison::EQ, place, lengths));
  Value endsInLabel = at(last[1], b.compare(Comparison::EQ, b.add(place, b.splatLike(place, 1)), lengths));
  Value loss = b.neg(sumOf({ends, endsInLabel}));
  Value isPossible = b.compare(Comparison::LT, loss, b.splatLike(loss, -kNever / 2));
  loss = b.select(isPossible, loss, b.splatLike(loss, HUGE_VAL));
  return narrow(b, loss, op.getType());
}

static Value decompositionOf(CtcLossOp op, ExpressionBuilder &b) { return CtcLoss(op, b).build(); }

void attachSequenceLossDecompositions(MLIRContext *context) { attachDecompositions<CtcLossOp>(context); }

} // namespace mlc::df
