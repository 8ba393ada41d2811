// Decompositions of ops on strings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStringOps.h"

using namespace mlir;

namespace mlc::df {

/// Joins tensors of one type along a new last axis.
static Value joinAll(ExpressionBuilder &b, ValueRange parts, StringRef separator) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  if (parts.size() == 1)
    return parts.front();
  for (Value part : parts)
    type = cast<RankedTensorType>(joinTypes(type, part.getType()));
  const int64_t axis = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  SmallVector<Value> columns;
  for (Value part : parts)
    columns.push_back(ReshapeOp::create(b.builder, b.loc, type.clone(shape), b.castShape(part, type)));
  shape.back() = static_cast<int64_t>(parts.size());
  Value all = b.infer<ConcatOp>(columns, axis);
  return b.infer<ReduceJoinOp>(all, axis, separator);
}

static Value decompositionOf(StringJoinOp op, ExpressionBuilder &b) {
  return joinAll(b, op.getOperands(), op.getSeparator());
}

static Value decompositionOf(StringFormatOp op, ExpressionBuilder &b) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<std::string> literals = *op.getLiterals();
  SmallVector<Value> parts;
  auto addLiteral = [&](StringRef text) {
    if (text.empty())
      return;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value constant = ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(scalar, ArrayRef<StringRef>(text)));
    parts.push_back(b.broadcast(constant, op.getOperands().front(), {}));
  };
  for (auto [literal, operand] : llvm::zip(literals, op.getOperands())) {
    addLiteral(literal);
    bool isText = isa<StringType>(elementType(operand.getType()));
    parts.push_back(isText ? operand : b.infer<AsStringOp>(operand, IntegerAttr()));
  }
  addLiteral(literals.back());
  return joinAll(b, parts, "");
}

void attachStringDecompositions(MLIRContext *context) { attachDecompositions<StringJoinOp, StringFormatOp>(context); }

} // namespace mlc::df
