// Checkpoints that servers write.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/RemoteShards.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

namespace mlcrt {

namespace fs = std::filesystem;

static std::string serverName(size_t number) { return taskName("ps", static_cast<int64_t>(number)); }

/// What a server or the way to it says, as a message about its part of a checkpoint.
static absl::Status errorOf(size_t server, const absl::Status &status, const std::string &place) {
  const std::string text = absl::StrCat(serverName(server), ": ", status.message());
  switch (status.code()) {
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnauthenticated:
  case absl::StatusCode::kUnimplemented:
    return fileError(absl::StatusCode::kFailedPrecondition, "E0411", place, text);
  case absl::StatusCode::kResourceExhausted:
  case absl::StatusCode::kPermissionDenied:
    return fileError(status.code(), "E0405", place, text);
  default: // its bug, too, is a lost task to the chief
    return fileError(absl::StatusCode::kUnavailable, "E0410", place, text);
  }
}

absl::StatusOr<std::string> RemoteShards::probe(const std::string &modelDir) {
  std::random_device random;
  char text[40];
  std::snprintf(text, sizeof(text), "%08x%08x%08x%08x", random(), random(), random(), random());
  cluster::ProbeRequest request;
  request.set_run(run_);
  request.set_model_dir(modelDir);
  request.set_file(absl::StrCat("probe-", std::string(text).substr(0, 8)));
  request.set_contents(text);
  const std::string path = modelDir + "/" + request.file();
  if (absl::Status status = writeFileAtomically(path, text); !status.ok())
    return status;
  std::vector<ServerAnswer<cluster::ProbeReply>> answers;
  size_t failed = 0;
  const absl::Status called = callServersAgain(
      servers_,
      [&](size_t k, Connection::Done done) {
        servers_.links[k]->start("probe", request, {}, timeout_, std::move(done));
      },
      answers, &failed);
  std::error_code error;
  fs::remove(path, error);
  if (error)
    return writeError(path, "cannot remove the file", error.value());
  if (!called.ok())
    return errorOf(failed, called, modelDir);
  for (size_t k = 0; k < answers.size(); ++k)
    if (!answers[k].control.problem().empty())
      return absl::StrCat(serverName(k), " ", answers[k].control.problem());
  return "";
}

absl::Status RemoteShards::snapshot(int64_t step, const std::vector<bool> &wanted) {
  if (copied_ == step)
    return absl::OkStatus();
  cluster::SnapshotRequest request;
  request.set_run(run_);
  request.set_step(step);
  bool isAll = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i])
      request.add_variables(static_cast<int32_t>(i));
    else
      isAll = isAll && (artifact_.table().variables[i].flags & MLCRT_VARIABLE_EVAL);
  }
  if (isAll)
    request.clear_variables();
  copied_ = -1;
  copyStep_ = step;
  std::vector<ServerAnswer<cluster::StateReply>> answers;
  size_t failed = 0;
  const absl::Status called = callServersAgain(
      servers_,
      [&](size_t k, Connection::Done done) {
        servers_.links[k]->start("snapshot", request, {}, timeout_, std::move(done));
      },
      answers, &failed);
  if (!called.ok())
    return errorOf(failed, called, "checkpoint of step " + std::to_string(step));
  for (size_t k = 0; k < answers.size(); ++k) {
    const cluster::StateReply &control = answers[k].control;
    if (!control.end().empty())
      return errorOf(k, absl::UnavailableError(control.end()), "checkpoint of step " + std::to_string(step));
    if (control.step() != step)
      return absl::InternalError(
          absl::StrCat(serverName(k), " copied the state of step ", control.step(), ", not that of step ", step));
  }
  copied_ = isAll ? step : -1;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ShardFile>> RemoteShards::write(const std::string &directory,
                                                           const std::vector<int32_t> &variables) {
  const auto servers = static_cast<int64_t>(size());
  auto temporary = [&](size_t k) { return temporaryShardName(shardName(static_cast<int64_t>(k), servers), run_); };
  cluster::WriteRequest request;
  request.set_run(run_);
  request.set_directory(fs::path(directory).filename().string());
  *request.mutable_variables() = {variables.begin(), variables.end()};
  std::vector<ServerAnswer<cluster::WriteReply>> answers;
  size_t failed = 0;
  const absl::Status called = callServersAgain(
      servers_,
      [&](size_t k, Connection::Done done) {
        cluster::WriteRequest own = request;
        own.set_file(temporary(k));
        const std::chrono::seconds more(servers_.plan->bytes(static_cast<int>(k)) >> 20);
        servers_.links[k]->start("write", std::move(own), {}, timeout_ + more, std::move(done));
      },
      answers, &failed);
  if (!called.ok())
    return errorOf(failed, called, directory);
  std::vector<ShardFile> files;
  for (size_t k = 0; k < answers.size(); ++k) {
    const cluster::WriteReply &reply = answers[k].control;
    if (reply.parts_size() == 0)
      continue;
    ShardFile &file = files.emplace_back();
    file.file = {shardName(static_cast<int64_t>(k), servers), reply.size(), reply.crc()};
    file.temporary = temporary(k);
    for (const cluster::WrittenPart &part : reply.parts())
      file.parts.push_back({part.variable(), {part.begin(), part.end()}, part.offset(), part.bytes(), part.crc()});
  }
  return files;
}

void RemoteShards::forget(int64_t step) {
  if (copyStep_ < 0 || copyStep_ >= step)
    return;
  cluster::ForgetRequest request;
  request.set_run(run_);
  request.set_step(copyStep_);
  copyStep_ = copied_ = -1;
  // Nothing depends on it, and it may come behind the next snapshot.
  for (const auto &link : servers_.links)
    link->start("forget", request, {}, timeout_, [](const absl::StatusOr<IncomingMessage> &) {});
}

void RemoteShards::describe(CheckpointManifest &manifest) const {
  manifest.servers = servers_.plan->servers();
  manifest.shards = servers_.plan->describe();
}

} // namespace mlcrt
