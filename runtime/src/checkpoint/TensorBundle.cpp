// Reader of TensorFlow's checkpoint files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/TensorBundle.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/BundleEntry.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/SortedTable.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/ProtoWire.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

namespace mlcrt {

using mlc::common::crc32c;
using mlc::common::maskedCrc32c;

/// Of TensorFlow's tensors.
static constexpr size_t kMaxRank = 254;
/// Slices that do not follow one another along one axis are compared each with each.
static constexpr size_t kMaxScatteredSlices = 4096;

static absl::Status damaged(const std::string &path, std::string what, std::string expected = {}) {
  mlc::common::Message message = mlc::common::makeError("E0403", std::move(what));
  message.place.file = path;
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kDataLoss, message);
}

std::string bundleDataPath(const std::string &prefix, int32_t shard, int32_t shards) {
  char suffix[64];
  std::snprintf(suffix, sizeof(suffix), ".data-%05d-of-%05d", shard, shards);
  return prefix + suffix;
}

//===-- Keys of slices --------------------------------------------------------------------------------------------===//

/// Appends a number so that texts are ordered as numbers are: n bytes hold 7n - 1 bits and the sign, and begin with n
/// bits that are unlike the sign.
static void appendOrdered(std::string &out, int64_t value) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int bits = 0;
  while (bits < 63 && magnitude >> bits)
    ++bits;
  const int bytes = bits / 7 + 1;
  std::string number(2, value < 0 ? '\xff' : '\0'); // then its 8 bytes, the highest first
  for (int shift = 56; shift >= 0; shift -= 8)
    number.push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
  number.erase(0, number.size() - static_cast<size_t>(bytes));
  for (int i = 0; i < bytes; ++i)
    number[static_cast<size_t>(i / 8)] = static_cast<char>(number[static_cast<size_t>(i / 8)] ^ (0x80 >> (i % 8)));
  out.append(number);
}

/// Appends a count: how many bytes it takes, and these, the highest first.
static void appendCount(std::string &out, uint64_t value) {
  std::string digits;
  for (; value; value >>= 8)
    digits.insert(digits.begin(), static_cast<char>(value & 0xff));
  out.push_back(static_cast<char>(digits.size()));
  out.append(digits);
}

std::string sliceKey(std::string_view tensor, const std::vector<int64_t> &starts, const std::vector<int64_t> &sizes) {
  std::string key;
  appendCount(key, 0);
  for (const char c : tensor) {
    key.push_back(c);
    if (c == '\0')
      key.push_back('\xff');
    else if (c == '\xff')
      key.push_back('\0');
  }
  key.append({'\0', '\1'});
  appendCount(key, starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    appendOrdered(key, starts[i]);
    appendOrdered(key, sizes[i]);
  }
  return key;
}

//===-- The index -------------------------------------------------------------------------------------------------===//

/// Takes the entries of the index and makes tensors of them.
class TensorBundleReader::Index {
public:
  explicit Index(TensorBundleReader &reader) : reader_(reader), path_(reader.prefix_ + ".index") {}

  absl::Status read() {
    if (absl::Status status =
            readSortedTable(path_, [&](std::string_view key, std::string_view value) { return take(key, value); });
        !status.ok())
      return status;
    if (header_.shards == 0)
      return damaged(path_, "has no entries", "a header");
    for (auto &[name, entry] : entries_)
      if (absl::Status status = add(name, entry); !status.ok())
        return status;
    if (slicesUsed_ != slices_.size())
      return damaged(path_,
                     "has " + std::to_string(slices_.size()) + " slices, of which tensors name " +
                         std::to_string(slicesUsed_),
                     "slices of tensors alone");
    return absl::OkStatus();
  }

private:
  absl::Status take(std::string_view key, std::string_view value) {
    if (header_.shards == 0)
      return takeHeader(key, value);
    BundleEntry entry;
    if (!entry.parse(value))
      return damaged(path_, "the entry of " + nameText(key) + " is no message of its kind",
                     "a BundleEntryProto, found " + std::to_string(value.size()) + " bytes");
    if (entry.isRankUnknown || entry.shape.size() > kMaxRank)
      return damaged(path_, nameText(key) + " has an unknown shape", "a rank of at most 254");
    if (entry.shard < 0 || entry.shard >= header_.shards)
      return damaged(path_, nameText(key) + " is in data file " + std::to_string(entry.shard),
                     "a number below " + std::to_string(header_.shards));
    (key[0] == '\0' ? slices_ : entries_).emplace_back(key, std::move(entry));
    return absl::OkStatus();
  }

  absl::Status takeHeader(std::string_view key, std::string_view value) {
    if (!key.empty() || !header_.parse(value))
      return damaged(path_, "the first entry is no BundleHeaderProto", "the header of a checkpoint");
    if (header_.isBigEndian)
      return damaged(path_, "is of a big-endian machine", "little-endian numbers");
    if (header_.minConsumer > 1)
      return damaged(path_, "needs a reader of version " + std::to_string(header_.minConsumer), "at most 1");
    if (header_.shards < 1 || header_.shards > INT32_MAX)
      return damaged(path_, "tells of " + std::to_string(header_.shards) + " data files", "at least one");
    return absl::OkStatus();
  }

  /// A name for messages; the key of a slice has bytes that are no text.
  static std::string nameText(std::string_view key) {
    return key.empty() || key[0] == '\0' ? "a slice" : "tensor '" + std::string(key) + "'";
  }

  /// The file of the data that an entry is in.
  absl::StatusOr<const InputFile *> fileOf(const BundleEntry &entry) {
    const auto shard = static_cast<int32_t>(entry.shard);
    if (auto found = reader_.files_.find(shard); found != reader_.files_.end())
      return &found->second;
    const std::string path = bundleDataPath(reader_.prefix_, shard, static_cast<int32_t>(header_.shards));
    absl::StatusOr<InputFile> file = InputFile::open(path);
    if (absl::IsNotFound(file.status()))
      return damaged(path, "the file is missing", "data that " + path_ + " tells of");
    if (!file.ok())
      return file.status();
    return &reader_.files_.emplace(shard, *std::move(file)).first->second;
  }

  /// Where the bytes of an entry lie; `bytes` is how many they have to be, -1: any.
  absl::StatusOr<BundlePart> place(const std::string &name, const BundleEntry &entry, int64_t bytes) {
    if (bytes >= 0 && entry.bytes != bytes)
      return damaged(path_, "tensor '" + name + "' has " + std::to_string(entry.bytes) + " bytes",
                     std::to_string(bytes) + " of its dtype and shape");
    absl::StatusOr<const InputFile *> file = fileOf(entry);
    if (!file.ok())
      return file.status();
    if (entry.offset < 0 || entry.bytes < 0 || entry.offset > (*file)->size() ||
        entry.bytes > (*file)->size() - entry.offset)
      return damaged((*file)->path(),
                     "tensor '" + name + "' has " + std::to_string(entry.bytes) + " bytes at byte " +
                         std::to_string(entry.offset) + ", but the file " + std::to_string((*file)->size()),
                     "a whole file");
    BundlePart part;
    part.shard = static_cast<int32_t>(entry.shard);
    part.offset = entry.offset;
    part.bytes = entry.bytes;
    part.crc = entry.crc;
    return part;
  }

  /// Bytes of a shape, or -1.
  static int64_t bytesOf(mlcrt_dtype dtype, const std::vector<int64_t> &shape) {
    const int64_t elements = elementCount(shape.data(), static_cast<int32_t>(shape.size()));
    int64_t bytes = 0;
    return elements < 0 || __builtin_mul_overflow(elements, dtypeSize(dtype), &bytes) ? -1 : bytes;
  }

  absl::Status add(const std::string &name, const BundleEntry &entry) {
    const std::optional<mlcrt_dtype> dtype = dtypeFromTensorFlow(entry.dtype);
    if (!dtype)
      return addOther(name, entry);
    BundleTensor tensor;
    tensor.name = name;
    tensor.dtype = *dtype;
    tensor.shape = entry.shape;
    tensor.bytes = bytesOf(*dtype, entry.shape);
    if (tensor.bytes < 0)
      return damaged(path_, "tensor '" + name + "' is " + typeText(*dtype, entry.shape), "a size that can be");
    absl::Status status = entry.slices.empty() ? addWhole(entry, tensor) : addSlices(entry, tensor);
    if (status.ok())
      reader_.tensors_.push_back(std::move(tensor));
    return status;
  }

  absl::Status addOther(const std::string &name, const BundleEntry &entry) {
    BundleOther &other = reader_.others_.emplace_back();
    other.name = name;
    other.dtype = tensorFlowDtypeName(entry.dtype);
    other.elements =
        entry.slices.empty() ? elementCount(entry.shape.data(), static_cast<int32_t>(entry.shape.size())) : -1;
    if (entry.slices.empty()) {
      absl::StatusOr<BundlePart> part = place(name, entry, -1);
      if (!part.ok())
        return part.status();
      other.place = *std::move(part);
      return absl::OkStatus();
    }
    for (const std::vector<SliceExtent> &slice : entry.slices)
      if (absl::StatusOr<const BundleEntry *> found = findSlice(name, entry, slice); !found.ok())
        return found.status();
    return absl::OkStatus();
  }

  absl::Status addWhole(const BundleEntry &entry, BundleTensor &tensor) {
    absl::StatusOr<BundlePart> part = place(tensor.name, entry, tensor.bytes);
    if (!part.ok())
      return part.status();
    part->starts.assign(tensor.shape.size(), 0);
    part->sizes = tensor.shape;
    tensor.parts.push_back(*std::move(part));
    return absl::OkStatus();
  }

  /// The entry of a slice, which has to be there.
  absl::StatusOr<const BundleEntry *> findSlice(const std::string &name, const BundleEntry &whole,
                                                const std::vector<SliceExtent> &slice) {
    std::vector<int64_t> starts, sizes;
    for (const SliceExtent &extent : slice) {
      starts.push_back(extent.size ? extent.start : 0);
      sizes.push_back(extent.size.value_or(-1));
    }
    const std::string key = sliceKey(name, starts, sizes);
    const auto found = std::lower_bound(slices_.begin(), slices_.end(), key,
                                        [](const auto &each, const std::string &key) { return each.first < key; });
    if (found == slices_.end() || found->first != key)
      return damaged(path_, "tensor '" + name + "' names a slice that the index lacks", "an entry of each slice");
    if (found->second.dtype != whole.dtype || !found->second.slices.empty())
      return damaged(path_, "a slice of tensor '" + name + "' is no tensor of its dtype",
                     tensorTypeText(whole.dtype, {}));
    ++slicesUsed_;
    return &found->second;
  }

  static std::string tensorTypeText(int64_t number, const std::vector<int64_t> &shape) {
    const std::optional<mlcrt_dtype> dtype = dtypeFromTensorFlow(number);
    return dtype ? typeText(*dtype, shape) : tensorFlowDtypeName(number);
  }

  absl::Status addSlices(const BundleEntry &entry, BundleTensor &tensor) {
    for (const std::vector<SliceExtent> &slice : entry.slices) {
      if (slice.size() != tensor.shape.size())
        return damaged(path_,
                       "a slice of tensor '" + tensor.name + "' has " + std::to_string(slice.size()) + " dimensions",
                       std::to_string(tensor.shape.size()));
      BundlePart extent;
      for (size_t i = 0; i < slice.size(); ++i) {
        const int64_t dim = tensor.shape[i], start = slice[i].size ? slice[i].start : 0,
                      size = slice[i].size.value_or(dim);
        if (start < 0 || size < 0 || start > dim || size > dim - start)
          return damaged(path_,
                         "a slice of tensor '" + tensor.name + "' has [" + std::to_string(start) + ", +" +
                             std::to_string(size) + ") of dimension " + std::to_string(i),
                         "a part of " + std::to_string(dim));
        extent.starts.push_back(start);
        extent.sizes.push_back(size);
      }
      absl::StatusOr<const BundleEntry *> found = findSlice(tensor.name, entry, slice);
      if (!found.ok())
        return found.status();
      if ((*found)->shape != extent.sizes)
        return damaged(path_, "a slice of tensor '" + tensor.name + "' is " + typeText(tensor.dtype, (*found)->shape),
                       typeText(tensor.dtype, extent.sizes));
      absl::StatusOr<BundlePart> part = place(tensor.name, **found, bytesOf(tensor.dtype, extent.sizes));
      if (!part.ok())
        return part.status();
      part->starts = std::move(extent.starts);
      part->sizes = std::move(extent.sizes);
      tensor.parts.push_back(*std::move(part));
    }
    return checkCover(tensor);
  }

  /// Each element has to be in one part.
  absl::Status checkCover(BundleTensor &tensor) const {
    std::sort(tensor.parts.begin(), tensor.parts.end(),
              [](const BundlePart &a, const BundlePart &b) { return a.starts < b.starts; });
    int64_t bytes = 0;
    bool follow = true; // along the first axis, each having all of the others
    for (size_t i = 0; i < tensor.parts.size(); ++i) {
      const BundlePart &part = tensor.parts[i];
      follow &= !part.starts.empty() &&
                std::equal(part.sizes.begin() + 1, part.sizes.end(), tensor.shape.begin() + 1) &&
                part.starts[0] == (i ? tensor.parts[i - 1].starts[0] + tensor.parts[i - 1].sizes[0] : 0);
      if (__builtin_add_overflow(bytes, part.bytes, &bytes) || bytes > tensor.bytes)
        return damaged(path_, "slices of tensor '" + tensor.name + "' overlap", "each element once");
    }
    if (!follow && tensor.parts.size() > kMaxScatteredSlices)
      return damaged(path_, "tensor '" + tensor.name + "' has " + std::to_string(tensor.parts.size()) + " slices",
                     "at most " + std::to_string(kMaxScatteredSlices) + ", or slices of rows");
    for (size_t i = 0; !follow && i < tensor.parts.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (overlap(tensor.parts[i], tensor.parts[j]))
          return damaged(path_, "slices of tensor '" + tensor.name + "' overlap", "each element once");
    if (bytes != tensor.bytes)
      return damaged(path_, "slices of tensor '" + tensor.name + "' have " + std::to_string(bytes) + " bytes together",
                     std::to_string(tensor.bytes));
    return absl::OkStatus();
  }

  static bool overlap(const BundlePart &a, const BundlePart &b) {
    for (size_t i = 0; i < a.starts.size(); ++i)
      if (a.starts[i] >= b.starts[i] + b.sizes[i] || b.starts[i] >= a.starts[i] + a.sizes[i])
        return false;
    return true;
  }

  TensorBundleReader &reader_;
  const std::string path_;
  BundleHeader header_;
  std::vector<std::pair<std::string, BundleEntry>> entries_, slices_; ///< by key, ascending
  size_t slicesUsed_ = 0;
};

absl::StatusOr<TensorBundleReader> TensorBundleReader::open(const std::string &prefix) {
  TensorBundleReader reader(prefix);
  if (absl::Status status = Index(reader).read(); !status.ok())
    return status;
  if (absl::Status status = reader.checkPlaces(); !status.ok())
    return status;
  return reader;
}

std::vector<std::string> TensorBundleReader::paths() const {
  std::vector<std::string> paths = {prefix_ + ".index"};
  for (const auto &[shard, file] : files_)
    paths.push_back(file.path());
  return paths;
}

/// No byte of a data file is of two tensors.
absl::Status TensorBundleReader::checkPlaces() {
  std::vector<std::tuple<int32_t, int64_t, int64_t, const std::string *>> places; // shard, begin, end
  const auto add = [&](const BundlePart &part, const std::string &name) {
    if (part.bytes > 0)
      places.emplace_back(part.shard, part.offset, part.offset + part.bytes, &name);
  };
  for (const BundleTensor &tensor : tensors_)
    for (const BundlePart &part : tensor.parts)
      add(part, tensor.name);
  for (const BundleOther &other : others_)
    add(other.place, other.name);
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    const auto &[shardBefore, beginBefore, endBefore, before] = places[i - 1];
    const auto &[shard, begin, end, name] = places[i];
    if (shard == shardBefore && begin < endBefore)
      return damaged(files_.at(shard).path(),
                     "bytes from " + std::to_string(begin) + " on are of '" + *before + "' and of '" + *name + "'",
                     "each tensor has bytes of its own");
  }
  return absl::OkStatus();
}

//===-- Values ----------------------------------------------------------------------------------------------------===//

/// Proves the bytes of a part, a piece at a time.
static absl::Status provePart(const InputFile &file, const std::string &name, const BundlePart &part) {
  constexpr int64_t kPiece = 1 << 20;
  std::vector<char> buffer(static_cast<size_t>(std::min(kPiece, part.bytes)));
  uint32_t crc = 0;
  for (int64_t at = 0; at < part.bytes; at += kPiece) {
    const int64_t bytes = std::min(kPiece, part.bytes - at);
    if (absl::Status status = file.read(part.offset + at, buffer.data(), bytes); !status.ok())
      return status;
    crc = crc32c(buffer.data(), static_cast<size_t>(bytes), crc);
  }
  if (maskedCrc32c(crc) == part.crc)
    return absl::OkStatus();
  return damaged(file.path(), "tensor '" + name + "' is damaged: its checksum does not fit (bytes " +
                                  std::to_string(part.offset) + " to " + std::to_string(part.offset + part.bytes - 1) +
                                  " of the file)");
}

absl::Status TensorBundleReader::prove(const BundleTensor &tensor) const {
  for (const BundlePart &part : tensor.parts)
    if (absl::Status status = provePart(files_.at(part.shard), tensor.name, part); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status TensorBundleReader::read(const BundleTensor &tensor, int64_t offset, int64_t bytes, void *to) const {
  // With bytes as the last dimension. Parts that have all of the dimensions after `axis` are, as the tensor is, runs of
  // `run` bytes for each index of the axis.
  const int64_t elementBytes = dtypeSize(tensor.dtype);
  const size_t rank = tensor.shape.size();
  char *out = static_cast<char *>(to);
  size_t last = 0;
  while (bytes > 0) {
    std::vector<int64_t> index(rank);
    int64_t rest = offset / elementBytes;
    for (size_t d = rank; d-- > 0; rest /= tensor.shape[d])
      index[d] = rest % tensor.shape[d];
    const auto has = [&](const BundlePart &part) {
      for (size_t d = 0; d < rank; ++d)
        if (index[d] < part.starts[d] || index[d] >= part.starts[d] + part.sizes[d])
          return false;
      return true;
    };
    // Mostly the one of before, or the next one.
    for (size_t tried = 0; tried < tensor.parts.size() && !has(tensor.parts[last]); ++tried)
      last = (last + 1) % tensor.parts.size();
    const BundlePart &part = tensor.parts[last];
    size_t axis = rank;
    while (axis > 0 && part.sizes[axis - 1] == tensor.shape[axis - 1])
      --axis;
    axis -= axis > 0;
    int64_t place = 0, run = elementBytes, inRun = 0; // of this element in the part; the part's run that it is in
    for (size_t d = 0; d < rank; ++d) {
      place = place * part.sizes[d] + index[d] - part.starts[d];
      if (d >= axis) {
        inRun = inRun * part.sizes[d] + index[d] - part.starts[d];
        run *= part.sizes[d];
      }
    }
    const int64_t inElement = offset % elementBytes;
    const int64_t size = std::min(bytes, run - inRun * elementBytes - inElement);
    if (absl::Status status = files_.at(part.shard).read(part.offset + place * elementBytes + inElement, out, size);
        !status.ok())
      return status;
    offset += size;
    out += size;
    bytes -= size;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> TensorBundleReader::readString(std::string_view name) const {
  const auto found =
      std::find_if(others_.begin(), others_.end(), [&](const BundleOther &each) { return each.name == name; });
  if (found == others_.end() || found->dtype != tensorFlowDtypeName(kTensorFlowString) || found->elements != 1)
    return std::nullopt;
  const InputFile &file = files_.at(found->place.shard);
  std::string stored(static_cast<size_t>(found->place.bytes), '\0');
  if (absl::Status status = file.read(found->place.offset, stored.data(), found->place.bytes); !status.ok())
    return status;
  // A varint of the size, the masked checksum of the size as a number, the bytes; a checksum of all of it, in which the
  // size counts as a number, too: of 32 bits, or of 64 where it needs them.
  const char *at = stored.data(), *const end = at + stored.size();
  uint64_t size = 0;
  if (!readVarint(at, end, size) || end - at < 4 || size != static_cast<uint64_t>(end - at - 4))
    return damaged(file.path(), "tensor '" + found->name + "' at byte " + std::to_string(found->place.offset) +
                                    " is no text of " + std::to_string(found->place.bytes) + " bytes");
  uint32_t crc = crc32c(&size, size <= UINT32_MAX ? 4 : 8);
  const uint32_t sizeCrc = maskedCrc32c(crc);
  crc = crc32c(at, static_cast<size_t>(end - at), crc);
  if (std::memcmp(at, &sizeCrc, sizeof(sizeCrc)) != 0 || maskedCrc32c(crc) != found->place.crc)
    return damaged(file.path(), "tensor '" + found->name + "' is damaged: its checksum does not fit (bytes " +
                                    std::to_string(found->place.offset) + " to " +
                                    std::to_string(found->place.offset + found->place.bytes - 1) + " of the file)");
  return std::string(at + 4, end);
}

} // namespace mlcrt
