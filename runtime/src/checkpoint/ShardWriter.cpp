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

RowRange allRows(const mlcrt_variable &variable) { return {0, variable.value.rank ? variable.value.dims[0] : 1}; }

int64_t rowBytesOf(const mlcrt_value &value) {
  return elementCount(value.dims + 1, std::max(0, value.rank - 1)) * dtypeSize(value.dtype);
}

absl::StatusOr<ShardFile> writeShard(const std::string &path, const Artifact &artifact,
                                     const std::vector<int32_t> &variables,
                                     const std::function<RowRange(int32_t variable)> &rows,
                                     const std::function<const void *(int32_t variable)> &values) {
  return writeShardByPieces(path, artifact, variables, rows, [&](int32_t i, const auto &write) {
    return write(values(i), rows(i).size() * rowBytesOf(artifact.table().variables[i].value));
  });
}

absl::StatusOr<ShardFile> writeShardByPieces(const std::string &path, const Artifact &artifact,
                                             const std::vector<int32_t> &variables,
                                             const std::function<RowRange(int32_t variable)> &rows,
                                             const VariablePieces &pieces) {
  const mlcrt_artifact &table = artifact.table();
  ShardFile shard;
  std::vector<TensorInfo> tensors;
  for (int32_t i : variables) {
    const mlcrt_variable &variable = table.variables[i];
    const RowRange range = rows(i);
    if ((variable.flags & MLCRT_VARIABLE_EVAL) || (range.size() == 0 && allRows(variable).size() > 0))
      continue;
    TensorInfo &tensor = tensors.emplace_back();
    tensor.name = variable.value.name;
    tensor.dtype = static_cast<mlcrt_dtype>(variable.value.dtype);
    tensor.shape.assign(variable.value.dims, variable.value.dims + variable.value.rank);
    if (variable.value.rank)
      tensor.shape[0] = range.size();
    shard.parts.push_back({i, range});
  }
  absl::StatusOr<SafetensorsFile> file = writeSafetensorsByPieces(
      path, tensors, [&](size_t i, const auto &write) { return pieces(shard.parts[i].variable, write); });
  if (!file.ok())
    return file.status();
  shard.file = {std::filesystem::path(path).filename().string(), file->size, file->crc};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo &tensor = file->tensors[i];
    shard.parts[i].offset = tensor.offset;
    shard.parts[i].bytes = tensor.bytes;
    shard.parts[i].crc = tensor.crc;
  }
  return shard;
}

absl::Status LocalShards::snapshot(int64_t, const std::vector<bool> &wanted) {
  state_.snapshot(pool_, copy_, wanted);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ShardFile>> LocalShards::write(const std::string &directory,
                                                          const std::vector<int32_t> &variables) {
  absl::StatusOr<ShardFile> file = writeShard(
      directory + "/" + shardName(0, 1), artifact_, variables, [&](int32_t i) { return allRows(state_.variable(i)); },
      [&](int32_t i) { return copy_[i].data(); });
  if (!file.ok())
    return file.status();
  return std::vector<ShardFile>{*std::move(file)};
}

} // namespace mlcrt
