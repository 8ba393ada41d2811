// Operands that a segment waits for, or tells of, while it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSIGNALS_H
#define DIALECTS_DF_IR_DFSIGNALS_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// Whether `function`, a segment of any kind of function op, waits for a variable before it reads it (an argument), and
/// tells when a sum is final (a result): those of train_grad that run in the step.
inline bool isSignalled(mlir::Operation *function, BindingKind kind, bool isResult) {
  auto role = function->getAttrOfType<RoleAttr>(DfDialect::kRoleAttr);
  auto segment = function->getAttrOfType<SegmentKindAttr>(DfDialect::kSegmentAttr);
  return role && role.getValue() == Role::TrainGrad && (!segment || segment.getValue() == SegmentKind::Step) &&
         kind == (isResult ? BindingKind::SumOut : BindingKind::Variable);
}

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSIGNALS_H
