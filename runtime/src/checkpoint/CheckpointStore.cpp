// Saving, finding and restoring checkpoints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointStore.h"

#include "common/checkpoint/CheckpointPolicy.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/Vocabulary.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sys/stat.h>

namespace mlcrt {

namespace fs = std::filesystem;
using mlc::common::makeError;
using mlc::common::Message;

static constexpr const char *kVocabularyName = "vocabularies.safetensors";

std::string checkpointName(int64_t step, const std::string &name) {
  char text[32];
  std::snprintf(text, sizeof(text), "-%010lld", static_cast<long long>(step));
  return name + text;
}

int64_t checkpointStep(const std::string &directory, const std::string &name) {
  size_t digits = name.size() + 1;
  if (directory.size() < digits + 10 || directory.compare(0, name.size(), name) != 0)
    return -1;
  int64_t step = -1;
  const char *end = directory.data() + directory.size();
  auto [stop, error] = std::from_chars(directory.data() + digits, end, step);
  return error == std::errc() && stop == end && step >= 0 && checkpointName(step, name) == directory ? step : -1;
}

/// Whether the checkpoint was saved to its end. An error if that cannot be told: what cannot be read may be whole.
static absl::StatusOr<bool> isComplete(const std::string &directory) {
  struct stat info;
  if (::stat((directory + "/" + kManifestName).c_str(), &info) == 0)
    return S_ISREG(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR)
    return false;
  return fileError(absl::StatusCode::kDataLoss, "E0403", directory,
                   std::string("cannot be read: ") + std::strerror(errno));
}

absl::StatusOr<std::vector<CheckpointPath>> CheckpointStore::listAll() const {
  std::vector<CheckpointPath> found;
  std::error_code error;
  fs::directory_iterator it(modelDir_, error), end;
  if (error == std::errc::no_such_file_or_directory)
    return found;
  for (; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string(), path = modelDir_ + "/" + name;
    int64_t step = checkpointStep(name, name_);
    std::error_code unknown;
    if (step < 0 || it->is_regular_file(unknown))
      continue;
    absl::StatusOr<bool> whole = isComplete(path);
    found.push_back({step, name_, path, whole.ok() && *whole, whole.status()});
  }
  if (error)
    return fileError(absl::StatusCode::kDataLoss, "E0403", modelDir_, "cannot list the directory: " + error.message());
  std::sort(found.begin(), found.end(),
            [](const CheckpointPath &a, const CheckpointPath &b) { return a.step < b.step; });
  return found;
}

absl::StatusOr<std::vector<CheckpointPath>> CheckpointStore::list() const {
  absl::StatusOr<std::vector<CheckpointPath>> found = listAll();
  if (!found.ok())
    return found.status();
  std::vector<CheckpointPath> complete;
  for (const CheckpointPath &entry : *found) {
    if (!entry.status.ok())
      return entry.status;
    if (entry.complete)
      complete.push_back(entry);
  }
  return complete;
}

absl::StatusOr<std::optional<CheckpointPath>> CheckpointStore::newest() const {
  absl::StatusOr<std::vector<CheckpointPath>> found = listAll();
  if (!found.ok())
    return found.status();
  for (auto it = found->rbegin(); it != found->rend(); ++it) {
    if (!it->status.ok())
      return it->status;
    if (it->complete)
      return std::optional<CheckpointPath>(*it);
  }
  return std::optional<CheckpointPath>();
}

/// The complete checkpoints of a directory, as far as that can be told: for messages.
static std::vector<CheckpointPath> knownCheckpoints(const std::string &modelDir) {
  std::vector<CheckpointPath> found = CheckpointStore(modelDir).listAll().value_or(std::vector<CheckpointPath>());
  found.erase(std::remove_if(found.begin(), found.end(), [](const CheckpointPath &entry) { return !entry.complete; }),
              found.end());
  return found;
}

/// Says which steps there are beside the one that is not; if there are none, what was expected.
static absl::Status noCheckpoint(const std::string &asked, const std::string &modelDir, std::string expected,
                                 std::string help = {}) {
  std::vector<CheckpointPath> found = knownCheckpoints(modelDir);
  Message message = makeError("E0401", "no complete checkpoint", std::move(help));
  message.place.file = asked;
  message.expected = std::move(expected);
  if (!found.empty()) {
    // The newest are the likely ones.
    constexpr size_t kShown = 10;
    std::string steps = found.size() > kShown ? ".." : "";
    for (size_t i = found.size() > kShown ? found.size() - kShown : 0; i < found.size(); ++i)
      steps += (steps.empty() ? "" : ", ") + std::to_string(found[i].step);
    message.expected = (found.size() == 1 ? "step " : "one of the steps ") + steps;
    message.help = found.back().path;
  }
  return messageStatus(absl::StatusCode::kNotFound, message);
}

static int64_t stepOfDirectory(const std::string &path) { return checkpointStep(fs::path(path).filename().string()); }

/// The directory that `path` lies in, as text.
static std::string parentOf(const std::string &path) {
  std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// Without slashes at the end.
static std::string trimmed(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

absl::StatusOr<std::string> requireCheckpoint(const std::string &directory) {
  std::string path = trimmed(directory);
  absl::StatusOr<bool> whole = isComplete(path);
  if (!whole.ok())
    return whole.status();
  if (*whole)
    return path;
  return noCheckpoint(path, stepOfDirectory(path) < 0 ? path : parentOf(path),
                      "a directory ckpt-<step> with a " + std::string(kManifestName),
                      "--model_dir takes the newest one in it");
}

absl::StatusOr<std::string> findCheckpoint(const std::string &source, std::optional<int64_t> step) {
  static constexpr const char *kExpected = "a model_dir with a directory ckpt-<step>, or such a directory";
  std::string path = trimmed(source);
  absl::StatusOr<bool> whole = isComplete(path);
  if (!whole.ok())
    return whole.status();
  bool isCheckpoint = *whole || stepOfDirectory(path) >= 0;
  if (isCheckpoint && step)
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", "--step is for a model_dir; '" + path + "' is one checkpoint"));
  if (isCheckpoint)
    return *whole ? absl::StatusOr<std::string>(path) : noCheckpoint(path, parentOf(path), kExpected);
  if (step) {
    std::string directory = path + "/" + checkpointName(*step);
    if (whole = isComplete(directory); !whole.ok())
      return whole.status();
    return *whole ? absl::StatusOr<std::string>(directory) : noCheckpoint(directory, path, kExpected);
  }
  absl::StatusOr<std::optional<CheckpointPath>> newest = CheckpointStore(path).newest();
  if (!newest.ok())
    return newest.status();
  return newest->has_value() ? absl::StatusOr<std::string>((*newest)->path) : noCheckpoint(path, path, kExpected);
}

absl::Status adviseOnDamage(const absl::Status &status, const std::string &directory) {
  if (!absl::IsDataLoss(status))
    return status;
  Message message = messageOf(status);
  std::string before;
  for (const CheckpointPath &entry : knownCheckpoints(parentOf(directory)))
    if (entry.step < stepOfDirectory(directory))
      before = entry.path;
  message.help = "restore " + directory + " from a copy, or remove it to go on from " +
                 (before.empty() ? "initial values" : before);
  return messageStatus(status.code(), message);
}

/// Whether a save makes files of this name.
static bool isOurFile(std::string name) {
  constexpr std::string_view kTemporary = ".tmp";
  if (name.size() > kTemporary.size() &&
      name.compare(name.size() - kTemporary.size(), kTemporary.size(), kTemporary) == 0)
    name.resize(name.size() - kTemporary.size());
  return isShardName(name) || name == kVocabularyName || name == kManifestName;
}

/// Whether a save wrote to the directory, or may have: one that cannot be listed.
static bool mayHoldSave(const fs::path &directory) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (isOurFile(it->path().filename().string()))
      return true;
  return static_cast<bool>(error);
}

absl::StatusOr<std::vector<CheckpointPath>> listEveryCheckpoint(const std::string &modelDir) {
  std::vector<std::string> policies;
  std::error_code error;
  fs::directory_iterator it(modelDir, error), end;
  if (error == std::errc::no_such_file_or_directory)
    return std::vector<CheckpointPath>();
  for (; !error && it != end; it.increment(error)) {
    std::string directory = it->path().filename().string(), name = directory.substr(0, directory.rfind('-'));
    std::error_code unknown;
    if (mlc::common::isPolicyName(name) && checkpointStep(directory, name) >= 0 && !it->is_regular_file(unknown) &&
        std::find(policies.begin(), policies.end(), name) == policies.end() && mayHoldSave(it->path()))
      policies.push_back(name);
  }
  if (error)
    return fileError(absl::StatusCode::kDataLoss, "E0403", modelDir, "cannot list the directory: " + error.message());
  std::sort(policies.begin(), policies.end());
  policies.insert(policies.begin(), kWholeState);
  std::vector<CheckpointPath> all;
  for (const std::string &name : policies) {
    absl::StatusOr<std::vector<CheckpointPath>> found = CheckpointStore(modelDir, name).listAll();
    if (!found.ok())
      return found.status();
    all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

/// Removes a checkpoint: first the manifest, durably, so that what is left of it never looks complete.
static absl::Status removeCheckpoint(const std::string &directory) {
  std::error_code error;
  auto failed = [&] { return writeError(directory, "cannot remove the checkpoint", error.value()); };
  bool removed = fs::remove(directory + "/" + kManifestName, error);
  if (error)
    return failed();
  if (removed)
    if (absl::Status status = syncDirectory(directory); !status.ok())
      return status;
  // Then what else is ours; a file that someone put beside it stays, and its directory with it.
  std::vector<fs::path> ours;
  bool foreign = false;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (isOurFile(it->path().filename().string()))
      ours.push_back(it->path());
    else
      foreign = true;
  }
  for (size_t i = 0; !error && i < ours.size(); ++i)
    fs::remove(ours[i], error);
  if (!error && !foreign)
    fs::remove(directory, error);
  return error ? failed() : absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> CheckpointStore::removeIncomplete() {
  absl::StatusOr<std::vector<CheckpointPath>> found = listAll();
  if (!found.ok())
    return found.status();
  std::vector<std::string> removed;
  for (const CheckpointPath &entry : *found) {
    if (!entry.status.ok())
      return entry.status;
    if (entry.complete)
      continue;
    if (absl::Status status = removeCheckpoint(entry.path); !status.ok())
      return status;
    std::error_code error;
    if (!fs::exists(entry.path, error))
      removed.push_back(entry.path);
  }
  return removed;
}

absl::StatusOr<std::vector<std::string>> CheckpointStore::removeAfter(int64_t step) {
  absl::StatusOr<std::vector<CheckpointPath>> found = list();
  if (!found.ok())
    return found.status();
  std::vector<std::string> removed;
  for (const CheckpointPath &entry : *found) {
    if (entry.step <= step)
      continue;
    if (absl::Status status = removeCheckpoint(entry.path); !status.ok())
      return status;
    removed.push_back(entry.path);
  }
  return removed;
}

bool CheckpointStore::holds(int32_t tensor) const {
  return isWhole() || std::binary_search(tensors_.begin(), tensors_.end(), tensor);
}

absl::Status CheckpointStore::retire(int64_t keepMax, const std::vector<int64_t> &keepSteps) {
  absl::StatusOr<std::vector<CheckpointPath>> found = list();
  if (!found.ok())
    return found.status();
  for (size_t i = 0; keepMax > 0 && i + keepMax < found->size(); ++i) {
    if (std::find(keepSteps.begin(), keepSteps.end(), (*found)[i].step) != keepSteps.end())
      continue;
    absl::StatusOr<CheckpointManifest> manifest = readManifest((*found)[i].path);
    // One that cannot be read is left for the user to look at.
    if (!manifest.ok() || manifest->keep)
      continue;
    if (absl::Status status = removeCheckpoint((*found)[i].path); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

namespace {
/// The values as they are in the state.
class ShardsInPlace : public ShardWriter {
public:
  ShardsInPlace(const Artifact &artifact, State &state) : artifact_(artifact), state_(state) {}
  absl::Status snapshot(int64_t, const std::vector<bool> &) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                               const std::vector<int32_t> &tensors) override {
    Tensor value;
    auto read = [&](int32_t i, RowRange rows, const auto &write) {
      if (absl::Status status = state_.readRows(i, rows, value); !status.ok())
        return status;
      return write(value.data(), static_cast<int64_t>(value.bytes()));
    };
    absl::StatusOr<ShardFile> file = writeShardByPieces(
        directory + "/" + shardName(0, 1), artifact_, tensors, [&](int32_t i) { return allRows(state_.variable(i)); },
        read);
    if (!file.ok())
      return file.status();
    return std::vector<ShardFile>{*std::move(file)};
  }

private:
  const Artifact &artifact_;
  State &state_;
};
} // namespace

absl::StatusOr<std::string> CheckpointStore::save(const Artifact &artifact, State &state, CheckpointManifest manifest) {
  ShardsInPlace shards(artifact, state);
  return save(artifact, shards, std::move(manifest));
}

absl::StatusOr<std::string> CheckpointStore::save(const Artifact &artifact, ShardWriter &shards,
                                                  CheckpointManifest manifest) {
  std::string directory = modelDir_ + "/" + checkpointName(manifest.step, name_);
  absl::StatusOr<bool> whole = isComplete(directory);
  if (!whole.ok())
    return whole.status();
  if (*whole)
    return directory;
  absl::Status status = write(directory, artifact, shards, std::move(manifest));
  if (status.ok())
    return directory;
  // Room for others where the disk is full. Never what was completed: only then the error came after the manifest.
  if (whole = isComplete(directory); whole.ok() && !*whole)
    removeCheckpoint(directory).IgnoreError();
  return status;
}

/// Gives files the names that they have in a complete checkpoint, and sees that they are there.
static absl::Status nameShards(const std::string &directory, const std::vector<ShardFile> &files) {
  bool isRenamed = false;
  std::error_code error;
  for (const ShardFile &file : files) {
    const std::string path = directory + "/" + file.file.path;
    if (!file.temporary.empty()) {
      fs::rename(directory + "/" + file.temporary, path, error);
      if (error)
        return writeError(directory + "/" + file.temporary, "cannot rename the file", error.value());
      isRenamed = true;
    }
    const auto size = fs::file_size(path, error);
    if (error)
      return writeError(path, "cannot look at the file", error.value());
    if (static_cast<int64_t>(size) != file.file.size)
      return fileError(absl::StatusCode::kDataLoss, "E0403", path,
                       "has " + std::to_string(size) + " bytes; " + std::to_string(file.file.size) + " were written");
  }
  return isRenamed ? syncDirectory(directory) : absl::OkStatus();
}

/// Fills in files and variables of the manifest: a variable to it is a tensor of the state.
static absl::Status listShards(const std::vector<ShardFile> &files, const StateTensors &tensors,
                               const std::vector<int32_t> &indices, CheckpointManifest &manifest) {
  manifest.files.clear();
  manifest.variables.clear();
  std::map<int32_t, std::vector<SliceRecord>> parts;
  for (const ShardFile &file : files) {
    for (const ShardPart &part : file.parts)
      parts[part.tensor].push_back({static_cast<int64_t>(manifest.files.size()), part.rows.begin, part.rows.end,
                                    part.offset, part.bytes, part.crc});
    manifest.files.push_back(file.file);
  }
  for (int32_t i : indices) {
    const StateTensor &tensor = tensors[i];
    VariableRecord &record = manifest.variables.emplace_back();
    record.name = tensor.value.name;
    record.dtype = static_cast<mlcrt_dtype>(tensor.value.dtype);
    record.shape = tensor.shape();
    record.bytes = tensor.bytes();
    if (tensor.slotOf >= 0)
      record.slotOf = tensors[tensor.slotOf].value.name;
    if (tensor.slot)
      record.slot = tensor.slot;
    std::vector<SliceRecord> &slices = parts[i];
    std::sort(slices.begin(), slices.end(),
              [](const SliceRecord &a, const SliceRecord &b) { return a.begin < b.begin; });
    if (slices.empty())
      return absl::InternalError("nobody wrote the variable '" + record.name + "'");
    if (slices.size() == 1 && RowRange{slices[0].begin, slices[0].end} == allRows(record)) {
      record.file = slices[0].file;
      record.offset = slices[0].offset;
      record.crc = slices[0].crc;
    } else {
      record.slices = std::move(slices);
    }
    if (std::string fault = faultOfParts(record, manifest.files); !fault.empty())
      return absl::InternalError("what was written of the variable '" + record.name + "': " + fault);
  }
  return absl::OkStatus();
}

absl::Status CheckpointStore::write(const std::string &directory, const Artifact &artifact, ShardWriter &shards,
                                    CheckpointManifest manifest) const {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    return writeError(directory, "cannot make the directory", error.value());

  const mlcrt_artifact &table = artifact.table();
  std::vector<int32_t> indices;
  for (int32_t t = 0; t < artifact.tensors().size(); ++t)
    if (!artifact.tensors()[t].isEval() && holds(t))
      indices.push_back(t);
  absl::StatusOr<std::vector<ShardFile>> files = shards.write(directory, indices);
  if (!files.ok())
    return files.status();
  if (absl::Status status = nameShards(directory, *files); !status.ok())
    return status;

  manifest.model = table.name ? table.name : "";
  manifest.stateFingerprint = table.state_fingerprint ? table.state_fingerprint : "";
  manifest.wallTime = static_cast<int64_t>(std::time(nullptr));
  if (absl::Status status = listShards(*files, artifact.tensors(), indices, manifest); !status.ok())
    return status;
  shards.describe(manifest);
  manifest.policy = isWhole() ? "" : name_;
  auto isElsewhere = [&](const VocabularyRecord &use) { return !manifest.find(use.variable); };
  manifest.vocabularies.erase(std::remove_if(manifest.vocabularies.begin(), manifest.vocabularies.end(), isElsewhere),
                              manifest.vocabularies.end());
  if (!manifest.vocabularies.empty())
    if (absl::Status status = writeVocabularies(directory + "/" + kVocabularyName, table, manifest); !status.ok())
      return status;
  if (absl::Status status = writeFileAtomically(directory + "/" + kManifestName, manifestToText(manifest));
      !status.ok())
    return status;
  // The directory's own entry.
  return syncDirectory(modelDir_);
}

/// What tells the two models apart, at most `limit` items.
static std::string differences(const CheckpointManifest &manifest, const Artifact &artifact,
                               const SettingTexts &settings, size_t limit) {
  std::vector<std::string> items;
  std::map<std::string, std::string> saved(manifest.settings.begin(), manifest.settings.end());
  for (const auto &[path, value] : settings) {
    auto it = saved.find(path);
    if (it == saved.end())
      items.push_back(path + " unset -> " + value);
    else if (it->second != value)
      items.push_back(path + " [" + it->second + "] -> [" + value + "]");
  }
  if (items.empty()) {
    for (const StateTensor &tensor : artifact.tensors()) {
      const VariableRecord *record = tensor.isEval() ? nullptr : manifest.find(tensor.value.name);
      if (tensor.isEval())
        continue;
      if (!record)
        items.push_back("variable '" + std::string(tensor.value.name) + "' is new");
      else if (record->shape != tensor.shape() || record->dtype != tensor.value.dtype)
        items.push_back("variable '" + record->name + "' " + typeText(record->dtype, record->shape) + " -> " +
                        typeText(tensor.value.dtype, tensor.shape()));
    }
    for (const VariableRecord &record : manifest.variables)
      if (artifact.tensors().find(record.name) < 0)
        items.push_back("variable '" + record.name + "' is gone");
  }
  std::string text;
  for (size_t i = 0; i < std::min(limit, items.size()); ++i)
    text += (i ? ", " : "") + items[i];
  if (items.size() > limit)
    text += ", and " + std::to_string(items.size() - limit) + " more";
  return text;
}

static std::string shortFingerprint(const std::string &fingerprint) {
  return fingerprint.size() > 4 ? fingerprint.substr(0, 4) + ".." : fingerprint;
}

/// What a setting says, but for the sizes of vocabularies: "categorical<4>" as "categorical<>".
static std::string withoutSizes(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    for (const std::string_view type : {"categorical<", "dense<", "sequence<"})
      if (result.size() >= type.size() && std::string_view(result).substr(result.size() - type.size()) == type)
        while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])))
          ++i;
  }
  return result;
}

/// Whether a setting is the terms of a vocabulary, or their number.
static bool isOfVocabulary(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('.') + 1);
  return last == "terms" || last == "n_classes" || last == "label_vocabulary";
}

bool hasOtherVocabularies(const CheckpointManifest &manifest, const Artifact &artifact, const SettingTexts &settings) {
  const char *own = artifact.table().state_fingerprint;
  if (manifest.stateFingerprint == (own ? own : ""))
    return false;
  std::map<std::string, std::string> saved(manifest.settings.begin(), manifest.settings.end());
  bool isFound = false;
  for (const auto &[path, value] : settings) {
    auto it = saved.find(path);
    const bool isEqual = it != saved.end() && it->second == value;
    if (!isOfVocabulary(path) && (it == saved.end() || withoutSizes(it->second) != withoutSizes(value)))
      return false;
    isFound |= isOfVocabulary(path) && !isEqual;
  }
  return isFound;
}

absl::Status checkFingerprint(const std::string &directory, const CheckpointManifest &manifest,
                              const Artifact &artifact, const SettingTexts &settings) {
  std::string own = artifact.table().state_fingerprint ? artifact.table().state_fingerprint : "";
  if (own == manifest.stateFingerprint)
    return absl::OkStatus();
  // Enough digits to tell them apart.
  bool sameStart = shortFingerprint(own) == shortFingerprint(manifest.stateFingerprint);
  Message message =
      makeError("E0402",
                "checkpoint of another model (state fingerprint " +
                    (sameStart ? manifest.stateFingerprint : shortFingerprint(manifest.stateFingerprint)) +
                    " , this spec " + (sameStart ? own : shortFingerprint(own)) + ")",
                hasOtherVocabularies(manifest, artifact, settings)
                    ? "--fresh, another --model_dir, --grow_vocabularies, or train.warm_start"
                    : "--fresh, another --model_dir, or train.warm_start");
  message.place.file = directory;
  message.differs = differences(manifest, artifact, settings, 4);
  return messageStatus(absl::StatusCode::kFailedPrecondition, message);
}

absl::Status checkTerms(const std::string &directory, const CheckpointManifest &manifest,
                        const SettingTexts &settings) {
  const std::map<std::string, std::string> saved(manifest.settings.begin(), manifest.settings.end());
  std::string differs;
  for (const auto &[path, value] : settings)
    if (auto it = saved.find(path); isOfVocabulary(path) && it != saved.end() && it->second != value)
      differs += (differs.empty() ? "" : ", ") + path + " " + it->second + " -> " + value;
  if (differs.empty())
    return absl::OkStatus();
  Message message = makeError("E0402", "checkpoint of another model: its vocabularies are not those of this one");
  message.place.file = directory;
  message.differs = differs;
  return messageStatus(absl::StatusCode::kFailedPrecondition, message);
}

absl::Status checkVariables(const std::string &directory, const CheckpointManifest &manifest,
                            const Artifact &artifact) {
  if (!manifest.policy.empty()) {
    Message message = makeError("E0402", "holds a part of the state alone (train.checkpoint '" + manifest.policy + "')",
                                "train.warm_start takes what there is");
    message.place.file = directory;
    message.expected = "a checkpoint of all of it: " + std::string(kWholeState) + "-<step>";
    return messageStatus(absl::StatusCode::kFailedPrecondition, message);
  }
  const StateTensors &tensors = artifact.tensors();
  std::vector<bool> found(tensors.size(), false);
  for (const VariableRecord &record : manifest.variables) {
    const int32_t index = tensors.find(record.name);
    if (index < 0 && artifact.onlyReadsState())
      continue;
    if (index < 0 || tensors[index].isEval())
      return fileError(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                       "has the variable '" + record.name + "', which this model has not");
    const StateTensor &own = tensors[index];
    if (record.dtype != own.value.dtype || record.shape != own.shape())
      return fileError(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                       "variable '" + record.name + "' is " + typeText(record.dtype, record.shape) +
                           "; this model needs " + typeText(own.value.dtype, own.shape()));
    found[index] = true;
  }
  for (int32_t t = 0; t < tensors.size(); ++t)
    if (!found[t] && !tensors[t].isEval())
      return fileError(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                       "lacks the variable '" + std::string(tensors[t].value.name) + "'");
  return absl::OkStatus();
}

absl::Status restoreState(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact,
                          State &state) {
  if (absl::Status status = checkVariables(directory, manifest, artifact); !status.ok())
    return status;
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(directory, manifest);
  if (!reader.ok())
    return reader.status();
  for (const VariableRecord &record : manifest.variables) {
    const int32_t index = artifact.tensors().find(record.name);
    if (index < 0)
      continue; // of a part of the state that this model has not
    const StateTensor &tensor = artifact.tensors()[index];
    const RowRange held = state.held(tensor.variable), rows = commonRows(tensor.rows, held);
    if (rows.size() == 0 && tensor.rows.size() > 0)
      continue;
    absl::Status status = state.fillRows(tensor.variable, rows.from(held.begin), [&](void *to, int64_t) {
      return reader->readRows(record, rows.from(tensor.rows.begin), to);
    });
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
