// Rows value by value.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/RowBuffer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace mlcrt {

static constexpr float kNan32 = std::numeric_limits<float>::quiet_NaN();
static constexpr double kNan64 = std::numeric_limits<double>::quiet_NaN();

/// The columns that `declared` has, with those of features whose sizes the call tells, which no file has; null: columns
/// for all features.
static absl::StatusOr<InputFormat> formatOf(const mlcrt_artifact &table, const std::vector<bool> &used,
                                            const InputFormat *declared) {
  InputFormat format = declared ? *declared : InputFormat();
  for (int32_t f = 0; f < table.num_features; ++f) {
    const mlcrt_value &feature = table.features[f];
    const bool isOfCall = std::any_of(feature.dims + std::min(1, feature.rank), feature.dims + feature.rank,
                                      [](int64_t size) { return size < 0; });
    if (!used[f] || (declared && !isOfCall))
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
    if (valueSize(feature.dtype) == 0 || symbol < 0)
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
      for (int32_t d = 1; d < feature.rank; ++d)
        column.shape.push_back(feature.dims[d] < 0 ? InputColumn::kSizeOfCall : feature.dims[d]);
    }
    format.columns.push_back(std::move(column));
  }
  return format;
}

absl::StatusOr<std::shared_ptr<const RowLayout>>
RowLayout::create(std::shared_ptr<const Artifact> artifact, const mlcrt_entry &entry, const InputFormat *format) {
  const mlcrt_artifact &table = artifact->table();
  const std::vector<bool> used = artifact->usedFeatures(entry);
  absl::StatusOr<InputFormat> all = formatOf(table, used, format);
  if (!all.ok())
    return all.status();
  std::vector<TensorSpec> wanted;
  std::vector<int32_t> features;
  for (int32_t f = 0; f < table.num_features; ++f)
    if (used[f]) {
      wanted.emplace_back(table.features[f]);
      features.push_back(f);
    }
  absl::StatusOr<std::vector<BoundColumn>> bound = bindFeatures(*all, wanted);
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
    if (column.parser.column().hasSizesOfCall()) {
      store.values = column.parser.makeList();
      store.values.reserve(1);
    } else if (column.parser.isList()) {
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
    store.shape.clear();
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
    } else if (store.cells.data()) {
      store.cells.push();
    }
  }
}

/// Values of a value of this shape; -1: no number holds it.
static int64_t valuesIn(const std::vector<int64_t> &shape) {
  return elementCount(shape.data(), static_cast<int32_t>(shape.size()));
}

/// A shape as messages show it: [3, 8].
static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (int64_t size : shape)
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", size == InputColumn::kSizeOfCall ? "?" : absl::StrCat(size));
  return text + "]";
}

absl::Status RowBuffer::beginValue(int index, int64_t count, const std::vector<int64_t> *shape) {
  const InputColumn &column = layout_->column(index);
  Store &store = stores_[index];
  const int64_t unknown = std::count(column.shape.begin(), column.shape.end(), InputColumn::kSizeOfCall);
  const int64_t known = column.elements();
  if (!shape && unknown > 1)
    return dataError(origin(), data_code::kValue,
                     absl::StrCat("column '", column.name, "' has values of the shape ", shapeText(column.shape)),
                     "the sizes of the value together with its elements");
  found_ = shape ? *shape : column.shape;
  if (!shape && (known == 0 ? count == 0 : count % known == 0))
    std::replace(found_.begin(), found_.end(), InputColumn::kSizeOfCall, known == 0 ? int64_t{0} : count / known);
  const bool fits = std::equal(column.shape.begin(), column.shape.end(), found_.begin(), found_.end(),
                               [](int64_t expected, int64_t size) {
                                 return size >= 0 && (expected == InputColumn::kSizeOfCall || expected == size);
                               });
  if (!fits || valuesIn(found_) != count)
    return dataError(origin(), data_code::kValue,
                     absl::StrCat("found ", count, " values",
                                  shape ? absl::StrCat(" of the shape ", shapeText(*shape)) : "", " in column '",
                                  column.name, "'"),
                     shapeText(column.shape));
  if (rows_ == 1)
    store.shape = found_;
  else if (!store.shape.empty() && store.shape != found_) // empty: the first row lacks it, which is told
    return dataError(origin(), data_code::kValue,
                     absl::StrCat("found a value of the shape ", shapeText(found_), " in column '", column.name, "'"),
                     absl::StrCat(shapeText(store.shape), ", as the first row of the call has"));
  store.values.shrink(std::min(store.values.size(), (rows_ - 1) * valuesIn(store.shape)));
  return absl::OkStatus();
}

absl::Status RowBuffer::setCell(int index, std::string_view text) {
  const ColumnParser &parser = layout_->columns_[index].parser;
  if (parser.column().hasSizesOfCall()) {
    stores_[index].given = true;
    if (text.empty())
      return parser.explain(CsvField(), origin(), ColumnParser::Outcome::Missing);
    pieces_.clear();
    for (size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
      end = text.find(kElementSeparator, begin);
      pieces_.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    }
    return setValues(index, pieces_.data(), pieces_.size(), nullptr);
  }
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

absl::Status RowBuffer::setRaw(int index, const char *values, int64_t count, const float *weights,
                               const std::vector<int64_t> *shape) {
  const InputColumn &column = layout_->column(index);
  const ColumnParser &parser = layout_->columns_[index].parser;
  Store &store = stores_[index];
  store.given = true;
  if (column.hasSizesOfCall()) {
    if (absl::Status status = beginValue(index, count, shape); !status.ok())
      return status;
  } else if (parser.isList()) {
    store.values.shrink(beginOfRow(store));
  } else if (count != column.elements()) {
    return wrongCount(column, count);
  }
  const int64_t valueBytes = valueSize(column.dtype);
  for (int64_t i = 0; i < count; ++i) {
    char *out = store.cells.data() ? store.cells.data() + (rows_ - 1) * parser.rowBytes() + i * valueBytes
                                   : store.values.push(weights ? weights[i] : 1);
    std::copy_n(values + i * valueBytes, valueBytes, out);
    if (column.dtype != MLCRT_STRING)
      continue;
    auto &text = *reinterpret_cast<mlcrt_string *>(out);
    text.data = keep({text.data, static_cast<size_t>(text.size)}).data();
  }
  if (parser.isList())
    reinterpret_cast<int64_t *>(store.ends.data())[rows_ - 1] = store.values.size();
  return absl::OkStatus();
}

absl::Status RowBuffer::wrongCount(const InputColumn &column, int64_t count) const {
  return dataError(origin(), data_code::kValue, absl::StrCat("found ", count, " values in column '", column.name, "'"),
                   absl::StrCat(column.elements()));
}

absl::Status RowBuffer::setValues(int index, const std::string_view *values, size_t count, const float *weights,
                                  const std::vector<int64_t> *shape) {
  const InputColumn &column = layout_->column(index);
  const bool weighted = column.multiValue && column.multiValue->weightSeparator != 0;
  if (weights && !weighted)
    return usageError("", data_code::kFeature, absl::StrCat("column '", column.name, "' has no weights"));
  for (size_t i = 0; weights && i < count; ++i)
    if (!std::isfinite(weights[i]))
      return dataError(origin(), data_code::kValue, absl::StrCat("bad weight in column '", column.name, "'"),
                       "a finite number");
  const auto found = static_cast<int64_t>(count);
  if (column.hasSizesOfCall()) {
    stores_[index].given = true;
    if (absl::Status status = beginValue(index, found, shape); !status.ok())
      return status;
  } else if (!column.multiValue && found != column.elements()) {
    return wrongCount(column, found);
  }
  return setElements(index, values, count, weights);
}

/// What stands for no value elsewhere, as an element of a value whose sizes the call tells: such ones are padded with
/// it. False: it is none.
static bool asElement(std::string_view text, mlcrt_dtype dtype, char *out) {
  if (dtype == MLCRT_STRING) {
    const mlcrt_string value{text.data(), static_cast<int64_t>(text.size())};
    std::memcpy(out, &value, sizeof(value));
  } else if (text.empty() || (dtype != MLCRT_F32 && dtype != MLCRT_F64)) {
    return false;
  } else if (dtype == MLCRT_F32) {
    std::memcpy(out, &kNan32, sizeof(kNan32));
  } else {
    std::memcpy(out, &kNan64, sizeof(kNan64));
  }
  return true;
}

absl::Status RowBuffer::setElements(int index, const std::string_view *values, size_t count, const float *weights) {
  using Outcome = ColumnParser::Outcome;
  const ColumnParser &parser = layout_->columns_[index].parser;
  const InputColumn &column = layout_->column(index);
  Store &store = stores_[index];
  const int64_t valueBytes = valueSize(column.dtype);
  const bool isOfCall = column.hasSizesOfCall();
  const int64_t begin = parser.isList() ? beginOfRow(store) : 0;
  if (parser.isList())
    store.values.shrink(begin);
  store.given = true;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = column.dtype == MLCRT_STRING ? keep(values[i]) : values[i];
    char value[sizeof(mlcrt_string)];
    Outcome outcome = parser.parseElement(text, value);
    if (outcome == Outcome::Missing && isOfCall && asElement(text, column.dtype, value))
      outcome = Outcome::Value;
    if (outcome == Outcome::Missing && !parser.isList() && !isOfCall && count == 1)
      return setCell(index, {});
    if (outcome == Outcome::Missing && parser.isList())
      continue;
    if (outcome != Outcome::Value)
      return parser.explainElement(text, static_cast<int64_t>(i) + 1, origin(), outcome);
    if (parser.isList() && column.multiValue->maxValues > 0 &&
        store.values.size() - begin >= column.multiValue->maxValues)
      break;
    char *out = store.cells.data() ? store.cells.data() + (rows_ - 1) * parser.rowBytes() + i * valueBytes
                                   : store.values.push(weights ? weights[i] : 1);
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
    if (layout_->column(i).hasSizesOfCall()) {
      show(column.cells, store.values.data(), rows_);
      for (size_t d = 0; d < store.shape.size(); ++d)
        view.features[column.cells].dims[d + 1] = store.shape[d];
    } else {
      show(column.cells, store.cells.data(), rows_);
    }
    show(column.ends, store.ends.data(), rows_);
    show(column.values, store.values.data(), store.values.size());
    show(column.weights, store.values.weights(), store.values.size());
    store.given = true; // what is complete stays so if finish is called again
  }
  return absl::OkStatus();
}

} // namespace mlcrt
