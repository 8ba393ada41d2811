// A task that this one calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/PeerLink.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <future>
#include <thread>

namespace mlcrt {

/// Whether the peer's host says that nobody is there, as both carriers report it: the process has ended.
static bool isRefusal(const absl::Status &status) {
  for (const char *text : {"Connection refused", "No such file or directory", "nobody listens"})
    if (absl::StrContains(status.message(), text))
      return true;
  return false;
}

bool CallRetry::again(absl::Status &status) {
  constexpr std::chrono::milliseconds kPause{50};
  constexpr std::chrono::seconds kRefused{1};
  // It let this task in, and does not know it any more.
  if (absl::IsNotFound(status))
    status = absl::DeadlineExceededError(absl::StrCat(status.message(), "; it was started again"));
  if (!absl::IsUnavailable(status))
    return false;
  for (const PeerLink *peer : peers_)
    if (absl::Status lost = peer->lost(); !lost.ok()) {
      status = lost;
      return false;
    }
  const auto now = std::chrono::steady_clock::now();
  if (!isRefusal(status))
    refusedSince_.reset();
  else if (now - refusedSince_.value_or(now) >= kRefused)
    return false;
  else if (!refusedSince_)
    refusedSince_ = now;
  std::this_thread::sleep_for(kPause);
  return true;
}

absl::StatusOr<IncomingMessage> PeerLink::await(Connection &connection, const char *method, OutgoingMessage request,
                                                std::chrono::milliseconds timeout, const Interrupt &isInterrupted) {
  if (!isInterrupted)
    return connection.call(method, std::move(request), timeout);
  constexpr std::chrono::milliseconds kLook{50};
  std::promise<absl::StatusOr<IncomingMessage>> promise;
  std::future<absl::StatusOr<IncomingMessage>> reply = promise.get_future();
  connection.start(method, std::move(request), timeout,
                   [&promise](absl::StatusOr<IncomingMessage> message) { promise.set_value(std::move(message)); });
  while (reply.wait_for(kLook) != std::future_status::ready)
    if (isInterrupted()) {
      connection.cancelCalls(absl::CancelledError("nobody waits for it any more"));
      break;
    }
  return reply.get();
}

absl::StatusOr<std::unique_ptr<PeerLink>> PeerLink::open(Transport &transport, const std::string &address,
                                                         const std::string &peer, const cluster::HelloRequest &self,
                                                         std::chrono::milliseconds timeout,
                                                         const Interrupt &isInterrupted) {
  auto link = std::make_unique<PeerLink>();
  absl::StatusOr<std::unique_ptr<Connection>> connection = transport.connect(address, peer);
  if (!connection.ok())
    return connection.status();
  link->connection_ = *std::move(connection);
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::chrono::milliseconds pause(5);
  absl::StatusOr<IncomingMessage> reply = absl::UnavailableError("");
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    reply = await(*link->connection_, "hello", makeMessage(self), std::max(left, std::chrono::milliseconds(100)),
                  isInterrupted);
    // A task that was started again waits for the end of the run that misses the one before it.
    const bool isToCome = absl::IsUnavailable(reply.status()) || absl::IsAlreadyExists(reply.status());
    if (reply.ok() || !isToCome || left <= pause)
      break;
    if (isInterrupted && isInterrupted())
      return absl::CancelledError(absl::StrCat("nobody waits for ", peer, " any more"));
    // A task that is not there yet is one that comes.
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(200));
  }
  if (!reply.ok())
    return reply.status();
  cluster::HelloReply control;
  if (absl::Status status = parseControl(*reply, control); !status.ok())
    return status;
  link->session_ = control.session();
  if (control.has_credit())
    link->credit_ = control.credit();
  return link;
}

} // namespace mlcrt
