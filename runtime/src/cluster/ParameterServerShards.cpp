// A server: what the chief asks of it for checkpoints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ParameterServer.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

bool ParameterServer::isOfShards(std::string_view method) {
  return method == "probe" || method == kSnapshot || method == "write" || method == "copied" || method == "forget";
}

absl::Status ParameterServer::checkRun(uint64_t run) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!run_)
    return absl::AbortedError("a call about checkpoints before the run has begun");
  if (run_->run() != run)
    return absl::AbortedError("a call about checkpoints of another run");
  return absl::OkStatus();
}

void ParameterServer::handleShards(std::string_view method, const IncomingMessage &request, const Sessions::Task &task,
                                   Reply reply) {
  if (method == kSnapshot)
    return snapshot(request, task, std::move(reply));
  if (method == "probe") {
    cluster::ProbeRequest control;
    absl::Status status = parseControl(request, control);
    status.Update(status.ok() ? checkRun(control.run()) : status);
    return status.ok() ? reply(makeMessage(shards_.probe(control))) : reply(status);
  }
  if (method == "forget") {
    cluster::ForgetRequest control;
    absl::Status status = parseControl(request, control);
    status.Update(status.ok() ? checkRun(control.run()) : status);
    if (!status.ok())
      return reply(status);
    shards_.forget(control.step());
    return reply(makeMessage(cluster::ForgetReply()));
  }
  if (method == "copied") {
    cluster::CopiedRequest control;
    absl::Status status = parseControl(request, control);
    status.Update(status.ok() ? checkRun(control.run()) : status);
    return status.ok() ? reply(shards_.copied(control)) : reply(status);
  }
  cluster::WriteRequest control;
  absl::Status status = parseControl(request, control);
  status.Update(status.ok() ? checkRun(control.run()) : status);
  return status.ok() ? shards_.write(control, std::move(reply)) : reply(status);
}

void ParameterServer::snapshot(const IncomingMessage &request, const Sessions::Task &task, Reply reply) {
  cluster::SnapshotRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  if (absl::Status status = checkRun(control.run()); !status.ok())
    return reply(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_ && control.step() < step_ && !control.or_later())
      return reply(absl::AbortedError(
          absl::StrCat("the state of step ", control.step(), " is gone: the server is at step ", step_)));
  }
  if (absl::Status status = shards_.ask(control); !status.ok())
    return reply(status);
  addWaiter({kSnapshot, task.name(), control.step(), Clock::now(), std::move(reply)});
}

} // namespace mlcrt
