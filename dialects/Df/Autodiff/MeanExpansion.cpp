// df.batch_mean as sums over the batch and a division behind them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/MeanExpansion.h"

using namespace mlir;
using namespace mlc::df;

ShardSums::ShardSums(FunctionOp function) : enabled(function.getRole() == Role::Train) {
  function.walk([&](ShardSumOp sum) { names.insert(sum.getName()); });
}

Value ShardSums::create(GradientBuilder &b, Value value, StringRef name) {
  if (!enabled)
    return value;
  std::string unique = name.str();
  for (unsigned i = 1; !names.insert(unique).second; ++i)
    unique = (name + "." + Twine(i)).str();
  return ShardSumOp::create(b.builder, b.loc, value.getType(), value, unique);
}

/// The number of elements of `losses` as a scalar of their element type.
static Value countElements(GradientBuilder &b, Value losses) {
  auto type = cast<RankedTensorType>(losses.getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  if (type.hasStaticShape())
    return b.splat(scalar, type.getNumElements());
  if (!ShapedType::isDynamicShape(type.getShape().drop_front())) {
    auto i64 = RankedTensorType::get({}, b.builder.getI64Type());
    Value count = RowCountOp::create(b.builder, b.loc, i64, losses);
    int64_t perRow = ShapedType::getNumElements(type.getShape().drop_front());
    if (perRow != 1)
      count = b.mul(count, b.splat(i64, perRow));
    return b.cast(count, type.getElementType());
  }
  return b.sumAll(b.splatLike(losses, 1));
}

ExpandedMean mlc::df::expandMean(BatchMeanOp mean, ShardSums &sums, StringRef name) {
  OpBuilder builder(mean);
  GradientBuilder b(builder, mean.getLoc());
  Value losses = mean.getLosses(), weights = mean.getWeights();
  Value total = b.sumAll(weights ? b.mul(weights, losses) : losses);
  total = sums.create(b, total, (name + ".sum").str());
  if (mean.getReduction() == BatchReduction::Sum)
    return {total, Value()};
  Value denominator = weights && mean.getReduction() == BatchReduction::Mean
                          ? sums.create(b, b.sumAll(weights), (name + ".weight").str())
                          : sums.create(b, countElements(b, losses), (name + ".count").str());
  // A mean over nothing is 0, and so is its gradient.
  Value zero = b.splatLike(denominator, 0), one = b.splatLike(denominator, 1);
  Value nothing = b.compare(Comparison::EQ, denominator, zero);
  return {b.select(nothing, zero, b.div(total, denominator)), b.select(nothing, zero, b.div(one, denominator))};
}
