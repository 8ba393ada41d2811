// Gradients of tables by rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/RowGradients.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"

using namespace mlir;
using namespace mlc::df;

/// `values` one after another along dimension 0.
static Value concatRows(ExpressionBuilder &b, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values[0];
  return b.infer<ConcatOp>(values, 0);
}

Value mlc::df::buildSparseGradient(ExpressionBuilder &b, RankedTensorType table,
                                   ArrayRef<RowContribution> contributions) {
  SmallVector<Value> allIds, allRows;
  for (const RowContribution &contribution : contributions) {
    allIds.push_back(contribution.ids);
    allRows.push_back(contribution.cotangents);
  }
  Value ids = concatRows(b, allIds), rows = concatRows(b, allRows);
  Type idsType = ids.getType(), countType = RankedTensorType::get({}, b.builder.getI64Type());
  auto unique = GroupIdsOp::create(b.builder, b.loc, {idsType, idsType, idsType, countType}, ids);
  Value sums = b.infer<GroupSumOp>(rows, unique.getEnds(), unique.getOrder(), unique.getCount());
  return PackRowsOp::create(b.builder, b.loc, RowsType::get(b.builder.getContext(), table), unique.getUnique(), sums,
                            unique.getCount());
}

Value mlc::df::addSparseGradients(ExpressionBuilder &b, Value lhs, Value rhs) {
  RankedTensorType table = cast<RowsType>(lhs.getType()).getType();
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = ShapedType::kDynamic;
  Type i64 = b.builder.getI64Type();
  Type types[] = {RankedTensorType::get({ShapedType::kDynamic}, i64),
                  RankedTensorType::get(shape, table.getElementType()), RankedTensorType::get({}, i64)};
  SmallVector<Value> parts;
  for (Value rows : {lhs, rhs})
    // What was packed here may have a static number of rows.
    if (auto pack = rows.getDefiningOp<PackRowsOp>())
      parts.append({pack.getIds(), pack.getRows(), pack.getCount()});
    else
      llvm::append_range(parts, UnpackRowsOp::create(b.builder, b.loc, types, rows).getResults());
  int64_t left = shapeOf(parts[0].getType())[0], right = shapeOf(parts[3].getType())[0];
  if (!ShapedType::isDynamic(left) && !ShapedType::isDynamic(right)) {
    shape[0] = left + right;
    types[0] = RankedTensorType::get({shape[0]}, i64);
    types[1] = RankedTensorType::get(shape, table.getElementType());
  }
  auto merged = MergeRowsOp::create(b.builder, b.loc, TypeRange(types), parts[0], parts[1], parts[2], parts[3],
                                    parts[4], parts[5], /*like=*/Value());
  return PackRowsOp::create(b.builder, b.loc, lhs.getType(), merged.getIds(), merged.getRows(), merged.getCount());
}
