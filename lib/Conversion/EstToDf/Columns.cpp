// From the columns of the input to ids and numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Columns.h"
#include "lib/Conversion/EstToDf/Normalize.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// The id of a row without a value, and the cell of an integer column that is missing.
static constexpr int64_t kNoValue = -1;

Attribute est2df::convertInitializer(Attribute initializer, int64_t fanIn, int64_t fanOut) {
  MLIRContext *context = initializer.getContext();
  double fans = static_cast<double>(fanIn) + static_cast<double>(fanOut);
  auto truncatedNormal = [&](double mean, double stddev) {
    return df::TruncatedNormalInitAttr::get(context, APFloat(mean), APFloat(stddev));
  };
  auto uniform = [&](double low, double high) {
    return df::UniformInitAttr::get(context, APFloat(low), APFloat(high));
  };
  return llvm::TypeSwitch<Attribute, Attribute>(initializer)
      .Case([&](est::ConstantAttr a) {
        return df::ConstantInitAttr::get(context, APFloat(a.getValue().getValueAsDouble()));
      })
      .Case([&](est::UniformAttr a) { return uniform(a.getMin().getValueAsDouble(), a.getMax().getValueAsDouble()); })
      .Case([&](est::NormalAttr a) {
        return df::NormalInitAttr::get(context, APFloat(a.getMean().getValueAsDouble()),
                                       APFloat(a.getStddev().getValueAsDouble()));
      })
      .Case([&](est::TruncatedNormalAttr a) {
        return truncatedNormal(a.getMean().getValueAsDouble(), a.getStddev().getValueAsDouble());
      })
      .Case([&](est::GlorotUniformAttr) {
        double limit = std::sqrt(6 / fans);
        return uniform(-limit, limit);
      })
      .Case([&](est::GlorotNormalAttr) {
        // The deviation of a standard normal cut at two deviations: what is left must have variance 2 / fans.
        constexpr double kDeviationAfterCut = 0.87962566103423978;
        return truncatedNormal(0, std::sqrt(2 / fans) / kDeviationAfterCut);
      });
}

//===-- cells of features -----------------------------------------------------===//

Value Columns::number(Value feature) {
  Value &number = numbers_[feature];
  if (!number)
    number = entry_.builder().cast(entry_.feature(feature), entry_.builder().getF32Type());
  return number;
}

Value Columns::cells(Value feature) {
  Value &cells = cells_[feature];
  if (cells)
    return cells;
  cells = entry_.feature(feature);
  if (!cast<est::FeatureType>(feature.getType()).isString())
    cells = entry_.builder().cast(cells, entry_.builder().getI64Type());
  return cells;
}

Value Columns::fingerprint(Value feature) {
  Value text = cells(feature);
  Value &fingerprint = fingerprints_[feature];
  if (!fingerprint) {
    GraphBuilder &b = entry_.builder();
    Type ids = cast<RankedTensorType>(text.getType()).clone(b.getI64Type());
    fingerprint = df::FingerprintOp::create(b, ids, text);
  }
  return fingerprint;
}

Value Columns::isMissing(Value feature) {
  Value cell = cells(feature);
  Value &missing = missing_[feature];
  if (missing)
    return missing;
  GraphBuilder &b = entry_.builder();
  if (cast<est::FeatureType>(feature.getType()).isString())
    missing = df::IsEmptyOp::create(b, cast<RankedTensorType>(cell.getType()).clone(b.getI1Type()), cell);
  else
    missing = b.compare(df::Comparison::EQ, cell, b.i64(kNoValue));
  return missing;
}

Value Columns::dropMissing(Value ids, Value feature) {
  GraphBuilder &b = entry_.builder();
  return b.select(isMissing(feature), b.i64(kNoValue), ids);
}

//===-- dense columns -----------------------------------------------------------===//

Value Columns::dense(Value column, SmallVectorImpl<TrainedVariable> &trained) {
  if (Value known = columns_.lookup(column))
    return known;
  entry_.builder().setLoc(column.getLoc());
  Value value = llvm::TypeSwitch<Operation *, Value>(column.getDefiningOp())
                    .Case([&](est::NumericOp op) { return numeric(op); })
                    .Case([&](est::IndicatorOp op) { return indicator(op); })
                    .Case([&](est::EmbeddingOp op) { return embedding(op, trained); });
  columns_[column] = value;
  return value;
}

Value Columns::numeric(est::NumericOp op) {
  GraphBuilder &b = entry_.builder();
  Value numbers = normalize(b, op.getNormalizerAttr(), number(op.getFeature()));
  return b.reshape(numbers, {ShapedType::kDynamic, op.getType().getDimension()});
}

Value Columns::indicator(est::IndicatorOp op) {
  Value id = ids(op.getIds());
  GraphBuilder &b = entry_.builder();
  auto type = RankedTensorType::get({ShapedType::kDynamic, op.getType().getDimension()}, b.getF32Type());
  return combine(df::OneHotOp::create(b, type, id), op.getIds(), est::Combiner::Sum);
}

Value Columns::combine(Value rows, Value categorical, est::Combiner combiner) {
  est::FeatureOp feature = est::getMultiValuedFeature(categorical);
  // One id per row: every combiner leaves its row as it is.
  if (!feature)
    return rows;
  GraphBuilder &b = entry_.builder();
  Value ends = entry_.ends(feature);
  auto sumOf = [&](Value values) -> Value { return df::SegmentSumOp::create(b, values.getType(), values, ends); };
  Value sum = sumOf(rows);
  if (combiner == est::Combiner::Sum)
    return sum;
  // A value without an id counts for nothing; a row without ids stays zero.
  Value counts = sumOf(b.cast(b.compare(df::Comparison::GE, ids(categorical), b.i64(0)), b.getF32Type()));
  if (combiner == est::Combiner::Sqrtn)
    counts = b.unary<df::SqrtOp>(counts);
  Value divisor = b.binary<df::MaximumOp>(counts, b.f32(1));
  return b.binary<df::DivOp>(sum, b.broadcast(divisor, sum, {0}));
}

Value Columns::embedding(est::EmbeddingOp op, SmallVectorImpl<TrainedVariable> &trained) {
  Value id = ids(op.getIds());
  GraphBuilder &b = entry_.builder();
  b.setLoc(op.getLoc());
  int64_t rows = op.getIds().getType().getNumBuckets(), width = op.getType().getDimension();
  std::string name = ("dnn/input_from_feature_columns/input_layer/" + op.getName() + "/embedding_weights").str();
  df::VariableOp table =
      entry_.state().variable(name, RankedTensorType::get({rows, width}, b.getF32Type()),
                              convertInitializer(op.getInitializer(), rows, width), !op.getFrozen(), op.getLoc());
  if (!op.getFrozen())
    trained.push_back(
        {table, /*gathered=*/true, op.getSparseUpdate() == est::SparseUpdate::Exact, op.getRegularizerAttr()});
  // An id of -1 gives zeros.
  Value rowsOfIds =
      df::GatherOp::create(b, RankedTensorType::get({ShapedType::kDynamic, width}, b.getF32Type()), name, id);
  return combine(rowsOfIds, op.getIds(), op.getCombiner());
}

//===-- categorical columns -------------------------------------------------------===//

Value Columns::ids(Value column) {
  if (Value known = columns_.lookup(column))
    return known;
  entry_.builder().setLoc(column.getLoc());
  Value value = llvm::TypeSwitch<Operation *, Value>(column.getDefiningOp())
                    .Case([&](est::BucketizedOp op) { return bucketized(op); })
                    .Case([&](est::VocabularyOp op) { return vocabulary(op); })
                    .Case([&](est::HashBucketOp op) { return hashBucket(op); })
                    .Case([&](est::IdentityOp op) { return identity(op); })
                    .Case([&](est::CrossedOp op) { return crossed(op); });
  columns_[column] = value;
  return value;
}

Value Columns::bucketized(est::BucketizedOp op) {
  SmallVector<double> boundaries(op.getBoundaries().begin(), op.getBoundaries().end());
  Value x = number(op.getFeature());
  GraphBuilder &b = entry_.builder();
  return df::BucketizeOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()), x, boundaries);
}

Value Columns::vocabulary(est::VocabularyOp op) {
  Value cell = cells(op.getFeature());
  GraphBuilder &b = entry_.builder();
  int64_t numOov = op.getNumOovBuckets(), defaultValue = op.getDefaultValue();
  df::TableOp table =
      entry_.state().table(("vocabulary/" + op.getName()).str(), op.getTerms(), numOov, defaultValue, op.getLoc());
  Value id =
      df::LookupOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()), table.getSymName(), cell);
  // What is in no vocabulary has no value; a missing cell is told apart only where it would get one.
  Attribute missing =
      op.getFeature().getType().isString() ? Attribute(b.getStringAttr("")) : Attribute(b.getI64IntegerAttr(kNoValue));
  if (numOov == 0 && defaultValue == kNoValue && !llvm::is_contained(op.getTerms(), missing))
    return id;
  return dropMissing(id, op.getFeature());
}

Value Columns::hashBucket(est::HashBucketOp op) {
  Value hash = fingerprint(op.getFeature());
  GraphBuilder &b = entry_.builder();
  Value id = df::HashBucketOp::create(b, hash.getType(), hash, static_cast<uint64_t>(op.getType().getNumBuckets()));
  return dropMissing(id, op.getFeature());
}

Value Columns::identity(est::IdentityOp op) {
  Value id = cells(op.getFeature());
  GraphBuilder &b = entry_.builder();
  int64_t buckets = op.getType().getNumBuckets();
  if (std::optional<int64_t> fallback = op.getDefaultValue()) {
    Value inRange = b.binary<df::LogicalAndOp>(b.compare(df::Comparison::GE, id, b.i64(0)),
                                               b.compare(df::Comparison::LT, id, b.i64(buckets)));
    return dropMissing(b.select(inRange, id, b.i64(*fallback)), op.getFeature());
  }
  auto feature = op.getFeature().getDefiningOp<est::FeatureOp>();
  return df::CheckIdsOp::create(b, id.getType(), id, Value(), FlatSymbolRefAttr(), static_cast<uint64_t>(kNoValue),
                                static_cast<uint64_t>(buckets), ("column '" + feature.getName() + "'").str(),
                                feature.getNameAttr());
}

/// Whether every row has a value, whatever the input.
static bool alwaysHasValue(Value categorical) { return isa<est::BucketizedOp>(categorical.getDefiningOp()); }

Value Columns::crossed(est::CrossedOp op) {
  // tf folds the sparse inputs, which are the categorical columns, before the dense ones, the strings as read.
  SmallVector<Value> hashes;
  SmallVector<Value> optional;
  for (Value term : op.getTerms())
    if (isa<est::CategoricalType>(term.getType())) {
      hashes.push_back(ids(term));
      if (!alwaysHasValue(term))
        optional.push_back(hashes.back());
    }
  entry_.builder().setLoc(op.getLoc());
  for (Value term : op.getTerms())
    if (isa<est::FeatureType>(term.getType()))
      hashes.push_back(fingerprint(term));

  GraphBuilder &b = entry_.builder();
  Value acc = b.repeat(b.i64(op.getHashKey()), hashes.front());
  for (Value hash : hashes)
    acc = b.binary<df::FingerprintCatOp>(acc, hash);
  Value id = df::HashBucketOp::create(b, acc.getType(), acc, static_cast<uint64_t>(op.getType().getNumBuckets()));
  if (optional.empty())
    return id;
  // A row lacks a value where the least of its terms is below 0.
  Value least = optional.front();
  for (Value other : llvm::drop_begin(optional))
    least = b.binary<df::MinimumOp>(least, other);
  return b.select(b.compare(df::Comparison::LT, least, b.i64(0)), b.i64(kNoValue), id);
}
