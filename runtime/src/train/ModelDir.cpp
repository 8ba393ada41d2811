// Locking a model_dir and numbering its runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelDir.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/EvaluatorFiles.h"

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

absl::StatusOr<ModelDirLock> ModelDirLock::acquire(const std::string &modelDir, Role role) {
  if (absl::Status status = makeDirectories(modelDir); !status.ok())
    return status;
  const bool trains = role == Role::Trainer;
  std::string path = modelDir + (trains ? "/lock" : "/evaluator-lock");
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
                     "another " + std::string(trains ? "trainer" : "evaluator") + " writes to this model_dir (" +
                         named + ")",
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
  // Another task of the job may take a number at the same time.
  std::string path;
  do {
    char name[32];
    std::snprintf(name, sizeof(name), "%04lld", static_cast<long long>(++last));
    path = parent + "/" + name;
  } while (!fs::create_directory(path, error) && !error);
  if (error)
    return writeError(path, "cannot make the directory", error.value());
  return path;
}

/// Whether a trainer writes its events to a directory of this name.
static bool isEvalDirectory(const std::string &name) { return name == "eval" || name.compare(0, 5, "eval_") == 0; }

/// Adds the event files of modelDir/`directory` ("": of modelDir itself), as paths within modelDir.
static std::error_code findEvents(const std::string &modelDir, const std::string &directory,
                                  std::vector<std::string> &found) {
  std::error_code error;
  for (fs::directory_iterator it(fs::path(modelDir) / directory, error), end; !error && it != end;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    std::error_code unknown;
    if (name.compare(0, 20, "events.out.tfevents.") == 0)
      found.push_back((fs::path(directory) / name).string());
    else if (directory.empty() && isEvalDirectory(name) && it->is_directory(unknown))
      if (std::error_code inner = findEvents(modelDir, name, found))
        return inner;
  }
  return error;
}

absl::StatusOr<std::string> moveAside(const std::string &modelDir, const std::string &runDirectory) {
  std::vector<std::string> names;
  if (std::error_code error = findEvents(modelDir, "", names))
    return fileError(absl::StatusCode::kDataLoss, "E0403", modelDir, "cannot list the directory: " + error.message());
  std::sort(names.begin(), names.end());
  if (std::error_code unknown; fs::exists(fs::path(modelDir) / kEvaluationsName, unknown))
    names.push_back(kEvaluationsName);
  absl::StatusOr<std::vector<CheckpointPath>> checkpoints = listEveryCheckpoint(modelDir);
  if (!checkpoints.ok())
    return checkpoints.status();
  // Those that a run would resume from after the others.
  std::stable_partition(checkpoints->begin(), checkpoints->end(),
                        [](const CheckpointPath &entry) { return entry.name != kWholeState; });
  for (const CheckpointPath &entry : *checkpoints)
    names.push_back(fs::path(entry.path).filename().string());
  return moveAside(modelDir, runDirectory, names);
}

absl::StatusOr<std::string> moveAside(const std::string &modelDir, const std::string &runDirectory,
                                      const std::vector<std::string> &names) {
  if (names.empty())
    return std::string();
  std::string target = modelDir + "/before-" + fs::path(runDirectory).filename().string();
  std::error_code error;
  for (const std::string &name : names) {
    fs::path to = fs::path(target) / name;
    fs::create_directories(to.parent_path(), error);
    if (error)
      return writeError(to.parent_path().string(), "cannot make the directory", error.value());
    fs::rename(fs::path(modelDir) / name, to, error);
    if (error)
      return writeError(modelDir + "/" + name, "cannot move it to " + target, error.value());
  }
  for (const std::string &directory : {target, modelDir})
    if (absl::Status status = syncDirectory(directory); !status.ok())
      return status;
  return target;
}

} // namespace mlcrt
