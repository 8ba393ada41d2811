// The list of data files that globs stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/FileList.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <glob.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace mlcrt {

namespace fs = std::filesystem;

static absl::Status noMatch(const std::string &pattern) {
  const fs::path path(pattern);
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  if (directory.string().find_first_of("*?[") == std::string::npos && !fs::is_directory(directory, error))
    return dataError({pattern}, data_code::kNoSuchFile,
                     absl::StrCat("no such file: there is no directory '", directory.string(), "'"));
  std::vector<std::string> names;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return dataError({pattern}, data_code::kNoSuchFile,
                   absl::StrCat("no file in directory '", directory.string(), "' has this name"), "",
                   mlc::common::didYouMean(path.filename().string(), names));
}

SpooledStream::~SpooledStream() { ::close(descriptor_); }

std::string SpooledStream::path() const { return absl::StrCat("/proc/self/fd/", descriptor_); }

static absl::Status unreadable(const std::string &path, const char *what) {
  return dataError({path}, data_code::kUnreadable, absl::StrCat(what, ": ", std::strerror(errno)));
}

/// Copies what comes from `from` to a file without a name, which becomes readable in its place.
static absl::StatusOr<std::shared_ptr<const SpooledStream>> spool(const std::string &path, int from) {
  std::error_code error;
  const fs::path directory = fs::temp_directory_path(error);
  std::string name = (error ? fs::path("/tmp") : directory) / "mlc-stream-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0)
    return unreadable(path, "no temporary file for what it brings");
  ::unlink(name.c_str());
  auto stream = std::make_shared<const SpooledStream>(fd);
  constexpr size_t kChunk = size_t{1} << 16;
  const auto buffer = std::make_unique<char[]>(kChunk);
  while (true) {
    const ssize_t count = ::read(from, buffer.get(), kChunk);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return unreadable(path, "cannot be read");
    if (count == 0)
      return stream;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::write(fd, buffer.get() + done, static_cast<size_t>(count - done));
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return absl::ResourceExhaustedError(
            absl::StrCat(path, ": no room for it in ", directory.string(), ": ", std::strerror(errno)));
      done += written;
    }
  }
}

static absl::StatusOr<DataFile> describe(const std::string &path) {
  const bool isInput = path == kStandardInput;
  int fd = isInput ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return unreadable(path, "cannot be opened");
  const absl::Cleanup close = [&fd] { ::close(fd); };
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return unreadable(path, "cannot be read");
  if (S_ISDIR(info.st_mode))
    return dataError({path}, data_code::kUnreadable, "is a directory", "a data file");
  DataFile file;
  file.path = isInput ? "standard input" : path;
  // Of standard input only what is left counts.
  if (isInput || !S_ISREG(info.st_mode)) {
    absl::StatusOr<std::shared_ptr<const SpooledStream>> spooled = spool(file.path, fd);
    if (!spooled.ok())
      return spooled.status();
    file.spooled = *std::move(spooled);
    ::close(fd);
    fd = ::open(file.toOpen().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::fstat(fd, &info) != 0)
      return unreadable(file.path, "cannot be read again");
  }
  file.mtimeNs = int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
  constexpr size_t kChunk = size_t{1} << 20;
  const auto buffer = std::make_unique<char[]>(kChunk);
  while (true) {
    const ssize_t count = ::read(fd, buffer.get(), kChunk);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return unreadable(path, "cannot be read");
    if (count == 0)
      break;
    file.crc = mlc::common::crc32c(buffer.get(), count, file.crc);
    file.size += count;
  }
  return file;
}

absl::StatusOr<std::vector<std::string>> matchFiles(const std::vector<std::string> &globs) {
  std::vector<std::string> paths;
  for (const std::string &pattern : globs) {
    std::error_code error;
    if (pattern == kStandardInput || fs::exists(pattern, error)) { // or a name that happens to hold glob characters
      paths.push_back(pattern);
      continue;
    }
    glob_t matches{};
    const int result = ::glob(pattern.c_str(), 0, nullptr, &matches);
    const absl::Cleanup release = [&matches] { ::globfree(&matches); };
    if (result == GLOB_NOMATCH)
      return noMatch(pattern);
    if (result != 0)
      return dataError({pattern}, data_code::kUnreadable, "the directory cannot be read");
    paths.insert(paths.end(), matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<std::vector<DataFile>> resolveFiles(const std::vector<std::string> &globs) {
  absl::StatusOr<std::vector<std::string>> paths = matchFiles(globs);
  if (!paths.ok())
    return paths.status();
  std::vector<DataFile> files;
  std::vector<fs::path> seen;
  for (const std::string &path : *paths) {
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    if (!error && std::find(seen.begin(), seen.end(), canonical) != seen.end())
      continue;
    seen.push_back(canonical);
    absl::StatusOr<DataFile> file = describe(path);
    if (!file.ok())
      return file.status();
    files.push_back(*std::move(file));
  }
  return files;
}

} // namespace mlcrt
