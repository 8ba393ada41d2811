// df.batch_mean as sums over the batch and a division after them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/MeanExpansion.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"

using namespace mlir;
using namespace mlc::df;

ShardSums::ShardSums(FunctionOp function) : enabled(function.getRole() == Role::Train) {
  function.walk([&](AllReduceOp sum) { names.insert(sum.getName()); });
}

Value ShardSums::create(ExpressionBuilder &b, Value value, StringRef name) {
  if (!enabled)
    return value;
  std::string unique = name.str();
  for (unsigned i = 1; !names.insert(unique).second; ++i)
    unique = (name + "." + Twine(i)).str();
  return b.infer<AllReduceOp>(value, unique);
}

ExpandedMean mlc::df::expandMean(BatchMeanOp mean, ShardSums &sums, StringRef name) {
  OpBuilder builder(mean);
  ExpressionBuilder b(builder, mean.getLoc());
  Value losses = mean.getLosses(), weights = mean.getWeights();
  Value total = b.sumAll(weights ? b.mul(weights, losses) : losses);
  total = sums.create(b, total, (name + ".sum").str());
  if (mean.getReduction() == BatchReduction::Sum)
    return {total, Value()};
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(losses.getType()).getRank()));
  Value denominator =
      weights && mean.getReduction() == BatchReduction::Mean
          ? sums.create(b, b.sumAll(weights), (name + ".weight").str())
          : sums.create(b, b.count(losses, axes, elementType(losses.getType())), (name + ".count").str());
  // A mean over nothing is 0, and so is its gradient.
  Value zero = b.splatLike(denominator, 0), one = b.splatLike(denominator, 1);
  Value nothing = b.compare(Comparison::EQ, denominator, zero);
  return {b.select(nothing, zero, b.div(total, denominator)), b.select(nothing, zero, b.div(one, denominator))};
}
