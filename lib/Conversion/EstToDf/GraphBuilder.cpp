// Builds df ops on values whose types say what is meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/GraphBuilder.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `value` rounded to `element`, a float or integer type.
static Attribute numberAttr(Builder &builder, double value, Type element) {
  if (isa<FloatType>(element))
    return builder.getFloatAttr(element, value);
  return builder.getIntegerAttr(element, static_cast<int64_t>(value));
}

Value GraphBuilder::scalar(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  return df::ConstantOp::create(*this, type, DenseElementsAttr::get(type, numberAttr(*this, value, element)));
}

Value GraphBuilder::i64(int64_t value) {
  auto type = RankedTensorType::get({}, getI64Type());
  return df::ConstantOp::create(*this, type, DenseElementsAttr::get(type, value));
}

Value GraphBuilder::vector(ArrayRef<double> values, Type element) {
  SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(numberAttr(*this, value, element));
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return df::ConstantOp::create(*this, type, DenseElementsAttr::get(type, elements));
}

Value GraphBuilder::broadcast(Value value, Value like, ArrayRef<int64_t> dimensions) {
  RankedTensorType shape = typeOf(like);
  // A static shape needs no other value to take it from.
  return df::BroadcastOp::create(*this, shape.clone(typeOf(value).getElementType()), value,
                                 shape.hasStaticShape() ? Value() : like, dimensions);
}

Value GraphBuilder::repeat(Value value, Value like) {
  return typeOf(like).getRank() == 0 ? value : broadcast(value, like, {});
}

void GraphBuilder::alignShapes(Value &lhs, Value &rhs) {
  if (typeOf(lhs).getShape() == typeOf(rhs).getShape())
    return;
  if (typeOf(lhs).getRank() == 0)
    lhs = repeat(lhs, rhs);
  else
    rhs = repeat(rhs, lhs);
}

Value GraphBuilder::divNoNan(Value lhs, Value rhs) {
  Value zero = scalar(0, typeOf(rhs).getElementType());
  return select(compare(df::Comparison::EQ, rhs, zero), zero, div(lhs, rhs));
}

Value GraphBuilder::compare(df::Comparison predicate, Value lhs, Value rhs) {
  alignShapes(lhs, rhs);
  return infer<df::CompareOp>(predicate, lhs, rhs);
}

Value GraphBuilder::select(Value condition, Value yes, Value no) {
  if (yes.getType() != no.getType())
    alignShapes(yes, no);
  if (typeOf(yes).getRank() == 0) {
    yes = repeat(yes, condition);
    no = repeat(no, condition);
  }
  if (typeOf(condition).getRank() == 0)
    condition = repeat(condition, yes);
  return infer<df::SelectOp>(condition, yes, no);
}

Value GraphBuilder::cast(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return df::CastOp::create(*this, typeOf(value).clone(element), value);
}

Value GraphBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return df::ReshapeOp::create(*this, typeOf(value).clone(shape), value);
}

Value GraphBuilder::countRows(Value value) { return infer<df::SizeOp>(value, ArrayRef<int64_t>{0}); }

Value GraphBuilder::sum(Value value, ArrayRef<int64_t> axes) { return infer<df::ReduceSumOp>(value, axes); }

Value GraphBuilder::slice(Value vector, int64_t start, int64_t size) {
  return df::SliceOp::create(*this, vector, /*axis=*/0, start, size);
}

Value GraphBuilder::row(Value matrix, int64_t index) {
  int64_t width = typeOf(matrix).getDimSize(1);
  return reshape(df::SliceOp::create(*this, matrix, /*axis=*/0, index, /*size=*/1), {width});
}

Value GraphBuilder::matmul(Value lhs, Value rhs) { return infer<df::MatmulOp>(lhs, rhs); }

Value GraphBuilder::concatColumns(ValueRange values) {
  if (values.size() == 1)
    return values.front();
  return infer<df::ConcatOp>(values, uint64_t{1});
}

Value GraphBuilder::read(df::VariableOp variable) {
  return df::ReadOp::create(*this, variable.getTensorType(), variable.getSymName());
}
