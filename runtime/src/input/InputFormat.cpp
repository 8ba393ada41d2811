// Reads the "input" part of a manifest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/InputFormat.h"

#include "absl/strings/str_cat.h"
#include "common/cli/NearestMatch.h"
#include "nlohmann/json.hpp"
#include "runtime/src/input/ColumnParser.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

using Json = nlohmann::json;

int64_t InputColumn::elements() const {
  int64_t product = 1;
  for (int64_t dimension : shape)
    product *= dimension == kSizeOfCall ? 1 : dimension;
  return product;
}

bool InputColumn::hasSizesOfCall() const { return std::find(shape.begin(), shape.end(), kSizeOfCall) != shape.end(); }

std::string InputColumn::weightName() const {
  return multiValue && !multiValue->weightField.empty() ? multiValue->weightField : fieldName() + MLCRT_WEIGHT_SUFFIX;
}

const InputColumn *InputFormat::find(std::string_view name) const {
  for (const InputColumn &column : columns)
    if (column.name == name)
      return &column;
  return nullptr;
}

const InputColumn *InputFormat::findField(std::string_view name) const {
  for (const InputColumn &column : columns)
    if (column.fieldName() == name)
      return &column;
  return nullptr;
}

static constexpr std::pair<std::string_view, mlcrt_dtype> kDtypes[] = {
    {"FLOAT32", MLCRT_F32}, {"FLOAT64", MLCRT_F64}, {"INT32", MLCRT_I32},
    {"INT64", MLCRT_I64},   {"BOOL", MLCRT_BOOL},   {"STRING", MLCRT_STRING},
};
static constexpr std::pair<std::string_view, Compression> kCompressions[] = {
    {"AUTO", Compression::Auto}, {"NONE", Compression::None}, {"GZIP", Compression::Gzip}, {"ZSTD", Compression::Zstd}};
static constexpr std::pair<std::string_view, OnMissing> kOnMissing[] = {
    {"AUTO", OnMissing::Auto}, {"ERROR", OnMissing::Error}, {"SKIP_ROW", OnMissing::SkipRow}};
static constexpr std::pair<std::string_view, ColumnRole> kRoles[] = {
    {"feature", ColumnRole::Feature}, {"label", ColumnRole::Label}, {"weight", ColumnRole::Weight}};

std::string_view columnDtypeName(int32_t dtype) {
  for (const auto &[name, value] : kDtypes)
    if (value == dtype)
      return name;
  return "another dtype";
}

namespace {

/// Reads the members of one JSON object. The first error stays; later reads do nothing.
class ObjectReader {
public:
  ObjectReader(const Json &object, std::string path, absl::Status &status)
      : object_(object), path_(std::move(path)), status_(status) {
    if (!object_.is_object())
      fail("", absl::StrCat("found ", object_.type_name()), "an object");
  }

  void read(const char *key, bool &out) {
    if (const Json *value = member(key, &Json::is_boolean, "true or false"))
      out = value->get<bool>();
  }
  void read(const char *key, std::string &out) {
    if (const Json *value = member(key, &Json::is_string, "a text"))
      out = value->get<std::string>();
  }
  void read(const char *key, std::optional<std::string> &out) {
    if (const Json *value = member(key, &Json::is_string, "a text"))
      out = value->get<std::string>();
  }
  void read(const char *key, char &out) {
    const Json *value = member(key, &Json::is_string, "a text of one byte");
    if (!value)
      return;
    const std::string text = value->get<std::string>();
    if (text.size() != 1 || text[0] == '"' || text[0] == '\n' || text[0] == '\r' || text[0] == '\0')
      return fail(key, absl::StrCat("found '", text, "'"), "one byte that is no quote and no line end");
    out = text[0];
  }
  void read(const char *key, int64_t &out) {
    const Json *value = member(key, &Json::is_number_integer, "an integer >= 0");
    if (!value)
      return;
    out = value->get<int64_t>();
    if (out < 0)
      fail(key, absl::StrCat("found ", out), "an integer >= 0");
  }
  void read(const char *key, std::vector<std::string> &out) {
    const Json *value = member(key, &Json::is_array, "a list of texts");
    for (size_t i = 0; value && i < value->size(); ++i) {
      if (!(*value)[i].is_string())
        return fail(absl::StrCat(key, "[", i, "]"), absl::StrCat("found ", (*value)[i].type_name()), "a text");
      out.push_back((*value)[i].get<std::string>());
    }
  }
  void read(const char *key, std::vector<int64_t> &out) {
    const Json *value = member(key, &Json::is_array, "a list of integers > 0");
    for (size_t i = 0; value && i < value->size(); ++i) {
      if (!(*value)[i].is_number_integer() || (*value)[i].get<int64_t>() <= 0)
        return fail(absl::StrCat(key, "[", i, "]"), absl::StrCat("found ", (*value)[i].dump()), "an integer > 0");
      out.push_back((*value)[i].get<int64_t>());
    }
  }
  template <typename T, size_t N> void read(const char *key, const std::pair<std::string_view, T> (&names)[N], T &out) {
    const Json *value = member(key, &Json::is_string, "a name");
    if (!value)
      return;
    const std::string text = value->get<std::string>();
    std::vector<std::string> candidates;
    for (const auto &[name, meaning] : names) {
      if (name == text) {
        out = meaning;
        return;
      }
      candidates.emplace_back(name);
    }
    std::string all;
    for (const std::string &name : candidates)
      absl::StrAppend(&all, all.empty() ? "" : ", ", name);
    fail(key, absl::StrCat("found '", text, "'"), all, mlc::common::didYouMean(text, candidates));
  }

  const Json *child(const char *key) {
    known_.emplace_back(key);
    if (!status_.ok() || !object_.is_object())
      return nullptr;
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }

  /// Errors unless `key` is there.
  void require(const char *key) {
    if (status_.ok() && object_.is_object() && !object_.contains(key))
      fail(key, "it is absent", "a value");
  }

  /// Errors if there is a member that nobody asked for.
  void finish() {
    if (!status_.ok() || !object_.is_object())
      return;
    for (auto it = object_.begin(); it != object_.end(); ++it)
      if (std::find(known_.begin(), known_.end(), it.key()) == known_.end())
        return fail(it.key(), "unknown key", "", mlc::common::didYouMean(it.key(), known_));
  }

  void fail(std::string_view key, std::string what, std::string_view expected, std::string_view help = {}) {
    if (!status_.ok())
      return;
    const std::string dot = key.empty() ? "" : ".";
    status_ = usageError("", data_code::kFormat,
                         absl::StrCat("manifest ", path_, dot, absl::string_view(key.data(), key.size()), ": ", what),
                         expected, help);
  }

private:
  const Json *member(const char *key, bool (Json::*is)() const noexcept, const char *expected) {
    const Json *value = child(key);
    if (value && !(value->*is)()) {
      fail(key, absl::StrCat("found ", value->type_name()), expected);
      return nullptr;
    }
    return value;
  }

  const Json &object_;
  std::string path_;
  absl::Status &status_;
  std::vector<std::string> known_;
};

} // namespace

static void readCsv(const Json &json, CsvFormat &csv, absl::Status &status) {
  ObjectReader reader(json, "input.csv", status);
  reader.read("header", csv.header);
  reader.read("column_names", csv.columnNames);
  reader.read("field_delim", csv.fieldDelim);
  reader.read("use_quote_delim", csv.useQuoteDelim);
  reader.read("skip_initial_space", csv.skipInitialSpace);
  reader.read("comment", csv.comment);
  reader.read("skip_lines", csv.skipLines);
  reader.read("compression", kCompressions, csv.compression);
  reader.read("max_bad_rows", csv.maxBadRows);
  reader.read("rest_of_line", csv.restOfLine);
  reader.finish();
  if (csv.header && !csv.columnNames.empty())
    reader.fail("column_names", "set together with header", "one of them");
  if (csv.restOfLine && csv.columnNames.size() != 2)
    reader.fail("column_names", std::to_string(csv.columnNames.size()) + " names with rest_of_line", "two names");
  if (!csv.header && csv.columnNames.empty())
    reader.fail("column_names", "it is absent", "the names of all fields, as header is false");
  for (const std::string &prefix : csv.comment)
    if (prefix.empty())
      reader.fail("comment", "an empty prefix", "at least one character");
}

static MultiValue readMultiValue(const Json &json, const std::string &path, absl::Status &status) {
  MultiValue multi;
  ObjectReader reader(json, path, status);
  reader.read("separator", multi.separator);
  reader.read("max_values", multi.maxValues);
  reader.read("weight_separator", multi.weightSeparator);
  reader.read("weight_field", multi.weightField);
  reader.finish();
  if (multi.weightSeparator == multi.separator)
    reader.fail("weight_separator", "the same byte as separator", "another one");
  if (!multi.weightField.empty() && multi.weightSeparator == 0)
    reader.fail("weight_field", "set without weight_separator", "both");
  return multi;
}

static InputColumn readColumn(const Json &json, size_t number, absl::Status &status) {
  InputColumn column;
  ObjectReader reader(json, absl::StrCat("input.columns[", number, "]"), status);
  reader.read("name", column.name);
  reader.read("field", column.field);
  reader.read("dtype", kDtypes, column.dtype);
  reader.read("shape", column.shape);
  if (const Json *multi = reader.child("multi_value"))
    column.multiValue = readMultiValue(*multi, absl::StrCat("input.columns[", number, "].multi_value"), status);
  reader.read("default_value", column.defaultValue);
  reader.read("missing", column.missing);
  reader.read("on_missing", kOnMissing, column.onMissing);
  reader.read("strip", column.strip);
  reader.read("categorical", column.categorical);
  reader.read("finite", column.finite);
  reader.read("role", kRoles, column.role);
  reader.finish();
  reader.require("name");
  reader.require("dtype");
  if (column.multiValue && !column.shape.empty())
    reader.fail("multi_value", "set together with shape", "one of them");
  int64_t elements = 1;
  for (int64_t dimension : column.shape)
    if (__builtin_mul_overflow(elements, dimension, &elements) || elements > (int64_t{1} << 24))
      reader.fail("shape", "too many values in one cell", "at most 2^24");
  return column;
}

absl::StatusOr<InputFormat> parseInputFormat(std::string_view json) {
  const Json root = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded())
    return usageError("", data_code::kFormat, "manifest input: found a text that is not JSON", "an object");
  InputFormat format;
  absl::Status status;
  ObjectReader reader(root, "input", status);
  reader.read("missing", format.missing);
  if (const Json *csv = reader.child("csv"))
    readCsv(*csv, format.csv, status);
  const Json *columns = reader.child("columns");
  if (columns && !columns->is_array())
    reader.fail("columns", absl::StrCat("found ", columns->type_name()), "a list");
  for (size_t i = 0; columns && status.ok() && i < columns->size(); ++i) {
    InputColumn column = readColumn((*columns)[i], i, status);
    if (format.find(column.name))
      reader.fail(absl::StrCat("columns[", i, "]"), absl::StrCat("a second column '", column.name, "'"),
                  "distinct names");
    format.columns.push_back(std::move(column));
  }
  const Json *parquet = reader.child("parquet");
  if (parquet) {
    format.parquet = true;
    ObjectReader options(*parquet, "input.parquet", status);
    options.read("max_bad_rows", format.csv.maxBadRows);
    options.finish();
    if (root.contains("csv"))
      reader.fail("parquet", "set together with csv", "one of them");
  }
  if (const Json *tfrecord = reader.child("tfrecord")) {
    ObjectReader options(*tfrecord, "input.tfrecord", status);
    options.read("compression", kCompressions, format.tfrecord.emplace().compression);
    options.finish();
    if (root.contains("csv") || parquet)
      reader.fail("tfrecord", absl::StrCat("set together with ", parquet ? "parquet" : "csv"), "one of them");
  } else if (!parquet) {
    reader.require("csv");
  }
  reader.require("columns");
  (void)reader.child("checks"); // of the verbs that look at samples
  reader.finish();
  for (const InputColumn &column : format.columns)
    if (status.ok())
      status = ColumnParser::create(column, format.missing).status();
  if (!status.ok())
    return status;
  return format;
}

absl::StatusOr<std::optional<InputFormat>> manifestInput(std::string_view manifest) {
  const Json root = Json::parse(manifest.begin(), manifest.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object())
    return dataError({}, data_code::kFormat, "the artifact's manifest is not a JSON object");
  const auto input = root.find("input");
  if (input == root.end())
    return std::optional<InputFormat>();
  absl::StatusOr<InputFormat> format = parseInputFormat(input->dump());
  if (!format.ok())
    return format.status();
  return std::optional<InputFormat>(*std::move(format));
}

} // namespace mlcrt
