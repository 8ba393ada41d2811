// Values of checkpoints by name, rows by term.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/WarmStart.h"

#include "common/NameExpression.h"
#include "common/NearestMatch.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/Vocabulary.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

namespace mlcrt {

using mlc::common::makeError;
using mlc::common::Message;
using mlc::common::someOf;

static const std::string kPath = "train.warm_start";

/// `field` of train.warm_start.
static absl::Status slip(const std::string &field, std::string what, std::string expected = {}, std::string help = {}) {
  Message message = makeError("E0219", std::move(what), std::move(help));
  message.field = kPath + "." + field;
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

namespace {

/// A tensor's type in the source.
struct SourceTensor {
  int32_t dtype = MLCRT_F32;
  std::vector<int64_t> shape;
};

/// A checkpoint, or a safetensors file, which knows no vocabularies.
class Source {
public:
  static absl::StatusOr<Source> open(const std::string &path) {
    Source source;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      absl::StatusOr<SafetensorsReader> file = SafetensorsReader::open(path);
      if (!file.ok())
        return file.status();
      source.place_ = path;
      source.file_.emplace(*std::move(file));
      return source;
    }
    absl::StatusOr<std::string> directory = findCheckpoint(path);
    if (!directory.ok())
      return directory.status();
    source.place_ = *directory;
    absl::StatusOr<CheckpointManifest> manifest = readManifest(*directory);
    if (!manifest.ok())
      return manifest.status();
    absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(*directory, *manifest);
    if (!reader.ok())
      return reader.status();
    source.manifest_ = *std::move(manifest);
    source.checkpoint_.emplace(*std::move(reader));
    return source;
  }

  /// The file, or the checkpoint's directory.
  const std::string &place() const { return place_; }

  std::optional<SourceTensor> find(const std::string &name) const {
    if (file_) {
      const TensorInfo *tensor = file_->find(name);
      return tensor ? std::optional(SourceTensor{tensor->dtype, tensor->shape}) : std::nullopt;
    }
    const VariableRecord *variable = manifest_.find(name);
    return variable ? std::optional(SourceTensor{variable->dtype, variable->shape}) : std::nullopt;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    if (file_)
      for (const TensorInfo &tensor : file_->tensors())
        names.push_back(tensor.name);
    for (const VariableRecord &variable : manifest_.variables)
      names.push_back(variable.name);
    return names;
  }

  absl::Status read(const std::string &name, Tensor &value) const {
    if (!file_)
      return checkpoint_->read(*manifest_.find(name), value);
    const TensorInfo *tensor = file_->find(name);
    value.resize(tensor->dtype, tensor->shape.data(), static_cast<int32_t>(tensor->shape.size()));
    return file_->read(*tensor, value.data());
  }

  /// The vocabulary that it tells of a variable's axis, if it does.
  absl::StatusOr<std::optional<Vocabulary>> vocabulary(const std::string &variable, int64_t axis) const {
    for (const VocabularyRecord &use : manifest_.vocabularies) {
      if (use.variable != variable || use.axis != axis)
        continue;
      absl::StatusOr<Vocabulary> found = readVocabulary(place_, manifest_, use.table);
      if (!found.ok())
        return found.status();
      return std::optional(*std::move(found));
    }
    return std::optional<Vocabulary>();
  }

private:
  std::string place_;
  std::optional<SafetensorsReader> file_;
  std::optional<CheckpointReader> checkpoint_;
  CheckpointManifest manifest_;
};

/// train.warm_start.vocab_remap.N: the old vocabulary of a variable's axis stands in a file.
struct Remap {
  std::string path, variable, file;
  int64_t axis = 0, size = -1;
};

/// What to copy, and what to tell where it does not fit.
struct Copy {
  int32_t index = 0; ///< of the variable in the state
  std::string from;  ///< its name in the source
  std::string field; ///< that named the source; may be empty
  std::string help;
};

/// Copies values of sources into a state.
class InitialValues {
public:
  InitialValues(const Configuration &configuration, const Artifact &artifact, State &state, Reporter &reporter)
      : settings_(configuration.settings()), vocabularies_(configuration.vocabularies()), artifact_(artifact),
        state_(state), reporter_(reporter), embeddings_(configuration.embeddings()) {}

  absl::StatusOr<std::string> warmStart(const std::string &path);
  absl::Status loadEmbedding(const EmbeddingTable &table, const std::string &path);

private:
  bool isLoaded(const std::string &name) const;
  void chooseAll(const Source &source);
  absl::Status chooseVariables(const Source &source);
  absl::Status readRemaps();
  absl::Status checkNames(const Source &source) const;
  absl::StatusOr<std::optional<Vocabulary>> oldVocabulary(const Source &source, const std::string &variable,
                                                          int64_t axis) const;
  absl::StatusOr<std::optional<std::vector<int64_t>>> mapAxis(const Source &source, const Copy &copy,
                                                              const SourceTensor &before, int64_t axis);
  absl::Status run(const Source &source, const Copy &copy);

  const mlc::common::SettingsTable &settings_;
  const std::vector<VocabularyRecord> &vocabularies_;
  const Artifact &artifact_;
  State &state_;
  Reporter &reporter_;
  const std::vector<EmbeddingTable> &embeddings_;
  std::vector<int32_t> chosen_;
  std::vector<Remap> remaps_;
};

} // namespace

static std::string nameOf(const State &state, int32_t index) { return state.variable(index).value.name; }

/// Whether a variable says what the model has learned: weights, trained or not, and moving averages; neither slots nor
/// counters nor what belongs to an evaluation.
static bool isOfModel(const mlcrt_variable &variable) {
  const bool isNumber = variable.value.dtype != MLCRT_I64 && variable.value.dtype != MLCRT_I32;
  return variable.slot_of < 0 && !(variable.flags & MLCRT_VARIABLE_EVAL) && isNumber;
}

/// Whether the variable begins with the rows that its embedding's setting names.
bool InitialValues::isLoaded(const std::string &name) const {
  return std::any_of(embeddings_.begin(), embeddings_.end(), [&](const EmbeddingTable &table) {
    return table.variable == name && settings_.getString(table.prefix + ".ckpt_to_load_from").has_value();
  });
}

/// Without vars_to_warm_start: trainable variables, and what `source` has of the others.
void InitialValues::chooseAll(const Source &source) {
  for (int32_t i = 0; i < state_.size(); ++i) {
    const mlcrt_variable &variable = state_.variable(i);
    const bool isTrained = variable.flags & MLCRT_VARIABLE_TRAINABLE;
    if (isTrained || (isOfModel(variable) && source.find(variable.value.name) && !isLoaded(variable.value.name)))
      chosen_.push_back(i);
  }
}

/// Variables of the model whose names match, from their beginning, an expression of vars_to_warm_start.
absl::Status InitialValues::chooseVariables(const Source &source) {
  const std::vector<std::string> patterns = settings_.getStrings(kPath + ".vars_to_warm_start");
  if (patterns.empty()) {
    chooseAll(source);
    return absl::OkStatus();
  }
  std::vector<int32_t> variables;
  std::vector<std::string> names;
  for (int32_t i = 0; i < state_.size(); ++i)
    if (isOfModel(state_.variable(i))) {
      variables.push_back(i);
      names.push_back(nameOf(state_, i));
    }
  std::vector<bool> matched(state_.size(), false);
  for (const std::string &pattern : patterns) {
    mlc::common::ChosenNames found = mlc::common::chooseNames(pattern, names);
    if (!found.problem.empty())
      return slip("vars_to_warm_start", "'" + pattern + "' is no regular expression: " + found.problem);
    for (size_t i : found.indices)
      matched[variables[i]] = true;
    if (found.indices.empty())
      return slip("vars_to_warm_start", "'" + pattern + "' matches no variable of the model", someOf(names),
                  mlc::common::didYouMean(pattern, names));
  }
  for (int32_t i : variables)
    if (matched[i])
      chosen_.push_back(i);
  return absl::OkStatus();
}

absl::Status InitialValues::readRemaps() {
  for (int i = 0;; ++i) {
    std::string path = "vocab_remap." + std::to_string(i), prefix = kPath + "." + path;
    if (!settings_.find(prefix + ".variable"))
      return absl::OkStatus();
    if (!settings_.getString(prefix + ".variable"))
      continue;
    Remap remap{path, settings_.getString(prefix + ".variable").value_or(""),
                settings_.getString(prefix + ".old_vocabulary_file").value_or(""),
                settings_.getInt(prefix + ".axis").value_or(0),
                settings_.getInt(prefix + ".old_vocabulary_size").value_or(-1)};
    std::vector<std::string> names;
    bool chosen = false, used = false;
    for (const VocabularyRecord &use : vocabularies_) {
      if (use.axis == remap.axis)
        names.push_back(use.variable);
      used |= use.variable == remap.variable && use.axis == remap.axis;
    }
    for (int32_t index : chosen_)
      chosen |= nameOf(state_, index) == remap.variable;
    if (!used)
      return slip(path + ".variable",
                  "'" + remap.variable + "' is no variable whose " + (remap.axis ? "columns" : "rows") +
                      " stand for a vocabulary",
                  names.empty() ? "this model has none" : someOf(names),
                  mlc::common::didYouMean(remap.variable, names));
    if (!chosen)
      return slip(path + ".variable", "'" + remap.variable + "' is not warm started",
                  "a variable that vars_to_warm_start matches");
    remaps_.push_back(std::move(remap));
  }
}

/// All that the source lacks, at once.
absl::Status InitialValues::checkNames(const Source &source) const {
  std::vector<std::string> missing;
  for (int32_t index : chosen_)
    if (!source.find(nameOf(state_, index)))
      missing.push_back("'" + nameOf(state_, index) + "'");
  if (missing.empty())
    return absl::OkStatus();
  Message message = makeError("E0219", "the checkpoint to start from lacks " + someOf(missing));
  message.place.file = source.place();
  message.field = kPath + ".vars_to_warm_start";
  message.expected = "regular expressions that leave out what is new";
  message.help = mlc::common::didYouMean(missing[0].substr(1, missing[0].size() - 2), source.names());
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::StatusOr<std::optional<Vocabulary>>
InitialValues::oldVocabulary(const Source &source, const std::string &variable, int64_t axis) const {
  for (const Remap &remap : remaps_) {
    if (remap.variable != variable || remap.axis != axis)
      continue;
    absl::StatusOr<Vocabulary> file = readVocabularyFile(remap.file, remap.size);
    if (!file.ok())
      return file.status();
    // What the tensor has more are OOV buckets.
    int64_t rows = source.find(variable)->shape[axis];
    if (rows < file->size())
      return slip(remap.path + ".old_vocabulary_file",
                  "'" + remap.file + "' has " + std::to_string(file->size()) + " terms; '" + variable + "' in " +
                      source.place() + " has " + std::to_string(rows) + (axis ? " columns" : " rows"),
                  "", kPath + "." + remap.path + ".old_vocabulary_size");
    file->numOov = rows - file->size();
    return std::optional(*std::move(file));
  }
  return source.vocabulary(variable, axis);
}

/// For each index of an axis the one it had before, or -1; none if both are the same, or a side tells no vocabulary.
absl::StatusOr<std::optional<std::vector<int64_t>>> InitialValues::mapAxis(const Source &source, const Copy &copy,
                                                                           const SourceTensor &before, int64_t axis) {
  const mlcrt_value &value = state_.variable(copy.index).value;
  auto use = std::find_if(vocabularies_.begin(), vocabularies_.end(), [&](const VocabularyRecord &each) {
    return each.variable == value.name && each.axis == axis;
  });
  if (use == vocabularies_.end())
    return std::nullopt;
  absl::StatusOr<std::optional<Vocabulary>> old = oldVocabulary(source, copy.from, axis);
  if (!old.ok())
    return old.status();
  absl::StatusOr<Vocabulary> now = vocabularyOf(artifact_.table(), use->table);
  if (!now.ok())
    return now.status();
  // Sizes that are not those of the tensors are of no use: the shapes decide.
  if (!*old || (*old)->size() != before.shape[axis] || now->size() != value.dims[axis])
    return std::nullopt;
  if ((*old)->terms == now->terms && (*old)->numOov == now->numOov)
    return std::nullopt;
  std::vector<int64_t> map = matchTerms(**old, *now);
  int64_t fresh = std::count(map.begin(), map.end(), -1), all = static_cast<int64_t>(map.size());
  reporter_.line("  " + std::string(value.name) + ": " + std::to_string(all - fresh) + " of " + std::to_string(all) +
                 (axis ? " columns" : " rows") + " by term, " + std::to_string(fresh) + " new");
  return std::optional(std::move(map));
}

static std::vector<int64_t> shapeOf(const mlcrt_value &value) { return {value.dims, value.dims + value.rank}; }

/// The tensor that `copy` names has to be there.
absl::Status InitialValues::run(const Source &source, const Copy &copy) {
  const mlcrt_value &value = state_.variable(copy.index).value;
  const SourceTensor before = *source.find(copy.from);
  auto mismatch = [&] {
    Message message = makeError("E0219", "variable '" + copy.from + "' is " + typeText(before.dtype, before.shape) +
                                             " there, " + typeText(value.dtype, shapeOf(value)) + " in this model");
    message.place.file = source.place();
    message.field = copy.field;
    message.expected = "equal shapes, but for rows and columns of vocabularies that both sides tell";
    message.help = copy.help;
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  };
  if (before.dtype != value.dtype || before.shape.size() != static_cast<size_t>(value.rank))
    return mismatch();
  std::vector<std::vector<int64_t>> maps(2, {0});
  int64_t inner = dtypeSize(value.dtype), oldColumns = value.rank > 1 ? before.shape[1] : 1;
  for (int32_t axis = 0; axis < value.rank; ++axis) {
    std::optional<std::vector<int64_t>> map;
    if (axis < 2) {
      auto found = mapAxis(source, copy, before, axis);
      if (!found.ok())
        return found.status();
      map = *std::move(found);
    }
    if (!map && before.shape[axis] != value.dims[axis])
      return mismatch();
    if (axis >= 2) {
      inner *= value.dims[axis];
      continue;
    }
    if (!map) {
      map.emplace(static_cast<size_t>(value.dims[axis]));
      std::iota(map->begin(), map->end(), 0);
    }
    maps[axis] = *std::move(map);
  }
  Tensor from, to;
  if (absl::Status status = source.read(copy.from, from); !status.ok())
    return status;
  state_.read(copy.index, to); // what the initializer gave
  const char *old = from.as<const char>();
  char *next = to.as<char>();
  for (int64_t row : maps[0])
    for (int64_t column : maps[1]) {
      if (row >= 0 && column >= 0)
        std::memcpy(next, old + (row * oldColumns + column) * inner, static_cast<size_t>(inner));
      next += inner;
    }
  return state_.write(copy.index, to.buffer());
}

absl::StatusOr<std::string> InitialValues::warmStart(const std::string &path) {
  absl::StatusOr<Source> source = Source::open(path);
  if (!source.ok())
    return source.status();
  if (absl::Status status = chooseVariables(*source); !status.ok())
    return status;
  if (absl::Status status = readRemaps(); !status.ok())
    return status;
  if (absl::Status status = checkNames(*source); !status.ok())
    return status;
  reporter_.line("warm start from " + source->place() + ": " + std::to_string(chosen_.size()) + " variables");
  std::string help =
      "leave it out in " + kPath + ".vars_to_warm_start, or give its old vocabulary in " + kPath + ".vocab_remap";
  for (int32_t index : chosen_)
    if (absl::Status status = run(*source, {index, nameOf(state_, index), "", help}); !status.ok())
      return status;
  return source->place();
}

absl::Status InitialValues::loadEmbedding(const EmbeddingTable &table, const std::string &path) {
  int32_t index = artifact_.variableIndex(table.variable);
  std::string name = settings_.getString(table.prefix + ".tensor_name_in_ckpt").value_or(table.variable);
  std::string field = table.prefix + ".ckpt_to_load_from";
  absl::StatusOr<Source> source = Source::open(path);
  if (!source.ok()) {
    Message message = messageOf(source.status());
    message.field = field;
    return messageStatus(source.status().code(), message);
  }
  if (!source->find(name)) {
    std::vector<std::string> names = source->names();
    Message message =
        makeError("E0219", "the checkpoint has no tensor '" + name + "'", mlc::common::didYouMean(name, names));
    message.place.file = source->place();
    message.field = table.prefix + ".tensor_name_in_ckpt";
    message.expected = names.empty() ? "it has none" : someOf(names);
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  }
  reporter_.line("embedding " + table.variable + " from " + source->place() + ": " + name);
  return run(*source,
             {index, name, field, "the tensor that tensor_name_in_ckpt names has to be the embedding's table"});
}

absl::Status loadEmbeddings(const Configuration &configuration, const Artifact &artifact, State &state,
                            Reporter &reporter) {
  const mlc::common::SettingsTable &settings = configuration.settings();
  for (const EmbeddingTable &table : configuration.embeddings()) {
    std::string path = settings.getString(table.prefix + ".ckpt_to_load_from").value_or("");
    std::string field = table.prefix + ".tensor_name_in_ckpt";
    if (!path.empty()) {
      if (absl::Status status = InitialValues(configuration, artifact, state, reporter).loadEmbedding(table, path);
          !status.ok())
        return status;
    } else if (settings.getString(field)) {
      Message message = makeError("E0219", "a tensor is named, but no checkpoint that has it");
      message.field = field;
      message.expected = table.prefix + ".ckpt_to_load_from";
      return messageStatus(absl::StatusCode::kInvalidArgument, message);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> warmStart(const Configuration &configuration, const Artifact &artifact, State &state,
                                      Reporter &reporter) {
  std::optional<std::string> path = configuration.settings().getString(kPath + ".ckpt_to_initialize_from");
  if (!path || path->empty())
    return std::string();
  return InitialValues(configuration, artifact, state, reporter).warmStart(*path);
}

} // namespace mlcrt
