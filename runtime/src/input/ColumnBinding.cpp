// Which field of a file is which requested feature.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ColumnBinding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/NearestMatch.h"
#include "runtime/src/input/CsvScanner.h"

#include <algorithm>

namespace mlcrt {

/// Name of a dtype of the ABI as the messages about features show it.
static std::string featureDtypeName(int32_t dtype) {
  const std::string_view name = columnDtypeName(dtype);
  return valueSize(dtype) > 0 ? std::string(name) : absl::StrCat("dtype ", dtype);
}

absl::StatusOr<std::vector<ColumnParser>> bindFeatures(const InputFormat &format,
                                                       const std::vector<mlcrt_value> &features) {
  std::vector<ColumnParser> parsers;
  for (const mlcrt_value &feature : features) {
    const std::string name = feature.name ? feature.name : "";
    const InputColumn *column = format.find(name);
    if (!column) {
      std::vector<std::string> names;
      for (const InputColumn &candidate : format.columns)
        names.push_back(candidate.name);
      return usageError("", data_code::kFeature, absl::StrCat("feature '", name, "' is no declared column"), "",
                        mlc::common::didYouMean(name, names));
    }
    if (feature.dtype != column->dtype)
      return usageError("", data_code::kFeature,
                        absl::StrCat("feature '", name, "' has dtype ", featureDtypeName(feature.dtype)),
                        absl::StrCat(std::string(columnDtypeName(column->dtype)), " as its column declares"));
    int64_t elements = 1;
    bool shaped =
        feature.rank >= 1 && feature.rank <= MLCRT_MAX_RANK && feature.dims[0] == MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
    for (int32_t i = 1; shaped && i < feature.rank; ++i) {
      shaped = feature.dims[i] > 0;
      elements *= feature.dims[i];
    }
    if (!shaped || elements != column->elements())
      return usageError("", data_code::kFeature, absl::StrCat("feature '", name, "' has another shape than its column"),
                        absl::StrCat("rows x ", column->elements()));
    absl::StatusOr<ColumnParser> parser = ColumnParser::create(*column, format.missing);
    if (!parser.ok())
      return parser.status();
    parsers.push_back(*std::move(parser));
  }
  return parsers;
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

absl::StatusOr<FileLayout> bindFile(std::string_view path, std::string_view header, int64_t line,
                                    const InputFormat &format, const std::vector<ColumnParser> &parsers) {
  const std::vector<std::string> names = format.csv.header ? headerNames(header, format.csv) : format.csv.columnNames;
  FileLayout layout;
  layout.fields = static_cast<int64_t>(names.size());
  bool anyDeclared = false;
  for (const std::string &name : names) {
    const bool declared = format.find(name) != nullptr;
    anyDeclared |= declared;
    if (!declared)
      layout.undeclared.push_back(name);
  }
  for (const ColumnParser &parser : parsers) {
    const std::string &name = parser.column().name;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      if (!format.csv.header)
        return usageError("", data_code::kFeature, absl::StrCat("csv.column_names lacks the column '", name, "'"), "",
                          mlc::common::didYouMean(name, names));
      std::string help = mlc::common::didYouMean(name, layout.undeclared);
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
