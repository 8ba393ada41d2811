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

DenseElementsAttr mlc::df::tensorOfParameter(Attribute parameter) {
  auto isNumber = [](Type type) {
    return type.isSignlessInteger() ? type.getIntOrFloatBitWidth() <= 64 : type.isF32() || type.isF64();
  };
  if (auto array = dyn_cast<DenseArrayAttr>(parameter); array && !isa<DenseBoolArrayAttr>(array))
    return isNumber(array.getElementType())
               ? DenseElementsAttr::getFromRawBuffer(RankedTensorType::get({array.getSize()}, array.getElementType()),
                                                     array.getRawData())
               : DenseElementsAttr();
  auto number = dyn_cast<TypedAttr>(parameter);
  if (!number || !isa<IntegerAttr, FloatAttr>(parameter) || !isNumber(number.getType()))
    return {};
  return DenseElementsAttr::get(RankedTensorType::get({}, number.getType()), Attribute(number));
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
  for (auto [i, parameter] : llvm::enumerate(cast<ExternalCallOpInterface>(op).getParameters()))
    if (!tensorOfParameter(parameter))
      return op->emitOpError()
             << "parameter " << i
             << " must be a number, a boolean or an array of numbers, which a C function can take; found " << parameter;
  if (!cast<ExternalCallOpInterface>(op).isDeterministic() && isMemoryEffectFree(op))
    return op->emitOpError(
        "is of a function that is not deterministic, and has no memory effects: it could be repeated "
        "or merged with others");
  return success();
}
