// Verifiers of the feature ops and settings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"

#include <cmath>

using namespace mlir;
using namespace mlc::df;

LogicalResult HashBucketOp::verify() {
  if (static_cast<int64_t>(getBuckets()) <= 0)
    return emitOpError("(C1) buckets must be > 0; found ") << static_cast<int64_t>(getBuckets());
  return success();
}

/// Whether the table's terms are strings.
static bool holdsStrings(VocabularyOp table) {
  return !table.getTerms().empty() && isa<StringAttr>(table.getTerms()[0]);
}

LogicalResult LookupOp::verifySymbolUses(SymbolTableCollection &tables) {
  VocabularyOp table = lookupVocabulary(*this, getTableAttr(), tables);
  if (!table)
    return failure();
  if (holdsStrings(table) != isa<StringType>(elementType(getOperand().getType())))
    return emitOpError("(C1) looks ") << getOperand().getType() << " up in " << getTableAttr() << ", a table of "
                                      << (holdsStrings(table) ? "strings" : "integers");
  return success();
}

LogicalResult TermOp::verifySymbolUses(SymbolTableCollection &tables) {
  VocabularyOp table = lookupVocabulary(*this, getTableAttr(), tables);
  if (!table)
    return failure();
  if (!holdsStrings(table))
    return emitOpError("(C1) needs a table of strings; ") << getTableAttr() << " holds integers";
  return success();
}

static LogicalResult verifyColumns(CheckIdsOp op) {
  auto low = static_cast<int64_t>(op.getLow()), high = static_cast<int64_t>(op.getHigh());
  ArrayRef<int64_t> shape = shapeOf(op.getIds().getType());
  if (shape.size() != 2 || shape[1] != static_cast<int64_t>(op.getColumns()->size()))
    return op.emitOpError("(C3) ids must be [rows, ")
           << op.getColumns()->size() << "]; found " << op.getIds().getType();
  if (op.getCells() || op.getEnds() || op.getTableAttr() || op.getFeatureAttr())
    return op.emitOpError("(C3) columns of ids have no cells, ends, table or 'feature'");
  int64_t most = low;
  for (auto column : op.getColumns()->getAsRange<IdColumnAttr>()) {
    if (column.getHigh() <= low)
      return op.emitOpError("(C3) the bound of '")
             << column.getFeature() << "' must be above low; found " << column.getHigh() << " and " << low;
    most = std::max(most, column.getHigh());
  }
  if (most != high)
    return op.emitOpError("(C3) high must be the largest bound of a column, ") << most << "; found " << high;
  return success();
}

LogicalResult CheckIdsOp::verify() {
  if (static_cast<int64_t>(getLow()) >= static_cast<int64_t>(getHigh()))
    return emitOpError("(C1) low must be below high; found ")
           << static_cast<int64_t>(getLow()) << " and " << static_cast<int64_t>(getHigh());
  if (getColumns())
    return verifyColumns(*this);
  if (shapeOf(getIds().getType()).empty())
    return emitOpError("(C2) ids must be [n] or [rows, ..]; found ") << getIds().getType();
  if (shapeOf(getIds().getType()).size() > 1 && (getCells() || getEnds()))
    return emitOpError("(C2) with cells or ends ids must be [n]; found ") << getIds().getType();
  if (getCells() && !agreeInShape(getCells().getType(), getIds().getType()))
    return verifyTypes(*this, false, "(C2) cells must have the ids' shape", getCells().getType(), getIds().getType());
  if (getEnds() && shapeOf(getEnds().getType()).size() != 1)
    return emitOpError("(C2) ends must be [rows]; found ") << getEnds().getType();
  return success();
}

LogicalResult CheckIdsOp::verifySymbolUses(SymbolTableCollection &tables) {
  return success(!getTableAttr() || lookupVocabulary(*this, getTableAttr(), tables));
}

LogicalResult BucketizeOp::verify() {
  ArrayRef<double> boundaries = getBoundaries();
  for (size_t i = 0; i < boundaries.size(); ++i)
    if (!std::isfinite(boundaries[i]) || (i && !(boundaries[i - 1] < boundaries[i])))
      return emitOpError("(C1) boundaries must be finite and strictly increase; found ")
             << boundaries[i] << " at position " << i;
  return success();
}

LogicalResult OneHotOp::verify() {
  ArrayRef<int64_t> ids = shapeOf(getIds().getType()), to = shapeOf(getType());
  int64_t axis = getDepthAxis();
  bool ok = to.size() == ids.size() + 1 && axis >= 0 && axis < getType().getRank() &&
            !ShapedType::isDynamic(to[axis]) && agree(to.take_front(axis), ids.take_front(axis)) &&
            agree(to.drop_front(axis + 1), ids.drop_front(axis));
  if (!ok)
    return verifyTypes(*this, false, "(C1) the result must have the ids' shape and a static depth", getIds().getType(),
                       getType());
  for (APFloat value : {getOn(), getOff()}) {
    APSInt number(64, /*isUnsigned=*/false);
    bool isExact;
    if (isa<IntegerType>(getType().getElementType()) &&
        (value.convertToInteger(number, APFloat::rmTowardZero, &isExact) != APFloat::opOK ||
         !number.isSignedIntN(getType().getElementTypeBitWidth())))
      return emitOpError("(C2) on and off must be numbers of the result's element type; found ")
             << value.convertToDouble() << " for " << getType();
  }
  return success();
}

LogicalResult SettingOp::verify() {
  if (isa<FloatType>(getDefaultValue().getType()) != isa<FloatType>(elementType(getType())))
    return emitOpError("(C1) a float result needs a float default, an integer result an integer; found ")
           << getDefaultValue() << " for " << getType();
  return success();
}

//===-- dimensions ------------------------------------------------------------------------===//

void OneHotOp::mapDimensions(DimensionMapping &map) { map.without(getResult(), {getDepthAxis()}, getIds()); }
