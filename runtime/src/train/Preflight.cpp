// Files, limits and outputs of a run, looked at first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Preflight.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/RestoredModel.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace mlcrt {

namespace fs = std::filesystem;
using mlc::common::CommandLine;
using mlc::common::ExitCode;
using mlc::common::makeError;
using mlc::common::MessageList;

absl::Status requireStop(const mlc::common::SettingsTable &settings) {
  if (settings.getInt("train.max_steps") || settings.getInt("train.epochs"))
    return absl::OkStatus();
  return messageStatus(absl::StatusCode::kInvalidArgument,
                       makeError("E0206", "neither train.max_steps nor train.epochs says when to stop",
                                 "--max_steps N, --steps N or --epochs N"));
}

absl::Status checkDirectoryWritable(const std::string &path) {
  // The nearest directory that is there must take what is to be made in it.
  fs::path existing = fs::absolute(fs::path(path)).lexically_normal();
  struct stat info{};
  while (::stat(existing.c_str(), &info) != 0) {
    if (errno != ENOENT)
      return writeError(path, "cannot make the directory", errno);
    if (!existing.has_relative_path())
      return absl::OkStatus();
    existing = existing.parent_path();
  }
  if (!S_ISDIR(info.st_mode))
    return writeError(path, "cannot make the directory", ENOTDIR);
  if (::access(existing.c_str(), W_OK | X_OK) != 0)
    return writeError(path, "cannot write to the directory '" + existing.string() + "'", errno);
  return absl::OkStatus();
}

absl::Status checkFileWritable(const std::string &path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return writeError(path, "cannot create the file", EISDIR);
    // A device or a pipe is written to.
    if (!S_ISREG(info.st_mode))
      return ::access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : writeError(path, "cannot write", errno);
  }
  const fs::path directory = fs::absolute(fs::path(path)).parent_path();
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    return writeError(path, "cannot create the file", errno);
  return absl::OkStatus();
}

/// Whether the files of a setting are there; with `needed` there must be some.
static absl::Status checkFiles(const std::string &what, const std::vector<std::string> &globs, bool needed) {
  if (globs.empty())
    return needed ? noFilesError(what) : absl::OkStatus();
  return matchFiles(globs).status();
}

static absl::Status checkTrain(const CommandLine &line, const Configuration &configuration) {
  const mlc::common::SettingsTable &settings = configuration.settings();
  if (absl::Status status = checkFiles("train.files", settings.getStrings("train.files"), true); !status.ok())
    return status;
  if (!line.has("steps") && !line.on("dry_run"))
    if (absl::Status status = requireStop(settings); !status.ok())
      return status;
  for (const EvalSet &set : configuration.evalSets()) {
    const auto [what, globs] = configuration.evalFiles(set);
    if (absl::Status status = checkFiles(what, globs, false); !status.ok())
      return status;
  }
  return line.has("model_dir") ? checkDirectoryWritable(line.text("model_dir")) : absl::OkStatus();
}

static absl::Status checkEvaluate(const CommandLine &line, const Configuration &configuration) {
  bool any = false;
  for (const EvalSet &set : configuration.evalSets()) {
    const auto [what, globs] = configuration.evalFiles(set);
    if (line.has("name") && set.name != line.text("name"))
      continue;
    if (absl::Status status = checkFiles(what, globs, line.has("name")); !status.ok())
      return status;
    any |= !globs.empty();
  }
  if (any || configuration.evalSets().empty())
    return absl::OkStatus();
  return noFilesError(configuration.evalFiles(configuration.evalSets().front()).first);
}

static absl::Status checkPredict(const CommandLine &line, const Configuration &configuration) {
  const std::vector<std::string> files = configuration.settings().getStrings("predict.files");
  if (absl::Status status = checkFiles("predict.files", files, true); !status.ok())
    return status;
  const std::string output = line.text("output", "-");
  return output == "-" ? absl::OkStatus() : checkFileWritable(output);
}

absl::Status checkRun(const CommandLine &line, const Configuration &configuration) {
  if (std::getenv("TF_CONFIG"))
    return absl::OkStatus();
  if (line.verb == "train")
    return checkTrain(line, configuration);
  if (line.verb == "evaluate")
    return checkEvaluate(line, configuration);
  return line.verb == "predict" ? checkPredict(line, configuration) : absl::OkStatus();
}

/// Whether there is the checkpoint that a verb takes; what it holds is the trainer's to check.
static absl::Status checkCheckpoint(const CommandLine &line) {
  if (line.verb == "train" || std::getenv("TF_CONFIG") || !(line.has("model_dir") || line.has("checkpoint")))
    return absl::OkStatus();
  return checkpointToRun(line, commandText(line, "mlc", "train")).status();
}

bool checkBeforeCompile(const CommandLine &line, const std::string &manifest, MessageList &messages, ExitCode &code) {
  absl::StatusOr<Configuration> configuration = Configuration::fromManifest(manifest);
  // The trainer says what is wrong with a manifest.
  if (!configuration.ok())
    return true;
  MessageList found;
  bool complete = configuration->apply(line, found);
  bool isLeft = !complete; // to the trainer
  for (const mlc::common::Message &message : found.messages())
    if (message.code != "E0211") {
      messages.add(message);
      isLeft = false;
    }
  if (!complete) {
    code = ExitCode::Usage;
    return isLeft;
  }
  absl::Status status = checkRun(line, *configuration);
  if (status.ok())
    status = checkCheckpoint(line);
  if (status.ok())
    return true;
  messages.add(messageOf(status));
  code = exitCodeOf(status);
  return false;
}

} // namespace mlcrt
