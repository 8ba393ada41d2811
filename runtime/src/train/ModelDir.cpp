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
  ModelDirLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    char owner[300] = "";
    ssize_t size = ::pread(descriptor, owner, sizeof(owner) - 1, 0);
    std::string text(owner, std::max<ssize_t>(size, 0));
    text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
    mlc::common::Message message = mlc::common::makeError(
        "E0404", "another trainer writes to this model_dir (" + text + ")", "wait for it, or use another --model_dir");
    message.place.file = modelDir;
    return messageStatus(absl::StatusCode::kAlreadyExists, message);
  }
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
  int64_t last = 0;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    int64_t number = 0;
    auto [stop, parsed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed == std::errc() && stop == name.data() + name.size())
      last = std::max(last, number);
  }
  char name[32];
  std::snprintf(name, sizeof(name), "%04lld", static_cast<long long>(last + 1));
  std::string path = parent + "/" + name;
  if (!error)
    fs::create_directory(path, error);
  if (error)
    return writeError(path, "cannot make the directory", error.value());
  return path;
}

} // namespace mlcrt
