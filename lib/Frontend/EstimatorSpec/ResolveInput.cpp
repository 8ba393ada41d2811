//===- ResolveInput.cpp - Paths, input format and columns of a spec ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"

#include "mlcrt/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>

using namespace mlc;
using namespace mlc::frontend;

/// The newest spec_version that this code understands.
static constexpr int64_t kSpecVersion = 1;

common::Message Resolver::fieldError(const ProtoMessage &message, llvm::StringRef field, int index, std::string code,
                                     std::string what) const {
  const ProtoField *descriptor = message.GetDescriptor()->FindFieldByName(field.str());
  Span span = document_.spans(message, *descriptor, index).value;
  common::Message error = document_.makeError(std::move(code), span ? span : document_.start(message), std::move(what));
  error.field = document_.path(message, field, descriptor->is_repeated() ? index : -1);
  return error;
}

/// "did you mean 'x' (file:line)?" where `placeOf` tells where the match stands.
static std::string helpWithPlace(const SpecDocument &document, llvm::StringRef name,
                                 const std::vector<std::string> &names,
                                 llvm::function_ref<Span(llvm::StringRef)> placeOf) {
  std::string match = common::nearestMatch(name.str(), names);
  if (match.empty())
    return {};
  Span span = placeOf(match);
  std::string place = span ? " (" + document.origin(span) + ")" : "";
  return "did you mean '" + match + "'" + place + "?";
}

std::string Resolver::inputHelp(llvm::StringRef name, llvm::function_ref<bool(const InputColumn &)> fits) const {
  std::vector<std::string> names;
  for (const InputColumn &input : result_.inputs)
    if (fits(input))
      names.push_back(input.name);
  return helpWithPlace(document_, name, names,
                       [&](llvm::StringRef n) { return result_.inputs[result_.inputByName.lookup(n)].span; });
}

std::string Resolver::columnHelp(llvm::StringRef name) const {
  std::vector<std::string> names;
  for (const ResolvedColumn &column : result_.columns)
    names.push_back(column.name);
  return helpWithPlace(document_, name, names,
                       [&](llvm::StringRef n) { return result_.columns[result_.columnByName.lookup(n)].span; });
}

void Resolver::nameElements() {
  for (const auto &column : spec().input().column())
    if (column.name_size() == 1)
      document_.setElementName(column, column.name(0));
  for (const auto &column : spec().feature_column())
    if (std::vector<std::string> names = columnNames(column); names.size() == 1)
      document_.setElementName(column, names[0]);
  for (const auto &eval : spec().eval())
    document_.setElementName(eval, eval.name());
  for (const auto &eval : spec().eval())
    for (auto [i, exporter] : llvm::enumerate(eval.exporter()))
      document_.setElementName(exporter, std::to_string(i));
  for (const auto &head : spec().head())
    document_.setElementName(head, head.name());
  // Settings are called as --set calls them, by number.
  for (auto [i, rule] : llvm::enumerate(spec().train().early_stopping()))
    document_.setElementName(rule, std::to_string(i));
  for (auto [i, policy] : llvm::enumerate(spec().train().checkpoint()))
    document_.setElementName(policy, std::to_string(i));
  for (auto [i, shards] : llvm::enumerate(spec().train().shards()))
    document_.setElementName(shards, std::to_string(i));
  for (auto [i, remap] : llvm::enumerate(spec().train().warm_start().vocab_remap()))
    document_.setElementName(remap, std::to_string(i));
  for (auto [i, name] : llvm::enumerate(spec().train().warm_start().var_name_to_prev_var_name()))
    document_.setElementName(name, std::to_string(i));
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// The source that an element of a field is from.
int Resolver::fieldSource(const ProtoMessage &message, const ProtoField &field, int index) const {
  return document_.spans(message, field, index).value.source;
}

void Resolver::resolvePaths() { resolvePathsOf(document_.spec()); }

void Resolver::resolvePathsOf(ProtoMessage &message) {
  const auto *reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const ProtoField &field = *message.GetDescriptor()->field(i);
    bool list = field.is_repeated();
    int count = list ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
    for (int k = 0; k < count; ++k) {
      if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE) {
        resolvePathsOf(list ? *reflection->MutableRepeatedMessage(&message, &field, k)
                            : *reflection->MutableMessage(&message, &field));
        continue;
      }
      if (!ruleOf(field).path())
        continue;
      std::string text =
          list ? reflection->GetRepeatedString(message, &field, k) : reflection->GetString(message, &field);
      std::string expanded;
      std::string problem = expandVariables(text, expanded);
      if (!problem.empty() || expanded.empty()) {
        common::Message error =
            fieldError(message, field.name(), k, "E0113", problem.empty() ? "the path is empty" : problem);
        error.help = problem.empty() ? "" : "set it, or write ${NAME:-default}";
        report(std::move(error));
        continue;
      }
      llvm::SmallString<256> path(expanded);
      if (!llvm::sys::path::is_absolute(path)) {
        path = document_.directory(fieldSource(message, field, k));
        llvm::sys::path::append(path, expanded);
        llvm::sys::fs::make_absolute(path);
      }
      llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
      if (list)
        reflection->SetRepeatedString(&message, &field, k, path.str().str());
      else
        reflection->SetString(&message, &field, path.str().str());
    }
  }
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

void Resolver::resolveInput() {
  if (spec().spec_version() > kSpecVersion) {
    common::Message error = fieldError(spec(), "spec_version", 0, "E0115",
                                       "the spec is of version " + std::to_string(spec().spec_version()) +
                                           ", which this mlc does not know");
    error.expected = "at most " + std::to_string(kSpecVersion);
    error.help = "use a newer mlc";
    report(std::move(error));
  }
  if (!spec().has_input())
    return;
  const auto &input = spec().input();
  for (const auto &column : input.column()) {
    checkShape(column);
    checkMultiValue(column);
    checkDefault(column);
    for (int i = 0; i < column.name_size(); ++i) {
      std::vector<std::string> names;
      std::string problem = expandRanges(column.name(i), names);
      if (!problem.empty())
        report(fieldError(column, "name", i, "E0112", problem));
      for (const std::string &name : names)
        addInputColumn(column, i, name);
    }
  }
  for (auto [i, column] : llvm::enumerate(result_.inputs)) {
    // Columns of one message have one.
    if (i > 0 && result_.inputs[i - 1].message == column.message)
      column.lengths = result_.inputs[i - 1].lengths;
    else
      resolveLengths(column);
  }
  if (input.has_csv())
    checkCsv();
  if (input.has_libsvm())
    checkLibSvm();
}

/// A vector must fit one cell.
void Resolver::checkShape(const mlc::spec::v1::Column &column) {
  InputColumn input;
  input.message = &column;
  if (input.elements() <= InputColumn::kMaxElements)
    return;
  common::Message error = fieldError(column, "shape", 0, "E0108", "'shape' has too many values");
  error.expected = "at most " + std::to_string(InputColumn::kMaxElements);
  report(std::move(error));
}

/// Whether `text` can stand between values: one byte that no other rule of a file takes.
static bool isSeparator(llvm::StringRef text) {
  return text.size() == 1 && !llvm::StringRef("\"\n\r").contains(text) && text[0] != '\0';
}

void Resolver::checkMultiValue(const mlc::spec::v1::Column &column) {
  if (!column.has_multi_value())
    return;
  const auto &multi = column.multi_value();
  auto checkByte = [&](const char *field, const std::string &text) {
    if (isSeparator(text))
      return;
    common::Message error =
        fieldError(multi, field, 0, "E0108", std::string("'") + field + "' cannot be '" + text + "'");
    error.expected = "one byte that is no quote and no line end";
    report(std::move(error));
  };
  checkByte("separator", multi.separator());
  if (!multi.has_weight_separator())
    return;
  checkByte("weight_separator", multi.weight_separator());
  if (multi.weight_separator() == multi.separator())
    report(fieldError(multi, "weight_separator", 0, "E0131",
                      "'weight_separator' is '" + multi.separator() + "', which stands between values"));
}

/// The column that tells how many values the steps of `column` have.
void Resolver::resolveLengths(InputColumn &column) {
  const auto &multi = column.message->multi_value();
  if (!multi.has_lengths_column())
    return;
  column.lengths = findInput(multi, "lengths_column", 0, multi.lengths_column());
  if (column.lengths < 0)
    return;
  const InputColumn &lengths = result_.inputs[column.lengths];
  const auto &own = lengths.message->multi_value();
  std::string what;
  if (!lengths.isMultiValued() || !lengths.isInteger())
    what = std::string("is ") + (lengths.isMultiValued() ? "" : "one ") +
           mlc::spec::v1::Column::Dtype_Name(lengths.message->dtype()) + (lengths.isMultiValued() ? "" : " per row");
  else if (own.has_lengths_column() || own.has_weight_separator())
    what = own.has_lengths_column() ? "has a lengths_column itself" : "has weights in its cells";
  if (what.empty())
    return;
  common::Message error = fieldError(multi, "lengths_column", 0, "E0123", "'" + lengths.name + "' " + what);
  error.expected = "a column with dtype: INT64  multi_value {}, the number of values of each step";
  error.related.push_back(document_.place(lengths.span, "declared here"));
  report(std::move(error));
}

/// Whether `text` is a number that `Number`, float or double, holds: a finite one.
template <typename Number> static bool isFinite(llvm::StringRef text) {
  double number = 0;
  return !text.getAsDouble(number) && std::isfinite(static_cast<Number>(number));
}

/// Whether `text` can be read as a value of `dtype`.
static bool isValue(llvm::StringRef text, mlc::spec::v1::Column::Dtype dtype) {
  using mlc::spec::v1::Column;
  int64_t integer = 0;
  switch (dtype) {
  case Column::INT32:
  case Column::INT64:
    return !text.getAsInteger(10, integer);
  case Column::FLOAT32:
    return isFinite<float>(text);
  case Column::FLOAT64:
    return isFinite<double>(text);
  case Column::BOOL:
    return text == "0" || text == "1" || text.equals_insensitive("true") || text.equals_insensitive("false");
  case Column::STRING:
    return true;
  }
  llvm_unreachable("all dtypes are handled");
}

/// The values of a default of a multi-valued column, without their weights.
void Resolver::checkListDefault(const mlc::spec::v1::Column &column) {
  const auto &multi = column.multi_value();
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(column.default_value()).split(texts, multi.separator());
  for (llvm::StringRef text : texts) {
    double weight = 0;
    size_t at = multi.weight_separator().empty() ? llvm::StringRef::npos : text.rfind(multi.weight_separator());
    llvm::StringRef value = text.substr(0, at).trim(" \t");
    bool badWeight = at != llvm::StringRef::npos && text.substr(at + 1).trim(" \t").getAsDouble(weight);
    if (badWeight || (!value.empty() && !isValue(value, column.dtype())))
      report(fieldError(column, "default_value", 0, "E0105",
                        "default_value '" + column.default_value() + "' cannot be read as values of " +
                            mlc::spec::v1::Column::Dtype_Name(column.dtype())));
  }
}

/// A default must be readable as the column's cells are.
void Resolver::checkDefault(const mlc::spec::v1::Column &column) {
  if (!column.has_default_value())
    return;
  std::string what, dtype = mlc::spec::v1::Column::Dtype_Name(column.dtype());
  llvm::SmallVector<llvm::StringRef> texts{column.default_value()};
  InputColumn input;
  input.message = &column;
  if (column.has_multi_value()) {
    checkListDefault(column);
    return;
  }
  if (int64_t elements = input.elements(); elements != 1 && texts.front().contains('|')) {
    texts.clear();
    llvm::StringRef(column.default_value()).split(texts, '|');
    if (elements != static_cast<int64_t>(texts.size()))
      what = "' has " + std::to_string(texts.size()) + " values; the column has " + std::to_string(elements);
  }
  for (llvm::StringRef text : texts)
    if (what.empty() && !isValue(text.trim(" \t"), column.dtype()))
      what = "' cannot be read as " + dtype;
  if (!what.empty())
    report(fieldError(column, "default_value", 0, "E0105", "default_value '" + column.default_value() + what));
}

void Resolver::addInputColumn(const mlc::spec::v1::Column &column, int index, const std::string &name) {
  Span span = document_.spans(column, "name", index).value;
  if (name.empty()) {
    report(fieldError(column, "name", index, "E0112", "a column needs a name that is not empty"));
    return;
  }
  auto [place, isNew] = result_.inputByName.try_emplace(name, result_.inputs.size());
  if (!isNew) {
    common::Message error = fieldError(column, "name", index, "E0109", "column '" + name + "' is declared twice");
    error.related.push_back(document_.place(result_.inputs[place->second].span, "first declared here"));
    report(std::move(error));
    return;
  }
  InputColumn input;
  input.name = name;
  input.message = &column;
  input.span = span;
  result_.inputs.push_back(std::move(input));
}

void Resolver::checkLibSvm() {
  const std::vector<std::string> names{kLibSvmLabel.str(), kLibSvmFeatures.str()};
  for (const InputColumn &input : result_.inputs) {
    if (!llvm::is_contained(names, input.name)) {
      common::Message error =
          document_.makeError("E0102", input.span, "LibSVM files have no column '" + input.name + "'");
      error.field = document_.path(*input.message, "name");
      error.expected = "'" + names[0] + "' and '" + names[1] + "'";
      error.help = common::didYouMean(input.name, names);
      report(std::move(error));
      continue;
    }
    const auto &multi = input.message->multi_value();
    const bool isList = multi.separator() == " " && multi.weight_separator() == ":";
    if (input.name == kLibSvmFeatures ? isList && input.isInteger() : !input.isMultiValued())
      continue;
    common::Message error =
        document_.makeError("E0123", input.span, "'" + input.name + "' of LibSVM files is declared as what it is not");
    error.field = document_.path(*input.message);
    error.expected = input.name == kLibSvmFeatures
                         ? "dtype: INT64  multi_value { separator: \" \"  weight_separator: \":\" }"
                         : "a number in each row";
    report(std::move(error));
  }
}

void Resolver::checkCsv() {
  const auto &csv = spec().input().csv();
  if (csv.field_delim().size() != 1 || csv.field_delim() == "\"" || csv.field_delim() == "\n") {
    common::Message error =
        fieldError(csv, "field_delim", 0, "E0108", "'field_delim' cannot be '" + csv.field_delim() + "'");
    error.expected = "one byte that is no quote and no line end";
    report(std::move(error));
  }
  if (csv.header() && csv.column_names_size() > 0) {
    common::Message error =
        fieldError(csv, "column_names", 0, "E0131", "column_names are set, but the files have a header");
    error.expected = "one of them";
    error.help = "header: false, if the first row of a file is data";
    report(std::move(error));
    return;
  }
  if (csv.header() || document_.isDamaged(csv))
    return;
  if (csv.column_names_size() == 0) {
    common::Message error =
        document_.makeError("E0107", document_.start(csv), "files without a header need 'column_names'");
    error.field = document_.path(csv, "column_names");
    error.expected = "the names of all fields of a row in order";
    report(std::move(error));
    return;
  }
  std::vector<std::string> fields(csv.column_names().begin(), csv.column_names().end());
  for (const InputColumn &input : result_.inputs) {
    if (llvm::is_contained(fields, input.name))
      continue;
    common::Message error =
        document_.makeError("E0102", input.span, "column '" + input.name + "' is not in csv.column_names");
    error.field = document_.path(*input.message, "name");
    error.help = common::didYouMean(input.name, fields);
    report(std::move(error));
  }
}
