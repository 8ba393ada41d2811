// What bodies hand to heads. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_LOGITS_H
#define LIB_CONVERSION_ESTTODF_LOGITS_H

#include "dialects/Est/IR/Est.h"

namespace mlc::est2df {

/// The sum of the logits of the bodies.
struct Logits {
  /// Of rows [n, dimension] of f32; of steps [n * longest, dimension], one row's after the other's, with those after a
  /// row's last step.
  mlir::Value values;
  /// Of steps: how many each row has, [n] of i64, and the most that a row has, a scalar of i64; else null.
  mlir::Value lengths, longest;
  /// Of steps: the feature that has a value for each of them.
  est::FeatureOp feature;

  bool areOfSteps() const { return static_cast<bool>(lengths); }
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_LOGITS_H
