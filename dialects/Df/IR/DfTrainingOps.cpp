// Type rules and verifiers of batch losses, gradients and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult BatchMeanOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type losses = op.getLosses().getType();
  if (op.getWeights() && !infer.fits(op.getWeights(), losses))
    return infer.require(false, "(C1) weights must have the losses' type", losses, op.getWeights().getType());
  return infer.result(RankedTensorType::get({}, elementType(losses)),
                      "(C2) the result must have the losses' element type");
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

LogicalResult GroupIdsOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type ids = op.getIds().getType();
  if (shapeOf(ids).size() != 1)
    return infer.error("(C1) ids must be [n]; found ") << ids;
  for (int k = 0; k < 3; ++k)
    (void)infer.result(ids, "(C1) unique, ends and order must have the ids' type");
  return inferScalar(infer, infer.i64());
}

LogicalResult GroupSumOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type values = op.getValues().getType(), ends = op.getEnds().getType();
  constexpr StringLiteral constraint = "(C1) values and result must be [n, ...], ends and order [n]";
  bool ok = !shapeOf(values).empty() && shapeOf(ends).size() == 1 && agree(shapeOf(ends)[0], shapeOf(values)[0]) &&
            infer.fits(op.getOrder(), ends);
  if (failed(infer.require(ok, constraint, values, ends)))
    return failure();
  return infer.result(values, constraint);
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

LogicalResult UnpackRowsOp::inferTypes(TypeInference &infer, Adaptor op) {
  RankedTensorType table = cast<RowsType>(op.getOperand().getType()).getType();
  constexpr StringLiteral constraint = "(C1) ids must be [n] and rows [n, the row shape]";
  if (table.getRank() < 1)
    return infer.error() << constraint << "; found " << op.getOperand().getType();
  // How many there are nobody says.
  SmallVector<int64_t> shape(table.getShape());
  shape.front() = ShapedType::kDynamic;
  (void)infer.result(RankedTensorType::get({ShapedType::kDynamic}, infer.i64()), constraint);
  (void)infer.result(table.clone(shape), constraint);
  return inferScalar(infer, infer.i64());
}

LogicalResult MergeRowsOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type left = op.getLhsIds().getType(), right = op.getRhsIds().getType();
  Type leftRows = op.getLhsRows().getType(), rightRows = op.getRhsRows().getType();
  constexpr StringLiteral constraint = "(C1) ids must be [n] and rows [n, ...] of f32, with one row shape on all sides";
  auto isPair = [&](Type ids, Type rows) {
    return elementType(rows).isF32() && shapeOf(ids).size() == 1 && !shapeOf(rows).empty() &&
           agree(shapeOf(rows)[0], shapeOf(ids)[0]) && shapeOf(rows).drop_front() == shapeOf(leftRows).drop_front();
  };
  if (shapeOf(leftRows).empty() || !isPair(left, leftRows) || !isPair(right, rightRows))
    return infer.require(false, constraint, leftRows, rightRows);
  bool isDynamic = ShapedType::isDynamic(shapeOf(left)[0]) || ShapedType::isDynamic(shapeOf(right)[0]);
  int64_t n = isDynamic ? ShapedType::kDynamic : shapeOf(left)[0] + shapeOf(right)[0];
  StringRef sizes = "(C2) without 'like' the results have the rows of both sides";
  if (op.getLike()) {
    if (shapeOf(op.getLike().getType()).size() != 1)
      return infer.error("(C2) 'like' must have the type of the resulting ids; found ") << op.getLike().getType();
    n = shapeOf(op.getLike().getType())[0];
    sizes = "(C2) 'like' must have the type of the resulting ids";
  }
  SmallVector<int64_t> shape(shapeOf(leftRows));
  shape.front() = n;
  (void)infer.result(RankedTensorType::get({n}, infer.i64()), sizes);
  (void)infer.result(cast<RankedTensorType>(leftRows).clone(shape), constraint);
  return inferScalar(infer, infer.i64());
}

LogicalResult ScaleRowsOp::verify() {
  return verifyTypes(*this, elementType(getFactor().getType()) == getType().getType().getElementType(),
                     "(C1) the factor must have the rows' element type", getFactor().getType(), getType());
}

LogicalResult DensifyRowsOp::inferTypes(TypeInference &infer, Adaptor op) {
  return infer.result(cast<RowsType>(op.getOperand().getType()).getType(),
                      "(C1) the result must have the rows' tensor type");
}

LogicalResult AllReduceOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getType());
  if (tensor && !tensor.hasStaticShape())
    return emitOpError("(C1) the operand must be static or rows; found ") << tensor;
  return success();
}
