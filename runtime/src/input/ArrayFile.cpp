// Files of arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ArrayFile.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/NpyHeader.h"
#include "runtime/src/input/TfRecord.h"
#include "runtime/src/input/ZipFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mlcrt {

int64_t StoredArray::rowElements() const {
  return shape.empty() ? 0 : elementCount(shape.data() + 1, static_cast<int32_t>(shape.size()) - 1);
}

std::string StoredArray::typeText() const {
  std::string text = dtypeName(dtype) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    absl::StrAppend(&text, i ? ", " : "", shape[i]);
  return text + "]";
}

/// A safetensors file begins with the length of its header, which begins with a brace.
static bool isSafetensors(std::string_view start, int64_t size) {
  uint64_t header = 0;
  if (start.size() < sizeof(header) + 2)
    return false;
  std::memcpy(&header, start.data(), sizeof(header));
  return header >= 2 && header <= static_cast<uint64_t>(kMaxSafetensorsHeader) &&
         static_cast<int64_t>(header) <= size - static_cast<int64_t>(sizeof(header)) && start[8] == '{' &&
         (start[9] == '"' || start[9] == '}' || start[9] == ' ' || start[9] == '\n') && !startsWithRecord(start);
}

absl::StatusOr<bool> holdArrays(const std::vector<DataFile> &files) {
  const DataFile *array = nullptr, *other = nullptr;
  for (const DataFile &file : files) {
    char start[16] = {};
    std::ifstream stream(file.toOpen(), std::ios::binary);
    stream.read(start, sizeof(start));
    if (stream.bad() || (!stream.is_open()))
      return dataError({file.path}, data_code::kUnreadable, "cannot be read");
    const std::string_view bytes(start, static_cast<size_t>(stream.gcount()));
    const bool isArray = isNpy(bytes) || isZip(bytes) || isSafetensors(bytes, file.size);
    const DataFile *&first = isArray ? array : other;
    first = first ? first : &file;
  }
  if (array && other)
    return dataError({other->path}, data_code::kUnreadable,
                     absl::StrCat("is no file of arrays, but '", array->path, "' is one"), "files of one kind");
  return array != nullptr;
}

absl::StatusOr<ArrayFile> ArrayFile::open(const DataFile &file, const FileDataOptions &options) {
  FileDataOptions plain = options;
  plain.compression = Compression::None;
  absl::StatusOr<FileData> data = FileData::open(file, plain);
  if (!data.ok())
    return data.status();
  ArrayFile result;
  result.data_ = *std::move(data);
  const std::string_view bytes = result.data_.bytes();
  absl::Status status;
  if (isNpy(bytes)) {
    absl::StatusOr<NpyHeader> header = readNpyHeader(file.path, {}, bytes);
    status = header.status();
    if (header.ok()) {
      result.isSingle_ = true;
      result.arrays_.push_back({std::filesystem::path(file.path).stem().string(), header->dtype, header->shape,
                                header->elementBytes, header->isWide, bytes.substr(header->begin)});
    }
  } else if (isZip(bytes)) {
    status = result.readZip(file.path, options);
  } else {
    status = result.readSafetensors(file.toOpen());
  }
  for (const StoredArray &array : result.arrays_)
    if (status.ok() && array.dtype == MLCRT_BOOL && !areBools(array.bytes))
      status = arrayError(file.path, array.name, "has a bool that is neither 0 nor 1");
  // What was read while the file changed says nothing.
  if (absl::Status changed = result.data_.check(); !changed.ok())
    return changed;
  if (!status.ok())
    return status;
  return result;
}

absl::Status ArrayFile::readZip(const std::string &path, const FileDataOptions &options) {
  absl::StatusOr<std::vector<ZipMember>> members = listZip(path, data_.bytes());
  if (!members.ok())
    return members.status();
  constexpr std::string_view kEnding = ".npy";
  int64_t room = options.memoryLimit;
  unpacked_.reserve(members->size());
  for (const ZipMember &member : *members) {
    std::string_view name = member.name;
    if (name.size() <= kEnding.size() || name.substr(name.size() - kEnding.size()) != kEnding)
      return arrayError(path, {}, "has the member '" + member.name + "', which is no array",
                        "members NAME.npy, as numpy.savez writes them");
    name.remove_suffix(kEnding.size());
    std::string_view bytes = member.stored;
    if (!member.isDeflated) {
      if (absl::Status status = unpackMember(path, member, [](std::string_view) { return absl::OkStatus(); });
          !status.ok())
        return status;
    } else {
      FileDataOptions limited = options;
      limited.memoryLimit = room;
      absl::StatusOr<FileData> unpacked =
          FileData::collect(path, limited, [&](const UnpackSink &sink) { return unpackMember(path, member, sink); });
      if (!unpacked.ok())
        return unpacked.status();
      bytes = unpacked->bytes();
      if (unpacked->inMemory())
        room -= static_cast<int64_t>(bytes.size());
      unpacked_.push_back(*std::move(unpacked));
    }
    absl::StatusOr<NpyHeader> header = readNpyHeader(path, name, bytes);
    if (!header.ok())
      return header.status();
    arrays_.push_back({std::string(name), header->dtype, header->shape, header->elementBytes, header->isWide,
                       bytes.substr(header->begin)});
  }
  return absl::OkStatus();
}

absl::Status ArrayFile::readSafetensors(const std::string &path) {
  absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path);
  if (!reader.ok()) { // that of a checkpoint, in the words of data
    mlc::common::Message message = messageOf(reader.status());
    message.code = data_code::kUnreadable;
    return messageStatus(absl::StatusCode::kDataLoss, message);
  }
  const std::string_view bytes = data_.bytes();
  for (const TensorInfo &tensor : reader->tensors()) {
    if (tensor.offset + tensor.bytes > static_cast<int64_t>(bytes.size()))
      return arrayError(path, tensor.name, "does not lie in the file");
    arrays_.push_back({tensor.name, tensor.dtype, tensor.shape, dtypeSize(tensor.dtype), false,
                       bytes.substr(static_cast<size_t>(tensor.offset), static_cast<size_t>(tensor.bytes))});
  }
  return absl::OkStatus();
}

const StoredArray *ArrayFile::find(std::string_view name) const {
  const auto it = std::find_if(arrays_.begin(), arrays_.end(), [&](const StoredArray &a) { return a.name == name; });
  return it == arrays_.end() ? nullptr : &*it;
}

ArrayFile ArrayFile::ofMemory(std::vector<StoredArray> arrays, std::shared_ptr<const void> owner) {
  ArrayFile result;
  result.arrays_ = std::move(arrays);
  result.owner_ = std::move(owner);
  return result;
}

int64_t ArrayFile::memory() const {
  int64_t bytes = data_.inMemory() ? static_cast<int64_t>(data_.bytes().size()) : 0;
  for (const FileData &data : unpacked_)
    bytes += data.inMemory() ? static_cast<int64_t>(data.bytes().size()) : 0;
  return bytes;
}

} // namespace mlcrt
