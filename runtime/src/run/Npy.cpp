// Reading and writing of .npy files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/run/Npy.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/input/NpyHeader.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

static constexpr int64_t kMaxFile = int64_t{1} << 40;

static absl::Status readTexts(const std::string &path, std::string_view bytes, const NpyHeader &header,
                              NpyArray &array) {
  std::string texts;
  std::vector<size_t> ends;
  const int64_t count = array.tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view cell =
        bytes.substr(static_cast<size_t>(i * header.elementBytes), static_cast<size_t>(header.elementBytes));
    if (!appendNpyText(cell, header.isWide, texts))
      return arrayError(path, {}, "element " + std::to_string(i) + " has a character that is none");
    ends.push_back(texts.size());
  }
  array.texts.assign(texts.begin(), texts.end());
  for (int64_t i = 0; i < count; ++i) {
    const size_t begin = i > 0 ? ends[i - 1] : 0;
    array.tensor.as<mlcrt_string>()[i] = {array.texts.data() + begin, static_cast<int64_t>(ends[i] - begin)};
  }
  return absl::OkStatus();
}

absl::StatusOr<NpyArray> readNpy(const std::string &path) {
  absl::StatusOr<std::string> file = readWholeFile(path, kMaxFile);
  if (absl::IsNotFound(file.status()))
    return fileError(absl::StatusCode::kNotFound, "E0310", path, "no such file");
  if (!file.ok())
    return file.status();
  std::string_view bytes = *file;
  absl::StatusOr<NpyHeader> header = readNpyHeader(path, {}, bytes);
  if (!header.ok())
    return header.status();
  bytes.remove_prefix(header->begin);
  NpyArray array;
  array.tensor = Tensor(header->dtype, header->shape);
  if (header->dtype == MLCRT_STRING) {
    if (absl::Status status = readTexts(path, bytes, *header, array); !status.ok())
      return status;
    return array;
  }
  if (!bytes.empty())
    std::memcpy(array.tensor.data(), bytes.data(), bytes.size());
  if (header->dtype == MLCRT_BOOL && !areBools(bytes))
    return arrayError(path, {}, "has a bool that is neither 0 nor 1");
  return array;
}

absl::Status writeNpy(const std::string &path, const TensorView &buffer) {
  const int64_t count = elementCount(buffer);
  std::string descr, texts;
  if (buffer.dtype == MLCRT_STRING) {
    const auto *cells = static_cast<const mlcrt_string *>(buffer.data);
    int64_t width = 1;
    for (int64_t i = 0; i < count; ++i)
      width = std::max(width, cells[i].size);
    descr = "|S" + std::to_string(width);
    texts.resize(static_cast<size_t>(count * width));
    for (int64_t i = 0; i < count; ++i) {
      if (cells[i].size > 0 && cells[i].data[cells[i].size - 1] == '\0')
        return absl::InvalidArgumentError(path + ": element " + std::to_string(i) +
                                          " ends in a zero byte, which arrays of texts cannot hold");
      std::copy_n(cells[i].data, cells[i].size, texts.data() + i * width);
    }
  } else {
    descr = npyDescr(buffer.dtype);
  }
  const std::string front = npyFront(descr, buffer.dims.data(), buffer.rank());
  absl::StatusOr<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(front.data(), static_cast<int64_t>(front.size())); !status.ok())
    return status;
  const void *data = buffer.dtype == MLCRT_STRING ? texts.data() : buffer.data;
  const int64_t bytes = buffer.dtype == MLCRT_STRING ? static_cast<int64_t>(texts.size()) : byteCount(buffer);
  if (absl::Status status = file->write(data, bytes); !status.ok())
    return status;
  return file->commit();
}

} // namespace mlcrt
