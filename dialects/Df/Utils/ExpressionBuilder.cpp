// Short forms of the df ops that gradient rules and decompositions are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;
using namespace mlc::df;

static RankedTensorType tensorOf(Value x) { return llvm::cast<RankedTensorType>(x.getType()); }

SmallVector<int64_t> mlc::df::keptDimensions(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(axes, d))
      kept.push_back(d);
  return kept;
}

Value ExpressionBuilder::select(Value condition, Value x, Value y) { return infer<SelectOp>(condition, x, y); }

Value ExpressionBuilder::compare(Comparison predicate, Value x, Value y) { return infer<CompareOp>(predicate, x, y); }

Value ExpressionBuilder::cast(Value x, Type element) {
  if (tensorOf(x).getElementType() == element)
    return x;
  return CastOp::create(builder, loc, tensorOf(x).clone(element), x);
}

Value ExpressionBuilder::castShape(Value x, Type type) {
  if (failed || x.getType() == type)
    return x;
  if (agree(x.getType(), type))
    return CastShapeOp::create(builder, loc, type, x);
  failed = true;
  emitError(loc, "expected a value of type ") << type << "; found " << x.getType();
  return x;
}

Value ExpressionBuilder::splat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute attribute = isa<FloatType>(element) ? Attribute(builder.getFloatAttr(element, value))
                                                : builder.getIntegerAttr(element, static_cast<int64_t>(value));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, attribute));
}

Value ExpressionBuilder::splatLike(Value like, double value) {
  RankedTensorType type = tensorOf(like);
  if (type.hasStaticShape())
    return splat(type, value);
  return broadcast(splat(RankedTensorType::get({}, type.getElementType()), value), like, {});
}

Value ExpressionBuilder::broadcast(Value x, Value like, ArrayRef<int64_t> dimensions) {
  RankedTensorType type = tensorOf(like).clone(tensorOf(x).getElementType());
  if (type == x.getType())
    return x;
  return BroadcastOp::create(builder, loc, type, x, type.hasStaticShape() ? Value() : like, dimensions);
}

Value ExpressionBuilder::sum(Value x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return infer<ReduceSumOp>(x, axes);
}

Value ExpressionBuilder::count(Value x, ArrayRef<int64_t> axes, Type element) {
  int64_t elements = 1;
  for (int64_t d : axes)
    elements = tensorOf(x).isDynamicDim(d) || ShapedType::isDynamic(elements) ? ShapedType::kDynamic
                                                                              : elements * tensorOf(x).getDimSize(d);
  if (!ShapedType::isDynamic(elements))
    return splat(RankedTensorType::get({}, element), static_cast<double>(elements));
  return cast(infer<SizeOp>(x, axes), element);
}

Value ExpressionBuilder::sumAll(Value x) {
  return sum(x, llvm::to_vector(llvm::seq<int64_t>(0, tensorOf(x).getRank())));
}

Value ExpressionBuilder::matmul(Value x, Value y, bool transposeX, bool transposeY) {
  return infer<MatmulOp>(x, y, transposeX, transposeY);
}
