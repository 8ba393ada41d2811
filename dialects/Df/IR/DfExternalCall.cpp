// What ops that C functions compute have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfExternalCall.h"

using namespace mlir;
using namespace mlc::df;

#include "dialects/Df/IR/DfExternalCall.cpp.inc"

/// Dimensions that a buffer of the runtime can have.
static constexpr int64_t kMaxRank = 6;

std::optional<Dimension> mlc::df::operandDimensionOf(Operation *op, const DimensionMapping &map, Value result,
                                                     int64_t d) {
  for (const Dimension &same : map.get({result, d}))
    if (llvm::is_contained(op->getOperands(), same.value))
      return same;
  return std::nullopt;
}

LogicalResult mlc::df::detail::verifyExternalCall(Operation *op) {
  auto check = [&](Type type, StringRef what, unsigned i) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getRank() <= kMaxRank && tensor.getElementType().isIntOrFloat())
      return success();
    return op->emitOpError() << what << " " << i << " must be a tensor of numbers of rank " << kMaxRank
                             << " at most, which a C function can take; found " << type;
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result", i)))
      return failure();
  if (!cast<ExternalCallOpInterface>(op).isDeterministic() && isMemoryEffectFree(op))
    return op->emitOpError(
        "is of a function that is not deterministic, and has no memory effects: it could be repeated "
        "or merged with others");
  return success();
}
