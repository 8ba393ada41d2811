// Tensors of a checkpoint, proven by the manifest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointReader.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
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

absl::StatusOr<std::string> readManifestText(const std::string &directory) {
  absl::StatusOr<std::string> text = readWholeFile(directory + "/" + kManifestName, kMaxManifest);
  if (absl::IsNotFound(text.status()))
    return fileError(absl::StatusCode::kNotFound, "E0401", directory,
                     "is not a complete checkpoint: no " + std::string(kManifestName));
  return text;
}

absl::StatusOr<CheckpointManifest> readManifest(const std::string &directory) {
  const std::string path = directory + "/" + kManifestName;
  absl::StatusOr<std::string> text = readManifestText(directory);
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

/// The tensor of a part, as the manifest says it is.
static absl::StatusOr<const TensorInfo *> findPart(const SafetensorsReader &file, const VariableRecord &variable,
                                                   const SliceRecord &part) {
  const TensorInfo *tensor = file.find(variable.name);
  if (!tensor)
    return damaged(file.path(), "tensor '" + variable.name + "' is missing");
  std::vector<int64_t> shape = variable.shape;
  if (!shape.empty())
    shape[0] = part.end - part.begin;
  if (tensor->dtype != variable.dtype || tensor->shape != shape || tensor->offset != part.offset ||
      tensor->bytes != part.bytes)
    return damaged(file.path(), "tensor '" + variable.name + "' is not the one of the manifest");
  return tensor;
}

/// The checksum of a tensor; a part of it at a time is in memory.
static absl::StatusOr<uint32_t> crcOfTensor(const SafetensorsReader &file, const TensorInfo &tensor) {
  constexpr int64_t kPiece = 1 << 20;
  std::vector<char> buffer(static_cast<size_t>(std::min(kPiece, tensor.bytes)));
  uint32_t crc = 0;
  for (int64_t at = 0; at < tensor.bytes; at += kPiece) {
    const int64_t bytes = std::min(kPiece, tensor.bytes - at);
    if (absl::Status status = file.read(tensor, at, bytes, buffer.data()); !status.ok())
      return status;
    crc = mlc::common::crc32c(buffer.data(), bytes, crc);
  }
  return crc;
}

absl::Status readPart(const SafetensorsReader &file, const VariableRecord &variable, const SliceRecord &part,
                      void *to) {
  absl::StatusOr<const TensorInfo *> tensor = findPart(file, variable, part);
  if (!tensor.ok())
    return tensor.status();
  absl::StatusOr<uint32_t> crc;
  if (!to)
    crc = crcOfTensor(file, **tensor);
  else if (absl::Status status = file.read(**tensor, to); status.ok())
    crc = mlc::common::crc32c(to, part.bytes);
  else
    crc = status;
  if (!crc.ok())
    return crc.status();
  if (*crc != part.crc)
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

RowRange allRows(const VariableRecord &variable) { return {0, variable.shape.empty() ? 1 : variable.shape[0]}; }

absl::Status CheckpointReader::readRows(const VariableRecord &variable, RowRange rows, void *to) const {
  const int64_t rowBytes = variable.bytes / std::max<int64_t>(1, allRows(variable).size());
  for (const SliceRecord &part : variable.parts()) {
    const RowRange common = commonRows({part.begin, part.end}, rows);
    if (common.size() == 0)
      continue;
    char *place = static_cast<char *>(to) + (common.begin - rows.begin) * rowBytes;
    const bool isAll = common == RowRange{part.begin, part.end};
    absl::Status status = readPart(files_[part.file], variable, part, isAll ? place : nullptr);
    if (status.ok() && !isAll)
      status = readBytes(variable, common.begin * rowBytes, common.size() * rowBytes, place);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status CheckpointReader::prove(const VariableRecord &variable, RowRange rows) const {
  for (const SliceRecord &part : variable.parts())
    if (commonRows({part.begin, part.end}, rows).size() > 0)
      if (absl::Status status = readPart(files_[part.file], variable, part, /*to=*/nullptr); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status CheckpointReader::readBytes(const std::vector<SliceRecord> &parts, int64_t offset, int64_t bytes,
                                         void *to) const {
  if (bytes == 0)
    return absl::OkStatus();
  // Parts without rows have no bytes.
  auto hasRows = [](const SliceRecord &part) { return part.end > part.begin; };
  const auto some = std::find_if(parts.begin(), parts.end(), hasRows);
  if (some == parts.end())
    return absl::InternalError("bytes of a variable without rows");
  const int64_t rowBytes = some->bytes / (some->end - some->begin), end = offset + bytes;
  auto part = std::partition_point(parts.begin(), parts.end(),
                                   [&](const SliceRecord &part) { return part.end * rowBytes <= offset; });
  for (; part != parts.end() && part->begin * rowBytes < end; ++part) {
    const int64_t begin = part->begin * rowBytes, from = std::max(offset, begin),
                  until = std::min(end, begin + part->bytes);
    if (from >= until)
      continue;
    if (absl::Status status = files_[part->file].readBytes(part->offset + (from - begin),
                                                           static_cast<char *>(to) + (from - offset), until - from);
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
