// Locking a model_dir and numbering its runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelDir.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace mlcrt {

namespace fs = std::filesystem;

std::string hostName() {
  char name[256] = "";
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

absl::StatusOr<ModelDirLock> ModelDirLock::acquire(const std::string &modelDir) {
  std::error_code error;
  fs::create_directories(modelDir, error);
  if (error)
    return writeError(modelDir, "cannot make the directory", error.value());
  std::string path = modelDir + "/lock";
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return writeError(path, "cannot make the lock file", errno);
  int locked = 0;
  while ((locked = ::flock(descriptor, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
  }
  int lockError = locked == 0 ? 0 : errno;
  char text[300];
  std::string named(text, std::max<ssize_t>(::pread(descriptor, text, sizeof(text), 0), 0));
  named.erase(std::find(named.begin(), named.end(), '\n'), named.end());
  if (lockError != 0) {
    ::close(descriptor);
    if (lockError != EWOULDBLOCK)
      return writeError(path, "cannot lock the file", lockError);
    return fileError(absl::StatusCode::kAlreadyExists, "E0404", modelDir,
                     "another trainer writes to this model_dir (" + named + ")",
                     "wait for it, or use another --model_dir");
  }
  ModelDirLock lock(descriptor); // from here on: giving it back empties the file, which only the owner may do
  lock.previous_ = named;
  std::string owner = "host " + hostName() + " pid " + std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, owner.data(), owner.size(), 0) < 0)
    return writeError(path, "cannot write the lock file", errno);
  return lock;
}

ModelDirLock::~ModelDirLock() {
  if (descriptor_ < 0)
    return;
  // The file stays: removing it would let two processes hold locks on two files of one name.
  if (::ftruncate(descriptor_, 0) != 0)
    errno = 0; // the text is for people only
  ::close(descriptor_);
}

absl::StatusOr<std::string> makeRunDirectory(const std::string &modelDir) {
  std::string parent = modelDir + "/runs";
  std::error_code error;
  fs::create_directories(parent, error);
  if (error)
    return writeError(parent, "cannot make the directory", error.value());
  int64_t last = 0;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    int64_t number = 0;
    auto [stop, parsed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed == std::errc() && stop == name.data() + name.size())
      last = std::max(last, number);
  }
  if (error)
    return fileError(absl::StatusCode::kDataLoss, "E0403", parent, "cannot list the directory: " + error.message());
  char name[32];
  std::snprintf(name, sizeof(name), "%04lld", static_cast<long long>(last + 1));
  std::string path = parent + "/" + name;
  if (!fs::create_directory(path, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (error)
    return writeError(path, "cannot make the directory", error.value());
  return path;
}

} // namespace mlcrt
