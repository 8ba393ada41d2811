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

int64_t mlc::est::getDimension(Type numbers) {
  return llvm::TypeSwitch<Type, int64_t>(numbers).Case<SequenceType, DenseType, LogitsType, StepLogitsType>(
      [](auto type) { return type.getDimension(); });
}

StringRef mlc::est::getColumnName(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<NumericOp, SequenceNumericOp, BucketizedOp, VocabularyOp, HashBucketOp, IdentityOp, CrossedOp, WeightedOp,
            StepsOp, IndicatorOp, EmbeddingOp>([](auto column) { return column.getName(); })
      .Default(StringRef());
}

FeatureOp mlc::est::getIdFeature(Value categorical) {
  Operation *op = categorical.getDefiningOp();
  if (!op)
    return {};
  if (auto weighted = dyn_cast<WeightedOp>(op))
    return getIdFeature(weighted.getIds());
  if (auto steps = dyn_cast<StepsOp>(op))
    return getIdFeature(steps.getIds());
  Value feature =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case<BucketizedOp, VocabularyOp, HashBucketOp, IdentityOp>([](auto column) { return column.getFeature(); })
          .Default(Value());
  return feature ? feature.getDefiningOp<FeatureOp>() : FeatureOp();
}

static int64_t valuesPerRow(FeatureType feature) { return feature.isMultiValued() ? -1 : feature.getNumElements(); }

int64_t mlc::est::getIdsPerRow(Value categorical) {
  if (FeatureOp feature = getIdFeature(categorical))
    return valuesPerRow(feature.getType());
  int64_t ids = 1;
  if (auto crossed = categorical.getDefiningOp<CrossedOp>())
    for (Value term : crossed.getTerms()) {
      auto feature = dyn_cast<FeatureType>(term.getType());
      int64_t values = feature ? valuesPerRow(feature) : getIdsPerRow(term);
      ids = ids < 0 || values < 0 ? -1 : ids * values;
    }
  return ids;
}

/// What an error says of a column's ids in each row.
static std::string describeIdsPerRow(Value categorical) {
  int64_t ids = getIdsPerRow(categorical);
  return ids < 0 ? "any number of" : std::to_string(ids);
}

LogicalResult FeatureOp::verify() {
  if (getName().empty())
    return emitOpError("needs a name");
  if (Value values = getValues()) {
    auto feature = values.getDefiningOp<FeatureOp>();
    bool ok = feature && feature.getType().isMultiValued() && !feature.getValues() && getType().isMultiValued() &&
              getType().getDtype() == DType::Float32 && getName() == (feature.getName() + ".weight").str() &&
              !getCategorical() && !getDefaultValue() && getRole() == Role::Feature;
    if (!ok)
      return emitOpError() << "'" << getName()
                           << "' must be the float32 weights '<name>.weight' of a multi-valued feature '<name>'";
    return success();
  }
  if (getType().isMultiValued() && !getCategorical() && getRole() != Role::Label && !getType().isFloat())
    return emitOpError() << "'" << getName()
                         << "' has any number of values per row; only categorical columns, sequences of floats and "
                            "labels take that";
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

RankedTensorType mlc::est::getNormalizedType(FeatureType feature) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, feature.getShape());
  if (feature.getShape().empty())
    shape.push_back(1);
  return RankedTensorType::get(shape, Float32Type::get(feature.getContext()));
}

std::string mlc::est::whyNoNormalizer(FunctionOpInterface function, FeatureType feature) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Type numbers = getNormalizedType(feature);
  Region &body = function.getFunctionBody();
  if (!llvm::equal(function.getArgumentTypes(), ArrayRef<Type>(numbers)) ||
      !llvm::equal(function.getResultTypes(), ArrayRef<Type>(numbers))) {
    stream << "has the type " << function.getFunctionType() << "; expected (" << numbers << ") -> " << numbers;
  } else if (!body.hasOneBlock()) {
    stream << "has " << body.getBlocks().size() << " blocks; expected one";
  } else {
    for (Operation &op : body.front().without_terminator())
      if (!isMemoryEffectFree(&op)) {
        stream << "has " << op.getName() << ", which has effects; expected ops that compute values alone";
        break;
      }
  }
  return text;
}

/// Fails unless `normalizer`, where it is a function, is one of the numbers of `feature`.
static LogicalResult verifyFunction(Operation *op, Attribute normalizer, FeatureType feature,
                                    SymbolTableCollection &symbols) {
  auto name = dyn_cast_if_present<FlatSymbolRefAttr>(normalizer);
  if (!name)
    return success();
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op->getParentOp(), name);
  if (!function)
    return op->emitOpError() << "normalizer " << name << " is no function";
  if (std::string why = whyNoNormalizer(function, feature); !why.empty()) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "normalizer " << name << " " << why;
    diagnostic.attachNote(function.getLoc()) << "it is here";
    return diagnostic;
  }
  return success();
}

LogicalResult NumericOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyFunction(*this, getNormalizerAttr(), getFeature().getType(), symbols);
}

LogicalResult BucketizedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyFunction(*this, getNormalizerAttr(), getFeature().getType(), symbols);
}

LogicalResult SequenceNumericOp::verify() {
  if (getType().getDimension() != 1)
    return emitOpError() << "'" << getName() << "' has one number per step; found a result of "
                         << getType().getDimension();
  return success();
}

/// Fails unless each value of the ids of `op`, an indicator or embedding, can be a step.
template <typename Op> static LogicalResult verifySequence(Op op) {
  if (!op.isSequence())
    return success();
  FeatureOp feature = getIdFeature(op.getIds());
  if (op.getIds().template getDefiningOp<WeightedOp>() || !feature || !feature.getType().isMultiValued())
    return op.emitOpError() << "'" << op.getName()
                            << "' is a sequence; its ids must be of a multi-valued feature, and without weights";
  return success();
}

LogicalResult BucketizedOp::verify() {
  ArrayRef<float> boundaries = getBoundaries();
  if (boundaries.empty())
    return emitOpError() << "'" << getName() << "' needs at least one boundary";
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (!(boundaries[i - 1] < boundaries[i]))
      return emitOpError() << "boundaries must grow; " << boundaries[i - 1] << " is followed by " << boundaries[i];
  for (float boundary : boundaries)
    if (!std::isfinite(boundary))
      return emitOpError() << "boundaries must be finite in float32; found " << boundary;
  int64_t numbers = getFeature().getType().getNumElements(), expected;
  if (llvm::MulOverflow<int64_t>(boundaries.size() + 1, numbers, expected))
    return emitOpError() << "has more buckets than 64 bits hold";
  if (getType().getNumBuckets() != expected) {
    InFlightDiagnostic diagnostic = emitOpError();
    diagnostic << boundaries.size() << " boundaries";
    if (numbers > 1)
      diagnostic << " for each of " << numbers << " numbers";
    return diagnostic << " make " << expected << " buckets; found a result of " << getType().getNumBuckets();
  }
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
  int64_t ids;
  if (llvm::AddOverflow(terms, oov, ids))
    return emitOpError() << terms << " terms and " << oov << " oov buckets make more ids than 64 bits hold";
  if (getType().getNumBuckets() != ids)
    return emitOpError() << terms << " terms and " << oov << " oov buckets make " << ids << " ids; found a result of "
                         << getType().getNumBuckets();
  return success();
}

LogicalResult IdentityOp::verify() {
  std::optional<int64_t> fallback = getDefaultValue();
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
      if (!feature.isString() || (!feature.isScalar() && !feature.isMultiValued()))
        return emitOpError() << "term " << index << " must be a feature of strings or a categorical column; found "
                             << feature;
      continue;
    }
    Operation *source = term.getDefiningOp();
    if (!source || !isa<HashBucketOp, CrossedOp, WeightedOp>(source))
      continue;
    InFlightDiagnostic diagnostic = emitOpError();
    diagnostic << "term " << index << " is "
               << (isa<HashBucketOp>(source) ? "hashed; cross the feature itself"
                   : isa<CrossedOp>(source)  ? "a cross; cross its terms instead"
                                             : "weighted; cross the column without its weights");
    diagnostic.attachNote(source->getLoc()) << "'" << getColumnName(term) << "' is defined here";
    return diagnostic;
  }
  return success();
}

LogicalResult WeightedOp::verify() {
  if (getType() != getIds().getType())
    return emitOpError() << "'" << getName() << "' must have the ids of the column, " << getIds().getType()
                         << "; found a result of " << getType();
  if (getIds().getDefiningOp<WeightedOp>())
    return emitOpError() << "'" << getName() << "' is of a column that has weights";
  FeatureOp feature = getIdFeature(getIds());
  auto weight = getWeight().getDefiningOp<FeatureOp>();
  if (feature && feature.getType().isMultiValued()) {
    if (!weight || weight.getValues() != feature.getValue())
      return emitOpError() << "'" << getName() << "' needs the weights of the values of '" << feature.getName() << "'";
    return success();
  }
  if (getIdsPerRow(getIds()) != 1)
    return emitOpError() << "'" << getName() << "' is of a column with " << describeIdsPerRow(getIds())
                         << " ids per row, whose values have no weights";
  if (!getWeight().getType().isFloat() || !getWeight().getType().isScalar())
    return emitOpError() << "'" << getName() << "' has one id per row and needs a weight of one float per row; found "
                         << getWeight().getType();
  return success();
}

LogicalResult StepsOp::verify() {
  if (getType() != getIds().getType())
    return emitOpError() << "'" << getName() << "' must have the ids of the column, " << getIds().getType()
                         << "; found a result of " << getType();
  FeatureOp feature = getIdFeature(getIds());
  if (!feature || !feature.getType().isMultiValued() || isa<WeightedOp, StepsOp>(getIds().getDefiningOp()))
    return emitOpError() << "'" << getName() << "' takes the ids of a multi-valued feature, without weights or steps";
  for (Operation *user : getResult().getUsers()) {
    auto isSequence = [](auto column) { return column.isSequence(); };
    if (llvm::TypeSwitch<Operation *, bool>(user).Case<EmbeddingOp, IndicatorOp>(isSequence).Default(false))
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "'" << getName() << "' is for embeddings and indicators that are "
                                                  << "sequences";
    diagnostic.attachNote(user->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

LogicalResult EmbeddingOp::verify() {
  if (std::optional<APFloat> norm = getMaxNorm(); norm && !(norm->isFiniteNonZero() && !norm->isNegative()))
    return emitOpError() << "'" << getName() << "' needs a max_norm above 0";
  if (getShared() && getShared()->empty())
    return emitOpError() << "'" << getName() << "' needs a name for its shared table";
  return verifySequence(*this);
}

LogicalResult IndicatorOp::verify() {
  int64_t ids = getIds().getType().getNumBuckets(), found = getDimension();
  if (found != ids)
    return emitOpError() << "'" << getName() << "' has " << ids << " ids; found a result of " << found;
  return verifySequence(*this);
}

#define GET_OP_CLASSES
#include "dialects/Est/IR/Est.cpp.inc"
#include "llvm/Support/MathExtras.h"

#include <cmath>
