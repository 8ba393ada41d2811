// Reading, unpacking and mapping of data files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/FileData.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/parquet/Footer.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/Unpack.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mlcrt {

void FileData::Free::operator()(char *data) const { std::free(data); }

static absl::Status ioError(const std::string &path, std::string_view what) {
  return dataError({path}, data_code::kUnreadable,
                   absl::StrCat(absl::string_view(what.data(), what.size()), ": ", std::strerror(errno)));
}

static absl::Status readAll(const std::string &path, int fd, char *out, int64_t size) {
  for (int64_t done = 0; done < size;) {
    const ssize_t count = ::read(fd, out + done, static_cast<size_t>(size - done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return ioError(path, "cannot be read");
    if (count == 0)
      return dataError({path}, data_code::kUnreadable, absl::StrCat("the file ends at byte ", done),
                       absl::StrCat(size, " bytes"));
    done += count;
  }
  return absl::OkStatus();
}

static absl::Status writeAll(const std::string &path, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == ENOSPC)
      return absl::ResourceExhaustedError(absl::StrCat(path, ": no room on disk for the unpacked text"));
    if (count < 0)
      return ioError(path, "the unpacked text cannot be written to the cache directory");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

static int64_t modificationTime(const struct stat &info) {
  return int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
}

namespace {

/// Collects an unpacked text: in memory, and beyond the limit in a file without a name.
class TextCollector {
public:
  TextCollector(const std::string &path, const FileDataOptions &options) : path_(path), options_(options) {}
  ~TextCollector() {
    std::free(data_);
    if (fd_ >= 0)
      ::close(fd_);
  }

  absl::Status add(std::string_view piece) {
    if (piece.empty())
      return absl::OkStatus();
    if (fd_ < 0 && size_ + static_cast<int64_t>(piece.size()) > options_.memoryLimit)
      if (absl::Status status = spill(); !status.ok())
        return status;
    if (fd_ >= 0) {
      size_ += static_cast<int64_t>(piece.size());
      return writeAll(path_, fd_, piece);
    }
    if (size_ + static_cast<int64_t>(piece.size()) > capacity_) {
      capacity_ = std::max<int64_t>(2 * capacity_, size_ + static_cast<int64_t>(piece.size()));
      char *grown = static_cast<char *>(std::realloc(data_, static_cast<size_t>(capacity_)));
      if (!grown)
        return absl::ResourceExhaustedError(absl::StrCat(path_, ": no memory for ", capacity_, " unpacked bytes"));
      data_ = grown;
    }
    std::memcpy(data_ + size_, piece.data(), piece.size());
    size_ += static_cast<int64_t>(piece.size());
    return absl::OkStatus();
  }

  int64_t size() const { return size_; }
  int fd() const { return fd_; }
  char *release() {
    char *data = data_;
    data_ = nullptr;
    return data;
  }

private:
  absl::Status spill() {
    std::string name = absl::StrCat(options_.spillDir.empty() ? "/tmp" : options_.spillDir, "/unpacked-XXXXXX");
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0)
      return ioError(path_, absl::StrCat("no file for the unpacked text in '", options_.spillDir, "'"));
    ::unlink(name.c_str());
    absl::Status status = writeAll(path_, fd_, {data_, static_cast<size_t>(size_)});
    std::free(data_);
    data_ = nullptr;
    capacity_ = 0;
    return status;
  }

  const std::string &path_;
  const FileDataOptions &options_;
  char *data_ = nullptr;
  int64_t size_ = 0, capacity_ = 0;
  int fd_ = -1;
};

} // namespace

absl::StatusOr<FileData> FileData::open(const DataFile &file, const FileDataOptions &options) {
  const int fd = ::open(file.toOpen().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ioError(file.path, "cannot be opened");
  const absl::Cleanup close = [fd] { ::close(fd); };
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return ioError(file.path, "cannot be read");
  if (info.st_size != file.size || modificationTime(info) != file.mtimeNs)
    return dataError({file.path}, data_code::kUnreadable, "the file changed since it was listed");
  FileData result;
  if (file.size == 0)
    return result;

  char magic[16] = {};
  const ssize_t count = ::pread(fd, magic, sizeof(magic), 0);
  const std::string_view start(magic, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  const bool isParquet = mlc::common::parquet::isParquet(start);
  if (isParquet && !options.parquet)
    return dataError({file.path}, data_code::kUnreadable, "is a Parquet file", "another one",
                     "Python reads it by mlc.data.Dataset.from_parquet");
  const bool plain = options.compression == Compression::Auto && options.isPlain && options.isPlain(start);
  const Compression found = plain ? Compression::None : detectCompression(start);
  const Compression compression = isParquet || options.compression != Compression::Auto ? options.compression : found;
  if (!isParquet && compression != Compression::None && found != compression)
    return dataError({file.path}, data_code::kUnreadable, "the first bytes are of no such stream",
                     compression == Compression::Gzip ? "gzip" : "zstd");

  if (!isParquet && compression == Compression::None && file.size <= options.memoryLimit) {
    result.owned_.reset(static_cast<char *>(std::malloc(static_cast<size_t>(file.size))));
    if (!result.owned_)
      return absl::ResourceExhaustedError(absl::StrCat(file.path, ": no memory for ", file.size, " bytes"));
    if (absl::Status status = readAll(file.path, fd, result.owned_.get(), file.size); !status.ok())
      return status;
    result.bytes_ = {result.owned_.get(), static_cast<size_t>(file.size)};
    return result;
  }

  MappedFile stored(fd, file.size);
  if (!stored)
    return ioError(file.path, "cannot be mapped");
  result.bytes_ = stored.bytes();
  result.mapped_ = std::move(stored);
  result.source_ = file;
  result.inode_ = info.st_ino;
  if (!isParquet && compression == Compression::None)
    return result;

  absl::StatusOr<FileData> unpacked = collect(file.path, options, [&](const UnpackSink &sink) {
    return isParquet ? options.parquet(file.path, result.bytes(), sink)
                     : unpack(file.path, result.bytes(), compression, sink);
  });
  if (absl::Status status = result.check(); !status.ok())
    return status;
  return unpacked;
}

absl::StatusOr<FileData> FileData::collect(const std::string &path, const FileDataOptions &options,
                                           const std::function<absl::Status(const UnpackSink &)> &produce) {
  TextCollector text(path, options);
  if (absl::Status status = produce([&text](std::string_view piece) { return text.add(piece); }); !status.ok())
    return status;
  FileData result;
  if (text.fd() < 0) {
    const auto size = static_cast<size_t>(text.size());
    result.owned_.reset(text.release());
    result.bytes_ = {result.owned_.get(), size};
    return result;
  }
  result.mapped_ = MappedFile(text.fd(), text.size());
  if (!result.mapped_)
    return ioError(path, "the unpacked text cannot be mapped");
  result.bytes_ = result.mapped_.bytes();
  return result;
}

absl::Status FileData::check() const {
  struct stat info;
  // A file that was removed or replaced stays as it is under the mapping.
  if (inMemory() || source_.path.empty() || source_.spooled || ::stat(source_.path.c_str(), &info) != 0 ||
      info.st_ino != inode_)
    return absl::OkStatus();
  if (info.st_size == source_.size && modificationTime(info) == source_.mtimeNs)
    return absl::OkStatus();
  return dataError({source_.path}, data_code::kUnreadable,
                   absl::StrCat("the file was changed while it was read: it has ", info.st_size, " bytes now"),
                   absl::StrCat("the ", source_.size, " bytes it had"));
}

} // namespace mlcrt
