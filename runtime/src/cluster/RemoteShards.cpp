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
    return serverError(failed, called, modelDir);
  for (size_t k = 0; k < answers.size(); ++k)
    if (!answers[k].control.problem().empty()) {
      writesHere();
      return absl::StrCat(serverName(k), " ", answers[k].control.problem());
    }
  return "";
}

/// Asks the servers whose answer there is not.
absl::Status RemoteShards::ask(const cluster::SnapshotRequest &request,
                               std::vector<ServerAnswer<cluster::StateReply>> &answers) const {
  const std::string place = "checkpoint of step " + std::to_string(request.step());
  size_t failed = 0;
  const absl::Status called = callServersAgain(
      servers_,
      [&](size_t k, Connection::Done done) {
        servers_.links[k]->start("snapshot", request, {}, timeout_, std::move(done));
      },
      answers, &failed);
  if (!called.ok())
    return serverError(failed, called, place);
  for (size_t k = 0; k < answers.size(); ++k)
    if (!answers[k].control.end().empty())
      return serverError(k, absl::UnavailableError(answers[k].control.end()), place);
  return absl::OkStatus();
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
  if (absl::Status status = ask(request, answers); !status.ok())
    return status;
  for (size_t k = 0; k < answers.size(); ++k) {
    const int64_t found = answers[k].control.step();
    if (found != step)
      return absl::InternalError(
          absl::StrCat(serverName(k), " copied the state of step ", found, ", not that of step ", step));
  }
  copied_ = isAll ? step : -1;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RemoteShards::snapshotFrom(int64_t step) {
  // A step of the others takes longer than this: a few attempts are many.
  constexpr int kAttempts = 1000;
  copied_ = -1;
  std::vector<ServerAnswer<cluster::StateReply>> answers;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    cluster::SnapshotRequest request;
    request.set_run(run_);
    request.set_step(step);
    request.set_or_later(true);
    if (absl::Status status = ask(request, answers); !status.ok())
      return status;
    for (const ServerAnswer<cluster::StateReply> &answer : answers)
      step = std::max(step, answer.control.step());
    bool areAlike = true;
    for (ServerAnswer<cluster::StateReply> &answer : answers)
      if (answer.control.step() != step) {
        answer.message = absl::UnknownError("its copy is of an earlier step");
        areAlike = false;
      }
    if (areAlike)
      return copied_ = copyStep_ = step;
  }
  return absl::DeadlineExceededError(absl::StrCat("servers were at one step in none of ", kAttempts, " attempts"));
}

absl::StatusOr<std::vector<ShardFile>> RemoteShards::write(const std::string &directory,
                                                           const std::vector<int32_t> &tensors) {
  if (isHere_)
    return writeHere(directory, tensors);
  const auto servers = static_cast<int64_t>(size());
  auto temporary = [&](size_t k) { return temporaryShardName(shardName(static_cast<int64_t>(k), servers), run_); };
  cluster::WriteRequest request;
  request.set_run(run_);
  request.set_directory(fs::path(directory).filename().string());
  *request.mutable_tensors() = {tensors.begin(), tensors.end()};
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
    return serverError(failed, called, directory);
  std::vector<ShardFile> files;
  for (size_t k = 0; k < answers.size(); ++k) {
    const cluster::WriteReply &reply = answers[k].control;
    if (reply.parts_size() == 0)
      continue;
    ShardFile &file = files.emplace_back();
    file.file = {shardName(static_cast<int64_t>(k), servers), reply.size(), reply.crc()};
    file.temporary = temporary(k);
    for (const cluster::WrittenPart &part : reply.parts())
      file.parts.push_back({part.tensor(), {part.begin(), part.end()}, part.offset(), part.bytes(), part.crc()});
  }
  return files;
}

/// One file, of the pieces that servers send.
absl::StatusOr<std::vector<ShardFile>> RemoteShards::writeHere(const std::string &directory,
                                                               const std::vector<int32_t> &tensors) const {
  absl::StatusOr<ShardFile> file = writeShardByPieces(
      directory + "/" + shardName(0, 1), artifact_, tensors,
      [&](int32_t i) { return allRows(artifact_.table().variables[i]); },
      [&](int32_t i, RowRange rows, const auto &write) {
        const int64_t rowBytes = rowBytesOf(artifact_.table().variables[i].value);
        return copied().readBytes(i, rows.begin * rowBytes, rows.size() * rowBytes, directory, write);
      });
  if (!file.ok())
    return file.status();
  return std::vector<ShardFile>{*std::move(file)};
}

void RemoteShards::forget(int64_t step) {
  if (copyStep_ < 0 || copyStep_ >= step)
    return;
  cluster::ForgetRequest request;
  request.set_run(run_);
  request.set_step(copyStep_);
  copyStep_ = copied_ = -1;
  // Nothing depends on it, and it may come after the next snapshot.
  for (const auto &link : servers_.links)
    link->start("forget", request, {}, timeout_, [](const absl::StatusOr<IncomingMessage> &) {});
}

void RemoteShards::describe(CheckpointManifest &manifest) const {
  if (isHere_)
    return;
  manifest.servers = servers_.plan->servers();
  manifest.shards = servers_.plan->describe();
}

} // namespace mlcrt
