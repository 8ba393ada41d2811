// Connections whose answers a test changes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_HOOKEDTRANSPORT_H
#define MLCRT_TEST_HOOKEDTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

#include <functional>

namespace mlcrt {

/// Shows the answer to each call to a function, which gives what the caller gets. By the threads that answer.
class HookedTransport : public Transport {
public:
  using Answer = absl::StatusOr<IncomingMessage>;
  using Hook = std::function<Answer(const std::string &method, Answer answer)>;
  HookedTransport(Transport &transport, Hook hook) : transport_(transport), hook_(std::move(hook)) {}
  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    return transport_.listen(address, service);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    auto connection = transport_.connect(address, peer);
    if (!connection.ok())
      return connection;
    return std::make_unique<Hooked>(hook_, *std::move(connection));
  }

private:
  class Hooked : public Connection {
  public:
    Hooked(const Hook &hook, std::unique_ptr<Connection> connection)
        : hook_(hook), connection_(std::move(connection)) {}
    void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
               PlaceFunction place) override {
      connection_->start(
          method, std::move(request), timeout,
          [this, name = std::string(method), done = std::move(done)](Answer answer) {
            done(hook_(name, std::move(answer)));
          },
          std::move(place));
    }
    void cancelCalls(const absl::Status &why) override { connection_->cancelCalls(why); }

  private:
    const Hook &hook_;
    const std::unique_ptr<Connection> connection_;
  };

  Transport &transport_;
  const Hook hook_;
};

} // namespace mlcrt

#endif // MLCRT_TEST_HOOKEDTRANSPORT_H
