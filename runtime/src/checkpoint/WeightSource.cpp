// Tensors by name, wherever they are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/WeightSource.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <filesystem>

namespace mlcrt {

namespace fs = std::filesystem;

void WeightSource::add(std::string name, mlcrt_dtype dtype, std::vector<int64_t> shape, int64_t bytes) {
  byName_.emplace(name, tensors_.size());
  tensors_.push_back({std::move(name), dtype, std::move(shape), bytes, {}, {}});
}

/// What to do with a directory that has files of TensorFlow's, but does not say which of them is meant.
static std::string helpOnPrefixes(const std::string &path) {
  static constexpr std::string_view kIndex = ".index";
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kIndex)
      return "a checkpoint of TensorFlow is named by its prefix: " + fs::path(it->path()).replace_extension().string();
  return "";
}

absl::StatusOr<WeightSource> WeightSource::open(const std::string &path, std::optional<int64_t> step) {
  std::error_code error;
  const bool isFile = fs::is_regular_file(path, error);
  if (!isFile) {
    absl::StatusOr<std::string> directory = findCheckpoint(path, step);
    if (directory.ok())
      return openCheckpoint(*directory);
    // A directory may be one of TensorFlow's instead.
    if (!absl::IsNotFound(directory.status()))
      return directory.status();
    absl::StatusOr<std::optional<std::string>> prefix = findTensorFlowCheckpoint(path, step);
    if (!prefix.ok())
      return prefix.status();
    if (*prefix)
      return openTensorFlow(**prefix);
    mlc::common::Message message = messageOf(directory.status());
    if (const std::string help = helpOnPrefixes(path); !help.empty())
      message.help = help;
    return messageStatus(directory.status().code(), message);
  }
  absl::StatusOr<std::optional<std::string>> prefix = findTensorFlowCheckpoint(path, step);
  if (!prefix.ok())
    return prefix.status();
  if (*prefix)
    return openTensorFlow(**prefix);
  absl::StatusOr<SafetensorsReader> file = SafetensorsReader::open(path);
  if (!file.ok())
    return file.status();
  WeightSource source;
  source.place_ = path;
  source.file_.emplace(*std::move(file));
  for (const TensorInfo &tensor : source.file_->tensors())
    source.add(tensor.name, tensor.dtype, tensor.shape, tensor.bytes);
  return source;
}

absl::StatusOr<WeightSource> WeightSource::openCheckpoint(const std::string &directory) {
  WeightSource source;
  source.place_ = directory;
  absl::StatusOr<CheckpointManifest> manifest = readManifest(directory);
  if (!manifest.ok())
    return manifest.status();
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(directory, *manifest);
  if (!reader.ok())
    return reader.status();
  source.manifest_ = *std::move(manifest);
  source.checkpoint_.emplace(*std::move(reader));
  for (const VariableRecord &variable : source.manifest_.variables) {
    source.add(variable.name, variable.dtype, variable.shape, variable.bytes);
    source.tensors_.back().slotOf = variable.slotOf;
    source.tensors_.back().slot = variable.slot;
  }
  return source;
}

absl::StatusOr<WeightSource> WeightSource::openTensorFlow(const std::string &prefix) {
  absl::StatusOr<TensorFlowCheckpoint> opened = TensorFlowCheckpoint::open(prefix);
  if (!opened.ok())
    return opened.status();
  WeightSource source;
  source.place_ = prefix;
  source.tensorFlow_.emplace(*std::move(opened));
  for (const auto &[name, tensor] : source.tensorFlow_->tensors())
    source.add(name, tensor.values.dtype, tensor.values.shape, tensor.values.bytes);
  return source;
}

const SourceTensor *WeightSource::find(std::string_view name) const {
  auto found = byName_.find(name);
  if (found == byName_.end() && tensorFlow_)
    if (const std::string *ours = tensorFlow_->nameHere(name))
      found = byName_.find(*ours);
  return found == byName_.end() ? nullptr : &tensors_[found->second];
}

std::vector<std::string> WeightSource::names() const {
  std::vector<std::string> names;
  for (const SourceTensor &tensor : tensors_)
    names.push_back(tensor.name);
  return names;
}

absl::Status WeightSource::prove(const std::string &name) const {
  if (file_)
    return absl::OkStatus();
  if (tensorFlow_)
    return tensorFlow_->bundle().prove(*tensorFlow_->find(name));
  const VariableRecord &variable = *manifest_.find(name);
  return checkpoint_->prove(variable, allRows(variable));
}

absl::Status WeightSource::read(const std::string &name, int64_t offset, int64_t bytes, void *to) const {
  if (tensorFlow_)
    return tensorFlow_->bundle().read(*tensorFlow_->find(name), offset, bytes, to);
  return file_ ? file_->read(*file_->find(name), offset, bytes, to)
               : checkpoint_->readBytes(*manifest_.find(name), offset, bytes, to);
}

absl::Status WeightSource::read(const SourceTensor &tensor, Tensor &value) const {
  if (checkpoint_)
    return checkpoint_->read(*manifest_.find(tensor.name), value);
  if (absl::Status status = prove(tensor.name); !status.ok())
    return status;
  value.resize(tensor.dtype, tensor.shape.data(), static_cast<int32_t>(tensor.shape.size()));
  return read(tensor.name, 0, tensor.bytes, value.data());
}

absl::StatusOr<std::optional<Vocabulary>> WeightSource::vocabulary(const std::string &variable, int64_t axis) const {
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

absl::StatusOr<std::optional<int64_t>> WeightSource::step() const {
  if (tensorFlow_)
    return tensorFlow_->globalStep();
  return checkpoint_ ? std::optional(manifest_.step) : std::nullopt;
}

} // namespace mlcrt
