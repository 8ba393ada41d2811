// Connections that break, before a call arrives or before its answer does. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FLAKYTRANSPORT_H
#define MLCRT_TEST_FLAKYTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

#include <atomic>

namespace mlcrt {

/// Of every so many calls one does not arrive, and of another one the answer does not. Nobody but the caller's side
/// knows.
class FlakyTransport : public Transport {
public:
  FlakyTransport(Transport &transport, int every) : transport_(transport), every_(every) {}
  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    return transport_.listen(address, service);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    auto connection = transport_.connect(address, peer);
    if (!connection.ok())
      return connection;
    return std::make_unique<Flaky>(*this, *std::move(connection));
  }
  int broken() const { return broken_; }

private:
  class Flaky : public Connection {
  public:
    Flaky(FlakyTransport &of, std::unique_ptr<Connection> connection) : of_(of), connection_(std::move(connection)) {}
    void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
               PlaceFunction place) override {
      const int call = ++of_.calls_ % of_.every_;
      const bool isLost = call == 0 && !request.rest, isUnanswered = call == of_.every_ / 2;
      of_.broken_ += isLost || isUnanswered;
      if (isLost)
        return done(absl::UnavailableError("the connection broke"));
      if (!isUnanswered)
        return connection_->start(method, std::move(request), timeout, std::move(done), std::move(place));
      connection_->start(
          method, std::move(request), timeout,
          [done = std::move(done)](const absl::StatusOr<IncomingMessage> &) {
            done(absl::UnavailableError("the connection broke"));
          },
          std::move(place));
    }
    void cancelCalls(const absl::Status &why) override { connection_->cancelCalls(why); }

  private:
    FlakyTransport &of_;
    const std::unique_ptr<Connection> connection_;
  };

  Transport &transport_;
  const int every_;
  std::atomic<int> calls_{0}, broken_{0};
};

} // namespace mlcrt

#endif // MLCRT_TEST_FLAKYTRANSPORT_H
