// Calls to servers, and calls to all of them at once. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SERVERCALLS_H
#define MLCRT_CLUSTER_SERVERCALLS_H

#include "runtime/src/cluster/PeerLink.h"
#include "runtime/src/core/ShardPlan.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace mlcrt {

/// Bytes of a state that go in one piece where it goes in pieces.
inline constexpr int64_t kMostFilled = int64_t{4} << 20;

/// The servers of a run as a training task has them, by number, and what lies where.
struct ServerLinks {
  std::vector<std::unique_ptr<PeerLink>> links;
  std::unique_ptr<ShardPlan> plan;
};

/// The answer of a server.
template <typename Response> struct ServerAnswer {
  absl::StatusOr<IncomingMessage> message = absl::UnknownError("no call");
  Response control;
};

/// Makes a call to a server, as PeerLink::start.
using StartCall = std::function<void(size_t server, Connection::Done done)>;

/// Calls the servers at once, those alone whose answer there is not, and waits for all answers. A control part that
/// cannot be read is the answer's error.
template <typename Response>
void callServers(size_t servers, const StartCall &start, std::vector<ServerAnswer<Response>> &answers) {
  answers.resize(servers);
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> isAsked(servers);
  size_t open = 0;
  for (size_t k = 0; k < servers; ++k) {
    isAsked[k] = !answers[k].message.ok();
    open += isAsked[k];
  }
  for (size_t k = 0; k < servers; ++k)
    if (isAsked[k])
      start(k, [&, k](absl::StatusOr<IncomingMessage> reply) {
        std::lock_guard<std::mutex> lock(mutex);
        answers[k].message = std::move(reply);
        --open;
        changed.notify_all();
      });
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return open == 0; });
  for (ServerAnswer<Response> &answer : answers)
    if (answer.message.ok())
      if (absl::Status status = parseControl(*answer.message, answer.control); !status.ok())
        answer.message = status;
}

/// PeerLink::call, and once more as CallRetry says: of what is as good twice as once.
template <typename Request, typename Response>
absl::Status callAgain(PeerLink &link, const char *method, const Request &request, const std::vector<Slice> &payload,
                       std::chrono::milliseconds timeout, Response &response) {
  CallRetry retry({&link});
  absl::Status status;
  do
    status = link.call(method, request, payload, timeout, response).status();
  while (!status.ok() && retry.again(status));
  return status;
}

/// callServers, and those that failed once more as CallRetry says; the first error that stays, and whose it is.
template <typename Response>
absl::Status callServersAgain(const ServerLinks &links, const StartCall &start,
                              std::vector<ServerAnswer<Response>> &answers, size_t *failed = nullptr) {
  std::vector<const PeerLink *> peers;
  for (const auto &link : links.links)
    peers.push_back(link.get());
  CallRetry retry(peers);
  while (true) {
    callServers(links.links.size(), start, answers);
    size_t k = 0;
    while (k < answers.size() && answers[k].message.ok())
      ++k;
    if (k == answers.size())
      return absl::OkStatus();
    absl::Status status = answers[k].message.status();
    if (retry.again(status))
      continue;
    if (failed)
      *failed = k;
    return status;
  }
}

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SERVERCALLS_H
