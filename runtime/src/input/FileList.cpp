// The list of data files that globs stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/FileList.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/Crc32c.h"
#include "common/NearestMatch.h"
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

static absl::StatusOr<DataFile> describe(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return dataError({path}, data_code::kUnreadable, absl::StrCat("cannot be opened: ", std::strerror(errno)));
  const absl::Cleanup close = [fd] { ::close(fd); };
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return dataError({path}, data_code::kUnreadable, absl::StrCat("cannot be read: ", std::strerror(errno)));
  if (!S_ISREG(info.st_mode))
    return dataError({path}, data_code::kUnreadable, S_ISDIR(info.st_mode) ? "is a directory" : "is no regular file",
                     "a data file");
  DataFile file;
  file.path = path;
  file.mtimeNs = int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
  constexpr size_t kChunk = size_t{1} << 20;
  const auto buffer = std::make_unique<char[]>(kChunk);
  while (true) {
    const ssize_t count = ::read(fd, buffer.get(), kChunk);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return dataError({path}, data_code::kUnreadable, absl::StrCat("cannot be read: ", std::strerror(errno)));
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
    if (fs::exists(pattern, error)) { // a name that happens to hold glob characters
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
