// Write to a temporary file, fsync, rename, fsync the directory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/AtomicFile.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mlcrt {

static std::string temporaryName(const std::string &path) { return path + ".tmp"; }

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::StatusOr<AtomicFile> AtomicFile::create(const std::string &path) {
  struct stat info;
  std::string target = path;
  bool direct = false;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return writeError(path, "cannot create the file", EISDIR);
    direct = !S_ISREG(info.st_mode);
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    if (!direct && !error && std::filesystem::is_symlink(path, error))
      target = real.string();
  }
  int descriptor = direct ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                          : ::open(temporaryName(target).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return writeError(path, "cannot create the file", errno);
  return AtomicFile(target, descriptor, direct);
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), direct_(other.direct_),
      size_(other.size_), crc_(other.crc_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  if (!direct_)
    ::unlink(temporaryName(path_).c_str());
}

/// Bytes that are hashed and written in one go, while they are in a cache; the disk begins with each at once, so that
/// little is left to wait for when the file is synced.
static constexpr int64_t kPiece = int64_t{4} << 20;

absl::Status AtomicFile::write(const void *data, int64_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    const int64_t piece = std::min(size, kPiece);
    crc_ = mlc::common::crc32c(bytes, piece, crc_);
    for (int64_t done = 0; done < piece;) {
      ssize_t written = ::write(descriptor_, bytes + done, piece - done);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return writeError(path_, "cannot write", errno);
      done += written;
    }
    if (piece == kPiece)
      (void)::sync_file_range(descriptor_, size_, piece, SYNC_FILE_RANGE_WRITE); // a hint: commit() syncs
    size_ += piece;
    bytes += piece;
    size -= piece;
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::commit() {
  if (direct_)
    return ::close(std::exchange(descriptor_, -1)) == 0 ? absl::OkStatus() : writeError(path_, "cannot write", errno);
  if (::fsync(descriptor_) != 0)
    return writeError(path_, "cannot write", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(temporaryName(path_).c_str(), path_.c_str()) != 0) {
    absl::Status status = writeError(path_, "cannot write", errno);
    ::unlink(temporaryName(path_).c_str());
    return status;
  }
  return syncDirectory(directoryOf(path_));
}

absl::Status writeFileAtomically(const std::string &path, std::string_view text) {
  absl::StatusOr<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(text.data(), text.size()); !status.ok())
    return status;
  return file->commit();
}

absl::Status syncDirectory(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync a directory (EINVAL); there the rename is as durable as it gets.
  bool synced = descriptor >= 0 && (::fsync(descriptor) == 0 || errno == EINVAL);
  int error = errno;
  if (descriptor >= 0)
    ::close(descriptor);
  return synced ? absl::OkStatus() : writeError(path, "cannot sync the directory", error);
}

absl::Status makeDirectories(const std::string &path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  bool isNew = false; // what is below it
  if (!error)
    isNew = std::filesystem::create_directories(whole, error);
  if (error)
    return writeError(path, "cannot make the directory", error.value());
  // Another process may have made it a moment ago, so entries of all levels are synced; those above one that this
  // process may not read are not its to make.
  for (std::filesystem::path parent = whole.parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (absl::Status status = syncDirectory(parent.string()); !status.ok())
      return isNew && parent == whole.parent_path() ? status : absl::OkStatus();
    if (parent == parent.root_path())
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> readWholeFile(const std::string &path, int64_t limit) {
  auto fail = [&](absl::StatusCode code, std::string what) { return fileError(code, "E0403", path, std::move(what)); };
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail(errno == ENOENT ? absl::StatusCode::kNotFound : absl::StatusCode::kDataLoss,
                std::string("cannot open the file: ") + std::strerror(errno));
  std::string text;
  struct stat info;
  absl::Status status;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    status = fail(absl::StatusCode::kDataLoss, "is not a file");
  } else if (info.st_size > limit) {
    status = fail(absl::StatusCode::kDataLoss, "is larger than " + std::to_string(limit) + " bytes");
  } else {
    text.resize(info.st_size);
    size_t done = 0;
    while (done < text.size()) {
      ssize_t got = ::read(descriptor, text.data() + done, text.size() - done);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0) {
        status = fail(absl::StatusCode::kDataLoss, "cannot read the file");
        break;
      }
      done += got;
    }
  }
  ::close(descriptor);
  if (!status.ok())
    return status;
  return text;
}

} // namespace mlcrt
