// Verifiers of control flow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// Whether the region's block ends in a yield of `types`.
static LogicalResult verifyYields(Operation *op, Region &region, TypeRange types, StringRef constraint) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError() << constraint << ": the region must end in df.yield";
  if (TypeRange(yield.getOperands()) != types) {
    InFlightDiagnostic diag = op->emitOpError() << constraint << ": expected (" << types << ")";
    diag.attachNote(yield.getLoc()) << "yields (" << TypeRange(yield.getOperands()) << ")";
    return diag;
  }
  return success();
}

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()})
    if (failed(verifyYields(*this, *region, getResultTypes(), "(C1) both regions must yield the result types")))
      return failure();
  return success();
}

LogicalResult WhileOp::verify() {
  TypeRange types(getInits());
  if (TypeRange(getResultTypes()) != types)
    return emitOpError("(C1) results must have the types of the initial values");
  for (Region *region : {&getConditionRegion(), &getBodyRegion()})
    if (TypeRange(region->getArgumentTypes()) != types)
      return emitOpError("(C1) regions must take the initial values' types (")
             << types << "); found (" << region->getArgumentTypes() << ")";
  if (!isa<ConditionOp>(getConditionRegion().front().back()))
    return emitOpError("(C2) the condition region must end in df.condition");
  if (failed(verifyYields(*this, getBodyRegion(), types, "(C2) the body must yield the carried types")))
    return failure();
  if (getMaxIterations() && static_cast<int64_t>(*getMaxIterations()) < 0)
    return emitOpError("(C3) max_iterations must be >= 0; found ") << static_cast<int64_t>(*getMaxIterations());
  return success();
}
