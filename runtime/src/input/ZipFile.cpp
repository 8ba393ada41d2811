// The members of a zip file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ZipFile.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <zlib.h>

namespace mlcrt {

// Signatures and sizes of the records that are read here (APPNOTE.TXT 4.3).
static constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                          kLocator64 = 0x07064b50;
static constexpr uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
static constexpr uint64_t kMaxComment = 0xffff;
static constexpr uint32_t kIn64 = 0xffffffff; ///< of a field whose value is in the zip64 record
static constexpr uint16_t kZip64Field = 1, kEncrypted = 1, kStored = 0, kDeflated = 8;

static absl::Status damaged(std::string_view path, std::string_view what, std::string_view expected = {}) {
  return dataError({path}, data_code::kUnreadable, what, expected);
}

/// A little-endian number at `at`, which the caller knows to be inside.
template <typename T> static T number(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

/// Whether [at, at + size) lies inside `bytes`.
static bool isInside(std::string_view bytes, uint64_t at, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

bool isZip(std::string_view bytes) {
  return bytes.size() >= 4 && (number<uint32_t>(bytes, 0) == kLocal || number<uint32_t>(bytes, 0) == kEnd);
}

namespace {
/// Where the directory is.
struct Directory {
  uint64_t begin = 0, members = 0;
};
} // namespace

/// The directory as the record at the end tells, which a comment may follow.
static std::optional<Directory> findDirectory(std::string_view bytes) {
  if (bytes.size() < kEndSize)
    return std::nullopt;
  uint64_t end = bytes.size() - kEndSize;
  const uint64_t first = end > kMaxComment ? end - kMaxComment : 0;
  while (number<uint32_t>(bytes, end) != kEnd || end + kEndSize + number<uint16_t>(bytes, end + 20) != bytes.size())
    if (end-- == first)
      return std::nullopt;
  Directory directory{number<uint32_t>(bytes, end + 16), number<uint16_t>(bytes, end + 10)};
  if (end < kLocator64Size || number<uint32_t>(bytes, end - kLocator64Size) != kLocator64)
    return directory;
  const uint64_t record = number<uint64_t>(bytes, end - kLocator64Size + 8);
  if (!isInside(bytes, record, kEnd64Size) || number<uint32_t>(bytes, record) != kEnd64)
    return std::nullopt;
  return Directory{number<uint64_t>(bytes, record + 48), number<uint64_t>(bytes, record + 32)};
}

/// Replaces those of `values` that stand in the zip64 field of `extra`, in their order; false if it lacks them.
static bool readZip64(std::string_view extra, std::initializer_list<uint64_t *> values) {
  if (std::none_of(values.begin(), values.end(), [](const uint64_t *value) { return *value == kIn64; }))
    return true;
  for (uint64_t at = 0; isInside(extra, at, 4);) {
    const auto id = number<uint16_t>(extra, at), size = number<uint16_t>(extra, at + 2);
    at += 4;
    if (!isInside(extra, at, size))
      return false;
    if (id != kZip64Field) {
      at += size;
      continue;
    }
    const std::string_view field = extra.substr(at, size);
    uint64_t next = 0;
    for (uint64_t *value : values) {
      if (*value != kIn64)
        continue;
      if (!isInside(field, next, sizeof(uint64_t)))
        return false;
      *value = number<uint64_t>(field, next);
      next += sizeof(uint64_t);
    }
    return true;
  }
  return false;
}

absl::StatusOr<std::vector<ZipMember>> listZip(std::string_view path, std::string_view bytes) {
  const std::optional<Directory> directory = findDirectory(bytes);
  if (!directory)
    return damaged(path, "has no directory at its end", "a complete zip file");
  std::vector<ZipMember> members;
  std::set<std::string> names;
  uint64_t at = directory->begin;
  for (uint64_t i = 0; i < directory->members; ++i) {
    const auto cut = [&] { return damaged(path, absl::StrCat("the directory is damaged at member ", i)); };
    if (!isInside(bytes, at, kCentralSize) || number<uint32_t>(bytes, at) != kCentral)
      return cut();
    const auto flags = number<uint16_t>(bytes, at + 8), method = number<uint16_t>(bytes, at + 10);
    const uint64_t nameSize = number<uint16_t>(bytes, at + 28), extraSize = number<uint16_t>(bytes, at + 30),
                   commentSize = number<uint16_t>(bytes, at + 32);
    uint64_t packed = number<uint32_t>(bytes, at + 20), size = number<uint32_t>(bytes, at + 24),
             local = number<uint32_t>(bytes, at + 42);
    if (!isInside(bytes, at + kCentralSize, nameSize + extraSize + commentSize))
      return cut();
    ZipMember member;
    member.name = std::string(bytes.substr(at + kCentralSize, nameSize));
    member.crc = number<uint32_t>(bytes, at + 16);
    const std::string place = absl::StrCat("member '", member.name, "'");
    if (!readZip64(bytes.substr(at + kCentralSize + nameSize, extraSize), {&size, &packed, &local}))
      return cut();
    if ((flags & kEncrypted) || (method != kStored && method != kDeflated))
      return damaged(path,
                     absl::StrCat(place, (flags & kEncrypted) ? " is encrypted" : absl::StrCat(" has method ", method)),
                     "a member that is stored or deflated");
    if (!isInside(bytes, local, kLocalSize) || number<uint32_t>(bytes, local) != kLocal)
      return damaged(path, absl::StrCat(place, " is not where the directory says"));
    const uint64_t begin =
        local + kLocalSize + number<uint16_t>(bytes, local + 26) + number<uint16_t>(bytes, local + 28);
    if (!isInside(bytes, begin, packed) || size > uint64_t{1} << 62 || (method == kStored && size != packed))
      return damaged(path, absl::StrCat(place, " does not lie in the file"));
    if (!names.insert(member.name).second)
      return damaged(path, absl::StrCat(place, " occurs twice"));
    member.isDeflated = method == kDeflated;
    member.size = static_cast<int64_t>(size);
    member.stored = bytes.substr(begin, packed);
    members.push_back(std::move(member));
    at += kCentralSize + nameSize + extraSize + commentSize;
  }
  return members;
}

/// zlib's checksum, whose lengths are of 32 bits.
static uint32_t addCrc(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

/// Inflates a stream without a header.
static absl::Status inflateAll(std::string_view path, const ZipMember &member, const UnpackSink &sink) {
  const auto bad = [&](std::string_view what) {
    return damaged(path, absl::StrCat("member '", member.name, "' ", absl::string_view(what.data(), what.size())));
  };
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return absl::ResourceExhaustedError("no memory for unpacking");
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  constexpr size_t kPiece = size_t{1} << 18;
  const auto buffer = std::make_unique<char[]>(kPiece);
  std::string_view left = member.stored;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const size_t count = std::min<size_t>(left.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(left.data()));
      stream.avail_in = static_cast<uInt>(count);
      left.remove_prefix(count);
    }
    stream.next_out = reinterpret_cast<Bytef *>(buffer.get());
    stream.avail_out = kPiece;
    result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR)
      return bad("ends early");
    if (result != Z_OK && result != Z_STREAM_END)
      return bad("is damaged");
    if (absl::Status status = sink({buffer.get(), kPiece - stream.avail_out}); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status unpackMember(std::string_view path, const ZipMember &member, const UnpackSink &sink) {
  uint32_t crc = 0;
  int64_t size = 0;
  const auto count = [&](std::string_view piece) {
    crc = addCrc(crc, piece);
    size += static_cast<int64_t>(piece.size());
    return size > member.size ? absl::OkStatus() : sink(piece);
  };
  absl::Status status = member.isDeflated ? inflateAll(path, member, count) : count(member.stored);
  if (!status.ok())
    return status;
  if (size != member.size)
    return damaged(path, absl::StrCat("member '", member.name, "' has ", size, " bytes"), absl::StrCat(member.size));
  if (crc != member.crc)
    return damaged(path, absl::StrCat("member '", member.name, "' does not have the recorded checksum"));
  return absl::OkStatus();
}

} // namespace mlcrt
