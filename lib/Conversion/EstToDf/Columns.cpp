// From the columns of the input to ids and numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Columns.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Initializers.h"
#include "lib/Conversion/EstToDf/Normalize.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// The id of a row without a value, and the cell of an integer column that is missing.
static constexpr int64_t kNoValue = -1;

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
    fingerprint = b.infer<df::FingerprintOp>(text);
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
    missing = b.infer<df::IsEmptyOp>(cell);
  else
    missing = b.compare(df::Comparison::EQ, cell, b.i64(kNoValue));
  return missing;
}

Value Columns::dropMissing(Value ids, Value feature) {
  GraphBuilder &b = entry_.builder();
  return b.select(isMissing(feature), b.i64(kNoValue), ids);
}

//===-- columns beside each other -------------------------------------------------===//

/// What a list of columns is known by.
template <typename Range> static std::vector<const void *> keyOf(const Range &columns) {
  std::vector<const void *> key;
  for (auto column : columns)
    key.push_back(Value(column).getAsOpaquePointer());
  return key;
}

/// Cuts `columns` into runs: `isAlike` tells whether the second of two columns goes on with what the first one is in.
static SmallVector<ValueRange> cutIntoRuns(ValueRange columns, llvm::function_ref<bool(Value, Value)> isAlike) {
  SmallVector<ValueRange> runs;
  for (size_t first = 0, end = 0; first < columns.size(); first = end) {
    for (end = first + 1; end < columns.size() && isAlike(columns[end - 1], columns[end]);)
      ++end;
    runs.push_back(columns.slice(first, end - first));
  }
  return runs;
}

/// The ops of one class that make the columns.
template <typename Op> static SmallVector<Op> opsOf(ValueRange columns) {
  return llvm::map_to_vector(columns, [](Value column) { return column.getDefiningOp<Op>(); });
}

Value Columns::take(const Place &place) {
  GraphBuilder &b = entry_.builder();
  if (place.count == cast<RankedTensorType>(place.matrix.getType()).getDimSize(1))
    return place.matrix;
  return df::SliceOp::create(b, place.matrix, /*axis=*/1, place.first, place.count);
}

Value Columns::denseBeside(ValueRange columns, Part &part) {
  auto placeOf = [&](Value column) { return stacked_.find({column, part.name}); };
  auto areAlike = [&](Value a, Value b) {
    auto x = a.getDefiningOp<est::NumericOp>(), y = b.getDefiningOp<est::NumericOp>();
    if (x && y)
      return areNormalizedAlike(x.getNormalizerAttr(), y.getNormalizerAttr());
    auto before = placeOf(a), here = placeOf(b);
    if (before == stacked_.end() || here == stacked_.end())
      return false;
    const Place &left = before->second.first, &right = here->second.first;
    return left.matrix == right.matrix && left.first + left.count == right.first;
  };
  Location loc = entry_.builder().getLoc();
  SmallVector<Value> parts;
  for (ValueRange run : cutIntoRuns(columns, areAlike)) {
    if (auto first = placeOf(run.front()); first != stacked_.end()) {
      Place all = first->second.first;
      all.count *= static_cast<int64_t>(run.size());
      parts.push_back(take(all));
      for (Value column : run)
        entry_.state().takesPlace(placeOf(column)->second.second);
    } else if (isa<est::NumericOp>(run.front().getDefiningOp()) && run.size() >= kFewestStacked) {
      parts.push_back(numerics(opsOf<est::NumericOp>(run)));
    } else {
      for (Value column : run)
        parts.push_back(dense(column, part));
    }
  }
  entry_.builder().setLoc(loc);
  return entry_.builder().concatColumns(parts);
}

void Columns::declareTable(Value column, Part &part) {
  if (auto place = stacked_.find({column, part.name}); place != stacked_.end())
    entry_.state().takesPlace(place->second.second);
  else if (isa<est::EmbeddingOp>(column.getDefiningOp()))
    dense(column, part);
}

Value Columns::numerics(ArrayRef<est::NumericOp> ops) {
  Value &known = numbersBeside_[keyOf(ops)];
  if (known)
    return known;
  GraphBuilder &b = entry_.builder();
  SmallVector<Value> features;
  SmallVector<Attribute> normalizers;
  for (est::NumericOp op : ops) {
    features.push_back(op.getFeature());
    normalizers.append(op.getType().getDimension(), op.getNormalizerAttr());
  }
  return known = normalizeColumns(b, normalizers, cellsBeside(features, b.getF32Type()));
}

Value Columns::cellsBeside(ArrayRef<Value> features, Type element) {
  GraphBuilder &b = entry_.builder();
  const bool isOneType = llvm::all_equal(
      llvm::map_range(features, [](Value feature) { return cast<est::FeatureType>(feature.getType()).getDtype(); }));
  SmallVector<Value> columns;
  for (Value feature : features) {
    b.setLoc(feature.getLoc());
    Value cells = entry_.feature(feature);
    // Those of one type are converted together.
    columns.push_back(b.reshape(isOneType ? cells : b.cast(cells, element),
                                {ShapedType::kDynamic, cast<est::FeatureType>(feature.getType()).getNumElements()}));
  }
  return b.cast(b.concatColumns(columns), element);
}

/// Whether a categorical column is one number of the data for each row, which is right or wrong.
static bool isPlainIdentity(Value column) {
  auto op = column.getDefiningOp<est::IdentityOp>();
  return op && !op.getDefaultValue() && hasOneId(column);
}

Value Columns::idsBeside(ArrayRef<Value> columns) {
  Value &known = idsBeside_[keyOf(columns)];
  if (known)
    return known;
  GraphBuilder &b = entry_.builder();
  auto areAlike = [](Value a, Value b) { return isPlainIdentity(a) && isPlainIdentity(b); };
  SmallVector<Value> parts;
  for (ValueRange run : cutIntoRuns(ValueRange(columns), areAlike)) {
    if (isPlainIdentity(run.front()) && run.size() >= kFewestStacked)
      parts.push_back(identities(opsOf<est::IdentityOp>(run)));
    else
      for (Value column : run)
        parts.push_back(b.asColumn(ids(column).ids));
  }
  return known = b.concatColumns(parts);
}

//===-- dense columns -----------------------------------------------------------===//

Value Columns::dense(Value column, Part &part) {
  // The table of an embedding is the body's own.
  auto key = std::make_pair(column, isa<est::EmbeddingOp>(column.getDefiningOp()) ? part.name : StringRef());
  if (Value known = columns_.lookup(key))
    return known;
  entry_.builder().setLoc(column.getLoc());
  Value value = llvm::TypeSwitch<Operation *, Value>(column.getDefiningOp())
                    .Case([&](est::NumericOp op) { return numeric(op); })
                    .Case([&](est::IndicatorOp op) { return indicator(op); })
                    .Case([&](est::EmbeddingOp op) { return embedding(op, part); });
  columns_[key] = value;
  return value;
}

Value Columns::numeric(est::NumericOp op) {
  GraphBuilder &b = entry_.builder();
  Value numbers = normalize(b, op.getNormalizerAttr(), number(op.getFeature()));
  return b.reshape(numbers, {ShapedType::kDynamic, op.getType().getDimension()});
}

Value Columns::indicator(est::IndicatorOp op) {
  Ids of = ids(op.getIds());
  GraphBuilder &b = entry_.builder();
  auto type = RankedTensorType::get({ShapedType::kDynamic, op.getDimension()}, b.getF32Type());
  return combine(df::OneHotOp::create(b, type, of.ids), of, est::Combiner::Sum);
}

/// The name of an embedding's table.
static std::string tableNameOf(est::EmbeddingOp op, const Part &part) {
  StringRef place = "dnn/input_from_feature_columns/input_layer/";
  if (part.name == "linear")
    place = "linear/linear_model/";
  else if (part.name == "rnn") // one table for what sequences and context share
    place = op.isSequence() || op.getShared() ? "sequence_features/" : "dense_features/";
  return (place + op.getShared().value_or(op.getName()) + "/embedding_weights").str();
}

/// How `op` trains its table `variable`.
static TrainedVariable trainedTable(est::EmbeddingOp op, df::VariableOp variable) {
  bool isExact = op.getSparseUpdate() == est::SparseUpdate::Exact;
  return {variable, /*gathered=*/true, isExact, op.getRegularizerAttr(), /*isEmbedding=*/true};
}

void Columns::noteTable(est::EmbeddingOp op, StringRef name) {
  noteVocabulary(name, op.getIds());
  StringRef scope = op.getShared().value_or(op.getName());
  entry_.state().startsAsSet(
      name, ("feature_column." + scope + (op.getShared() ? ".shared_embeddings" : ".embedding")).str());
}

df::VariableOp Columns::declareTable(est::EmbeddingOp op, Part &part) {
  std::string name = tableNameOf(op, part);
  auto type =
      RankedTensorType::get({op.getIds().getType().getNumBuckets(), op.getDimension()}, entry_.builder().getF32Type());
  df::VariableOp table = declareWeights(entry_.state(), name, type, op.getInitializer(), !op.getFrozen(), op.getLoc());
  noteTable(op, name);
  bool isKnown = llvm::any_of(part.variables, [&](const TrainedVariable &other) { return other.variable == table; });
  if (!op.getFrozen() && !isKnown)
    part.variables.push_back(trainedTable(op, table));
  return table;
}

Value Columns::embedding(est::EmbeddingOp op, Part &part) {
  std::optional<double> maxNorm;
  if (op.getMaxNorm())
    maxNorm = op.getMaxNorm()->convertToDouble();
  return lookUp(declareTable(op, part), op.getIds(), op.getCombiner(), absentMovesFirst(op, part), maxNorm);
}

void Columns::stackEmbeddings(ValueRange columns, Part &part) {
  if (!part.mayStackTables())
    return;
  GraphBuilder &b = entry_.builder();
  SmallVector<ColumnTable> tables;
  for (Value column : columns) {
    auto op = column.getDefiningOp<est::EmbeddingOp>();
    // Sums over the weights of each table have their order, and rows of a bounded norm are looked at by column.
    if (!op || stacked_.contains({column, part.name}) || op.getShared() || op.getMaxNorm() || op.getRegularizerAttr() ||
        !hasOneId(op.getIds()))
      continue;
    int64_t rows = op.getIds().getType().getNumBuckets(), width = op.getDimension();
    const std::string name = tableNameOf(op, part);
    Attribute backup = entry_.state().backupOf(name);
    Attribute start = convertInitializer(backup ? backup : op.getInitializer(), rows, width);
    if (!start)
      continue;
    Attribute kind = b.getArrayAttr({start, b.getI64IntegerAttr(width), b.getBoolAttr(op.getFrozen()),
                                     b.getI64IntegerAttr(static_cast<int64_t>(op.getSparseUpdate()))});
    tables.push_back({column, name, rows, kind});
  }
  for (const TableStack &stack : stackTables(tables)) {
    auto first = stack.tables.front().column.getDefiningOp<est::EmbeddingOp>();
    auto type = RankedTensorType::get({stack.countRows(), first.getDimension()}, b.getF32Type());
    df::VariableOp variable =
        entry_.state().variable(stack.getName(), type, cast<ArrayAttr>(stack.tables.front().kind)[0],
                                !first.getFrozen(), first.getLoc(), stack.getNamedRows(b.getContext()));
    for (const ColumnTable &table : stack.tables)
      noteTable(table.column.getDefiningOp<est::EmbeddingOp>(), table.name);
    if (!first.getFrozen())
      part.variables.push_back(trainedTable(first, variable));
    Value rows = lookUpAll(variable, stack, absentMovesFirst(first, part));
    for (auto [i, table] : llvm::enumerate(stack.tables)) {
      int64_t width = type.getDimSize(1);
      stacked_[{table.column, part.name}] = {{rows, static_cast<int64_t>(i) * width, width}, table.name};
    }
  }
}

//===-- what stands for ids ---------------------------------------------------------===//

/// Whether every row has a value, whatever the input.
static bool alwaysHasValue(Value categorical) { return isa<est::BucketizedOp>(categorical.getDefiningOp()); }

Value Columns::lookUp(df::VariableOp table, Value categorical, est::Combiner combiner, bool absentMovesFirst,
                      std::optional<double> maxNorm) {
  GraphBuilder &b = entry_.builder();
  Location loc = b.getLoc();
  Ids of = idsFor(categorical, combiner);
  b.setLoc(loc);
  auto join = [&](Value rows) { return combine(maxNorm ? clip(rows, *maxNorm) : rows, of, combiner); };
  if (!absentMovesFirst || alwaysHasValue(categorical))
    return join(gather(table, of.ids));
  Value isId = b.compare(df::Comparison::GE, of.ids, b.i64(0));
  if (of.isSingle())
    return join(gatherKept(table, b.select(isId, of.ids, b.i64(0)), isId));
  // Row 0 once more, for the rows of the batch without any id.
  Value hasId = b.compare(df::Comparison::GT, sumOfRows(b.cast(isId, b.getF32Type()), of), b.f32(0));
  return b.add(join(gather(table, of.ids)), gatherKept(table, b.select(hasId, b.i64(kNoValue), b.i64(0)), hasId));
}

Value Columns::lookUpAll(df::VariableOp table, const TableStack &stack, bool absentMovesFirst) {
  GraphBuilder &b = entry_.builder();
  SmallVector<Value> columns;
  for (const ColumnTable &of : stack.tables) {
    auto embedding = of.column.getDefiningOp<est::EmbeddingOp>();
    columns.push_back(embedding ? embedding.getIds() : of.column);
  }
  Value ids = idsBeside(columns);
  b.setLoc(table.getLoc());
  SmallVector<double> first = llvm::map_to_vector(stack.getFirstRows(), [](int64_t row) { return double(row); });
  Value firstRows = b.broadcast(b.vector(first, b.getI64Type()), ids, {1});
  Value isId = b.compare(df::Comparison::GE, ids, b.i64(0)), shifted = b.add(ids, firstRows);
  Value rows;
  if (absentMovesFirst) {
    rows = gatherKept(table, b.asVector(b.select(isId, shifted, firstRows)), b.asVector(isId));
  } else {
    rows = gather(table, b.asVector(b.select(isId, shifted, b.i64(kNoValue))));
  }
  int64_t width = table.getTensorType().getDimSize(1), count = columns.size();
  return b.reshape(rows, {ShapedType::kDynamic, count * width});
}

Value Columns::gather(df::VariableOp table, Value ids) {
  // An id of -1 gives zeros.
  RankedTensorType type = table.getTensorType();
  return df::ReadRowsOp::create(entry_.builder(), type.clone({ShapedType::kDynamic, type.getDimSize(1)}),
                                table.getSymName(), ids);
}

Value Columns::gatherKept(df::VariableOp table, Value ids, Value isKept) {
  GraphBuilder &b = entry_.builder();
  Value rows = gather(table, ids);
  return b.select(b.broadcast(isKept, rows, {0}), rows, b.f32(0));
}

Value Columns::clip(Value rows, double maxNorm) {
  GraphBuilder &b = entry_.builder();
  Value squares = b.sum(b.unary<df::SquareOp>(rows), {1});
  Value isLonger = b.compare(df::Comparison::GT, squares, b.f32(maxNorm * maxNorm));
  // No gradient goes through the length of a row that stays as it is: that of zeros would be none.
  Value length = b.unary<df::SqrtOp>(b.select(isLonger, squares, b.f32(1)));
  Value factor = b.select(isLonger, b.div(b.f32(maxNorm), length), b.f32(1));
  return b.mul(rows, b.broadcast(factor, rows, {0}));
}

Value Columns::sumOfRows(Value values, const Ids &of) {
  GraphBuilder &b = entry_.builder();
  if (of.ends)
    return b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, values, of.ends);
  if (of.perRow == 1)
    return values;
  SmallVector<int64_t> shape(cast<RankedTensorType>(values.getType()).getShape());
  shape.insert(shape.begin() + 1, of.perRow);
  return b.sum(b.reshape(values, shape), {1});
}

Value Columns::combine(Value rows, const Ids &of, est::Combiner combiner) {
  GraphBuilder &b = entry_.builder();
  // One id per row: every combiner leaves its row as it is.
  if (of.isSingle() && !of.weights)
    return rows;
  Value isId = b.compare(df::Comparison::GE, of.ids, b.i64(0));
  // A value without an id counts for nothing; a row without ids stays zero.
  Value weights = of.weights ? b.select(isId, of.weights, b.f32(0)) : Value();
  Value sum = sumOfRows(weights ? b.mul(rows, b.broadcast(weights, rows, {0})) : rows, of);
  if (combiner == est::Combiner::Sum)
    return sum;
  Value divisor;
  if (weights) {
    bool isMean = combiner == est::Combiner::Mean;
    Value total = sumOfRows(isMean ? weights : b.unary<df::SquareOp>(weights), of);
    divisor =
        b.select(b.compare(df::Comparison::EQ, total, b.f32(0)), b.f32(1), isMean ? total : b.unary<df::SqrtOp>(total));
  } else {
    Value counts = sumOfRows(b.cast(isId, b.getF32Type()), of);
    if (combiner == est::Combiner::Sqrtn)
      counts = b.unary<df::SqrtOp>(counts);
    divisor = b.binary<df::MaximumOp>(counts, b.f32(1));
  }
  return b.binary<df::DivOp>(sum, b.broadcast(divisor, sum, {0}));
}

//===-- categorical columns -------------------------------------------------------===//

Columns::Ids Columns::ids(Value column) {
  if (auto known = ids_.find(column); known != ids_.end())
    return known->second;
  entry_.builder().setLoc(column.getLoc());
  Ids of = llvm::TypeSwitch<Operation *, Ids>(column.getDefiningOp())
               .Case([&](est::BucketizedOp op) { return idsOf(bucketized(op), op.getFeature()); })
               .Case([&](est::VocabularyOp op) { return idsOf(vocabulary(op), op.getFeature()); })
               .Case([&](est::HashBucketOp op) { return idsOf(hashBucket(op), op.getFeature()); })
               .Case([&](est::IdentityOp op) { return idsOf(identity(op), op.getFeature()); })
               .Case([&](est::WeightedOp op) { return weighted(op); })
               .Case([&](est::StepsOp op) { return stepIds(op); })
               .Case([&](est::CrossedOp op) { return crossed(op); });
  ids_[column] = of;
  return of;
}

Columns::Ids Columns::idsOf(Value values, Value feature) {
  Ids of;
  of.ids = values;
  auto op = feature.getDefiningOp<est::FeatureOp>();
  if (op.getType().isMultiValued()) {
    of.ends = entry_.ends(op);
    of.symbols.push_back(entry_.state().symbolOf(op));
  } else {
    of.perRow = op.getType().getNumElements();
  }
  return of;
}

Columns::Ids Columns::idsFor(Value column, est::Combiner combiner) {
  Ids of = ids(column);
  if (!of.weights || combiner == est::Combiner::Sum)
    return of;
  GraphBuilder &b = entry_.builder();
  of.ids = b.select(b.compare(df::Comparison::GT, of.weights, b.f32(0)), of.ids, b.i64(kNoValue));
  return of;
}

Columns::Ids Columns::weighted(est::WeightedOp op) {
  Ids of = ids(op.getIds());
  entry_.builder().setLoc(op.getLoc());
  of.weights = number(op.getWeight());
  return of;
}

Value Columns::bucketized(est::BucketizedOp op) {
  SmallVector<double> boundaries(op.getBoundaries().begin(), op.getBoundaries().end());
  GraphBuilder &b = entry_.builder();
  Value x = normalize(b, op.getNormalizerAttr(), number(op.getFeature()));
  Value ids = b.infer<df::BucketizeOp>(x, boundaries);
  int64_t numbers = op.getFeature().getType().getNumElements();
  if (numbers == 1)
    return ids;
  // Each number has ids of its own.
  SmallVector<int64_t> first;
  for (int64_t i = 0; i < numbers; ++i)
    first.push_back(i * static_cast<int64_t>(boundaries.size() + 1));
  auto type = RankedTensorType::get({numbers}, b.getI64Type());
  Value offsets = df::ConstantOp::create(b, type, DenseElementsAttr::get(type, ArrayRef<int64_t>(first)));
  ids = b.reshape(ids, {ShapedType::kDynamic, numbers});
  return b.reshape(b.add(ids, b.broadcast(offsets, ids, {1})), {ShapedType::kDynamic});
}

/// Whether what is in no vocabulary has an id.
static bool hasIdOfUnknown(est::VocabularyOp op) {
  return op.getNumOovBuckets() > 0 || op.getDefaultValue() != kNoValue;
}

static std::string tableName(est::VocabularyOp op) { return ("vocabulary/" + op.getName()).str(); }

void Columns::noteVocabulary(StringRef variable, Value categorical) {
  if (auto weighted = categorical.getDefiningOp<est::WeightedOp>())
    categorical = weighted.getIds();
  if (auto steps = categorical.getDefiningOp<est::StepsOp>())
    categorical = steps.getIds();
  if (auto op = categorical.getDefiningOp<est::VocabularyOp>())
    entry_.state().standsFor(variable, /*axis=*/0, tableName(op));
}

Value Columns::vocabulary(est::VocabularyOp op) {
  Value cell = cells(op.getFeature());
  GraphBuilder &b = entry_.builder();
  int64_t numOov = op.getNumOovBuckets(), defaultValue = op.getDefaultValue();
  df::VocabularyOp table = entry_.state().table(tableName(op), op.getTerms(), numOov, defaultValue, op.getLoc());
  Value id = b.infer<df::LookupOp>(table.getSymName(), cell);
  // What is in no vocabulary has no value; a missing cell is told apart only where it would get one.
  Attribute missing =
      op.getFeature().getType().isString() ? Attribute(b.getStringAttr("")) : Attribute(b.getI64IntegerAttr(kNoValue));
  if (!hasIdOfUnknown(op) && !llvm::is_contained(op.getTerms(), missing))
    return id;
  return dropMissing(id, op.getFeature());
}

Value Columns::hashBucket(est::HashBucketOp op) {
  Value hash = fingerprint(op.getFeature());
  GraphBuilder &b = entry_.builder();
  Value id = b.infer<df::HashBucketOp>(hash, static_cast<uint64_t>(op.getType().getNumBuckets()));
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
  Value ends = feature.getType().isMultiValued() ? entry_.ends(feature) : Value();
  return b.infer<df::CheckIdsOp>(id, Value(), ends, FlatSymbolRefAttr(), static_cast<uint64_t>(kNoValue),
                                 static_cast<uint64_t>(buckets), ("column '" + feature.getName() + "'").str(),
                                 feature.getNameAttr(), ArrayAttr());
}

Value Columns::identities(ArrayRef<est::IdentityOp> ops) {
  GraphBuilder &b = entry_.builder();
  SmallVector<Value> features;
  SmallVector<Attribute> columns;
  int64_t most = 0;
  for (est::IdentityOp op : ops) {
    auto feature = op.getFeature().getDefiningOp<est::FeatureOp>();
    int64_t buckets = op.getType().getNumBuckets();
    features.push_back(feature);
    columns.push_back(df::IdColumnAttr::get(b.getContext(), feature.getName(), buckets));
    most = std::max(most, buckets);
  }
  Value ids = cellsBeside(features, b.getI64Type());
  return b.infer<df::CheckIdsOp>(ids, Value(), Value(), FlatSymbolRefAttr(), static_cast<uint64_t>(kNoValue),
                                 static_cast<uint64_t>(most), "column", StringAttr(), b.getArrayAttr(columns));
}

/// Column `index` of `values`, `perRow` of which stand for each row, as [rows].
static Value columnOf(GraphBuilder &b, Value values, int64_t perRow, int64_t index) {
  if (perRow == 1)
    return values;
  Value rows = b.reshape(values, {ShapedType::kDynamic, perRow});
  return b.asVector(df::SliceOp::create(b, rows, /*axis=*/1, index, /*size=*/1));
}

void Columns::extend(Cross &cross, const Ids &term, Value optionalIds) {
  GraphBuilder &b = entry_.builder();
  Ids &old = cross.hashes;
  auto fold = [&](Value hashes, Value hash) { return b.binary<df::FingerprintCatOp>(hashes, hash); };
  auto join = [&](Value least, Value ids) { return !least ? ids : ids ? b.binary<df::MinimumOp>(least, ids) : least; };
  if (!old.ends && !term.ends) {
    // As many combinations in every row: one column for each.
    SmallVector<Value> hashes, leasts;
    for (int64_t i = 0; i < old.perRow; ++i)
      for (int64_t j = 0; j < term.perRow; ++j) {
        hashes.push_back(fold(columnOf(b, old.ids, old.perRow, i), columnOf(b, term.ids, term.perRow, j)));
        leasts.push_back(join(cross.least ? columnOf(b, cross.least, old.perRow, i) : Value(),
                              optionalIds ? columnOf(b, optionalIds, term.perRow, j) : Value()));
      }
    auto asOne = [&](SmallVector<Value> &columns) {
      if (columns.size() == 1 || !columns.front())
        return columns.front();
      for (Value &column : columns)
        column = b.asColumn(column);
      return b.asVector(b.concatColumns(columns));
    };
    old.ids = asOne(hashes);
    cross.least = asOne(leasts);
    old.perRow *= term.perRow;
    return;
  }
  old.symbols.append(term.symbols.begin(), term.symbols.end());
  old.factor *= (old.ends ? 1 : old.perRow) * (term.ends ? 1 : term.perRow);
  int64_t symbol = entry_.state().symbolOfProduct(old.symbols, old.factor, b.getLoc());
  auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type());
  auto pairs =
      df::RaggedProductOp::create(b, TypeRange{type, type, type}, old.ends, term.ends, /*count=*/Value(),
                                  static_cast<uint64_t>(old.ends ? 0 : old.perRow),
                                  static_cast<uint64_t>(term.ends ? 0 : term.perRow), static_cast<uint64_t>(symbol));
  auto take = [&](Value values, Value positions) -> Value {
    return values ? df::GatherOp::create(b, values, positions).getResult() : Value();
  };
  cross.least = join(take(cross.least, pairs.getLhsPositions()), take(optionalIds, pairs.getRhsPositions()));
  old.ids = fold(take(old.ids, pairs.getLhsPositions()), take(term.ids, pairs.getRhsPositions()));
  old.ends = pairs.getEnds();
  old.perRow = 1;
}

Columns::Ids Columns::crossed(est::CrossedOp op) {
  // tf folds the sparse inputs, which are the categorical columns and what has any number of values per row, before the
  // dense ones, the strings as read.
  auto isSparse = [](Value term) {
    auto feature = dyn_cast<est::FeatureType>(term.getType());
    return !feature || feature.isMultiValued();
  };
  SmallVector<Value> terms(llvm::make_filter_range(op.getTerms(), isSparse));
  llvm::append_range(terms, llvm::make_filter_range(op.getTerms(), [&](Value term) { return !isSparse(term); }));
  SmallVector<Ids> hashes;
  for (Value term : terms)
    hashes.push_back(isa<est::FeatureType>(term.getType()) ? idsOf(fingerprint(term), term) : ids(term));

  GraphBuilder &b = entry_.builder();
  b.setLoc(op.getLoc());
  auto optionalIds = [&](size_t i) -> Value {
    if (!isa<est::CategoricalType>(terms[i].getType()) || alwaysHasValue(terms[i]))
      return {};
    // As in tf a text that is in no vocabulary is a value here, with the id -1; one that is missing is none.
    if (auto op = terms[i].getDefiningOp<est::VocabularyOp>(); op && !hasIdOfUnknown(op))
      return dropMissing(b.binary<df::MaximumOp>(hashes[i].ids, b.i64(0)), op.getFeature());
    return hashes[i].ids;
  };
  Cross cross{hashes.front(), optionalIds(0)};
  cross.hashes.ids = b.binary<df::FingerprintCatOp>(b.i64(op.getHashKey()), cross.hashes.ids);
  for (size_t i = 1; i < terms.size(); ++i)
    extend(cross, hashes[i], optionalIds(i));
  Ids &of = cross.hashes;
  of.ids = b.infer<df::HashBucketOp>(of.ids, static_cast<uint64_t>(op.getType().getNumBuckets()));
  // A combination lacks a value where the least of its terms is below 0.
  if (cross.least)
    of.ids = b.select(b.compare(df::Comparison::LT, cross.least, b.i64(0)), b.i64(kNoValue), of.ids);
  return of;
}
