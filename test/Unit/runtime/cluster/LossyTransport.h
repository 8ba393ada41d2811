// Connections that break while a reply comes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_LOSSYTRANSPORT_H
#define MLCRT_TEST_LOSSYTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mlcrt {

/// Of replies to calls of a method that have a place, and some size, the last byte never comes: the connection breaks.
class LossyTransport : public Transport {
public:
  LossyTransport(Transport &transport, std::string method) : transport_(transport), method_(std::move(method)) {}
  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    return transport_.listen(address, service);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    auto connection = transport_.connect(address, peer);
    if (!connection.ok())
      return connection;
    return std::make_unique<Lossy>(*this, *std::move(connection));
  }

  std::atomic<bool> isOn{false};
  std::atomic<bool> isDown{false}; ///< no call arrives
  std::atomic<int> lost{0};

private:
  /// Smaller replies hold no variables.
  static constexpr int64_t kLeast = 16;

  class Lossy : public Connection {
  public:
    Lossy(LossyTransport &of, std::unique_ptr<Connection> connection) : of_(of), connection_(std::move(connection)) {}
    void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
               PlaceFunction place) override {
      if (of_.isDown)
        return done(absl::UnavailableError("nobody listens"));
      if (!of_.isOn || method != of_.method_ || !place)
        return connection_->start(method, std::move(request), timeout, std::move(done), std::move(place));
      auto isLost = std::make_shared<bool>(false);
      auto placeLess = [this, isLost, place = std::move(place)](const std::string &control,
                                                                int64_t size) -> absl::StatusOr<Placement> {
        absl::StatusOr<Placement> placement = place(control, size);
        if (!placement.ok() || size < kLeast)
          return placement;
        *isLost = true;
        ++of_.lost;
        auto bytes = std::make_shared<std::string>(static_cast<size_t>(size), '\0');
        Placement less;
        less.spans = {{bytes->data(), size}};
        less.owner = bytes;
        // What has arrived before was told, and may be read meanwhile.
        auto told = std::make_shared<int64_t>(0);
        less.arrived = [bytes, size, told, real = *std::move(placement)](int64_t arrived) {
          int64_t at = 0;
          const int64_t begin = *told, end = *told = std::max(begin, std::min(arrived, size - 1));
          for (const Placement::Span &span : real.spans) {
            const int64_t from = std::max(at, begin), to = std::min(at + span.size, end);
            if (from < to)
              std::memcpy(static_cast<char *>(span.data) + (from - at), bytes->data() + from,
                          static_cast<size_t>(to - from));
            at += span.size;
          }
          real.arrived(end);
        };
        return less;
      };
      connection_->start(
          method, std::move(request), timeout,
          [isLost, done = std::move(done)](absl::StatusOr<IncomingMessage> reply) {
            done(*isLost ? absl::UnavailableError("the connection broke") : std::move(reply));
          },
          placeLess);
    }
    void cancelCalls(const absl::Status &why) override { connection_->cancelCalls(why); }

  private:
    LossyTransport &of_;
    const std::unique_ptr<Connection> connection_;
  };

  Transport &transport_;
  const std::string method_;
};

} // namespace mlcrt

#endif // MLCRT_TEST_LOSSYTRANSPORT_H
