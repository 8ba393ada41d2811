// Rows value by value.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/RowBuffer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace mlcrt {

/// Columns for the features of an artifact that does not declare any.
static absl::StatusOr<InputFormat> formatOf(const mlcrt_artifact &table, const std::vector<bool> &used) {
  InputFormat format;
  for (int32_t f = 0; f < table.num_features; ++f) {
    const mlcrt_value &feature = table.features[f];
    if (!used[f])
      continue;
    InputColumn column;
    column.name = feature.name;
    const int32_t symbol = firstSymbol(feature);
    auto hasSuffix = [&](std::string_view suffix) {
      return column.name.size() > suffix.size() &&
             column.name.compare(column.name.size() - suffix.size(), suffix.size(), suffix) == 0;
    };
    const bool isValues = findEnds(table, f) >= 0;
    if (!isValues && (hasSuffix(MLCRT_ENDS_SUFFIX) || (hasSuffix(MLCRT_WEIGHT_SUFFIX) && symbol > 0)))
      continue; // part of another column
    const bool isSized = std::all_of(feature.dims + std::min(1, feature.rank), feature.dims + feature.rank,
                                     [](int64_t size) { return size >= 0; });
    if (valueSize(feature.dtype) == 0 || symbol < 0 || !isSized)
      return absl::InvalidArgumentError(
          absl::StrCat("feature '", feature.name, "' has no rows of values that a caller could give"));
    column.dtype = static_cast<mlcrt_dtype>(feature.dtype);
    column.onMissing = OnMissing::Error;
    if (isValues) {
      column.multiValue.emplace();
      column.onMissing = OnMissing::Auto;
      for (int32_t w = 0; w < table.num_features; ++w)
        if (column.name + MLCRT_WEIGHT_SUFFIX == table.features[w].name)
          column.multiValue->weightSeparator = ':';
    } else {
      column.shape.assign(feature.dims + 1, feature.dims + feature.rank);
    }
    format.columns.push_back(std::move(column));
  }
  return format;
}

absl::StatusOr<std::shared_ptr<const RowLayout>>
RowLayout::create(std::shared_ptr<const Artifact> artifact, const mlcrt_entry &entry, const InputFormat *format) {
  const mlcrt_artifact &table = artifact->table();
  const std::vector<bool> used = artifact->usedFeatures(entry);
  absl::StatusOr<InputFormat> own;
  if (!format) {
    own = formatOf(table, used);
    if (!own.ok())
      return own.status();
    format = &*own;
  }
  std::vector<TensorSpec> wanted;
  std::vector<int32_t> features;
  for (int32_t f = 0; f < table.num_features; ++f)
    if (used[f]) {
      wanted.emplace_back(table.features[f]);
      features.push_back(f);
    }
  absl::StatusOr<std::vector<BoundColumn>> bound = bindFeatures(*format, wanted);
  if (!bound.ok())
    return bound.status();
  auto layout = std::make_shared<RowLayout>();
  layout->artifact_ = std::move(artifact);
  layout->columns_ = *std::move(bound);
  for (BoundColumn &column : layout->columns_)
    for (int64_t *part : {&column.cells, &column.values, &column.ends, &column.weights})
      if (*part >= 0)
        *part = features[*part];
  return std::shared_ptr<const RowLayout>(std::move(layout));
}

int RowLayout::find(std::string_view name) const {
  for (int i = 0; i < size(); ++i)
    if (column(i).name == name)
      return i;
  return -1;
}

std::vector<std::string> RowLayout::names() const {
  std::vector<std::string> names;
  for (int i = 0; i < size(); ++i)
    names.push_back(column(i).name);
  return names;
}

bool RowLayout::isOptional(int index) const { return missingValues(index).ok(); }

absl::StatusOr<ValueList> RowLayout::missingValues(int index) const {
  const ColumnParser &parser = columns_[index].parser;
  StringArena arena; // texts of a missing value are the parser's
  int64_t dropped = 0;
  ValueList values = parser.isList() ? parser.makeList() : ValueList(parser.rowBytes(), false);
  values.reserve(1);
  const ColumnParser::Outcome outcome = parser.isList() ? parser.parseList(CsvField(), arena, values, dropped)
                                                        : parser.parse(CsvField(), arena, values.push());
  if (outcome != ColumnParser::Outcome::Value)
    return parser.explain(CsvField(), {"rows"}, ColumnParser::Outcome::Missing);
  return values;
}

RowBuffer::RowBuffer(std::shared_ptr<const RowLayout> layout) : layout_(std::move(layout)) {
  for (const BoundColumn &column : layout_->columns_) {
    Store &store = stores_.emplace_back();
    if (column.parser.isList()) {
      store.ends = ValueList(sizeof(int64_t), false);
      store.values = column.parser.makeList();
      store.values.reserve(1);
      store.ends.reserve(1);
    } else {
      store.cells = ValueList(column.parser.rowBytes(), false);
      store.cells.reserve(1);
    }
  }
}

void RowBuffer::clear() {
  for (Store &store : stores_) {
    store.cells.shrink(0);
    store.ends.shrink(0);
    store.values.shrink(0);
    store.given = false;
  }
  arena_.clear();
  rows_ = 0;
  error_ = absl::OkStatus();
}

Origin RowBuffer::origin() const { return {"rows", 0, 0, rows_}; }

std::string_view RowBuffer::keep(std::string_view text) {
  char *copy = arena_.allocate(static_cast<int64_t>(text.size()));
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

int64_t RowBuffer::beginOfRow(const Store &store) const {
  return rows_ > 1 ? reinterpret_cast<const int64_t *>(store.ends.data())[rows_ - 2] : 0;
}

/// Gives the columns that the last row lacks their missing values.
void RowBuffer::completeRow() {
  if (rows_ == 0)
    return;
  for (int i = 0; i < layout_->size(); ++i) {
    if (!stores_[i].given)
      if (absl::Status status = setCell(i, {}); !status.ok() && error_.ok())
        error_ = status;
    stores_[i].given = false;
  }
}

void RowBuffer::addRow() {
  completeRow();
  ++rows_;
  for (Store &store : stores_) {
    if (store.ends.data()) {
      const int64_t end = store.values.size();
      std::copy_n(reinterpret_cast<const char *>(&end), sizeof(end), store.ends.push());
    } else {
      store.cells.push();
    }
  }
}

absl::Status RowBuffer::setCell(int index, std::string_view text) {
  const ColumnParser &parser = layout_->columns_[index].parser;
  Store &store = stores_[index];
  CsvField field;
  field.text = layout_->column(index).dtype == MLCRT_STRING ? keep(text) : text;
  ColumnParser::Outcome outcome;
  if (parser.isList()) {
    int64_t dropped = 0;
    store.values.shrink(beginOfRow(store));
    outcome = parser.parseList(field, arena_, store.values, dropped);
    reinterpret_cast<int64_t *>(store.ends.data())[rows_ - 1] = store.values.size();
  } else {
    outcome = parser.parse(field, arena_, store.cells.data() + (rows_ - 1) * parser.rowBytes());
  }
  store.given = true;
  if (outcome == ColumnParser::Outcome::Value)
    return absl::OkStatus();
  // A row of a call cannot be left out.
  if (outcome == ColumnParser::Outcome::SkipRow)
    outcome = ColumnParser::Outcome::Missing;
  return parser.explain(field, origin(), outcome);
}

absl::Status RowBuffer::setValues(int index, const std::string_view *values, size_t count, const float *weights) {
  const InputColumn &column = layout_->column(index);
  const bool weighted = column.multiValue && column.multiValue->weightSeparator != 0;
  if (weights && !weighted)
    return usageError("", data_code::kFeature, absl::StrCat("column '", column.name, "' has no weights"));
  for (size_t i = 0; weights && i < count; ++i)
    if (!std::isfinite(weights[i]))
      return dataError(origin(), data_code::kValue, absl::StrCat("bad weight in column '", column.name, "'"),
                       "a finite number");
  if (!column.multiValue && static_cast<int64_t>(count) != column.elements())
    return dataError(origin(), data_code::kValue,
                     absl::StrCat("found ", count, " values in column '", column.name, "'"),
                     absl::StrCat(column.elements()));
  return setElements(index, values, count, weights);
}

absl::Status RowBuffer::setElements(int index, const std::string_view *values, size_t count, const float *weights) {
  using Outcome = ColumnParser::Outcome;
  const ColumnParser &parser = layout_->columns_[index].parser;
  const InputColumn &column = layout_->column(index);
  Store &store = stores_[index];
  const int64_t valueBytes = valueSize(column.dtype);
  const int64_t begin = parser.isList() ? beginOfRow(store) : 0;
  if (parser.isList())
    store.values.shrink(begin);
  store.given = true;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = column.dtype == MLCRT_STRING ? keep(values[i]) : values[i];
    char value[sizeof(mlcrt_string)];
    const Outcome outcome = parser.parseElement(text, value);
    if (outcome == Outcome::Missing && !parser.isList() && count == 1)
      return setCell(index, {});
    if (outcome == Outcome::Missing && parser.isList())
      continue;
    if (outcome != Outcome::Value)
      return parser.explainElement(text, static_cast<int64_t>(i) + 1, origin(), outcome);
    if (parser.isList() && column.multiValue->maxValues > 0 &&
        store.values.size() - begin >= column.multiValue->maxValues)
      break;
    char *out = parser.isList() ? store.values.push(weights ? weights[i] : 1)
                                : store.cells.data() + (rows_ - 1) * parser.rowBytes() + i * valueBytes;
    std::copy_n(value, valueBytes, out);
  }
  if (!parser.isList())
    return absl::OkStatus();
  if (store.values.size() == begin)
    return setCell(index, {}); // none is missing
  reinterpret_cast<int64_t *>(store.ends.data())[rows_ - 1] = store.values.size();
  return absl::OkStatus();
}

absl::Status RowBuffer::finish(BatchView &view) {
  completeRow();
  if (!error_.ok())
    return error_;
  const mlcrt_artifact &table = layout_->artifact_->table();
  view.rows = rows_;
  view.features.resize(table.num_features);
  auto show = [&](int64_t feature, void *data, int64_t first) {
    if (feature < 0)
      return;
    const mlcrt_value &value = table.features[feature];
    TensorView &buffer = view.features[feature];
    buffer = {data, value.dtype, {value.dims, value.dims + value.rank}};
    buffer.dims[0] = first;
  };
  for (int i = 0; i < layout_->size(); ++i) {
    const BoundColumn &column = layout_->columns_[i];
    Store &store = stores_[i];
    show(column.cells, store.cells.data(), rows_);
    show(column.ends, store.ends.data(), rows_);
    show(column.values, store.values.data(), store.values.size());
    show(column.weights, store.values.weights(), store.values.size());
    store.given = true; // what is complete stays so if finish is called again
  }
  return absl::OkStatus();
}

} // namespace mlcrt
