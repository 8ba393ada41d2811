// Which number of rows a tensor of unknown length has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/RowSymbols.h"

using namespace mlir;
using namespace mlc::df;

/// Whether the length of `value` is known only when a step runs.
static bool isDynamic(Value value) {
  if (isa<RowsType>(value.getType()))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.getRank() > 0 && tensor.isDynamicDim(0);
}

int64_t mlc::df::rowSymbolOf(Value value) {
  if (!isDynamic(value))
    return 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<FunctionOp>(argument.getOwner()->getParentOp());
    auto symbol = function ? function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), FunctionOp::kSymbolAttr)
                           : IntegerAttr();
    return symbol ? symbol.getInt() : 0;
  }
  Operation *op = value.getDefiningOp();
  if (auto sum = dyn_cast<SegmentSumOp>(op))
    return rowSymbolOf(sum.getEnds());
  if (auto repeat = dyn_cast<SegmentRepeatOp>(op))
    return rowSymbolOf(repeat.getLike());
  for (Value operand : op->getOperands())
    if (isDynamic(operand))
      return rowSymbolOf(operand);
  return 0;
}
