// A server's part of checkpoints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ServerShards.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/SealedJson.h"
#include "runtime/src/checkpoint/ShardWriter.h"
#include "runtime/src/cluster/Handshake.h"
#include "runtime/src/cluster/ServerCalls.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <system_error>
#include <unistd.h>

namespace mlcrt {

/// Calls of the system would see a part of the text.
static bool hasZero(const std::string &text) { return text.find('\0') != std::string::npos; }

cluster::ProbeReply ServerShards::probe(const cluster::ProbeRequest &request) {
  cluster::ProbeReply reply;
  const auto limit = static_cast<int64_t>(request.contents().size());
  const bool isName = isPlainName(request.file()) && !hasZero(request.file()) && !hasZero(request.model_dir());
  absl::StatusOr<std::string> found = isName && limit > 0
                                          ? readWholeFile(absl::StrCat(request.model_dir(), "/", request.file()), limit)
                                          : absl::StatusOr<std::string>(absl::NotFoundError("no such file"));
  if (!found.ok() || *found != request.contents())
    reply.set_problem(absl::StrCat("does not see ", request.model_dir()));
  else if (::access(request.model_dir().c_str(), W_OK | X_OK) != 0)
    reply.set_problem(absl::StrCat("cannot write to ", request.model_dir(), ": ", std::strerror(errno)));
  std::lock_guard<std::mutex> lock(mutex_);
  modelDir_ = reply.problem().empty() ? request.model_dir() : "";
  return reply;
}

absl::Status ServerShards::ask(const cluster::SnapshotRequest &request) {
  const mlcrt_artifact &table = program_.artifact().table();
  std::vector<bool> wanted(table.num_variables, request.variables_size() == 0);
  for (int32_t i : request.variables()) {
    if (i < 0 || i >= table.num_variables)
      return absl::InvalidArgumentError(absl::StrCat("a copy of variable ", i, " of ", table.num_variables));
    wanted[i] = true;
  }
  for (int32_t i = 0; i < table.num_variables; ++i)
    wanted[i] = wanted[i] && plan_.rows(i, number_).size() > 0;
  std::lock_guard<std::mutex> lock(mutex_);
  if (phase_ == Phase::Asked && request.step() == copyStep_ && wanted == wanted_)
    return absl::OkStatus(); // sent again
  if (phase_ != Phase::Idle)
    return absl::AbortedError(phase_ == Phase::Asked ? "a copy is to be made already"
                                                     : "the last copy is being written");
  phase_ = Phase::Asked;
  wanted_ = std::move(wanted);
  copied_.clear();
  copyStep_ = request.step();
  return absl::OkStatus();
}

void ServerShards::copy(int64_t step) {
  // Nobody else uses the copy in this phase.
  program_.state().snapshot(pool_, copy_, wanted_).IgnoreError(); // no value of a server is elsewhere
  std::lock_guard<std::mutex> lock(mutex_);
  copied_ = wanted_;
  copyStep_ = step;
  phase_ = Phase::Idle;
}

absl::StatusOr<OutgoingMessage> ServerShards::copied(const cluster::CopiedRequest &request) {
  const int32_t variable = request.variable();
  if (variable < 0 || variable >= program_.artifact().table().num_variables)
    return absl::InvalidArgumentError(absl::StrCat("variable ", variable, " of the model"));
  std::lock_guard<std::mutex> lock(mutex_);
  if (phase_ == Phase::Asked)
    return absl::AbortedError("a copy is on its way");
  if (variable >= static_cast<int32_t>(copied_.size()) || !copied_[variable])
    return absl::AbortedError(absl::StrCat("variable ", variable, " was not copied"));
  const RowRange held = plan_.rows(variable, number_);
  const int64_t rowBytes = rowBytesOf(program_.artifact().table().variables[variable].value),
                all = held.size() * rowBytes;
  std::vector<Placement::Span> spans; // of the copy
  char *const from = static_cast<char *>(copy_[variable].data());
  for (int64_t row : request.rows()) {
    if (row < held.begin || row >= held.end)
      return absl::InvalidArgumentError(absl::StrCat("row ", row, " of variable ", variable, ", of which rows [",
                                                     held.begin, ", ", held.end, ") are here"));
    spans.push_back({from + (row - held.begin) * rowBytes, rowBytes});
  }
  if (spans.empty()) {
    if (request.offset() < 0 || request.bytes() < 0 || request.bytes() > all ||
        request.offset() > all - request.bytes())
      return absl::InvalidArgumentError(
          absl::StrCat(request.bytes(), " bytes from ", request.offset(), " on of ", all, " of variable ", variable));
    spans.push_back({from + request.offset(), request.bytes()});
  }
  int64_t size = 0;
  for (const Placement::Span &span : spans)
    size += span.size;
  if (size > std::max(kMostFilled, rowBytes))
    return absl::InvalidArgumentError(absl::StrCat(size, " bytes of variable ", variable, " at once"));
  // The copy may be gone before this is sent.
  auto bytes = std::make_shared<std::vector<char>>(static_cast<size_t>(size));
  char *to = bytes->data();
  for (const Placement::Span &span : spans)
    to = static_cast<char *>(std::memcpy(to, span.data, static_cast<size_t>(span.size))) + span.size;
  OutgoingMessage message = makeMessage(cluster::CopiedReply());
  message.payload.push_back({bytes->data(), size, bytes});
  return message;
}

absl::Status ServerShards::beginWrite(const cluster::WriteRequest &request, std::vector<int32_t> &tensors,
                                      std::string &path) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (isOver_)
    return absl::UnavailableError("this server ends");
  if (modelDir_.empty())
    return absl::FailedPreconditionError("this server does not see the model_dir");
  if (!isPlainName(request.directory()) || hasZero(request.directory()) || !isShardName(request.file()))
    return absl::InvalidArgumentError(
        absl::StrCat("'", request.directory(), "/", request.file(), "' is no file of a checkpoint"));
  if (phase_ == Phase::Writing) // one that is sent again finds the first
    return absl::UnavailableError("the last write is on its way");
  if (phase_ != Phase::Idle)
    return absl::AbortedError("a copy is on its way");
  const StateTensors &all = program_.artifact().tensors();
  for (int32_t t : request.tensors()) {
    if (t < 0 || t >= all.size() || (!tensors.empty() && t <= tensors.back()))
      return absl::InvalidArgumentError(absl::StrCat("tensor ", t, " of the model"));
    const int32_t variable = all[t].variable;
    if (commonRows(all[t].rows, plan_.rows(variable, number_)).size() == 0)
      continue;
    if (variable >= static_cast<int32_t>(copied_.size()) || !copied_[variable])
      return absl::AbortedError(absl::StrCat("variable ", variable, " was not copied"));
    tensors.push_back(t);
  }
  path = absl::StrCat(modelDir_, "/", request.directory(), "/", request.file());
  phase_ = Phase::Writing;
  return absl::OkStatus();
}

absl::StatusOr<OutgoingMessage> ServerShards::writeFile(const std::string &path,
                                                        const std::vector<int32_t> &tensors) const {
  cluster::WriteReply reply;
  if (!tensors.empty()) {
    absl::StatusOr<ShardFile> file = writeShard(
        path, program_.artifact(), tensors, [&](int32_t i) { return plan_.rows(i, number_); },
        [&](int32_t i) { return copy_[i].data(); });
    if (!file.ok())
      return file.status();
    reply.set_size(file->file.size);
    reply.set_crc(file->file.crc);
    for (const ShardPart &part : file->parts) {
      cluster::WrittenPart *written = reply.add_parts();
      written->set_tensor(part.tensor);
      written->set_begin(part.rows.begin);
      written->set_end(part.rows.end);
      written->set_offset(part.offset);
      written->set_bytes(part.bytes);
      written->set_crc(part.crc);
    }
  }
  return makeMessage(reply);
}

void ServerShards::write(const cluster::WriteRequest &request, Reply reply) {
  std::vector<int32_t> tensors;
  std::string path;
  if (absl::Status status = beginWrite(request, tensors, path); !status.ok())
    return reply(status);
  // The phase keeps others away until the write is done; its thread may still be on its way out then.
  std::lock_guard<std::mutex> lock(writerMutex_);
  if (writer_.joinable())
    writer_.join();
  auto work = [this, path, tensors, reply] {
    absl::StatusOr<OutgoingMessage> message = writeFile(path, tensors);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      phase_ = Phase::Idle;
    }
    reply(std::move(message));
  };
  // Signals are for the thread that serves.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    writer_ = std::thread(work);
  } catch (const std::system_error &) {
    work(); // the system gives no more threads
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ServerShards::forget(int64_t step) {
  std::vector<Tensor> gone;
  std::lock_guard<std::mutex> lock(mutex_);
  if (phase_ != Phase::Idle || copyStep_ != step)
    return;
  gone.swap(copy_);
  copied_.clear();
}

void ServerShards::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isOver_ = true;
  }
  std::lock_guard<std::mutex> lock(writerMutex_);
  if (writer_.joinable())
    writer_.join();
}

} // namespace mlcrt
