// Values of checkpoints by name, rows by term.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/WarmStart.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/NameExpression.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/Vocabulary.h"
#include "runtime/src/checkpoint/WeightSource.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace mlcrt {

using mlc::common::makeError;
using mlc::common::Message;
using mlc::common::someOf;
using Source = WeightSource;

static const std::string kPath = "train.warm_start";

/// `field` of train.warm_start.
static absl::Status slip(const std::string &field, std::string what, std::string expected = {}, std::string help = {}) {
  Message message = makeError("E0219", std::move(what), std::move(help));
  message.field = kPath + "." + field;
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

namespace {

/// train.warm_start.vocab_remap.N: the old vocabulary of a variable's axis stands in a file.
struct Remap {
  std::string path, variable, file;
  int64_t axis = 0, size = -1;
};

/// What to copy, and what to tell where it does not fit.
struct Copy {
  int32_t index = 0; ///< of the tensor in the state
  std::string from;  ///< its name in the source
  std::string field; ///< that named the source; may be empty
  std::string help;
};

/// Dimension 0 or 1 of a variable.
struct Axis {
  int64_t before = 1, now = 1; ///< sizes
  /// For each index the one it had before, or -1; none: the same.
  std::optional<std::vector<int64_t>> map;

  int64_t oldOf(int64_t index) const { return map ? (*map)[static_cast<size_t>(index)] : index; }
};

/// The elements of a variable that have old values, in groups of `bytes` after the first two dimensions.
struct Elements {
  Axis rows, columns;
  int64_t bytes = 0;
};

/// Copies elements of one tensor, some at a time: those that lie one after the other in the target go in one piece.
class Copier {
public:
  Copier(const Source &source, const std::string &from, const StateTensor &tensor, ValueTarget &to)
      : source_(source), from_(from), tensor_(tensor), to_(to) {}

  absl::Status run(const Elements &elements) {
    if (absl::Status status = source_.prove(from_); !status.ok())
      return status;
    const Axis &columns = elements.columns;
    const int64_t rowBytes = columns.now * elements.bytes;
    for (int64_t row = 0; row < elements.rows.now; ++row) {
      const int64_t old = elements.rows.oldOf(row);
      if (old < 0)
        continue;
      absl::Status status;
      if (!columns.map)
        status = copy(row * rowBytes, old * rowBytes, rowBytes);
      for (int64_t column = 0; columns.map && status.ok() && column < columns.now; ++column)
        if (const int64_t before = columns.oldOf(column); before >= 0)
          status = copy(row * rowBytes + column * elements.bytes, (old * columns.before + before) * elements.bytes,
                        elements.bytes);
      if (!status.ok())
        return status;
    }
    return flush();
  }

private:
  static constexpr int64_t kPiece = int64_t{1} << 20;

  absl::Status copy(int64_t to, int64_t from, int64_t bytes) {
    // What is contiguous on both sides is read at once, when it is known to end.
    if (to == begin_ + size_ && from == read_ + (size_ - done_) && size_ + bytes <= kPiece) {
      size_ += bytes;
      return absl::OkStatus();
    }
    absl::Status status = readRun();
    if (status.ok() && (to != begin_ + size_ || size_ + bytes > kPiece)) {
      status = flush();
      begin_ = to;
    }
    read_ = from;
    size_ += bytes;
    return status;
  }
  /// Reads what is contiguous in the source.
  absl::Status readRun() {
    buffer_.resize(static_cast<size_t>(size_));
    absl::Status status =
        size_ > done_ ? source_.read(from_, read_, size_ - done_, buffer_.data() + done_) : absl::OkStatus();
    done_ = size_;
    return status;
  }
  absl::Status flush() {
    absl::Status status = readRun();
    if (status.ok() && size_ > 0)
      status = to_.write(tensor_.variable, tensor_.offset() + begin_, buffer_.data(), size_);
    size_ = done_ = 0;
    return status;
  }

  const Source &source_;
  const std::string from_;
  const StateTensor tensor_;
  ValueTarget &to_;
  std::vector<char> buffer_;
  /// Bytes [begin_, begin_ + size_) of the target; done_ of them are in the buffer, the rest lies in the source from
  /// read_ on.
  int64_t begin_ = 0, size_ = 0, done_ = 0, read_ = 0;
};

/// Finds what to copy from sources.
class InitialValuesFinder {
public:
  InitialValuesFinder(const Configuration &configuration, const Artifact &artifact, Reporter &reporter,
                      InitialValues &found)
      : settings_(configuration.settings()), vocabularies_(configuration.vocabularies()), artifact_(artifact),
        reporter_(reporter), found_(found), embeddings_(configuration.embeddings()) {}

  absl::Status warmStart(const std::string &path);
  absl::Status loadEmbedding(const EmbeddingTable &table, const std::string &path);
  absl::Status grow(const std::string &path);

private:
  bool isLoaded(const std::string &name) const;
  void chooseAll(const Source &source);
  absl::Status chooseVariables(const Source &source);
  absl::Status readPreviousNames();
  absl::Status checkPreviousNames() const;
  absl::Status readRemaps();
  absl::Status checkNames(const Source &source) const;
  absl::StatusOr<std::optional<Vocabulary>> oldVocabulary(const Source &source, const Copy &copy, int64_t axis) const;
  absl::StatusOr<std::optional<std::vector<int64_t>>> mapAxis(const Source &source, const Copy &copy,
                                                              const SourceTensor &before, int64_t axis);
  absl::Status add(std::shared_ptr<const Source> source, const Copy &copy);
  const StateTensor &tensor(int32_t index) const { return artifact_.tensors()[index]; }
  std::string nameOf(int32_t index) const { return tensor(index).value.name; }
  /// The tensor whose vocabularies are those of a tensor: of a slot that it is of.
  int32_t ownerOf(int32_t index) const { return tensor(index).slotOf >= 0 ? tensor(index).slotOf : index; }
  /// Its name in the source.
  std::string previousNameOf(int32_t index) const {
    auto found = previousNames_.find(nameOf(index));
    return found == previousNames_.end() ? nameOf(index) : found->second.name;
  }
  bool isChosen(const std::string &name) const {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](int32_t index) { return nameOf(index) == name; });
  }

  const mlc::common::SettingsTable &settings_;
  const std::vector<VocabularyRecord> &vocabularies_;
  const Artifact &artifact_;
  Reporter &reporter_;
  InitialValues &found_;
  const std::vector<EmbeddingTable> &embeddings_;
  /// train.warm_start.var_name_to_prev_var_name.N.
  struct PreviousName {
    std::string path, name;
  };

  std::vector<int32_t> chosen_; ///< tensors
  std::map<std::string, PreviousName> previousNames_;
  std::vector<Remap> remaps_;
};

} // namespace

/// Whether a tensor is no counter, nor belongs to an evaluation.
static bool isWeight(const StateTensor &tensor) {
  return !tensor.isEval() && tensor.value.dtype != MLCRT_I64 && tensor.value.dtype != MLCRT_I32;
}

/// Whether a tensor says what the model has learned: weights, trained or not, and moving averages; no slots.
static bool isOfModel(const StateTensor &tensor) { return tensor.slotOf < 0 && isWeight(tensor); }

/// Whether the variable begins with the rows that its embedding's setting names.
bool InitialValuesFinder::isLoaded(const std::string &name) const {
  return std::any_of(embeddings_.begin(), embeddings_.end(), [&](const EmbeddingTable &table) {
    return table.variable == name && settings_.getString(table.prefix + ".ckpt_to_load_from").has_value();
  });
}

/// Without vars_to_warm_start: trainable variables, and what `source` has of the others.
void InitialValuesFinder::chooseAll(const Source &source) {
  for (int32_t i = 0; i < artifact_.tensors().size(); ++i) {
    const StateTensor &each = tensor(i);
    const bool isTrained = each.flags & MLCRT_VARIABLE_TRAINABLE;
    if (isTrained || (isOfModel(each) && source.find(previousNameOf(i)) && !isLoaded(each.value.name)))
      chosen_.push_back(i);
  }
}

/// Variables of the model whose names match, from their beginning, an expression of vars_to_warm_start; slots of an
/// optimizer by an expression that matches no variable.
absl::Status InitialValuesFinder::chooseVariables(const Source &source) {
  const std::vector<std::string> patterns = settings_.getStrings(kPath + ".vars_to_warm_start");
  if (patterns.empty()) {
    chooseAll(source);
    return absl::OkStatus();
  }
  struct {
    std::vector<int32_t> tensors;
    std::vector<std::string> names;
  } ofModel, slots;
  for (int32_t i = 0; i < artifact_.tensors().size(); ++i) {
    if (!isWeight(tensor(i)))
      continue;
    auto &kind = isOfModel(tensor(i)) ? ofModel : slots;
    kind.tensors.push_back(i);
    kind.names.push_back(nameOf(i));
  }
  std::vector<bool> matched(artifact_.tensors().size(), false);
  for (const std::string &pattern : patterns) {
    for (const auto *kind : {&ofModel, &slots}) {
      mlc::common::ChosenNames found = mlc::common::chooseNames(pattern, kind->names);
      if (!found.problem.empty())
        return slip("vars_to_warm_start", "'" + pattern + "' is no regular expression: " + found.problem);
      for (size_t i : found.indices)
        matched[kind->tensors[i]] = true;
      if (!found.indices.empty())
        break;
      if (kind == &slots)
        return slip("vars_to_warm_start", "'" + pattern + "' matches no variable of the model", someOf(ofModel.names),
                    mlc::common::didYouMean(pattern, ofModel.names));
    }
  }
  for (int32_t i = 0; i < artifact_.tensors().size(); ++i)
    if (matched[i])
      chosen_.push_back(i);
  return absl::OkStatus();
}

absl::Status InitialValuesFinder::readPreviousNames() {
  for (int i = 0;; ++i) {
    std::string path = "var_name_to_prev_var_name." + std::to_string(i), prefix = kPath + "." + path;
    if (!settings_.find(prefix + ".variable"))
      return absl::OkStatus();
    std::optional<std::string> variable = settings_.getString(prefix + ".variable");
    if (!variable)
      continue;
    std::string name = settings_.getString(prefix + ".previous").value_or("");
    if (name.empty())
      return slip(path + ".previous", "'" + *variable + "' has no name", "its name in the checkpoint");
    if (!previousNames_.try_emplace(*variable, PreviousName{path, std::move(name)}).second)
      return slip(path + ".variable", "'" + *variable + "' has two names in the checkpoint", "each variable once");
  }
}

/// A name that is of no use is a slip of the pen.
absl::Status InitialValuesFinder::checkPreviousNames() const {
  for (const auto &[variable, previous] : previousNames_) {
    if (isChosen(variable))
      continue;
    std::vector<std::string> names;
    for (int32_t index : chosen_)
      names.push_back(nameOf(index));
    return slip(previous.path + ".variable", "'" + variable + "' is not warm started",
                names.empty() ? "nothing is" : someOf(names), mlc::common::didYouMean(variable, names));
  }
  return absl::OkStatus();
}

absl::Status InitialValuesFinder::readRemaps() {
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
    bool used = false;
    for (const VocabularyRecord &use : vocabularies_) {
      if (use.axis == remap.axis)
        names.push_back(use.variable);
      used |= use.variable == remap.variable && use.axis == remap.axis;
    }
    if (!used)
      return slip(path + ".variable",
                  "'" + remap.variable + "' is no variable whose " + (remap.axis ? "columns" : "rows") +
                      " stand for a vocabulary",
                  names.empty() ? "this model has none" : someOf(names),
                  mlc::common::didYouMean(remap.variable, names));
    if (!isChosen(remap.variable))
      return slip(path + ".variable", "'" + remap.variable + "' is not warm started",
                  "a variable that vars_to_warm_start matches");
    remaps_.push_back(std::move(remap));
  }
}

/// All that the source lacks, at once.
absl::Status InitialValuesFinder::checkNames(const Source &source) const {
  std::vector<std::string> missing;
  for (int32_t index : chosen_)
    if (!source.find(previousNameOf(index)))
      missing.push_back("'" + previousNameOf(index) + "'");
  if (missing.empty())
    return absl::OkStatus();
  Message message = makeError("E0219", "the checkpoint to start from lacks " + someOf(missing));
  message.place.file = source.place();
  message.field = kPath + ".vars_to_warm_start";
  message.expected = "regular expressions that leave out what is new";
  message.help = mlc::common::didYouMean(missing[0].substr(1, missing[0].size() - 2), source.names());
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::StatusOr<std::optional<Vocabulary>> InitialValuesFinder::oldVocabulary(const Source &source, const Copy &copy,
                                                                             int64_t axis) const {
  for (const Remap &remap : remaps_) {
    if (remap.variable != nameOf(copy.index) || remap.axis != axis)
      continue;
    absl::StatusOr<Vocabulary> file = readVocabularyFile(remap.file, remap.size);
    if (!file.ok())
      return file.status();
    // What the tensor has more are OOV buckets.
    int64_t rows = source.find(copy.from)->shape[axis];
    if (rows < file->size())
      return slip(remap.path + ".old_vocabulary_file",
                  "'" + remap.file + "' has " + std::to_string(file->size()) + " terms; '" + copy.from + "' in " +
                      source.place() + " has " + std::to_string(rows) + (axis ? " columns" : " rows"),
                  "", kPath + "." + remap.path + ".old_vocabulary_size");
    file->numOov = rows - file->size();
    return std::optional(*std::move(file));
  }
  return source.vocabulary(copy.from, axis);
}

/// For each index of an axis the one it had before, or -1; none if both are the same, or a side tells no vocabulary.
absl::StatusOr<std::optional<std::vector<int64_t>>>
InitialValuesFinder::mapAxis(const Source &source, const Copy &copy, const SourceTensor &before, int64_t axis) {
  const TensorSpec &value = tensor(copy.index).value;
  const std::string owner = nameOf(ownerOf(copy.index));
  auto use = std::find_if(vocabularies_.begin(), vocabularies_.end(),
                          [&](const VocabularyRecord &each) { return each.variable == owner && each.axis == axis; });
  if (use == vocabularies_.end())
    return std::nullopt;
  absl::StatusOr<std::optional<Vocabulary>> old =
      owner == value.name ? oldVocabulary(source, copy, axis) : source.vocabulary(owner, axis);
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

/// The tensor that `copy` names has to be there.
absl::Status InitialValuesFinder::add(std::shared_ptr<const Source> source, const Copy &copy) {
  const TensorSpec &value = tensor(copy.index).value;
  const SourceTensor before = *source->find(copy.from);
  auto mismatch = [&] {
    Message message =
        makeError("E0219", "variable '" + copy.from + "' is " + typeText(before.dtype, before.shape) + " there, " +
                               typeText(value.dtype, tensor(copy.index).shape()) + " in this model");
    message.place.file = source->place();
    message.field = copy.field;
    message.expected = "equal shapes, but for rows and columns of vocabularies that both sides tell";
    message.help = copy.help;
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  };
  if (before.dtype != value.dtype || before.shape.size() != value.dims.size())
    return mismatch();
  Elements elements;
  elements.bytes = dtypeSize(value.dtype);
  for (int32_t axis = 0; axis < value.rank(); ++axis) {
    Axis &own = axis == 0 ? elements.rows : elements.columns;
    if (axis < 2) {
      auto map = mapAxis(*source, copy, before, axis);
      if (!map.ok())
        return map.status();
      own = {before.shape[axis], value.dims[axis], *std::move(map)};
    }
    if ((axis >= 2 || !own.map) && before.shape[axis] != value.dims[axis])
      return mismatch();
    if (axis >= 2)
      elements.bytes *= value.dims[axis];
  }
  found_.copies.push_back([source = std::move(source), from = before.name, own = tensor(copy.index),
                           elements = std::move(elements)](ValueTarget &to) {
    Copier copier(*source, from, own, to);
    return copier.run(elements);
  });
  return absl::OkStatus();
}

/// Opens a source for copies that come later.
static absl::StatusOr<std::shared_ptr<const Source>> openSource(const std::string &path) {
  absl::StatusOr<Source> source = Source::open(path);
  if (!source.ok())
    return source.status();
  return std::make_shared<const Source>(*std::move(source));
}

absl::Status InitialValuesFinder::warmStart(const std::string &path) {
  absl::StatusOr<std::shared_ptr<const Source>> opened = openSource(path);
  if (!opened.ok())
    return opened.status();
  const std::shared_ptr<const Source> source = *std::move(opened);
  if (absl::Status status = readPreviousNames(); !status.ok())
    return status;
  if (absl::Status status = chooseVariables(*source); !status.ok())
    return status;
  if (absl::Status status = checkPreviousNames(); !status.ok())
    return status;
  if (absl::Status status = readRemaps(); !status.ok())
    return status;
  if (absl::Status status = checkNames(*source); !status.ok())
    return status;
  reporter_.line("warm start from " + source->place() + ": " + std::to_string(chosen_.size()) + " variables");
  std::string help =
      "leave it out in " + kPath + ".vars_to_warm_start, or give its old vocabulary in " + kPath + ".vocab_remap";
  for (int32_t index : chosen_)
    if (absl::Status status = add(source, {index, previousNameOf(index), "", help}); !status.ok())
      return status;
  found_.warmStart = source->place();
  return absl::OkStatus();
}

absl::Status InitialValuesFinder::loadEmbedding(const EmbeddingTable &table, const std::string &path) {
  const int32_t index = artifact_.tensors().find(table.variable);
  std::string name = settings_.getString(table.prefix + ".tensor_name_in_ckpt").value_or(table.variable);
  std::string field = table.prefix + ".ckpt_to_load_from";
  absl::StatusOr<std::shared_ptr<const Source>> opened = openSource(path);
  if (!opened.ok()) {
    Message message = messageOf(opened.status());
    message.field = field;
    return messageStatus(opened.status().code(), message);
  }
  const std::shared_ptr<const Source> source = *std::move(opened);
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
  return add(source, {index, name, field, "the tensor that tensor_name_in_ckpt names has to be the embedding's table"});
}

/// That the terms of a vocabulary are those of the old one and more.
static absl::Status checkGrown(const Vocabulary &old, const Vocabulary &now, const std::string &variable,
                               const std::string &place) {
  const std::vector<int64_t> map = matchTerms(now, old);
  std::vector<std::string> gone;
  for (size_t i = 0; i < old.terms.size(); ++i)
    if (map[i] < 0)
      gone.push_back("'" + old.terms[i] + "'");
  if (gone.empty() && old.numOov == now.numOov)
    return absl::OkStatus();
  Message message = makeError("E0402", gone.empty() ? "'" + variable + "' has " + std::to_string(old.numOov) +
                                                          " out-of-vocabulary buckets there, " +
                                                          std::to_string(now.numOov) + " in this model"
                                                    : "the vocabulary of '" + variable + "' lost " + someOf(gone));
  message.place.file = place;
  message.expected = "vocabularies with all of their old terms";
  message.help = "--fresh, another --model_dir, or train.warm_start";
  return messageStatus(absl::StatusCode::kFailedPrecondition, message);
}

absl::Status InitialValuesFinder::grow(const std::string &path) {
  absl::StatusOr<std::shared_ptr<const Source>> opened = openSource(path);
  if (!opened.ok())
    return opened.status();
  const std::shared_ptr<const Source> source = *std::move(opened);
  for (const VocabularyRecord &use : vocabularies_) {
    absl::StatusOr<std::optional<Vocabulary>> old = source->vocabulary(use.variable, use.axis);
    if (!old.ok())
      return old.status();
    absl::StatusOr<Vocabulary> now = vocabularyOf(artifact_.table(), use.table);
    if (!now.ok())
      return now.status();
    if (!*old)
      continue;
    if (absl::Status status = checkGrown(**old, *now, use.variable, source->place()); !status.ok())
      return status;
  }
  auto differs = [&](std::string what) {
    Message message = makeError("E0402", std::move(what), "--fresh, another --model_dir, or train.warm_start");
    message.place.file = source->place();
    message.expected = "a model that differs in vocabularies alone";
    return messageStatus(absl::StatusCode::kFailedPrecondition, message);
  };
  for (const std::string &name : source->names())
    if (artifact_.tensors().find(name) < 0)
      return differs("has the variable '" + name + "', which this model has not");
  for (int32_t i = 0; i < artifact_.tensors().size(); ++i) {
    if (tensor(i).isEval())
      continue;
    if (!source->find(nameOf(i)))
      return differs("lacks the variable '" + nameOf(i) + "'");
    if (absl::Status status = add(source, {i, nameOf(i), "", "only vocabularies may have changed"}); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// An indicator of a categorical column, or of its values with weights; "" without one.
static std::string indicatorOf(const std::string &column, const SettingTexts &settings) {
  static constexpr std::string_view kPrefix = "feature_column.";
  for (const auto &[path, value] : settings) { // "feature_column.w_indicator", "indicator(w) !est.dense<2>"
    if (path.compare(0, kPrefix.size(), kPrefix) != 0)
      continue;
    std::string name = path.substr(kPrefix.size());
    if (absl::StartsWith(value, "indicator(" + column + ")"))
      return name;
    if (absl::StartsWith(value, "weighted(" + column + ", "))
      if (std::string found = indicatorOf(name, settings); !found.empty())
        return found;
  }
  return "";
}

/// kFailedPrecondition (E0402): a vocabulary has other terms, and what is of which term is no row or column that `uses`
/// tell of.
static absl::Status checkMovable(const std::string &checkpoint, const CheckpointManifest &manifest,
                                 const SettingTexts &settings, const std::vector<VocabularyRecord> &uses) {
  const std::map<std::string, std::string> saved(manifest.settings.begin(), manifest.settings.end());
  for (const auto &[path, value] : settings) {
    const auto before = saved.find(path);
    const size_t last = path.rfind('.');
    const std::string field = path.substr(last + 1);
    if (before == saved.end() || before->second == value || (field != "terms" && field != "label_vocabulary"))
      continue;
    std::string table = field == "terms" ? path.substr(0, last) : field, indicator;
    if (absl::string_view column = table; absl::ConsumePrefix(&column, "feature_column.")) {
      indicator = indicatorOf(std::string(column), settings);
      table = "vocabulary/" + std::string(column);
    }
    const bool isTold =
        std::any_of(uses.begin(), uses.end(), [&](const VocabularyRecord &use) { return use.table == table; });
    if (isTold && indicator.empty())
      continue;
    Message message =
        makeError("E0402",
                  "'" + path + "' has other terms, " +
                      (indicator.empty() ? "and no variable has a row or column for each of them"
                                         : "whose weights in '" + indicator + "' are rows among those of others"),
                  "--fresh, another --model_dir, or train.warm_start");
    message.place.file = checkpoint;
    message.differs = path + " [" + before->second + "] -> [" + value + "]";
    message.expected = "the terms of before; those of embeddings, and of columns of a linear model, may be more";
    return messageStatus(absl::StatusCode::kFailedPrecondition, message);
  }
  return absl::OkStatus();
}

absl::StatusOr<InitialValues> findGrownValues(const std::string &checkpoint, const Configuration &configuration,
                                              const Artifact &artifact, Reporter &reporter) {
  InitialValues found;
  absl::StatusOr<CheckpointManifest> manifest = readManifest(checkpoint);
  if (!manifest.ok())
    return manifest.status();
  if (absl::Status status =
          checkMovable(checkpoint, *manifest, configuration.compiledTexts(), configuration.vocabularies());
      !status.ok())
    return status;
  reporter.line("vocabularies have new terms: " + checkpoint + " goes on with them, its rows by term");
  if (absl::Status status = InitialValuesFinder(configuration, artifact, reporter, found).grow(checkpoint);
      !status.ok())
    return status;
  return found;
}

absl::Status InitialValues::copyTo(ValueTarget &to) const {
  for (const auto &copy : copies)
    if (absl::Status status = copy(to); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status StateTarget::write(int32_t variable, int64_t offset, const void *data, int64_t bytes) {
  auto copy = [&](char *to) {
    std::memcpy(to + offset, data, static_cast<size_t>(bytes));
    return absl::OkStatus();
  };
  if (!state_.variable(variable).pack)
    return state_.fill(variable, [&](void *to, int64_t) { return copy(static_cast<char *>(to)); });
  Tensor value;
  if (absl::Status status = state_.read(variable, value); !status.ok())
    return status;
  copy(value.as<char>()).IgnoreError();
  return state_.write(variable, value.buffer());
}

absl::StatusOr<InitialValues> findInitialValues(const Configuration &configuration, const Artifact &artifact,
                                                Reporter &reporter) {
  InitialValues found;
  const mlc::common::SettingsTable &settings = configuration.settings();
  for (const EmbeddingTable &table : configuration.embeddings()) {
    std::string path = settings.getString(table.prefix + ".ckpt_to_load_from").value_or("");
    std::string field = table.prefix + ".tensor_name_in_ckpt";
    if (!path.empty()) {
      if (absl::Status status =
              InitialValuesFinder(configuration, artifact, reporter, found).loadEmbedding(table, path);
          !status.ok())
        return status;
    } else if (settings.getString(field)) {
      Message message = makeError("E0219", "a tensor is named, but no checkpoint that has it");
      message.field = field;
      message.expected = table.prefix + ".ckpt_to_load_from";
      return messageStatus(absl::StatusCode::kInvalidArgument, message);
    }
  }
  std::optional<std::string> path = settings.getString(kPath + ".ckpt_to_initialize_from");
  if (path && !path->empty())
    if (absl::Status status = InitialValuesFinder(configuration, artifact, reporter, found).warmStart(*path);
        !status.ok())
      return status;
  return found;
}

} // namespace mlcrt
