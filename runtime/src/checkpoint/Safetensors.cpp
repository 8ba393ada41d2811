// Writer and strict reader of safetensors files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Safetensors.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

namespace mlcrt {

using Json = nlohmann::ordered_json;

static constexpr int64_t kDataAlignment = 64;

static constexpr std::pair<mlcrt_dtype, std::string_view> kDtypes[] = {
    {MLCRT_F32, "F32"}, {MLCRT_F64, "F64"}, {MLCRT_F16, "F16"},  {MLCRT_BF16, "BF16"}, {MLCRT_I8, "I8"},
    {MLCRT_I16, "I16"}, {MLCRT_I32, "I32"}, {MLCRT_I64, "I64"},  {MLCRT_U8, "U8"},     {MLCRT_U16, "U16"},
    {MLCRT_U32, "U32"}, {MLCRT_U64, "U64"}, {MLCRT_BOOL, "BOOL"}};

std::string_view safetensorsDtype(int32_t dtype) {
  for (const auto &[value, name] : kDtypes)
    if (value == dtype)
      return name;
  return {};
}

static absl::Status damaged(const std::string &path, std::string what,
                            absl::StatusCode code = absl::StatusCode::kDataLoss) {
  return fileError(code, "E0403", path, std::move(what));
}

/// Bytes of a tensor, or -1 if its shape is impossible.
static int64_t bytesOf(const TensorInfo &tensor) {
  int64_t bytes = dtypeSize(tensor.dtype);
  for (int64_t dim : tensor.shape)
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
      return -1;
  return bytes;
}

absl::StatusOr<SafetensorsFile> writeSafetensors(const std::string &path, const std::vector<TensorInfo> &tensors,
                                                 const TensorSource &source) {
  return writeSafetensorsByPieces(path, tensors, [&](size_t i, const auto &write) {
    absl::StatusOr<const void *> data = source(i);
    return data.ok() ? write(*data, bytesOf(tensors[i])) : data.status();
  });
}

absl::StatusOr<SafetensorsFile>
writeSafetensorsByPieces(const std::string &path, const std::vector<TensorInfo> &tensors, const TensorPieces &pieces) {
  SafetensorsFile result;
  result.tensors = tensors;
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t sizeA = dtypeSize(tensors[a].dtype), sizeB = dtypeSize(tensors[b].dtype);
    auto keyOf = [](const TensorInfo &tensor) {
      return std::string_view(tensor.run.empty() ? tensor.name : tensor.run);
    };
    const std::string_view keyA = keyOf(tensors[a]), keyB = keyOf(tensors[b]);
    return std::tie(sizeB, keyA, a) < std::tie(sizeA, keyB, b);
  });

  Json header = Json::object();
  int64_t end = 0;
  for (size_t i : order) {
    TensorInfo &tensor = result.tensors[i];
    if (safetensorsDtype(tensor.dtype).empty() || header.contains(tensor.name) || (tensor.bytes = bytesOf(tensor)) < 0)
      return damaged(path, "cannot hold tensor '" + tensor.name + "'", absl::StatusCode::kInvalidArgument);
    tensor.offset = end;
    end += tensor.bytes;
    header[tensor.name] = {{"dtype", std::string(safetensorsDtype(tensor.dtype))},
                           {"shape", tensor.shape},
                           {"data_offsets", {tensor.offset, end}}};
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  int64_t padded = (8 + static_cast<int64_t>(text.size()) + kDataAlignment - 1) / kDataAlignment * kDataAlignment - 8;
  text.resize(padded, ' ');

  absl::StatusOr<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  uint64_t length = text.size();
  if (absl::Status status = file->write(&length, 8); !status.ok())
    return status;
  if (absl::Status status = file->write(text.data(), text.size()); !status.ok())
    return status;
  for (size_t i : order) {
    TensorInfo &tensor = result.tensors[i];
    tensor.offset += 8 + padded;
    int64_t written = 0;
    auto write = [&](const void *data, int64_t bytes) {
      written += bytes;
      tensor.crc = mlc::common::crc32c(data, bytes, tensor.crc);
      return file->write(data, bytes);
    };
    tensor.crc = 0;
    if (absl::Status status = pieces(i, write); !status.ok())
      return status;
    if (written != tensor.bytes)
      return absl::InternalError(path + ": tensor '" + tensor.name + "' came with " + std::to_string(written) +
                                 " bytes, expected " + std::to_string(tensor.bytes));
  }
  result.size = file->size();
  result.crc = file->crc();
  if (absl::Status status = file->commit(); !status.ok())
    return status;
  return result;
}

absl::StatusOr<SafetensorsReader> SafetensorsReader::open(const std::string &path) {
  absl::StatusOr<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  SafetensorsReader reader(*std::move(file));
  if (absl::Status status = reader.readHeader(); !status.ok())
    return status;
  return reader;
}

/// Reads the element of the header called `name` into `tensor` (offset still from the start of the data).
static absl::Status readTensor(const std::string &path, const std::string &name, const Json &json, int64_t dataBytes,
                               TensorInfo &tensor) {
  auto bad = [&](const char *what) { return damaged(path, "tensor '" + name + "': " + what); };
  tensor.name = name;
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets"))
    return bad("dtype, shape and data_offsets expected");
  const Json &dtype = json["dtype"];
  bool known = false;
  for (const auto &[value, text] : kDtypes)
    if (dtype.is_string() && dtype.get_ref<const std::string &>() == text) {
      tensor.dtype = value;
      known = true;
    }
  if (!known)
    return bad("unknown dtype");
  const Json &shape = json["shape"];
  if (!shape.is_array())
    return bad("bad shape");
  for (const Json &dim : shape) {
    if (!dim.is_number_unsigned() || dim.get<uint64_t>() > INT64_MAX)
      return bad("bad shape");
    tensor.shape.push_back(static_cast<int64_t>(dim.get<uint64_t>()));
  }
  tensor.bytes = bytesOf(tensor);
  if (tensor.bytes < 0)
    return bad("its size overflows");
  const Json &offsets = json["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    return bad("bad data_offsets");
  uint64_t begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
  if (begin > end || end > static_cast<uint64_t>(dataBytes))
    return bad("its data lie outside the file");
  if (end - begin != static_cast<uint64_t>(tensor.bytes))
    return bad("its size does not fit dtype and shape");
  tensor.offset = static_cast<int64_t>(begin);
  return absl::OkStatus();
}

absl::Status SafetensorsReader::readHeader() {
  uint64_t length = 0;
  if (size() < 8)
    return damaged(path(), "is truncated: " + std::to_string(size()) + " bytes");
  if (absl::Status status = readBytes(0, &length, 8); !status.ok())
    return status;
  if (length > static_cast<uint64_t>(kMaxSafetensorsHeader))
    return damaged(path(), "its header claims " + std::to_string(length) + " bytes");
  if (length > static_cast<uint64_t>(size() - 8))
    return damaged(path(), "is truncated within the header");
  std::string text(length, '\0');
  if (absl::Status status = readBytes(8, text.data(), length); !status.ok())
    return status;
  if (text.empty() || text[0] != '{')
    return damaged(path(), "its header is not a JSON object");
  // To the parser a zero byte is the end of its input, whatever follows.
  if (text.find('\0') != std::string::npos)
    return damaged(path(), "its header is not valid JSON");
  // The parser keeps the last of equal keys; a second tensor of a name must not hide the first.
  std::set<std::string> names;
  bool twice = false;
  auto watchKeys = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::key && depth == 1)
      twice |= !names.insert(parsed.get<std::string>()).second;
    return true;
  };
  Json header = Json::parse(text, watchKeys, /*allow_exceptions=*/false);
  if (!header.is_object())
    return damaged(path(), "its header is not valid JSON");
  if (twice)
    return damaged(path(), "its header names a tensor twice");
  int64_t dataStart = 8 + static_cast<int64_t>(length), dataBytes = size() - dataStart;
  for (const auto &[name, json] : header.items()) {
    if (name == "__metadata__") {
      if (!json.is_object())
        return damaged(path(), "its __metadata__ is not an object");
      continue;
    }
    if (absl::Status status = readTensor(path(), name, json, dataBytes, tensors_.emplace_back()); !status.ok())
      return status;
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const TensorInfo &a, const TensorInfo &b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  int64_t end = 0;
  for (TensorInfo &tensor : tensors_) {
    if (tensor.offset != end)
      return damaged(path(), "tensor '" + tensor.name + "': its data " +
                                 (tensor.offset < end ? "overlap another tensor's" : "leave a hole before them"));
    end += tensor.bytes;
    tensor.offset += dataStart;
  }
  if (end != dataBytes)
    return damaged(path(), std::to_string(dataBytes - end) + " bytes after the last tensor");
  return absl::OkStatus();
}

const TensorInfo *SafetensorsReader::find(std::string_view name) const {
  for (const TensorInfo &tensor : tensors_)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

} // namespace mlcrt
