// Which field of a file is which requested feature.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ColumnBinding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/input/CsvScanner.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

/// Name of a dtype of the ABI as the messages about features show it.
static std::string featureDtypeName(int32_t dtype) {
  const std::string_view name = columnDtypeName(dtype);
  return valueSize(dtype) > 0 ? std::string(name) : absl::StrCat("dtype ", dtype);
}

/// The column that feature `name` is read from, and which part of it: the index of a member of BoundColumn.
static const InputColumn *columnOf(const InputFormat &format, std::string_view name, int64_t BoundColumn::*&part) {
  if (const InputColumn *column = format.find(name)) {
    part = column->multiValue ? &BoundColumn::values : &BoundColumn::cells;
    return column;
  }
  for (const auto &[suffix, member] : {std::pair{std::string_view(MLCRT_ENDS_SUFFIX), &BoundColumn::ends},
                                       std::pair{std::string_view(MLCRT_WEIGHT_SUFFIX), &BoundColumn::weights}}) {
    if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix)
      continue;
    const InputColumn *column = format.find(name.substr(0, name.size() - suffix.size()));
    part = member;
    if (column && column->multiValue && (member == &BoundColumn::ends || column->multiValue->weightSeparator))
      return column;
  }
  return nullptr;
}

/// Whether the first dimension of `feature` is the rows (or, if `values`, another symbol) and the others are static and
/// hold `elements` in all.
static bool hasShape(const TensorSpec &feature, bool values, int64_t elements) {
  if (feature.rank() < 1)
    return false;
  for (int32_t i = 1; i < feature.rank(); ++i) {
    if (feature.dims[i] <= 0 || elements % feature.dims[i] != 0)
      return false;
    elements /= feature.dims[i];
  }
  const int64_t rows = MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
  return elements == 1 && (values ? feature.dims[0] < rows : feature.dims[0] == rows);
}

/// Whether `feature` is the rows and a column's shape, in which sizes of the call are symbols.
static bool hasShapeOfCall(const TensorSpec &feature, const std::vector<int64_t> &shape) {
  if (feature.rank() != static_cast<int32_t>(shape.size()) + 1 ||
      feature.dims[0] != MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH))
    return false;
  return std::equal(shape.begin(), shape.end(), feature.dims.begin() + 1,
                    [](int64_t size, int64_t dim) { return size == InputColumn::kSizeOfCall ? dim < 0 : dim == size; });
}

static absl::Status checkFeature(const TensorSpec &feature, const InputColumn &column, int64_t BoundColumn::*part) {
  int32_t dtype = column.dtype;
  std::string why = " as its column declares";
  if (part == &BoundColumn::ends || part == &BoundColumn::weights) {
    dtype = part == &BoundColumn::ends ? MLCRT_I64 : MLCRT_F32;
    why = "";
  }
  if (feature.dtype != dtype)
    return usageError("", data_code::kFeature,
                      absl::StrCat("feature '", feature.name, "' has dtype ", featureDtypeName(feature.dtype)),
                      absl::StrCat(std::string(columnDtypeName(dtype)), why));
  const bool values = part == &BoundColumn::values || part == &BoundColumn::weights;
  if (column.hasSizesOfCall() && hasShapeOfCall(feature, column.shape))
    return absl::OkStatus();
  if (!hasShape(feature, values, part == &BoundColumn::cells ? column.elements() : 1))
    return usageError("", data_code::kFeature,
                      absl::StrCat("feature '", feature.name, "' has another shape than its column"),
                      values                        ? "a number of values of its own, as the column is multi-valued"
                      : part == &BoundColumn::cells ? absl::StrCat("rows x ", column.elements())
                                                    : "rows");
  return absl::OkStatus();
}

absl::StatusOr<std::vector<BoundColumn>> bindFeatures(const InputFormat &format,
                                                      const std::vector<TensorSpec> &features) {
  std::vector<BoundColumn> columns;
  for (size_t f = 0; f < features.size(); ++f) {
    const TensorSpec &feature = features[f];
    const std::string name = feature.name ? feature.name : "";
    int64_t BoundColumn::*part = nullptr;
    const InputColumn *column = columnOf(format, name, part);
    const bool isOfCall = std::any_of(feature.dims.begin() + std::min(1, feature.rank()), feature.dims.end(),
                                      [](int64_t size) { return size < 0; });
    if (isOfCall && !(column && column->hasSizesOfCall()))
      return usageError("", data_code::kFeature,
                        absl::StrCat("feature '", name, "' has rows of a size that only the data knows"),
                        "arrays (.npy, .npz, .safetensors), or a multi-valued feature that the program pads");
    if (!column) {
      std::vector<std::string> names;
      for (const InputColumn &candidate : format.columns)
        names.push_back(candidate.name);
      return usageError("", data_code::kFeature, absl::StrCat("feature '", name, "' is no declared column"), "",
                        mlc::common::didYouMean(name, names));
    }
    if (absl::Status status = checkFeature(feature, *column, part); !status.ok())
      return status;
    auto bound = std::find_if(columns.begin(), columns.end(),
                              [&](const BoundColumn &other) { return other.parser.column().name == column->name; });
    if (bound == columns.end() || !column->multiValue) {
      absl::StatusOr<ColumnParser> parser = ColumnParser::create(*column, format.missing);
      if (!parser.ok())
        return parser.status();
      bound = columns.insert(columns.end(), BoundColumn{*std::move(parser)});
    }
    (*bound).*part = static_cast<int64_t>(f);
  }
  for (const BoundColumn &column : columns)
    if (column.values >= 0 && column.weights >= 0 &&
        features[column.values].dims[0] != features[column.weights].dims[0])
      return usageError("", data_code::kFeature,
                        absl::StrCat("feature '", features[column.weights].name,
                                     "' has another dimension symbol than '", features[column.values].name, "'"));
  return columns;
}

static std::vector<std::string> headerNames(std::string_view header, const CsvFormat &format) {
  std::vector<CsvField> fields;
  splitRecord(header, format, fields);
  std::vector<std::string> names;
  for (const CsvField &field : fields) {
    std::string name(field.text.size(), '\0');
    if (field.escaped)
      name.resize(static_cast<size_t>(unescapeField(field, name.data())));
    else
      name.assign(field.text);
    const size_t first = name.find_first_not_of(" \t");
    names.push_back(first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(" \t") - first + 1));
  }
  return names;
}

/// The names of the fields of a file without a header.
static std::vector<std::string> declaredNames(std::string_view first, const InputFormat &format,
                                              const std::vector<BoundColumn> &columns) {
  std::vector<CsvField> fields;
  splitRecord(first, format.csv, fields);
  if (fields.size() == format.csv.columnNames.size())
    return format.csv.columnNames;
  std::vector<std::string> unlabelled;
  for (const std::string &name : format.csv.columnNames) {
    const InputColumn *column = format.findField(name);
    const bool wanted = std::any_of(columns.begin(), columns.end(), [&](const BoundColumn &bound) {
      return bound.parser.column().fieldName() == name;
    });
    if (wanted || !column || column->role == ColumnRole::Feature)
      unlabelled.push_back(name);
  }
  return fields.size() == unlabelled.size() ? unlabelled : format.csv.columnNames;
}

absl::StatusOr<FileLayout> bindFile(std::string_view path, std::string_view header, int64_t line,
                                    std::string_view first, const InputFormat &format,
                                    const std::vector<BoundColumn> &columns) {
  const std::vector<std::string> names =
      format.csv.header ? headerNames(header, format.csv) : declaredNames(first, format, columns);
  FileLayout layout;
  layout.fields = static_cast<int64_t>(names.size());
  bool anyDeclared = false;
  for (const std::string &name : names) {
    const bool declared = format.findField(name) != nullptr;
    anyDeclared |= declared;
    if (!declared)
      layout.undeclared.push_back(name);
  }
  for (const BoundColumn &column : columns) {
    const std::string &name = column.parser.column().fieldName();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      if (!format.csv.header)
        return usageError("", data_code::kFeature, absl::StrCat("csv.column_names lacks the column '", name, "'"), "",
                          mlc::common::didYouMean(name, names));
      std::string help = mlc::common::didYouMean(name, layout.undeclared);
      if (help.empty())
        help = mlc::common::didYouMean(name, names);
      if (help.empty() && !anyDeclared)
        help = names.size() == 1 ? "another csv.field_delim, or csv { header: false } with column_names?"
                                 : "a file without a header needs csv { header: false } with column_names";
      return dataError({path, line}, data_code::kHeader, absl::StrCat("the header lacks the column '", name, "'"), "",
                       help);
    }
    if (std::find(found + 1, names.end(), name) != names.end())
      return dataError({path, line}, data_code::kHeader, absl::StrCat("the column '", name, "' is there twice"),
                       "distinct names");
    layout.fieldOf.push_back(found - names.begin());
  }
  return layout;
}

absl::Status raggedRow(const Origin &record, std::string_view text, int64_t found, int64_t expected,
                       const CsvFormat &format) {
  std::string help;
  std::vector<CsvField> fields;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    CsvFormat other = format;
    other.fieldDelim = delimiter;
    splitRecord(text, other, fields);
    if (delimiter != format.fieldDelim && static_cast<int64_t>(fields.size()) == expected && expected > 1)
      help = absl::StrCat("csv.field_delim: \"", delimiter == '\t' ? std::string("\\t") : std::string(1, delimiter),
                          "\" would give ", expected);
  }
  Origin origin = record;
  origin.field = std::min(found, expected) + 1;
  return dataError(origin, data_code::kRagged,
                   absl::StrCat("ragged row: found ", found, found == 1 ? " field" : " fields"), absl::StrCat(expected),
                   help);
}

} // namespace mlcrt
