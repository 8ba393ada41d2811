// Tensors of a checkpoint, proven by the manifest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointReader.h"

#include "common/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace mlcrt {

static constexpr int64_t kMaxManifest = 256 << 20;

static absl::Status damaged(const std::string &path, std::string what) {
  return fileError(absl::StatusCode::kDataLoss, "E0403", path, std::move(what));
}

std::string typeText(int32_t dtype, const std::vector<int64_t> &shape) {
  std::string text = dtypeName(dtype) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

absl::StatusOr<CheckpointManifest> readManifest(const std::string &directory) {
  std::string path = directory + "/" + kManifestName;
  absl::StatusOr<std::string> text = readWholeFile(path, kMaxManifest);
  if (absl::IsNotFound(text.status()))
    return fileError(absl::StatusCode::kNotFound, "E0401", directory,
                     "is not a complete checkpoint: no " + std::string(kManifestName));
  if (!text.ok())
    return text.status();
  absl::StatusOr<CheckpointManifest> manifest = manifestFromText(*text, path);
  if (!manifest.ok())
    return manifest;
  int64_t step = checkpointStep(std::filesystem::path(directory).filename().string(),
                                manifest->policy.empty() ? kWholeState : manifest->policy);
  if (step >= 0 && manifest->step != step)
    return damaged(path, "is of step " + std::to_string(manifest->step) + ", which is not its directory's");
  return manifest;
}

absl::StatusOr<uint32_t> crcOfFile(const std::string &path) {
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  std::vector<char> buffer(1 << 20);
  uint32_t crc = 0;
  while (file) {
    size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    crc = mlc::common::crc32c(buffer.data(), static_cast<int64_t>(got), crc);
    if (got < buffer.size() && std::ferror(file.get()))
      break;
    if (got < buffer.size())
      return crc;
  }
  return fileError(absl::StatusCode::kDataLoss, "E0403", path, std::string("cannot read: ") + std::strerror(errno));
}

absl::Status checkVocabularies(const std::string &directory, const CheckpointManifest &manifest) {
  const FileRecord &file = manifest.vocabularyFile;
  if (file.path.empty())
    return absl::OkStatus();
  std::string path = directory + "/" + file.path;
  absl::StatusOr<uint32_t> crc = crcOfFile(path);
  if (!crc.ok())
    return crc.status();
  return *crc == file.crc ? absl::OkStatus() : damaged(path, "is damaged: its checksum does not fit");
}

absl::StatusOr<SafetensorsReader> openCheckpointFile(const std::string &directory, const FileRecord &file) {
  std::string path = directory + "/" + file.path;
  absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path);
  if (absl::IsNotFound(reader.status()))
    return damaged(path, "the file is missing");
  if (reader.ok() && reader->size() != file.size)
    return damaged(path,
                   "has " + std::to_string(reader->size()) + " bytes; its manifest says " + std::to_string(file.size));
  return reader;
}

absl::Status readPart(const SafetensorsReader &file, const VariableRecord &variable, const SliceRecord &part,
                      void *to) {
  const TensorInfo *tensor = file.find(variable.name);
  if (!tensor)
    return damaged(file.path(), "tensor '" + variable.name + "' is missing");
  std::vector<int64_t> shape = variable.shape;
  if (!shape.empty())
    shape[0] = part.end - part.begin;
  if (tensor->dtype != variable.dtype || tensor->shape != shape || tensor->offset != part.offset ||
      tensor->bytes != part.bytes)
    return damaged(file.path(), "tensor '" + variable.name + "' is not the one of the manifest");
  if (absl::Status status = file.read(*tensor, to); !status.ok())
    return status;
  if (mlc::common::crc32c(to, part.bytes) != part.crc)
    return damaged(file.path(), "tensor '" + variable.name + "' is damaged: its checksum does not fit (bytes " +
                                    std::to_string(part.offset) + " to " +
                                    std::to_string(part.offset + part.bytes - 1) + " of the file)");
  return absl::OkStatus();
}

absl::StatusOr<CheckpointReader> CheckpointReader::open(const std::string &directory,
                                                        const CheckpointManifest &manifest) {
  if (absl::Status status = checkVocabularies(directory, manifest); !status.ok())
    return status;
  CheckpointReader reader;
  for (const FileRecord &file : manifest.files) {
    absl::StatusOr<SafetensorsReader> opened = openCheckpointFile(directory, file);
    if (!opened.ok())
      return opened.status();
    reader.files_.push_back(*std::move(opened));
  }
  return reader;
}

absl::Status CheckpointReader::read(const VariableRecord &variable, Tensor &value) const {
  value.resize(variable.dtype, variable.shape.data(), static_cast<int32_t>(variable.shape.size()));
  char *to = value.as<char>();
  for (const SliceRecord &part : variable.parts()) {
    if (absl::Status status = readPart(files_[part.file], variable, part, to); !status.ok())
      return status;
    to += part.bytes;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
