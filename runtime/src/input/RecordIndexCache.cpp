// The cache of record indexes on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/input/RecordIndex.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sys/file.h>
#include <unistd.h>

namespace mlcrt {

namespace fs = std::filesystem;

std::string defaultCacheDir() {
  if (const char *dir = std::getenv("XDG_CACHE_HOME"); dir && dir[0] == '/')
    return absl::StrCat(dir, "/mlc");
  if (const char *home = std::getenv("HOME"); home && home[0] == '/')
    return absl::StrCat(home, "/.cache/mlc");
  return {};
}

/// The options that decide where records begin and end, as text.
static std::string scanOptions(const RecordFormat &records) {
  if (const auto *tfrecord = std::get_if<TfRecordFormat>(&records))
    return absl::StrCat("tfrecord compression=", static_cast<int>(tfrecord->compression));
  const CsvFormat &format = std::get<CsvFormat>(records);
  std::string text = absl::StrCat("header=", format.header, " delim=", static_cast<int>(format.fieldDelim),
                                  " quote=", format.useQuoteDelim, " space=", format.skipInitialSpace,
                                  " skip=", format.skipLines, " compression=", static_cast<int>(format.compression));
  for (const std::string &prefix : format.comment)
    absl::StrAppend(&text, " comment=", prefix.size(), ":", prefix);
  return text;
}

/// The state of the file that an entry is valid for.
static std::string stateKey(const DataFile &file, std::string_view text, const RecordFormat &format) {
  return absl::StrCat("size=", file.size, " mtime=", file.mtimeNs, " crc=", absl::Hex(file.crc), " text=", text.size(),
                      " ", scanOptions(format));
}

std::string recordIndexPath(const DataFile &file, const RecordFormat &format, const std::string &cacheDir) {
  std::error_code error;
  const fs::path canonical = fs::canonical(file.path, error);
  const std::string name = absl::StrCat(error ? file.path : canonical.string(), "\n", scanOptions(format));
  // Two files of one checksum take turns: the key within the entry tells them apart.
  return absl::StrCat(cacheDir, "/records-", fs::path(file.path).filename().string(), "-",
                      absl::Hex(mlc::common::crc32c(name.data(), name.size()), absl::kZeroPad8), ".idx");
}

static std::optional<std::string> readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// The valid entry at `path`, or nothing; a damaged one gets a note.
static std::optional<RecordIndex> readEntry(const std::string &path, const std::string &key, int64_t textSize,
                                            const NoteSink &note) {
  const std::optional<std::string> bytes = readFile(path);
  if (!bytes)
    return std::nullopt;
  absl::StatusOr<RecordIndex> index = RecordIndex::deserialize(*bytes, key, textSize);
  if (index.ok())
    return *std::move(index);
  if (absl::IsDataLoss(index.status()) && note)
    note(absl::StrCat("the cached index of records ", path, " is damaged (", std::string(index.status().message()),
                      "); built again"));
  return std::nullopt;
}

/// Writes `bytes` beside `path` and renames. Returns errno or 0.
static int writeEntry(const std::string &path, const std::string &bytes) {
  const std::string temporary = absl::StrCat(path, ".", ::getpid(), ".tmp");
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return errno;
  int error = 0;
  for (size_t done = 0; done < bytes.size() && error == 0;) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count >= 0)
      done += static_cast<size_t>(count);
    else if (errno != EINTR)
      error = errno;
  }
  if (::close(fd) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error != 0)
    ::unlink(temporary.c_str());
  return error;
}

absl::StatusOr<RecordIndex> loadRecordIndex(const DataFile &file, std::string_view text, const RecordFormat &format,
                                            const std::string &cacheDir, const NoteSink &note) {
  if (cacheDir.empty() || file.spooled || static_cast<int64_t>(text.size()) < kCachedIndexBytes)
    return RecordIndex::build(file.path, text, format);
  const std::string path = recordIndexPath(file, format, cacheDir);
  const std::string key = stateKey(file, text, format);
  const int64_t textSize = static_cast<int64_t>(text.size());
  if (std::optional<RecordIndex> index = readEntry(path, key, textSize, nullptr))
    return *std::move(index);

  auto cannotWrite = [&](int error) {
    if (note)
      note(absl::StrCat("the index of records of ", file.path, " is not kept: ", path, ": ", std::strerror(error)));
  };
  std::error_code error;
  fs::create_directories(cacheDir, error);
  const int lock = ::open(absl::StrCat(path, ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) {
    cannotWrite(errno);
    return RecordIndex::build(file.path, text, format);
  }
  const absl::Cleanup unlock = [lock] { ::close(lock); }; // closing releases the lock
  while (::flock(lock, LOCK_EX) != 0 && errno == EINTR) {
  }
  // Another process may have built it meanwhile.
  if (std::optional<RecordIndex> index = readEntry(path, key, textSize, note))
    return *std::move(index);
  absl::StatusOr<RecordIndex> index = RecordIndex::build(file.path, text, format);
  if (index.ok())
    if (const int failed = writeEntry(path, index->serialize(key)))
      cannotWrite(failed);
  return index;
}

} // namespace mlcrt
