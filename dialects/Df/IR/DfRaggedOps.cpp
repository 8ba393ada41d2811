// Type rules of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// The type of `rows` with as many of them as dimension 0 of `counted` says.
static RankedTensorType withRowsOf(Type counted, Type rows) {
  SmallVector<int64_t> shape(shapeOf(rows));
  shape.front() = shapeOf(counted).front();
  return cast<RankedTensorType>(rows).clone(shape);
}

bool RaggedReduceOp::isCompositeForm() {
  return getKind() != RowReduction::Sum || !isa<FloatType>(elementType(getType()));
}
LogicalResult RaggedReduceOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type values = op.getValues().getType(), ends = op.getEnds().getType();
  constexpr StringLiteral constraint = "(C1) ends must be [m] and the result [m, the values' row shape]";
  if (shapeOf(ends).size() != 1 || shapeOf(values).empty())
    return infer.require(false, constraint, values, ends);
  if (op.getKind() == RowReduction::Mean && !isa<FloatType>(elementType(values)))
    return infer.error("(C2) a mean must be of floats; found ") << values;
  return infer.result(withRowsOf(ends, values), constraint);
}

LogicalResult RaggedRepeatOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type ends = op.getEnds().getType(), rows = op.getRows().getType(), like = op.getLike().getType();
  constexpr StringLiteral constraint =
      "(C1) ends must be [m], rows [m, ...] and the result like's n rows of the same shape";
  bool ok = shapeOf(ends).size() == 1 && !shapeOf(rows).empty() && !shapeOf(like).empty() &&
            agree(shapeOf(rows)[0], shapeOf(ends)[0]);
  if (!ok)
    return infer.require(false, constraint, rows, ends);
  return infer.result(withRowsOf(like, rows), constraint);
}

LogicalResult RaggedProductOp::inferTypes(TypeInference &infer, Adaptor op) {
  SmallVector<Value> sides;
  for (Value side : {op.getLhsEnds(), op.getRhsEnds()})
    if (side)
      sides.push_back(side);
  constexpr StringLiteral constraint = "(C1) at least one side must have ends, all [m]";
  Type ends = infer.join(sides, constraint);
  if (!ends)
    return failure();
  if (shapeOf(ends).size() != 1)
    return infer.error() << constraint << "; found " << ends;
  auto isCounted = [](Value ends, uint64_t perRow) { return ends || static_cast<int64_t>(perRow) >= 1; };
  if (static_cast<int64_t>(op.getSymbol()) < 1 || !isCounted(op.getLhsEnds(), op.getLhsPerRow()) ||
      !isCounted(op.getRhsEnds(), op.getRhsPerRow()))
    return infer.error("(C3) symbol and numbers per row must be at least 1");
  auto positions = RankedTensorType::get({ShapedType::kDynamic}, infer.i64());
  for (int side = 0; side < 2; ++side)
    (void)infer.result(positions, "(C2) positions must be [p]");
  return infer.result(ends, constraint);
}

LogicalResult RaggedToDenseOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type ends = op.getEnds().getType(), filler = op.getFiller().getType();
  auto values = cast<RankedTensorType>(op.getValues().getType());
  constexpr StringLiteral constraint = "(C1) of values [n, ...] and ends [m], padded must be [m, ?, ...]";
  if (values.getRank() == 0 || shapeOf(ends).size() != 1)
    return infer.require(false, constraint, values, ends);
  if (failed(infer.require(filler == RankedTensorType::get({}, values.getElementType()),
                           "(C2) the filler must be a scalar of the values' element type", values, filler)))
    return failure();
  SmallVector<int64_t> shape{shapeOf(ends)[0], ShapedType::kDynamic};
  llvm::append_range(shape, values.getShape().drop_front());
  (void)infer.result(values.clone(shape), constraint);
  return infer.result(ends, "(C3) lengths must have the type of the ends");
}

//===-- dimensions ------------------------------------------------------------------------===//

void RaggedToDenseOp::mapDimensions(DimensionMapping &map) {
  map.all(getEnds(), getLengths());
  map.rows(getEnds(), getPadded());
  for (int64_t d = 1, e = rankOf(getValues()); d < e; ++d)
    map.same(getValues(), d, getPadded(), d + 1);
}
