// Which values the elements of integer tensors can have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_INTEGERRANGES_H
#define DIALECTS_DF_UTILS_INTEGERRANGES_H

#include "dialects/Df/IR/DfFeatureOps.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mlc::df {

/// Ranges of tensors of signless integers by what the ops that make them tell (`IntegerRangeOpInterface`) or move
/// (`MovementOpInterface`), and of ids of tables that lie one after another. Nothing is known of arguments, nor of what
/// loops carry.
class IntegerRanges {
public:
  /// `trusts`: whether a check has taken place before what uses its result is run. Code may run other ops of a segment
  /// ahead of it.
  explicit IntegerRanges(std::function<bool(CheckIdsOp)> trusts) : trusts(std::move(trusts)) {}

  /// The range of the elements of `value`, if it is known.
  std::optional<IntegerRange> get(mlir::Value value);

private:
  using Range = std::optional<IntegerRange>;

  Range rangeOf(mlir::OpResult result);
  Range join(mlir::ValueRange values);
  Range rangeOfShiftedParts(mlir::ValueRange parts, int64_t axis, mlir::Value shift);

  std::function<bool(CheckIdsOp)> trusts;
  llvm::DenseMap<mlir::Value, Range> known;
};

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_INTEGERRANGES_H
