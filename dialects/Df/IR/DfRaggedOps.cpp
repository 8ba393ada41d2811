// Verifiers of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// Whether `rows` has one row for each element of `counted`, and the row shape and element type of `like`.
static bool hasRowsOf(Type rows, Type counted, Type like) {
  return !shapeOf(rows).empty() && !shapeOf(counted).empty() && !shapeOf(like).empty() &&
         agree(shapeOf(rows)[0], shapeOf(counted)[0]) &&
         agree(shapeOf(rows).drop_front(), shapeOf(like).drop_front()) && elementType(rows) == elementType(like);
}

LogicalResult SegmentSumOp::verify() {
  Type ends = getEnds().getType();
  return verifyTypes(*this, shapeOf(ends).size() == 1 && hasRowsOf(getType(), ends, getValues().getType()),
                     "(C1) ends must be [m] and the result [m, the values' row shape]", getValues().getType(),
                     getType());
}

LogicalResult SegmentRepeatOp::verify() {
  Type ends = getEnds().getType(), rows = getRows().getType();
  bool ok = shapeOf(ends).size() == 1 && hasRowsOf(rows, ends, rows) && hasRowsOf(getType(), getLike().getType(), rows);
  return verifyTypes(*this, ok, "(C1) ends must be [m], rows [m, ...] and the result like's n rows of the same shape",
                     rows, getType());
}

LogicalResult SegmentProductOp::verify() {
  auto isEnds = [&](Value ends) { return !ends || agree(ends.getType(), getEnds().getType()); };
  bool ok = (getLhsEnds() || getRhsEnds()) && shapeOf(getEnds().getType()).size() == 1 && isEnds(getLhsEnds()) &&
            isEnds(getRhsEnds());
  if (!ok)
    return emitOpError("(C1) at least one side must have ends, all [m]");
  if (shapeOf(getLhsPositions().getType()).size() != 1 ||
      !agree(getLhsPositions().getType(), getRhsPositions().getType()))
    return emitOpError("(C2) positions must be [p]; found ")
           << getLhsPositions().getType() << " and " << getRhsPositions().getType();
  auto isCounted = [](Value ends, uint64_t perRow) { return ends || static_cast<int64_t>(perRow) >= 1; };
  if (static_cast<int64_t>(getSymbol()) < 1 || !isCounted(getLhsEnds(), getLhsPerRow()) ||
      !isCounted(getRhsEnds(), getRhsPerRow()))
    return emitOpError("(C3) symbol and numbers per row must be at least 1");
  return success();
}

LogicalResult RaggedToDenseOp::verify() {
  Type values = getValues().getType(), ends = getEnds().getType(), padded = getPadded().getType();
  bool ok = !shapeOf(values).empty() && shapeOf(ends).size() == 1 && elementType(padded) == elementType(values) &&
            shapeOf(padded).size() == shapeOf(values).size() + 1 && agree(shapeOf(padded)[0], shapeOf(ends)[0]) &&
            ShapedType::isDynamic(shapeOf(padded)[1]) &&
            agree(shapeOf(padded).drop_front(2), shapeOf(values).drop_front());
  if (failed(
          verifyTypes(*this, ok, "(C1) of values [n, ...] and ends [m], padded must be [m, ?, ...]", values, padded)))
    return failure();
  Type filler = getFiller().getType();
  if (failed(verifyTypes(*this, shapeOf(filler).empty() && elementType(filler) == elementType(values),
                         "(C2) the filler must be a scalar of the values' element type", values, filler)))
    return failure();
  return verifyTypes(*this, agree(getLengths().getType(), ends), "(C3) lengths must have the type of the ends", ends,
                     getLengths().getType());
}

//===-- dimensions ------------------------------------------------------------------------===//

void RaggedToDenseOp::mapDimensions(DimensionMapping &map) {
  map.all(getEnds(), getLengths());
  map.rows(getEnds(), getPadded());
  for (int64_t d = 1, e = rankOf(getValues()); d < e; ++d)
    map.same(getValues(), d, getPadded(), d + 1);
}
