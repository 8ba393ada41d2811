// From manifest and flags to settings in force.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Configuration.h"

#include "absl/strings/str_join.h"
#include "common/cli/NearestMatch.h"
#include "common/cluster/RowCut.h"
#include "common/settings/EarlyStopping.h"
#include "common/settings/Exporter.h"
#include "runtime/src/checkpoint/SafetensorsFiles.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/Vocabulary.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

namespace mlcrt {

using Json = nlohmann::ordered_json;
using namespace mlc::common;

static Setting makeSetting(std::string path, SettingType type, std::optional<SettingScalar> value,
                           std::optional<double> min = {}) {
  Setting setting;
  setting.path = std::move(path);
  setting.type = type;
  setting.rule.min = min;
  if (value)
    setting.value = setting.defaultValue = {*value};
  return setting;
}

/// Rows per call; beyond the bound no file has rows.
static Setting makeBatchSize(std::string path, std::optional<SettingScalar> value) {
  Setting setting = makeSetting(std::move(path), SettingType::Int, std::move(value), 1);
  setting.rule.max = std::numeric_limits<int32_t>::max();
  return setting;
}

static Setting makeList(std::string path) {
  Setting setting = makeSetting(std::move(path), SettingType::String, {});
  setting.repeated = true;
  return setting;
}

static void addMissing(SettingsTable &table, Setting setting) {
  if (!table.find(setting.path))
    table.add(std::move(setting));
}

/// A cut that --set may fill in.
static void addValidation(SettingsTable &table, const std::string &path) {
  Setting share = makeSetting(path + ".share", SettingType::Float, {}, 0);
  share.rule.minExclusive = share.rule.maxExclusive = true;
  share.rule.max = 1;
  addMissing(table, std::move(share));
  addMissing(table, makeSetting(path + ".seed", SettingType::Int, int64_t{0}, 0));
  addMissing(table, makeSetting(path + ".column", SettingType::String, {}));
  addMissing(table, makeSetting(path + ".from", SettingType::String, {}));
}

/// A rule that --set may fill in.
static void addEarlyStopping(SettingsTable &table, const std::string &path) {
  addMissing(table, makeSetting(path + ".metric", SettingType::String, {}));
  addMissing(table, makeSetting(path + ".eval", SettingType::String, {}));
  Setting stopIf = makeSetting(path + ".stop_if", SettingType::String, {});
  for (StopIf each : {StopIf::NoDecrease, StopIf::NoIncrease, StopIf::Higher, StopIf::Lower})
    stopIf.rule.oneOf.push_back(stopIfName(each));
  addMissing(table, std::move(stopIf));
  addMissing(table, makeSetting(path + ".max_steps_without", SettingType::Int, {}, 1));
  addMissing(table, makeSetting(path + ".threshold", SettingType::Float, {}));
  addMissing(table, makeSetting(path + ".min_steps", SettingType::Int, int64_t{0}, 0));
}

/// A policy that --set may fill in.
static void addCheckpointPolicy(SettingsTable &table, const std::string &path) {
  addMissing(table, makeSetting(path + ".name", SettingType::String, {}));
  addMissing(table, makeList(path + ".vars"));
  addMissing(table, makeSetting(path + ".every_n_steps", SettingType::Int, {}, 1));
  addMissing(table, makeSetting(path + ".keep", SettingType::Int, int64_t{5}, 1));
}

/// A place of shards that --set may fill in.
static void addShardPin(SettingsTable &table, const std::string &path) {
  addMissing(table, makeList(path + ".vars"));
  addMissing(table, makeSetting(path + ".count", SettingType::Int, {}, 1));
  Setting servers = makeSetting(path + ".servers", SettingType::Int, {}, 0);
  servers.repeated = true;
  addMissing(table, std::move(servers));
}

/// Numbers and defaults of the spec's messages Train, Predict and RunConfig.
static void addStandardSettings(SettingsTable &table) {
  addMissing(table, makeList("train.files"));
  addMissing(table, makeBatchSize("train.batch_size", int64_t{128}));
  addMissing(table, makeSetting("train.max_steps", SettingType::Int, {}, 1));
  addMissing(table, makeSetting("train.epochs", SettingType::Int, {}, 1));
  addMissing(table, makeSetting("train.shuffle", SettingType::Bool, true));
  addMissing(table, makeSetting("train.drop_remainder", SettingType::Bool, false));
  addValidation(table, "train.validation");
  addEarlyStopping(table, "train.early_stopping.0");
  addCheckpointPolicy(table, "train.checkpoint.0");
  addShardPin(table, "train.shards.0");
  addMissing(table, makeSetting("train.warm_start.ckpt_to_initialize_from", SettingType::String, {}));
  addMissing(table, makeList("train.warm_start.vars_to_warm_start"));
  addMissing(table, makeList("predict.files"));
  addMissing(table, makeList("predict.predict_keys"));
  addMissing(table, makeList("predict.forward_features"));
  addMissing(table, makeBatchSize("predict.batch_size", {}));
  addMissing(table, makeSetting("run_config.seed", SettingType::Int, int64_t{0}));
  addMissing(table, makeSetting("run_config.save_checkpoints_steps", SettingType::Int, {}, 1));
  addMissing(table, makeSetting("run_config.save_checkpoints_secs", SettingType::Int, int64_t{600}, 1));
  addMissing(table, makeSetting("run_config.keep_checkpoint_max", SettingType::Int, int64_t{5}, 0));
  addMissing(table, makeSetting("run_config.keep_checkpoint_every_n_hours", SettingType::Float, 10000.0, 0));
  addMissing(table, makeSetting("run_config.save_summary_steps", SettingType::Int, int64_t{100}, 0));
  addMissing(table, makeSetting("run_config.log_step_count_steps", SettingType::Int, int64_t{100}, 1));
}

/// The old vocabulary of a variable's rows or columns.
static void addVocabRemap(SettingsTable &table, const std::string &path) {
  addMissing(table, makeSetting(path + ".variable", SettingType::String, {}));
  addMissing(table, makeSetting(path + ".old_vocabulary_file", SettingType::String, {}));
  addMissing(table, makeSetting(path + ".old_vocabulary_size", SettingType::Int, {}, 1));
  addMissing(table, makeSetting(path + ".axis", SettingType::Int, {}, 0));
}

/// The name that a variable has in the checkpoint to start from.
static void addPreviousName(SettingsTable &table, const std::string &path) {
  addMissing(table, makeSetting(path + ".variable", SettingType::String, {}));
  addMissing(table, makeSetting(path + ".previous", SettingType::String, {}));
}

/// An exporter that --set may fill in.
static void addExporter(SettingsTable &table, const std::string &path) {
  addMissing(table, makeSetting(path + ".name", SettingType::String, {}));
  Setting kind = makeSetting(path + ".kind", SettingType::String, {});
  for (ExporterKind each : {ExporterKind::Best, ExporterKind::Latest, ExporterKind::Final})
    kind.rule.oneOf.push_back(exporterKindName(each));
  addMissing(table, std::move(kind));
  addMissing(table, makeSetting(path + ".metric", SettingType::String, {}));
  Setting better = makeSetting(path + ".better", SettingType::String, {});
  better.rule.oneOf = {"SMALLER", "LARGER"};
  addMissing(table, std::move(better));
  addMissing(table, makeSetting(path + ".exports_to_keep", SettingType::Int, {}, 0));
}

static void addEvalSettings(SettingsTable &table, const std::string &prefix) {
  addMissing(table, makeList(prefix + ".files"));
  addMissing(table, makeBatchSize(prefix + ".batch_size", {}));
  addMissing(table, makeSetting(prefix + ".steps", SettingType::Int, {}, 1));
  addMissing(table, makeSetting(prefix + ".every_n_steps", SettingType::Int, {}, 1));
  addMissing(table, makeSetting(prefix + ".start_delay_secs", SettingType::Int, int64_t{120}, 0));
  addMissing(table, makeSetting(prefix + ".throttle_secs", SettingType::Int, int64_t{600}, 0));
  addMissing(table, makeSetting(prefix + ".each_checkpoint", SettingType::Bool, false));
  addMissing(table, makeSetting(prefix + ".on_train_files", SettingType::Bool, false));
  addMissing(table, makeSetting(prefix + ".on_validation", SettingType::Bool, false));
  addExporter(table, prefix + ".exporter.0");
}

/// The scalars that compiled code takes.
static void addArtifactSettings(SettingsTable &table, const mlcrt_artifact &artifact) {
  for (int32_t i = 0; i < artifact.num_settings; ++i) {
    const mlcrt_setting &setting = artifact.settings[i];
    if (setting.dtype == MLCRT_BOOL)
      addMissing(table, makeSetting(setting.path, SettingType::Bool, setting.i64 != 0));
    else if (setting.dtype == MLCRT_F32 || setting.dtype == MLCRT_F64 || setting.dtype == MLCRT_F16 ||
             setting.dtype == MLCRT_BF16) {
      addMissing(table, makeSetting(setting.path, SettingType::Float, setting.f64));
      // --set must not give what the cell has no room for.
      if (setting.dtype != MLCRT_F64) {
        Setting rounded = *table.find(setting.path);
        rounded.rule.single = rounded.type == SettingType::Float;
        table.add(std::move(rounded));
      }
    } else
      addMissing(table, makeSetting(setting.path, SettingType::Int, setting.i64));
  }
}

static std::vector<EvalSet> findEvalSets(const SettingsTable &table) {
  std::vector<EvalSet> sets;
  for (const std::string &name : evalSetNames(table))
    sets.push_back({name, name.empty() ? "eval" : "eval." + name});
  return sets;
}

static absl::Status damaged(std::string what) {
  return messageStatus(absl::StatusCode::kDataLoss, makeError("E0407", "the artifact's manifest: " + what));
}

static std::string textMember(const Json &object, const char *key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// "checks" of the manifest's input. One of a column that the input lacks is damage.
static absl::StatusOr<std::vector<ColumnCheck>> readChecks(const Json &manifest, const InputFormat &format) {
  std::vector<ColumnCheck> checks;
  const Json &input = manifest["input"];
  const auto list = input.find("checks");
  if (list == input.end())
    return checks;
  for (const Json &each : *list) {
    ColumnCheck check;
    check.name = textMember(each, "name");
    check.column = textMember(each, "column");
    check.use = textMember(each, "use");
    check.table = textMember(each, "table");
    if (const auto size = each.find("size"); size != each.end() && size->is_number_integer())
      check.size = size->get<int64_t>();
    check.isUnscaledTarget = each.value("unscaled_target", false);
    const std::string kind = textMember(each, "kind");
    using Kind = ColumnCheck::Kind;
    const std::pair<const char *, Kind> kinds[] = {
        {"any", Kind::Any}, {"numbers", Kind::Numbers}, {"terms", Kind::Terms}, {"ids", Kind::Ids}};
    const auto found =
        std::find_if(std::begin(kinds), std::end(kinds), [&](auto &known) { return kind == known.first; });
    if (found == std::end(kinds) || !format.find(check.column))
      return damaged("'input.checks' has kind '" + kind + "' of column '" + check.column + "'");
    check.kind = found->second;
    checks.push_back(std::move(check));
  }
  return checks;
}

/// The names of the classes of a head of the manifest; none of one that is no classifier.
static std::vector<std::string> readClasses(const Json &head) {
  std::vector<std::string> names;
  if (head.is_object() && head.contains("classes") && head["classes"].is_array())
    for (const Json &name : head["classes"])
      names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
  return names;
}

/// The nodes of a graph; false if one is none: inputs are nodes before or after it, by number.
static bool readGraph(const Json &graph, std::vector<GraphNode> &nodes) {
  for (const Json &each : graph) {
    if (!each.is_object())
      return false;
    GraphNode &node = nodes.emplace_back();
    node.name = textMember(each, "name");
    node.op = textMember(each, "op");
    if (auto inputs = each.find("inputs"); inputs != each.end())
      for (const Json &input : *inputs) {
        if (!input.is_number_unsigned() || input.get<uint64_t>() >= graph.size())
          return false;
        node.inputs.push_back(input.get<int32_t>());
      }
    auto shape = each.find("shape");
    if (shape != each.end()) {
      node.shape.emplace();
      for (const Json &dim : *shape) {
        if (!dim.is_number_integer())
          return false;
        node.shape->push_back(dim.get<int64_t>());
      }
    }
    if (node.name.empty() || node.op.empty())
      return false;
  }
  return graph.is_array();
}

absl::StatusOr<Configuration> Configuration::fromArtifact(const Artifact &artifact) {
  const mlcrt_artifact &table = artifact.table();
  return read(table.manifest ? table.manifest : "{}", &artifact);
}

absl::StatusOr<Configuration> Configuration::fromManifest(const std::string &manifest) {
  return read(manifest, nullptr);
}

absl::StatusOr<Configuration> Configuration::read(const std::string &text, const Artifact *artifact) {
  Json manifest = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object())
    return damaged("not a JSON object");
  Configuration result;
  result.compat_ = textMember(manifest, "compat");
  result.cpu_ = textMember(manifest, "cpu");
  result.compiler_ = textMember(manifest, "mlc");
  if (std::string build = textMember(manifest, "build"); !build.empty())
    result.compiler_ += " build " + build;
  result.spec_ = textMember(manifest, "spec");
  if (auto head = manifest.find("head"); head != manifest.end())
    result.classes_[""] = readClasses(*head);
  if (auto heads = manifest.find("heads"); heads != manifest.end())
    for (const Json &head : *heads)
      if (head.is_object())
        result.classes_[textMember(head, "name")] = readClasses(head);
  if (auto constants = manifest.find("prediction_constants"); constants != manifest.end())
    for (const auto &[name, values] : constants->items()) {
      PredictionConstant &constant = result.predictionConstants_.emplace_back();
      constant.name = name;
      for (const Json &value : values) {
        if (value.is_string())
          constant.texts.push_back(value.get<std::string>());
        else if (value.is_number_integer())
          constant.numbers.push_back(value.get<int64_t>());
        else
          return damaged("'prediction_constants' has a value that is neither text nor integer");
      }
      if (constant.texts.empty() == constant.numbers.empty())
        return damaged("'prediction_constants' has a list that is empty or mixed");
    }
  if (auto signatures = manifest.find("signatures"); signatures != manifest.end()) {
    absl::StatusOr<std::vector<ServingSignature>> read = signaturesFromText(signatures->dump());
    if (!read.ok())
      return damaged("'signatures': " + std::string(read.status().message()));
    result.signatures_ = *std::move(read);
  }
  if (auto graph = manifest.find("graph"); graph != manifest.end() && !readGraph(*graph, result.graph_))
    return damaged("'graph' has a node that is none");
  if (auto settings = manifest.find("settings"); settings != manifest.end()) {
    MessageList messages;
    if (!settingsFromJson(settings->dump(), result.settings_, messages) || !result.settings_.check(messages))
      return messageStatus(absl::StatusCode::kDataLoss, messages.messages().front());
  }
  if (auto columns = manifest.find("columns"); columns != manifest.end())
    for (const auto &[path, text] : columns->items())
      if (text.is_string())
        result.columns_.emplace_back(path, text.get<std::string>());
  if (auto uses = manifest.find("vocabularies"); uses != manifest.end())
    for (const Json &use : *uses) {
      auto axis = use.find("axis");
      if (axis == use.end() || !axis->is_number_unsigned() || axis->get<uint64_t>() > 1)
        return damaged("'vocabularies' has an axis that is neither 0 nor 1");
      VocabularyRecord record{textMember(use, "variable"), axis->get<int64_t>(), textMember(use, "table")};
      if (artifact &&
          (artifact->tensors().find(record.variable) < 0 || !vocabularyOf(artifact->table(), record.table).ok()))
        return damaged("'vocabularies' names '" + record.variable + "' and '" + record.table + "', which it lacks");
      result.vocabularies_.push_back(std::move(record));
    }
  if (auto tables = manifest.find("embeddings"); tables != manifest.end())
    for (const Json &table : *tables) {
      EmbeddingTable embedding{textMember(table, "variable"), textMember(table, "setting")};
      if (artifact && artifact->tensors().find(embedding.variable) < 0)
        return damaged("'embeddings' names '" + embedding.variable + "', which it lacks");
      addMissing(result.settings_, makeSetting(embedding.prefix + ".ckpt_to_load_from", SettingType::String, {}));
      addMissing(result.settings_, makeSetting(embedding.prefix + ".tensor_name_in_ckpt", SettingType::String, {}));
      result.embeddings_.push_back(std::move(embedding));
    }
  result.evalSets_ = findEvalSets(result.settings_);
  absl::StatusOr<std::optional<InputFormat>> input = manifestInput(manifest.dump());
  if (!input.ok())
    return input.status();
  result.input_ = *std::move(input);
  if (result.input_) {
    absl::StatusOr<std::vector<ColumnCheck>> checks = readChecks(manifest, *result.input_);
    if (!checks.ok())
      return checks.status();
    result.checks_ = *std::move(checks);
  }
  // --eval_files needs a set to go to.
  if (result.evalSets_.empty() && (!artifact || artifact->entry(MLCRT_ROLE_EVAL_UPDATE)))
    result.evalSets_.push_back({"", "eval"});
  addStandardSettings(result.settings_);
  for (const EvalSet &set : result.evalSets_)
    addEvalSettings(result.settings_, set.prefix);
  if (artifact)
    addArtifactSettings(result.settings_, artifact->table());
  return result;
}

/// Assigns texts to a setting, if there are any. `origin` names where they are from: "--train_files".
static bool assignTexts(SettingsTable &table, const std::vector<std::string> &texts, const char *origin,
                        const std::string &path, MessageList &messages) {
  if (texts.empty())
    return true;
  mlc::common::SettingValue value; // mlcrt has one of its own
  for (const std::string &text : texts)
    value.push_back(text);
  return table.assign(path, std::move(value), origin, messages);
}

/// The same of a number.
static bool assignNumber(SettingsTable &table, std::optional<int64_t> number, const char *origin,
                         const std::string &path, MessageList &messages) {
  return !number || table.assignText(path, std::to_string(*number), origin, messages);
}

/// Steps or seconds between checkpoints: one given on the command line replaces the other; else both set is an error.
static bool chooseCheckpointInterval(SettingsTable &table, MessageList &messages) {
  const Setting *intervals[] = {table.find("run_config.save_checkpoints_steps"),
                                table.find("run_config.save_checkpoints_secs")};
  if (!intervals[0]->value || !intervals[1]->value)
    return true;
  // How strongly each is meant: a default, the spec, the command line.
  auto strength = [](const Setting &setting) {
    return setting.origin.compare(0, 7, "default") == 0 ? 0 : setting.origin == "--set" ? 2 : 1;
  };
  int steps = strength(*intervals[0]), seconds = strength(*intervals[1]);
  if (steps == seconds) {
    Message message = makeError("E0131", "save_checkpoints_steps (" + intervals[0]->origin +
                                             ") and save_checkpoints_secs (" + intervals[1]->origin + ") are both set");
    message.field = "run_config";
    message.expected = "one of them";
    messages.add(std::move(message));
    return false;
  }
  Setting weaker = *intervals[steps > seconds ? 1 : 0];
  weaker.value.reset();
  table.add(std::move(weaker));
  return true;
}

/// Adds an error if there is no eval set of that name.
bool Configuration::checkEvalSet(const std::string &asked, MessageList &messages) const {
  std::vector<std::string> names;
  for (const EvalSet &set : evalSets_)
    names.push_back(set.name);
  if (std::find(names.begin(), names.end(), asked) != names.end())
    return true;
  Message message = makeError("E0216", "no eval set is called '" + asked + "'", didYouMean(asked, names));
  for (const std::string &name : names)
    if (!name.empty())
      message.expected += (message.expected.empty() ? "one of " : ", ") + name;
  if (message.expected.empty())
    message.expected = "no --name: the eval set of this model has none";
  messages.add(std::move(message));
  return false;
}

/// Adds the elements of a list of messages that arguments of --set are of, each with those before it. `first`: a
/// setting that each has.
static void addElements(SettingsTable &table, const std::vector<std::string> &arguments, const std::string &list,
                        const char *first, void (*add)(SettingsTable &, const std::string &path)) {
  for (int i = 0;; ++i) {
    const std::string path = list + "." + std::to_string(i) + ".";
    if (table.find(path + first))
      continue;
    if (std::none_of(arguments.begin(), arguments.end(),
                     [&](const std::string &argument) { return argument.compare(0, path.size(), path) == 0; }))
      return;
    add(table, path.substr(0, path.size() - 1));
  }
}

bool Configuration::apply(const RunOptions &options, MessageList &messages) {
  bool good = true;
  for (const EvalSet &set : evalSets_)
    addElements(settings_, options.set, set.prefix + ".exporter", "name", addExporter);
  addElements(settings_, options.set, "train.warm_start.vocab_remap", "variable", addVocabRemap);
  addElements(settings_, options.set, "train.warm_start.var_name_to_prev_var_name", "variable", addPreviousName);
  for (const std::string &argument : options.set)
    good &= settings_.applySet(argument, SettingStage::Start, messages);
  auto assign = [&](const std::vector<std::string> &texts, const char *origin, const std::string &path) {
    good &= assignTexts(settings_, texts, origin, path, messages);
  };
  auto assignInt = [&](std::optional<int64_t> number, const char *origin, const std::string &path) {
    good &= assignNumber(settings_, number, origin, path, messages);
  };
  const bool trains = options.verb == "train", evaluates = options.verb == "evaluate";
  if (evaluates && options.name && !checkEvalSet(*options.name, messages))
    return false;
  if (trains) {
    assign(options.trainFiles, "--train_files", "train.files");
    assignInt(options.batchSize, "--batch_size", "train.batch_size");
    assignInt(options.maxSteps, "--max_steps", "train.max_steps");
    if (options.steps && settings_.find("train.max_steps")->origin == "--set") {
      messages.add(makeError("E0206", "--steps and --set train.max_steps exclude each other", "give one of them"));
      good = false;
    }
    assignInt(options.epochs, "--epochs", "train.epochs");
    assignInt(options.seed, "--seed", "run_config.seed");
  }
  for (const EvalSet &set : evalSets_) {
    if (options.name && set.name != *options.name)
      continue;
    if (trains || evaluates)
      assign(options.evalFiles, "--eval_files", set.prefix + ".files");
    if (evaluates) {
      assignInt(options.batchSize, "--batch_size", set.prefix + ".batch_size");
      assignInt(options.maxSteps, "--max_steps", set.prefix + ".steps");
    }
  }
  if (!options.evalFiles.empty() && evalSets_.empty()) {
    messages.add(makeError("E0216", "--eval_files: the model has nothing that evaluates",
                           "entries of roles eval_update and eval_result"));
    good = false;
  }
  if (!options.evalFiles.empty() && !options.name && evalSets_.size() > 1) {
    messages.add(makeError("E0216",
                           "--eval_files is for one eval set; this model has " + std::to_string(evalSets_.size()),
                           trains ? "--set " + evalSets_[0].prefix + ".files=GLOB" : "give --name too"));
    good = false;
  }
  if (options.verb == "predict") {
    assign(options.predictFiles, "--predict_files", "predict.files");
    assignInt(options.batchSize, "--batch_size", "predict.batch_size");
    // Each may be a list with commas between.
    for (auto [texts, origin, path] : {std::tuple{&options.keys, "--keys", "predict.predict_keys"},
                                       {&options.forward, "--forward", "predict.forward_features"}})
      if (!texts->empty())
        good &= settings_.assignText(path, absl::StrJoin(*texts, ","), origin, messages);
  }
  return chooseCheckpointInterval(settings_, messages) && good;
}

absl::Status Configuration::bind(Program &program) const {
  program.useFiles(safetensorsFiles());
  Settings &target = program.settings();
  for (int32_t i = 0; i < target.size(); ++i) {
    const char *path = target.setting(i).path;
    const Setting *setting = settings_.find(path);
    if (!setting || !setting->value || setting->value->size() != 1)
      continue; // unset: the artifact's own default
    const SettingScalar &scalar = setting->value->front();
    absl::Status status;
    if (const double *number = std::get_if<double>(&scalar))
      status = target.set(path, *number);
    else if (const int64_t *integer = std::get_if<int64_t>(&scalar))
      status = target.set(path, *integer);
    else if (const bool *flag = std::get_if<bool>(&scalar))
      status = target.set(path, *flag);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

BatchSource Configuration::source(const std::string &setting, RowPart rows) const {
  BatchSource source{setting, settings_.getStrings(setting)};
  if (const auto found = sources_.find(setting); found != sources_.end())
    source = found->second;
  source.rows = rows;
  return source;
}

BatchSource Configuration::evalSource(const EvalSet &set) const {
  const RowPart rows = rowPart(set);
  return rows == RowPart::All ? source(set.prefix + ".files") : source("train.files", rows);
}

RowPart Configuration::rowPart(const EvalSet &set) const {
  auto isOn = [&](const char *name) { return settings_.getBool(set.prefix + name).value_or(false); };
  if (!source(set.prefix + ".files").empty())
    return RowPart::All;
  return isOn(".on_validation") ? RowPart::Validation : isOn(".on_train_files") ? RowPart::Training : RowPart::All;
}

absl::StatusOr<std::optional<RowSelection>> Configuration::selectRows(RowPart part) const {
  if (part == RowPart::All)
    return std::nullopt;
  std::vector<std::string> names;
  for (const EvalSet &set : evalSets_)
    names.push_back(set.name);
  std::optional<mlc::common::RowCut> cut;
  MessageList messages;
  if (!mlc::common::readRowCut(settings_, names, cut, messages))
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  return cut ? std::optional(RowSelection{*std::move(cut), part == RowPart::Validation}) : std::nullopt;
}

int64_t Configuration::batchSize(const std::string &prefix) const {
  return settings_.getInt(prefix + ".batch_size").value_or(number("train.batch_size"));
}

static SettingTexts textsOf(const SettingsTable &table, bool compiledOnly) {
  SettingTexts texts;
  for (const Setting &setting : table.settings())
    if (setting.value && (!compiledOnly || setting.stage == SettingStage::Compile))
      texts.emplace_back(setting.path, settingText(*setting.value));
  return texts;
}

static SettingTexts join(SettingTexts texts, const SettingTexts &more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

SettingTexts Configuration::texts() const { return join(textsOf(settings_, false), columns_); }
SettingTexts Configuration::compiledTexts() const { return join(textsOf(settings_, true), columns_); }

} // namespace mlcrt
