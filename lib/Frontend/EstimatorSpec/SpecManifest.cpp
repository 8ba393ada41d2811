//===- SpecManifest.cpp - The parts of the manifest that a spec decides --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecManifest.h"
#include "lib/Frontend/EstimatorSpec/ColumnChecks.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlc;
using namespace mlc::frontend;
using common::Setting;
using common::SettingScalar;
using common::SettingType;
using common::SettingValue;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

static SettingType settingType(const ProtoField &field) {
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_BOOL:
    return SettingType::Bool;
  case ProtoField::CPPTYPE_INT64:
    return SettingType::Int;
  case ProtoField::CPPTYPE_DOUBLE:
    return SettingType::Float;
  default:
    return SettingType::String;
  }
}

/// Element `index` of a field that has it, or the value in force of a singular one (index -1), its default too.
static SettingScalar settingScalar(const ProtoMessage &message, const ProtoField &field, int index) {
  const auto *reflection = message.GetReflection();
  bool list = index >= 0;
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_BOOL:
    return list ? reflection->GetRepeatedBool(message, &field, index) : reflection->GetBool(message, &field);
  case ProtoField::CPPTYPE_INT64:
    return static_cast<int64_t>(list ? reflection->GetRepeatedInt64(message, &field, index)
                                     : reflection->GetInt64(message, &field));
  case ProtoField::CPPTYPE_DOUBLE:
    return list ? reflection->GetRepeatedDouble(message, &field, index) : reflection->GetDouble(message, &field);
  case ProtoField::CPPTYPE_ENUM:
    return (list ? reflection->GetRepeatedEnum(message, &field, index) : reflection->GetEnum(message, &field))->name();
  default:
    return list ? reflection->GetRepeatedString(message, &field, index) : reflection->GetString(message, &field);
  }
}

static common::SettingRule settingRule(const ProtoField &field) {
  const Rule &rule = ruleOf(field);
  common::SettingRule result;
  if (rule.has_min() || rule.has_min_exclusive()) {
    result.min = rule.has_min() ? rule.min() : rule.min_exclusive();
    result.minExclusive = !rule.has_min();
  }
  if (rule.has_max() || rule.has_max_exclusive()) {
    result.max = rule.has_max() ? rule.max() : rule.max_exclusive();
    result.maxExclusive = !rule.has_max();
  }
  if (field.cpp_type() == ProtoField::CPPTYPE_ENUM)
    for (int i = 0; i < field.enum_type()->value_count(); ++i)
      result.oneOf.push_back(field.enum_type()->value(i)->name());
  result.required = rule.required() && !rule.may_be_empty();
  result.single = field.cpp_type() == ProtoField::CPPTYPE_DOUBLE; // the schema's numbers are float32 in a model
  return result;
}

/// Adds the scalar `field` of `message`, whose path is `path`. A value that no text has is a default of the profile.
/// What is not set in the `compiled` part of a spec is no argument of the step: it cannot be set at start, whatever its
/// stage.
static void addSetting(const SpecDocument &document, const ProtoMessage &message, const ProtoField &field,
                       const std::string &path, common::SettingsTable &table, bool compiled = false) {
  const auto *reflection = message.GetReflection();
  bool tf1 = document.spec().compat() == mlc::spec::v1::Estimator::TF1;
  bool list = field.is_repeated();
  int count = list ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
  Setting setting;
  setting.path = path + "." + field.name();
  setting.type = settingType(field);
  setting.repeated = list;
  setting.rule = settingRule(field);
  setting.doc = docOf(field);
  SettingValue value;
  if (list)
    for (int k = 0; k < count; ++k)
      value.push_back(settingScalar(message, field, k));
  else if (count > 0 || field.has_default_value() || setting.type == SettingType::Bool)
    value.push_back(settingScalar(message, field, -1));
  if (!value.empty())
    setting.value = value;
  const double *number = value.empty() ? nullptr : std::get_if<double>(&value.front());
  bool none = value.empty() || (ruleOf(field).zero_is_none() && number && *number == 0);
  bool start = ruleOf(field).stage() == Rule::START && !(compiled && none);
  setting.stage = start ? common::SettingStage::Start : common::SettingStage::Compile;
  Span written = document.spans(message, field).name;
  if (written)
    setting.origin = document.origin(written);
  else if (count > 0)
    setting.origin = tf1 ? "default tf1" : "default tf2";
  if (!list && !written)
    setting.defaultValue = setting.value;
  table.add(std::move(setting));
}

/// Adds the scalars of `message`, whose path is `path`, and of the messages in it.
static void addSettings(const SpecDocument &document, const ProtoMessage &message, const std::string &path,
                        common::SettingsTable &table, bool compiled = false) {
  const auto *reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const ProtoField &field = *message.GetDescriptor()->field(i);
    bool list = field.is_repeated();
    int count = list ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
    if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE) {
      for (int k = 0; k < count; ++k) {
        const ProtoMessage &child =
            list ? reflection->GetRepeatedMessage(message, &field, k) : reflection->GetMessage(message, &field);
        addSettings(document, child, document.path(child), table, compiled);
      }
      continue;
    }
    addSetting(document, message, field, path, table, compiled);
  }
}

/// The path of an embedding's settings: that of its table alone, also where one message declares several.
static std::string embeddingPath(const ResolvedColumn &column) {
  return column.kind == spec::v1::FeatureColumn::kSharedEmbeddings
             ? "feature_column." + column.table + ".shared_embeddings"
             : "feature_column." + column.name + ".embedding";
}

std::string mlc::frontend::regularizerPath(const ResolvedColumn &column) {
  return embeddingPath(column) + ".regularizer";
}

/// Adds what an Embedding or SharedEmbeddings lets change at start.
template <typename Message>
static void addEmbeddingSettings(const SpecDocument &document, const Message &message, const std::string &path,
                                 common::SettingsTable &table) {
  for (const char *name : {"ckpt_to_load_from", "tensor_name_in_ckpt"})
    addSetting(document, message, *Message::descriptor()->FindFieldByName(name), path, table);
  if (message.has_regularizer())
    addSettings(document, message.regularizer(), path + ".regularizer", table, /*compiled=*/true);
}

common::SettingsTable mlc::frontend::specSettings(const SpecDocument &document, const ResolvedSpec &resolved) {
  common::SettingsTable table;
  const auto &spec = document.spec();
  std::vector<bool> inUse = columnsInUse(resolved);
  std::set<std::string> known; // columns of one table share its settings
  for (auto [column, used] : llvm::zip_equal(resolved.columns, inUse)) {
    if (!used || !column.isEmbedding() || !known.insert(embeddingPath(column)).second)
      continue;
    const spec::v1::FeatureColumn &message = *column.message;
    if (message.has_embedding())
      addEmbeddingSettings(document, message.embedding(), embeddingPath(column), table);
    else
      addEmbeddingSettings(document, message.shared_embeddings(), embeddingPath(column), table);
  }
  addSettings(document, spec.model(), document.path(spec.model()), table, /*compiled=*/true);
  auto add = [&](const ProtoMessage &message) { addSettings(document, message, document.path(message), table); };
  for (const auto &head : spec.head())
    addSettings(document, head, document.path(head), table, /*compiled=*/true);
  add(spec.train());
  for (const auto &eval : spec.eval())
    add(eval);
  add(spec.predict());
  add(spec.run_config());
  return table;
}

common::SettingsTable mlc::frontend::runSettings(llvm::ArrayRef<std::string> evalSets) {
  SpecDocument document("", "");
  spec::v1::Estimator &spec = document.spec();
  common::SettingsTable all;
  addSettings(document, *spec.mutable_train(), "train", all);
  for (const std::string &set : evalSets)
    addSettings(document, *spec.add_eval(), set.empty() ? "eval" : "eval." + set, all);
  addSettings(document, *spec.mutable_predict(), "predict", all);
  addSettings(document, *spec.mutable_run_config(), "run_config", all);
  // What a spec compiles in has no meaning here.
  common::SettingsTable table;
  for (const Setting &setting : all.settings())
    if (setting.stage == common::SettingStage::Start)
      table.add(setting);
  return table;
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

static llvm::json::Array jsonTexts(const google::protobuf::RepeatedPtrField<std::string> &texts) {
  llvm::json::Array array;
  for (const std::string &text : texts)
    array.push_back(text);
  return array;
}

static llvm::json::Object jsonCsv(const mlc::spec::v1::Csv &csv) {
  llvm::json::Object object;
  object["header"] = csv.header();
  if (!csv.header())
    object["column_names"] = jsonTexts(csv.column_names());
  object["field_delim"] = csv.field_delim();
  object["use_quote_delim"] = csv.use_quote_delim();
  object["skip_initial_space"] = csv.skip_initial_space();
  object["comment"] = jsonTexts(csv.comment());
  object["skip_lines"] = csv.skip_lines();
  object["compression"] = mlc::spec::v1::Csv::Compression_Name(csv.compression());
  object["max_bad_rows"] = csv.max_bad_rows();
  return object;
}

static llvm::json::Object jsonLibSvm(const mlc::spec::v1::LibSvm &libsvm) {
  return llvm::json::Object{{"header", false},
                            {"column_names", llvm::json::Array{kLibSvmLabel, kLibSvmFeatures}},
                            {"rest_of_line", true},
                            {"use_quote_delim", false},
                            {"comment", llvm::json::Array{"#"}},
                            {"compression", mlc::spec::v1::Csv::Compression_Name(libsvm.compression())},
                            {"max_bad_rows", libsvm.max_bad_rows()}};
}

static llvm::json::Object jsonMultiValue(const mlc::spec::v1::MultiValue &multi) {
  llvm::json::Object object{{"separator", multi.separator()}};
  if (multi.has_max_values())
    object["max_values"] = multi.max_values();
  if (multi.has_weight_separator())
    object["weight_separator"] = multi.weight_separator();
  return object;
}

static llvm::json::Object jsonColumn(const InputColumn &input) {
  const auto &column = *input.message;
  llvm::json::Object object;
  object["name"] = input.name;
  object["dtype"] = mlc::spec::v1::Column::Dtype_Name(column.dtype());
  if (std::vector<int64_t> shape = input.shape(); !shape.empty())
    object["shape"] = llvm::json::Array(shape);
  if (column.has_multi_value())
    object["multi_value"] = jsonMultiValue(column.multi_value());
  if (column.has_default_value())
    object["default_value"] = column.default_value();
  object["missing"] = jsonTexts(column.missing());
  object["on_missing"] = mlc::spec::v1::Column::OnMissing_Name(column.on_missing());
  object["strip"] = column.strip();
  object["categorical"] = input.isCategorical();
  if (column.dtype() == mlc::spec::v1::Column::FLOAT32 || column.dtype() == mlc::spec::v1::Column::FLOAT64)
    object["finite"] = true;
  object["role"] = input.role == InputRole::Label ? "label" : input.role == InputRole::Weight ? "weight" : "feature";
  return object;
}

/// What a run looks for in a sample of its data. Terms stand in the artifact's tables.
static llvm::json::Object jsonCheck(const common::ColumnCheck &check) {
  llvm::json::Object object{{"name", check.name}, {"column", check.column}, {"use", check.use}};
  using Kind = common::ColumnCheck::Kind;
  switch (check.kind) {
  case Kind::Any:
    object["kind"] = "any";
    break;
  case Kind::Numbers:
    object["kind"] = "numbers";
    break;
  case Kind::Terms:
    object["kind"] = "terms";
    object["table"] = check.table;
    break;
  case Kind::Ids:
    object["kind"] = "ids";
    object["size"] = check.size;
    break;
  }
  if (check.isUnscaledTarget)
    object["unscaled_target"] = true;
  return object;
}

std::string mlc::frontend::inputJson(const SpecDocument &document, const ResolvedSpec &resolved) {
  llvm::json::Array columns;
  // Those that the model does not read can be forwarded to its predictions.
  for (const InputColumn &input : resolved.inputs)
    columns.push_back(jsonColumn(input));
  const auto &input = document.spec().input();
  llvm::json::Array checks;
  for (const common::ColumnCheck &check : columnChecks(document, resolved))
    checks.push_back(jsonCheck(check));
  llvm::json::Object object{
      {"missing", jsonTexts(input.missing())}, {"columns", std::move(columns)}, {"checks", std::move(checks)}};
  if (input.has_tfrecord())
    object["tfrecord"] =
        llvm::json::Object{{"compression", mlc::spec::v1::Csv::Compression_Name(input.tfrecord().compression())}};
  else if (input.has_parquet())
    object["parquet"] = llvm::json::Object{{"max_bad_rows", input.parquet().max_bad_rows()}};
  else
    object["csv"] = input.has_libsvm() ? jsonLibSvm(input.libsvm()) : jsonCsv(input.csv());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}
