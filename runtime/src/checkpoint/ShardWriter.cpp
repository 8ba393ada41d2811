// Who writes the files of a checkpoint.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/ShardWriter.h"

#include "runtime/src/checkpoint/Safetensors.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

namespace mlcrt {

std::string shardName(int64_t number, int64_t shards) {
  char text[80];
  std::snprintf(text, sizeof(text), "ps-%05lld-of-%05lld.safetensors", static_cast<long long>(number),
                static_cast<long long>(shards));
  return text;
}

std::string temporaryShardName(const std::string &name, uint64_t run) {
  char text[24];
  std::snprintf(text, sizeof(text), "-%016llx", static_cast<unsigned long long>(run));
  return name + text;
}

/// Whether `text` is as `pattern` says: 'd' a decimal digit, 'x' a hexadecimal one, others themselves.
static bool isLike(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size())
    return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto character = static_cast<unsigned char>(text[i]);
    if (pattern[i] == 'd'   ? !std::isdigit(character)
        : pattern[i] == 'x' ? !std::isxdigit(character)
                            : text[i] != pattern[i])
      return false;
  }
  return true;
}

bool isShardName(std::string_view name) {
  constexpr std::string_view kStart = "ps-ddddd-of-ddddd", kEnd = ".safetensors", kRun = "-xxxxxxxxxxxxxxxx";
  if (name.size() < kStart.size() || !isLike(name.substr(0, kStart.size()), kStart))
    return false;
  name.remove_prefix(kStart.size());
  if (name.substr(0, kEnd.size()) != kEnd)
    return false;
  name.remove_prefix(kEnd.size());
  return name.empty() || isLike(name, kRun);
}

absl::StatusOr<ShardFile> writeShard(const std::string &path, const Artifact &artifact,
                                     const std::vector<int32_t> &tensors,
                                     const std::function<RowRange(int32_t variable)> &held,
                                     const std::function<const void *(int32_t variable)> &values) {
  return writeShardByPieces(path, artifact, tensors, held, [&](int32_t variable, RowRange rows, const auto &write) {
    const int64_t rowBytes = rowBytesOf(artifact.table().variables[variable].value);
    const char *from = static_cast<const char *>(values(variable));
    return write(from + rows.from(held(variable).begin).begin * rowBytes, rows.size() * rowBytes);
  });
}

absl::StatusOr<ShardFile> writeShardByPieces(const std::string &path, const Artifact &artifact,
                                             const std::vector<int32_t> &tensors,
                                             const std::function<RowRange(int32_t variable)> &held,
                                             const RowPieces &pieces) {
  ShardFile shard;
  std::vector<TensorInfo> infos;
  for (int32_t t : tensors) {
    const StateTensor &tensor = artifact.tensors()[t];
    const RowRange range = commonRows(tensor.rows, held(tensor.variable));
    if (tensor.isEval() || (range.size() == 0 && tensor.rows.size() > 0))
      continue;
    TensorInfo &info = infos.emplace_back();
    info.name = tensor.value.name;
    info.dtype = static_cast<mlcrt_dtype>(tensor.value.dtype);
    info.shape = tensor.shape();
    if (!info.shape.empty())
      info.shape[0] = range.size();
    shard.parts.push_back({t, range.from(tensor.rows.begin)});
  }
  absl::StatusOr<SafetensorsFile> file = writeSafetensorsByPieces(path, infos, [&](size_t i, const auto &write) {
    const StateTensor &tensor = artifact.tensors()[shard.parts[i].tensor];
    return pieces(tensor.variable, shard.parts[i].rows.from(-tensor.rows.begin), write);
  });
  if (!file.ok())
    return file.status();
  shard.file = {std::filesystem::path(path).filename().string(), file->size, file->crc};
  for (size_t i = 0; i < infos.size(); ++i) {
    const TensorInfo &info = file->tensors[i];
    shard.parts[i].offset = info.offset;
    shard.parts[i].bytes = info.bytes;
    shard.parts[i].crc = info.crc;
  }
  return shard;
}

absl::Status LocalShards::snapshot(int64_t, const std::vector<bool> &wanted) {
  return state_.snapshot(pool_, copy_, wanted);
}

absl::StatusOr<std::vector<ShardFile>> LocalShards::write(const std::string &directory,
                                                          const std::vector<int32_t> &tensors) {
  absl::StatusOr<ShardFile> file = writeShard(
      directory + "/" + shardName(0, 1), artifact_, tensors, [&](int32_t i) { return allRows(state_.variable(i)); },
      [&](int32_t i) { return copy_[i].data(); });
  if (!file.ok())
    return file.status();
  return std::vector<ShardFile>{*std::move(file)};
}

} // namespace mlcrt
