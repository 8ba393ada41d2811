// Gradients of ops on the values of tables. `df.read` and `df.gather` are sources: the sweep takes their cotangents
// itself. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/Autodiff/RowGradients.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"

using namespace mlir;

namespace mlc::df {

static LogicalResult gradientOf(TakeRowsOp op, ExpressionBuilder &b, Value g, MutableArrayRef<Value> out) {
  auto table = cast<RankedTensorType>(op.getTable().getType());
  if (!table.hasStaticShape())
    return op.emitOpError("has no gradient: the table must be static; found ") << table;
  Value rows = buildSparseGradient(b, table, {{op.getIds(), g}});
  out[0] = DensifyRowsOp::create(b.builder, b.loc, table, rows);
  return success();
}

void attachStateGradients(MLIRContext *context) { attachRules<TakeRowsOp>(context); }

} // namespace mlc::df
