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

/// Whether the files of a source are there; with `needed` there must be some.
static absl::Status checkSource(const BatchSource &source, bool needed) {
  if (source.empty())
    return needed ? noFilesError(source.what) : absl::OkStatus();
  return source.isFiles() ? matchFiles(source.globs).status() : absl::OkStatus();
}

static absl::Status checkTrain(const RunOptions &options, const Configuration &configuration) {
  const mlc::common::SettingsTable &settings = configuration.settings();
  const BatchSource source = configuration.trainSource();
  if (absl::Status status = checkSource(source, true); !status.ok())
    return status;
  // A stream has an end of its own, or whoever runs this has a way to stop it.
  if (!options.steps.has_value() && !options.dryRun && !source.stream && source.passes <= 0)
    if (absl::Status status = requireStop(settings); !status.ok())
      return status;
  for (const EvalSet &set : configuration.evalSets()) {
    if (absl::Status status = checkSource(configuration.evalSource(set), false); !status.ok())
      return status;
  }
  return !options.modelDir.empty() ? checkDirectoryWritable(options.modelDir) : absl::OkStatus();
}

static absl::Status checkEvaluate(const RunOptions &options, const Configuration &configuration) {
  bool any = false;
  for (const EvalSet &set : configuration.evalSets()) {
    const BatchSource source = configuration.evalSource(set);
    if (options.name && set.name != *options.name)
      continue;
    if (absl::Status status = checkSource(source, options.name.has_value()); !status.ok())
      return status;
    any |= !source.empty();
  }
  if (any || configuration.evalSets().empty())
    return absl::OkStatus();
  return noFilesError(configuration.evalSource(configuration.evalSets().front()).what);
}

static absl::Status checkPredict(const RunOptions &options, const Configuration &configuration) {
  if (absl::Status status = checkSource(configuration.source("predict.files"), true); !status.ok())
    return status;
  const std::string &output = options.output;
  return output.empty() || output == "-" ? absl::OkStatus() : checkFileWritable(output);
}

absl::Status checkRun(const RunOptions &options, const Configuration &configuration) {
  if (!options.cluster.tfConfig.empty())
    return absl::OkStatus();
  if (options.verb == "train")
    return checkTrain(options, configuration);
  if (options.verb == "evaluate")
    return checkEvaluate(options, configuration);
  return options.verb == "predict" ? checkPredict(options, configuration) : absl::OkStatus();
}

/// Whether there is the checkpoint that a verb takes; what it holds is the trainer's to check.
static absl::Status checkCheckpoint(const RunOptions &options) {
  if (options.verb == "train" || !options.cluster.tfConfig.empty() ||
      !(!options.modelDir.empty() || !options.checkpoint.empty()))
    return absl::OkStatus();
  return checkpointToRun(options, options.commandFor("train")).status();
}

bool checkBeforeCompile(const RunOptions &options, const std::string &manifest, MessageList &messages, ExitCode &code) {
  absl::StatusOr<Configuration> configuration = Configuration::fromManifest(manifest);
  // The trainer says what is wrong with a manifest.
  if (!configuration.ok())
    return true;
  MessageList found;
  bool complete = configuration->apply(options, found);
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
  absl::Status status = checkRun(options, *configuration);
  if (status.ok())
    status = checkCheckpoint(options);
  if (status.ok())
    return true;
  messages.add(messageOf(status));
  code = exitCodeOf(status);
  return false;
}

} // namespace mlcrt
