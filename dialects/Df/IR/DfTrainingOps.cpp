// Verifiers of batch losses, gradients and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult BatchMeanOp::verify() {
  if (getWeights() && !fits(*this, getWeights(), getLosses().getType()))
    return verifyTypes(*this, false, "(C1) weights must have the losses' type", getLosses().getType(),
                       getWeights().getType());
  return verifyTypes(*this, elementType(getType()) == elementType(getLosses().getType()),
                     "(C2) the result must have the losses' element type", getLosses().getType(), getType());
}

LogicalResult GradientsOp::verify() {
  if (getNumResults() != getVariables().size() + getValues().size())
    return emitOpError("needs one result for each symbol and value; found ")
           << getNumResults() << " for " << getVariables().size() + getValues().size();
  for (auto [value, result] : llvm::zip(getValues(), getResults().drop_front(getVariables().size())))
    if (value.getType() != result.getType())
      return verifyTypes(*this, false, "(C1) a value's gradient must have its type", value.getType(), result.getType());
  return success();
}

LogicalResult GradientsOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (auto [symbol, result] : llvm::zip(getVariables().getAsRange<FlatSymbolRefAttr>(), getResults())) {
    VariableOp variable = lookupVariable(*this, symbol, tables);
    if (!variable)
      return failure();
    auto rows = dyn_cast<RowsType>(result.getType());
    if ((rows ? Type(rows.getType()) : result.getType()) != variable.getType())
      return emitOpError("(C1) the gradient of ")
             << symbol << " must be " << variable.getType() << " or rows of it; found " << result.getType();
  }
  return success();
}

LogicalResult GroupIdsOp::verify() {
  Type ids = getIds().getType();
  if (shapeOf(ids).size() != 1)
    return emitOpError("(C1) ids must be [n]; found ") << ids;
  for (Value result : {getUnique(), getEnds(), getOrder()})
    if (!fits(*this, result, ids))
      return verifyTypes(*this, false, "(C1) unique, ends and order must have the ids' type", ids, result.getType());
  return success();
}

LogicalResult GroupSumOp::verify() {
  ArrayRef<int64_t> values = shapeOf(getValues().getType()), ends = shapeOf(getEnds().getType());
  bool ok = !values.empty() && ends.size() == 1 && agree(ends[0], values[0]) &&
            fits(*this, getOrder(), getEnds().getType()) && fits(*this, getResult(), getValues().getType());
  return verifyTypes(*this, ok, "(C1) values and result must be [n, ...], ends and order [n]", getValues().getType(),
                     getEnds().getType());
}

/// Whether (ids, rows) are the parts of a sparse gradient of `table`.
static bool arePartsOf(Type ids, Type rows, RankedTensorType table) {
  return shapeOf(ids).size() == 1 && !shapeOf(rows).empty() && agree(shapeOf(rows)[0], shapeOf(ids)[0]) &&
         table.getRank() >= 1 && shapeOf(rows).drop_front() == table.getShape().drop_front() &&
         elementType(rows) == table.getElementType();
}

LogicalResult PackRowsOp::verify() {
  return verifyTypes(*this, arePartsOf(getIds().getType(), getRows().getType(), getType().getType()),
                     "(C1) ids must be [n] and rows [n, the row shape]", getRows().getType(), getType());
}

LogicalResult UnpackRowsOp::verify() {
  return verifyTypes(*this, arePartsOf(getIds().getType(), getRows().getType(), getOperand().getType().getType()),
                     "(C1) ids must be [n] and rows [n, the row shape]", getRows().getType(), getOperand().getType());
}

LogicalResult MergeRowsOp::verify() {
  Type rows = getRows().getType(), ids = getIds().getType();
  auto isPair = [&](Type ids, Type other) {
    return elementType(other).isF32() && shapeOf(ids).size() == 1 && !shapeOf(other).empty() &&
           agree(shapeOf(other)[0], shapeOf(ids)[0]) && shapeOf(other).drop_front() == shapeOf(rows).drop_front();
  };
  Type left = getLhsIds().getType(), right = getRhsIds().getType();
  if (!isPair(ids, rows) || !isPair(left, getLhsRows().getType()) || !isPair(right, getRhsRows().getType()))
    return verifyTypes(*this, false, "(C1) ids must be [n] and rows [n, ...] of f32, with one row shape on all sides",
                       ids, rows);
  if (getLike())
    return verifyTypes(*this, fits(*this, getLike(), ids), "(C2) 'like' must have the type of the resulting ids",
                       getLike().getType(), ids);
  bool isDynamic = ShapedType::isDynamic(shapeOf(left)[0]) || ShapedType::isDynamic(shapeOf(right)[0]);
  int64_t expected = isDynamic ? ShapedType::kDynamic : shapeOf(left)[0] + shapeOf(right)[0];
  return verifyTypes(*this, shapeOf(ids)[0] == expected, "(C2) without 'like' the results have the rows of both sides",
                     left, ids);
}

LogicalResult ScaleRowsOp::verify() {
  return verifyTypes(*this, elementType(getFactor().getType()) == getType().getType().getElementType(),
                     "(C1) the factor must have the rows' element type", getFactor().getType(), getType());
}

LogicalResult DensifyRowsOp::verify() {
  return verifyTypes(*this, getType() == getOperand().getType().getType(),
                     "(C1) the result must have the rows' tensor type", getOperand().getType(), getType());
}

LogicalResult AllReduceOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getType());
  if (tensor && !tensor.hasStaticShape())
    return emitOpError("(C1) the operand must be static or rows; found ") << tensor;
  return success();
}
