// Messages over sockets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketTransport.h"

#include "runtime/src/cluster/MessageReceiver.h"
#include "runtime/src/cluster/SocketConnection.h"
#include "runtime/src/cluster/SocketGreeting.h"
#include "runtime/src/cluster/SocketListener.h"
#include "runtime/src/core/ThreadPool.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <atomic>

namespace mlcrt {

namespace {

class SocketTransport : public Transport {
public:
  SocketTransport(TransportSecurity security, int64_t maxMessageBytes,
                  std::vector<std::shared_ptr<SocketThread>> threads)
      : security_(std::move(security)), maxMessageBytes_(maxMessageBytes), threads_(std::move(threads)) {}

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    absl::StatusOr<std::string> bound = boundAddress(address, security_);
    if (!bound.ok())
      return bound.status();
    return makeSocketListener(address, *bound, service, security_, maxMessageBytes_, threads_);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    return makeSocketConnection(threads_[next_++ % threads_.size()], address, peer, security_.token, maxMessageBytes_);
  }

private:
  const TransportSecurity security_;
  const int64_t maxMessageBytes_;
  const std::vector<std::shared_ptr<SocketThread>> threads_;
  std::atomic<size_t> next_{0}; ///< of threads_, for the next connection
};

} // namespace

absl::StatusOr<std::unique_ptr<Transport>> makeSocketTransport(const TransportSecurity &security,
                                                               int64_t maxMessageBytes) {
  if (security.token.size() > kMostTokenBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("a token of ", security.token.size(), " bytes; it has ", kMostTokenBytes, " at most"));
  keepFreedMemory();
  // One copies what a fast network brings; cores are for computing.
  const auto count = std::clamp(ThreadPool::availableProcessors() / 4, 1, 4);
  std::vector<std::shared_ptr<SocketThread>> threads;
  for (int i = 0; i < count; ++i) {
    absl::StatusOr<std::shared_ptr<SocketThread>> thread = SocketThread::create();
    if (!thread.ok())
      return thread.status();
    threads.push_back(*std::move(thread));
  }
  return std::make_unique<SocketTransport>(security, maxMessageBytes, std::move(threads));
}

} // namespace mlcrt
