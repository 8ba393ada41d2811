// Values that go from one segment to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/CrossingValues.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/Signature.h"

using namespace mlir;
using namespace mlc::df;

std::optional<SmallVector<Type>> mlc::df::crossingTypes(Value value, SymbolicSizes &counts) {
  if (auto rows = dyn_cast<RowsType>(value.getType())) {
    auto multiple = counts.get(value, 0).getMultiple();
    if (!multiple || multiple->second != 1)
      return std::nullopt;
    Builder b(value.getContext());
    SmallVector<int64_t> shape(rows.getType().getShape());
    shape[0] = ShapedType::kDynamic;
    return SmallVector<Type>{RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()),
                             RankedTensorType::get(shape, rows.getType().getElementType()),
                             RankedTensorType::get({}, b.getI64Type())};
  }
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType buffer = type.hasStaticShape() ? type : counts.getBufferType(value);
  if (!buffer)
    return std::nullopt;
  return SmallVector<Type>{buffer};
}

SmallVector<int64_t> mlc::df::crossingSymbols(Value value, Type part, SymbolicSizes &counts) {
  if (cast<RankedTensorType>(part).hasStaticShape())
    return {};
  if (isa<RowsType>(value.getType()))
    return {counts.getSymbol(value)};
  return counts.getSymbols(value);
}

SmallVector<Value> mlc::df::takeApart(Value value, TypeRange parts, OpBuilder &at) {
  if (isa<RowsType>(value.getType()))
    return SmallVector<Value>(UnpackRowsOp::create(at, value.getLoc(), parts, value).getResults());
  return {reshapeTo(at, value, cast<RankedTensorType>(parts.front()))};
}

Value mlc::df::putTogether(Location loc, Type type, ValueRange parts, OpBuilder &at) {
  if (isa<RowsType>(type))
    return PackRowsOp::create(at, loc, type, parts[0], parts[1], parts[2]);
  return reshapeTo(at, parts.front(), cast<RankedTensorType>(type));
}
