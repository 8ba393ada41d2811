// A task that this one calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/PeerLink.h"

#include <algorithm>
#include <thread>

namespace mlcrt {

absl::StatusOr<std::unique_ptr<PeerLink>> PeerLink::open(Transport &transport, const std::string &address,
                                                         const std::string &peer, const cluster::HelloRequest &self,
                                                         std::chrono::milliseconds timeout) {
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
    reply = link->connection_->call("hello", makeMessage(self), std::max(left, std::chrono::milliseconds(100)));
    if (reply.ok() || !absl::IsUnavailable(reply.status()) || left <= pause)
      break;
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
  return link;
}

} // namespace mlcrt
