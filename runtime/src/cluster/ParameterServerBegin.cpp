// A server: where its rows come from before the run begins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ParameterServer.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/core/RangeInit.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace mlcrt {

void ParameterServer::prepare(const IncomingMessage &request, Reply reply) {
  cluster::PrepareRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  std::optional<Reply> before;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (preparing_ && preparing_->first.SerializeAsString() == control.SerializeAsString())
      before = std::exchange(preparing_->second, std::move(reply)); // sent again: nobody hears the one before
    else if (run_ || end_ || preparing_)
      return reply(
          absl::AbortedError(preparing_ ? "this server is being prepared" : "this server's run has begun already"));
    else
      preparing_.emplace(std::move(control), std::move(reply));
  }
  if (before)
    (*before)(absl::AbortedError("asked again before there was an answer"));
  changed_.notify_all();
}

absl::StatusOr<std::string> ParameterServer::makeRows(const cluster::PrepareRequest &request) {
  if (request.checkpoint().empty()) {
    if (!canInitializeRows(program_.artifact()))
      return std::string("the model's initial values are not made row by row");
    if (absl::Status status = program_.initialize(request.seed(), pool_); !status.ok())
      return status;
    return std::string();
  }
  absl::StatusOr<std::string> text = readManifestText(request.checkpoint());
  if (!text.ok() || mlc::common::crc32c(text->data(), static_cast<int64_t>(text->size())) != request.manifest_crc())
    return absl::StrCat("does not see ", request.checkpoint());
  absl::StatusOr<CheckpointManifest> manifest = readManifest(request.checkpoint());
  if (!manifest.ok())
    return manifest.status();
  if (absl::Status status = restoreState(request.checkpoint(), *manifest, program_.artifact(), program_.state());
      !status.ok())
    return status;
  return std::string();
}

void ParameterServer::prepareRows(std::unique_lock<std::mutex> &lock) {
  if (!preparing_)
    return;
  const cluster::PrepareRequest request = preparing_->first;
  lock.unlock();
  absl::StatusOr<std::string> problem = makeRows(request);
  lock.lock();
  Reply reply = std::move(preparing_->second);
  preparing_.reset();
  lock.unlock();
  cluster::PrepareReply answer;
  if (problem.ok())
    answer.set_problem(*problem);
  reply(problem.ok() ? absl::StatusOr<OutgoingMessage>(makeMessage(answer)) : problem.status());
  lock.lock();
}

/// Reads a payload into a variable, from a byte on.
static absl::Status readInto(State &state, int32_t variable, int64_t offset, IncomingMessage &message) {
  const int64_t bytes = message.remaining();
  if (!state.variable(variable).pack)
    return state.fill(variable,
                      [&](void *to, int64_t) { return message.read(static_cast<char *>(to) + offset, bytes); });
  Tensor value;
  if (absl::Status status = state.read(variable, value); !status.ok())
    return status;
  if (absl::Status status = message.read(value.as<char>() + offset, bytes); !status.ok())
    return status;
  return state.write(variable, value.buffer());
}

void ParameterServer::fill(IncomingMessage &request, const Reply &reply) {
  cluster::FillRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (run_ || preparing_)
      return reply(absl::AbortedError("rows for a server whose run has begun, or that makes them itself"));
    const int32_t variable = control.variable();
    const int64_t bytes = request.remaining();
    if (variable < 0 || variable >= program_.state().size() || plan_.rows(variable, options_.number).size() == 0)
      return reply(absl::InvalidArgumentError(absl::StrCat("rows of variable ", variable, ", which are not here")));
    if (control.offset() < 0 || bytes > byteCount(program_.state().storage(variable)) - control.offset())
      return reply(absl::InvalidArgumentError(
          absl::StrCat("bytes ", control.offset(), " to ", control.offset() + bytes, " of variable ", variable,
                       ", of which ", byteCount(program_.state().storage(variable)), " are here")));
    if (absl::Status status = readInto(program_.state(), variable, control.offset(), request); !status.ok())
      return reply(status);
  }
  reply(makeMessage(cluster::FillReply()));
}

} // namespace mlcrt
