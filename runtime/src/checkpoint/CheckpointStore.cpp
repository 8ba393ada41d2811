// Saving, finding and restoring checkpoints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointStore.h"

#include "common/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
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

static constexpr const char *kManifestName = "MANIFEST.json";
static constexpr const char *kShardName = "ps-00000-of-00001.safetensors";
static constexpr std::string_view kPrefix = "ckpt-";
static constexpr int64_t kMaxManifest = 256 << 20;

std::string checkpointName(int64_t step) {
  char name[32];
  std::snprintf(name, sizeof(name), "ckpt-%010lld", static_cast<long long>(step));
  return name;
}

/// The step of "ckpt-0000002000", or -1.
static int64_t stepOf(const std::string &name) {
  if (name.size() < kPrefix.size() + 10 || name.compare(0, kPrefix.size(), kPrefix) != 0)
    return -1;
  int64_t step = -1;
  const char *end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  return error == std::errc() && stop == end && step >= 0 && checkpointName(step) == name ? step : -1;
}

static absl::Status fault(absl::StatusCode code, const char *number, const std::string &file, std::string what,
                          std::string help = {}) {
  Message message = makeError(number, std::move(what), std::move(help));
  message.place.file = file;
  return messageStatus(code, message);
}

static constexpr const char *kDamageHelp = "remove its directory to go on from the checkpoint before";

static absl::Status damaged(const std::string &file, std::string what) {
  return fault(absl::StatusCode::kDataLoss, "E0403", file, std::move(what), kDamageHelp);
}

/// `status` of a file of a checkpoint; if the file is damaged, with the way on.
static absl::Status withHelp(const absl::Status &status) {
  if (!absl::IsDataLoss(status))
    return status;
  Message message = messageOf(status);
  message.help = kDamageHelp;
  return messageStatus(status.code(), message);
}

/// A name of a checkpoint directory with its step.
static absl::StatusOr<std::vector<CheckpointPath>> listDirectories(const std::string &modelDir) {
  std::vector<CheckpointPath> found;
  std::error_code error;
  fs::directory_iterator it(modelDir, error), end;
  if (error == std::errc::no_such_file_or_directory)
    return found;
  for (; !error && it != end; it.increment(error))
    if (int64_t step = stepOf(it->path().filename().string()); step >= 0)
      found.push_back({step, modelDir + "/" + it->path().filename().string()});
  if (error)
    return fault(absl::StatusCode::kDataLoss, "E0403", modelDir, "cannot list the directory: " + error.message());
  std::sort(found.begin(), found.end(),
            [](const CheckpointPath &a, const CheckpointPath &b) { return a.step < b.step; });
  return found;
}

/// Whether the checkpoint was saved to its end. An error if that cannot be told: what cannot be read may be whole.
static absl::StatusOr<bool> isComplete(const std::string &directory) {
  struct stat info;
  if (::stat((directory + "/" + kManifestName).c_str(), &info) == 0)
    return S_ISREG(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR)
    return false;
  return fault(absl::StatusCode::kDataLoss, "E0403", directory, std::string("cannot be read: ") + std::strerror(errno));
}

absl::StatusOr<std::vector<CheckpointPath>> CheckpointStore::list() const {
  absl::StatusOr<std::vector<CheckpointPath>> found = listDirectories(modelDir_);
  if (!found.ok())
    return found.status();
  std::vector<CheckpointPath> complete;
  for (const CheckpointPath &entry : *found) {
    absl::StatusOr<bool> whole = isComplete(entry.path);
    if (!whole.ok())
      return whole.status();
    if (*whole)
      complete.push_back(entry);
  }
  return complete;
}

absl::StatusOr<std::optional<CheckpointPath>> CheckpointStore::newest() const {
  absl::StatusOr<std::vector<CheckpointPath>> found = listDirectories(modelDir_);
  if (!found.ok())
    return found.status();
  for (auto it = found->rbegin(); it != found->rend(); ++it) {
    absl::StatusOr<bool> whole = isComplete(it->path);
    if (!whole.ok())
      return whole.status();
    if (*whole)
      return std::optional<CheckpointPath>(*it);
  }
  return std::optional<CheckpointPath>();
}

/// Removes a checkpoint: first the manifest, durably, so that what is left of it never looks complete.
static absl::Status removeCheckpoint(const std::string &directory) {
  std::error_code error;
  if (fs::remove(directory + "/" + kManifestName, error))
    if (absl::Status status = syncDirectory(directory); !status.ok())
      return status;
  if (!error)
    fs::remove_all(directory, error);
  return error ? writeError(directory, "cannot remove the checkpoint", error.value()) : absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> CheckpointStore::removeIncomplete() {
  absl::StatusOr<std::vector<CheckpointPath>> found = listDirectories(modelDir_);
  if (!found.ok())
    return found.status();
  std::vector<std::string> removed;
  for (const CheckpointPath &entry : *found) {
    absl::StatusOr<bool> whole = isComplete(entry.path);
    if (!whole.ok())
      return whole.status();
    if (*whole)
      continue;
    if (absl::Status status = removeCheckpoint(entry.path); !status.ok())
      return status;
    removed.push_back(entry.path);
  }
  return removed;
}

absl::Status CheckpointStore::retire(int64_t keepMax) {
  absl::StatusOr<std::vector<CheckpointPath>> found = list();
  if (!found.ok())
    return found.status();
  for (size_t i = 0; keepMax > 0 && i + keepMax < found->size(); ++i) {
    absl::StatusOr<CheckpointManifest> manifest = readManifest((*found)[i].path);
    // One that cannot be read is left for the user to look at.
    if (!manifest.ok() || manifest->keep)
      continue;
    if (absl::Status status = removeCheckpoint((*found)[i].path); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status CheckpointStore::removeAll() {
  absl::StatusOr<std::vector<CheckpointPath>> found = listDirectories(modelDir_);
  if (!found.ok())
    return found.status();
  // Newest last: whatever interrupts this leaves the newest complete one in place.
  for (const CheckpointPath &entry : *found)
    if (absl::Status status = removeCheckpoint(entry.path); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::StatusOr<std::string> CheckpointStore::save(const Artifact &artifact, State &state, CheckpointManifest manifest) {
  std::string directory = modelDir_ + "/" + checkpointName(manifest.step);
  absl::StatusOr<bool> whole = isComplete(directory);
  if (!whole.ok())
    return whole.status();
  if (*whole)
    return directory;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    return writeError(directory, "cannot make the directory", error.value());

  const mlcrt_artifact &table = artifact.table();
  std::vector<int32_t> indices;
  std::vector<TensorInfo> tensors;
  for (int32_t i = 0; i < state.size(); ++i) {
    const mlcrt_variable &variable = state.variable(i);
    if (variable.flags & MLCRT_VARIABLE_EVAL)
      continue;
    indices.push_back(i);
    TensorInfo &tensor = tensors.emplace_back();
    tensor.name = variable.value.name;
    tensor.dtype = static_cast<mlcrt_dtype>(variable.value.dtype);
    tensor.shape.assign(variable.value.dims, variable.value.dims + variable.value.rank);
  }
  Tensor value;
  absl::StatusOr<SafetensorsFile> file =
      writeSafetensors(directory + "/" + kShardName, tensors, [&](size_t i) -> absl::StatusOr<const void *> {
        state.read(indices[i], value);
        return value.data();
      });
  if (!file.ok())
    return file.status();

  manifest.model = table.name ? table.name : "";
  manifest.stateFingerprint = table.state_fingerprint ? table.state_fingerprint : "";
  manifest.wallTime = static_cast<int64_t>(std::time(nullptr));
  manifest.files = {{kShardName, file->size, file->crc}};
  manifest.variables.clear();
  for (size_t i = 0; i < indices.size(); ++i) {
    const mlcrt_variable &variable = state.variable(indices[i]);
    const TensorInfo &tensor = file->tensors[i];
    VariableRecord record{tensor.name, tensor.dtype, tensor.shape, 0, tensor.offset, tensor.bytes, tensor.crc, "", ""};
    if (variable.slot_of >= 0)
      record.slotOf = table.variables[variable.slot_of].value.name;
    if (variable.slot)
      record.slot = variable.slot;
    manifest.variables.push_back(std::move(record));
  }
  if (absl::Status status = writeFileAtomically(directory + "/" + kManifestName, manifestToText(manifest));
      !status.ok())
    return status;
  // The directory's own entry.
  if (absl::Status status = syncDirectory(modelDir_); !status.ok())
    return status;
  return directory;
}

absl::StatusOr<CheckpointManifest> readManifest(const std::string &directory) {
  std::string path = directory + "/" + kManifestName;
  absl::StatusOr<std::string> text = readWholeFile(path, kMaxManifest);
  if (absl::IsNotFound(text.status()))
    return fault(absl::StatusCode::kNotFound, "E0401", directory, "is not a complete checkpoint: no MANIFEST.json",
                 "a directory ckpt-<step>; --model_dir takes the newest one in it");
  if (!text.ok())
    return withHelp(text.status());
  absl::StatusOr<CheckpointManifest> manifest = manifestFromText(*text, path);
  if (!manifest.ok())
    return withHelp(manifest.status());
  return manifest;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

static std::vector<int64_t> shapeOf(const mlcrt_value &value) { return {value.dims, value.dims + value.rank}; }

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
  const mlcrt_artifact &table = artifact.table();
  if (items.empty()) {
    for (int32_t i = 0; i < table.num_variables; ++i) {
      const mlcrt_value &value = table.variables[i].value;
      const VariableRecord *record = manifest.find(value.name);
      if (table.variables[i].flags & MLCRT_VARIABLE_EVAL)
        continue;
      if (!record)
        items.push_back("variable '" + std::string(value.name) + "' is new");
      else if (record->shape != shapeOf(value) || record->dtype != value.dtype)
        items.push_back("variable '" + record->name + "' " + dtypeName(record->dtype) + shapeText(record->shape) +
                        " -> " + dtypeName(value.dtype) + shapeText(shapeOf(value)));
    }
    for (const VariableRecord &record : manifest.variables)
      if (artifact.variableIndex(record.name) < 0)
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
                "--fresh, or another --model_dir");
  message.place.file = directory;
  message.differs = differences(manifest, artifact, settings, 4);
  return messageStatus(absl::StatusCode::kFailedPrecondition, message);
}

absl::Status visitVariables(const std::string &directory, const CheckpointManifest &manifest,
                            const VariableVisitor &visitor) {
  std::vector<SafetensorsReader> readers;
  for (const FileRecord &file : manifest.files) {
    std::string path = directory + "/" + file.path;
    absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path);
    if (absl::IsNotFound(reader.status()))
      return damaged(path, "the file is missing");
    if (!reader.ok())
      return withHelp(reader.status());
    if (reader->size() != file.size)
      return damaged(path, "has " + std::to_string(reader->size()) + " bytes; its manifest says " +
                               std::to_string(file.size));
    readers.push_back(std::move(*reader));
  }
  Tensor value;
  for (const VariableRecord &variable : manifest.variables) {
    const SafetensorsReader &reader = readers[variable.file];
    const TensorInfo *tensor = reader.find(variable.name);
    if (!tensor)
      return damaged(reader.path(), "tensor '" + variable.name + "' is missing");
    if (tensor->dtype != variable.dtype || tensor->shape != variable.shape || tensor->offset != variable.offset)
      return damaged(reader.path(), "tensor '" + variable.name + "' is not the one of the manifest");
    value.resize(variable.dtype, variable.shape.data(), static_cast<int32_t>(variable.shape.size()));
    if (absl::Status status = reader.read(*tensor, value.data()); !status.ok())
      return withHelp(status);
    if (mlc::common::crc32c(value.data(), tensor->bytes) != variable.crc)
      return damaged(reader.path(), "tensor '" + variable.name + "' is damaged: its checksum does not fit");
    if (absl::Status status = visitor(variable, value.data()); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status restoreState(const std::string &directory, const CheckpointManifest &manifest, const Artifact &artifact,
                          State &state) {
  std::vector<bool> restored(state.size(), false);
  absl::Status status =
      visitVariables(directory, manifest, [&](const VariableRecord &record, const void *data) -> absl::Status {
        int32_t index = artifact.variableIndex(record.name);
        if (index < 0 || (state.variable(index).flags & MLCRT_VARIABLE_EVAL))
          return fault(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                       "has the variable '" + record.name + "', which this model has not");
        const mlcrt_value &own = state.variable(index).value;
        if (record.dtype != own.dtype || record.shape != shapeOf(own))
          return fault(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                       "variable '" + record.name + "' is " + dtypeName(record.dtype) + shapeText(record.shape) +
                           "; this model needs " + dtypeName(own.dtype) + shapeText(shapeOf(own)));
        mlcrt_buffer buffer{const_cast<void *>(data), record.dtype, own.rank, {}};
        std::copy(record.shape.begin(), record.shape.end(), buffer.dims);
        restored[index] = true;
        return state.write(index, buffer);
      });
  if (!status.ok())
    return status;
  for (int32_t i = 0; i < state.size(); ++i)
    if (!restored[i] && !(state.variable(i).flags & MLCRT_VARIABLE_EVAL))
      return fault(absl::StatusCode::kFailedPrecondition, "E0402", directory,
                   "lacks the variable '" + std::string(state.variable(i).value.name) + "'");
  return absl::OkStatus();
}

} // namespace mlcrt
