// df.batch_mean as sums over the batch and a division after them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_MEANEXPANSION_H
#define DIALECTS_DF_AUTODIFF_MEANEXPANSION_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace mlc::df {

/// Sums over the virtual shards of one function. Only a train function has them: elsewhere a sum is its operand.
class ShardSums {
public:
  explicit ShardSums(FunctionOp function);

  /// `value` (static, or sparse rows) summed over the shards, under `name` or, if that is taken, `name.1`, `name.2`, ..
  mlir::Value create(ExpressionBuilder &b, mlir::Value value, llvm::StringRef name);

private:
  bool enabled;
  llvm::StringSet<> names;
};

/// What a mean is made of.
struct ExpandedMean {
  mlir::Value value;  ///< of the mean
  mlir::Value factor; ///< 1/denominator, 0 over nothing; null: 1 (reduction sum)
};

/// Builds the ops of `mean` in front of it, its sums named for `name`.
ExpandedMean expandMean(BatchMeanOp mean, ShardSums &sums, llvm::StringRef name);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_MEANEXPANSION_H
