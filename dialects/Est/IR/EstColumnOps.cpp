//===- EstColumnOps.cpp - Verifiers of features and feature columns ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::est;

StringRef mlc::est::getColumnName(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<NumericOp, BucketizedOp, VocabularyOp, HashBucketOp, IdentityOp, CrossedOp, IndicatorOp, EmbeddingOp>(
          [](auto column) { return column.getName(); })
      .Default(StringRef());
}

FeatureOp mlc::est::getMultiValuedFeature(Value categorical) {
  Operation *op = categorical.getDefiningOp();
  if (!op)
    return {};
  Value feature = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case<VocabularyOp, HashBucketOp, IdentityOp>([](auto column) { return column.getFeature(); })
                      .Default(Value());
  if (!feature || !cast<FeatureType>(feature.getType()).isMultiValued())
    return {};
  return feature.getDefiningOp<FeatureOp>();
}

LogicalResult FeatureOp::verify() {
  if (getName().empty())
    return emitOpError("needs a name");
  if (getType().isMultiValued() && !getCategorical())
    return emitOpError() << "'" << getName()
                         << "' has any number of values per row; only categorical columns take that";
  if (!getCategorical())
    return success();
  if (getRole() != Role::Feature)
    return emitOpError() << "'" << getName() << "' is a " << stringifyRole(getRole()) << " and cannot be categorical";
  if (getType().isFloat() || getType().getDtype() == DType::Bool)
    return emitOpError() << "'" << getName() << "' is " << stringifyDType(getType().getDtype())
                         << "; only strings and integers can be categorical";
  return success();
}

LogicalResult NumericOp::verify() {
  int64_t expected = getFeature().getType().getNumElements(), found = getType().getDimension();
  if (found != expected)
    return emitOpError() << "'" << getName() << "' has " << expected << (expected == 1 ? " number" : " numbers")
                         << " per row; found a result of " << found;
  return success();
}

LogicalResult BucketizedOp::verify() {
  ArrayRef<float> boundaries = getBoundaries();
  if (boundaries.empty())
    return emitOpError() << "'" << getName() << "' needs at least one boundary";
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (!(boundaries[i - 1] < boundaries[i]))
      return emitOpError() << "boundaries must grow; " << boundaries[i - 1] << " is followed by " << boundaries[i];
  int64_t expected = boundaries.size() + 1;
  if (getType().getNumBuckets() != expected)
    return emitOpError() << boundaries.size() << " boundaries make " << expected << " buckets; found a result of "
                         << getType().getNumBuckets();
  return success();
}

LogicalResult VocabularyOp::verify() {
  if (getTerms().empty())
    return emitOpError() << "'" << getName() << "' needs at least one term";
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute term : getTerms())
    if (!seen.insert(term).second)
      return emitOpError() << "term " << term << " stands twice in the vocabulary of '" << getName() << "'";
  bool termsAreStrings = isa<StringAttr>(getTerms()[0]);
  if (termsAreStrings != getFeature().getType().isString())
    return emitOpError() << "terms of a " << stringifyDType(getFeature().getType().getDtype()) << " feature must be "
                         << (termsAreStrings ? "integers; found strings" : "strings; found integers");
  int64_t terms = getTerms().size(), oov = getNumOovBuckets();
  if (oov > 0 && getDefaultValue() != -1)
    return emitOpError("has both num_oov_buckets and a default_value; expected one of them");
  if (getDefaultValue() < -1 || getDefaultValue() >= terms)
    return emitOpError() << "default_value must be -1 or an id below " << terms << "; found " << getDefaultValue();
  if (getType().getNumBuckets() != terms + oov)
    return emitOpError() << terms << " terms and " << oov << " oov buckets make " << terms + oov
                         << " ids; found a result of " << getType().getNumBuckets();
  return success();
}

LogicalResult HashBucketOp::verify() {
  if (getType().getNumBuckets() < 2)
    return emitOpError() << "'" << getName() << "' needs at least 2 buckets; found " << getType().getNumBuckets();
  return success();
}

LogicalResult IdentityOp::verify() {
  std::optional<int64_t> fallback = getDefaultValue();
  if (!fallback && getFeature().getType().isMultiValued())
    return emitOpError() << "'" << getName() << "' has any number of values per row and needs a default_value";
  int64_t buckets = getType().getNumBuckets();
  if (fallback && (*fallback < 0 || *fallback >= buckets))
    return emitOpError() << "default_value must be in [0, " << buckets << "); found " << *fallback;
  return success();
}

LogicalResult CrossedOp::verify() {
  if (getTerms().size() < 2)
    return emitOpError() << "'" << getName() << "' needs at least 2 terms; found " << getTerms().size();
  for (auto [index, term] : llvm::enumerate(getTerms())) {
    if (auto feature = dyn_cast<FeatureType>(term.getType())) {
      if (!feature.isString() || !feature.isScalar())
        return emitOpError() << "term " << index << " must be a feature of strings or a categorical column; found "
                             << feature;
      continue;
    }
    if (getMultiValuedFeature(term))
      return emitOpError() << "term " << index << " has any number of values per row; a cross takes one";
    Operation *source = term.getDefiningOp();
    if (!source || !isa<HashBucketOp, CrossedOp>(source))
      continue;
    InFlightDiagnostic diagnostic = emitOpError();
    diagnostic << "term " << index << " is "
               << (isa<HashBucketOp>(source) ? "hashed; cross the feature itself" : "a cross; cross its terms instead");
    diagnostic.attachNote(source->getLoc()) << "'" << getColumnName(term) << "' is defined here";
    return diagnostic;
  }
  return success();
}

LogicalResult IndicatorOp::verify() {
  int64_t ids = getIds().getType().getNumBuckets(), found = getType().getDimension();
  if (found != ids)
    return emitOpError() << "'" << getName() << "' has " << ids << " ids; found a result of " << found;
  return success();
}

#define GET_OP_CLASSES
#include "dialects/Est/IR/Est.cpp.inc"
