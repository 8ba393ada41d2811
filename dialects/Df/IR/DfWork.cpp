// What kind of work an op is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/Df.h"

using namespace mlir;
using namespace mlc::df;

Work mlc::df::getWork(Operation *op) {
  if (auto known = dyn_cast<WorkOpInterface>(op))
    return known.getWork();
  return op->hasTrait<OpTrait::Elementwise>() ? Work::Elementwise : Work::Unknown;
}

bool mlc::df::isExact(Operation *op) {
  if (auto known = dyn_cast<ExactOpInterface>(op))
    return known.isExact();
  return op->hasTrait<OpTrait::Elementwise>();
}
