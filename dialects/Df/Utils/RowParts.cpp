// Sparse gradients in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/RowParts.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;
using namespace mlc::df;

UnpackRowsOp mlc::df::unpackRows(ExpressionBuilder &b, Value gradient) {
  RankedTensorType table = cast<RowsType>(gradient.getType()).getType();
  Type i64 = b.builder.getI64Type();
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = ShapedType::kDynamic;
  return UnpackRowsOp::create(b.builder, b.loc, RankedTensorType::get({ShapedType::kDynamic}, i64), table.clone(shape),
                              RankedTensorType::get({}, i64), gradient);
}

Value mlc::df::rowEnds(ExpressionBuilder &b, UnpackRowsOp parts) {
  auto asVector = [&](Value number) -> Value {
    return ReshapeOp::create(b.builder, b.loc, RankedTensorType::get({1}, b.builder.getI64Type()), number);
  };
  Value bounds[] = {asVector(parts.getCount()), asVector(b.infer<SizeOp>(parts.getIds(), ArrayRef<int64_t>{0}))};
  return b.infer<ConcatOp>(ValueRange(bounds), uint64_t{0});
}
