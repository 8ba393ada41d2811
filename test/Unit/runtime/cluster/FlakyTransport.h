// Connections that break: before a call arrives, before its answer does, in the midst of it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FLAKYTRANSPORT_H
#define MLCRT_TEST_FLAKYTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mlcrt {

/// Nobody but the caller's side knows that a connection broke.
class FlakyTransport : public Transport {
public:
  /// Of every so many calls one does not arrive, and of another one the answer does not.
  FlakyTransport(Transport &transport, int every) : transport_(transport), every_(every) {}
  /// While `isOn`, of replies to calls of this method that have a place, and some size, the last byte never comes.
  FlakyTransport(Transport &transport, std::string method) : transport_(transport), method_(std::move(method)) {}

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    return transport_.listen(address, service);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    auto connection = transport_.connect(address, peer);
    if (!connection.ok())
      return connection;
    return std::make_unique<Flaky>(*this, *std::move(connection));
  }

  std::atomic<bool> isOn{false};
  std::atomic<bool> isDown{false}; ///< no call arrives
  /// Calls that did not arrive, or had no answer; replies that were cut.
  int broken() const { return broken_; }
  int cut() const { return cut_; }

private:
  /// Smaller replies hold no variables.
  static constexpr int64_t kLeastCut = 16;

  class Flaky : public Connection {
  public:
    Flaky(FlakyTransport &of, std::unique_ptr<Connection> connection) : of_(of), connection_(std::move(connection)) {}
    void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
               PlaceFunction place) override {
      const int call = of_.every_ > 0 ? ++of_.calls_ % of_.every_ : -1;
      const bool isLost = call == 0 && !request.rest, isUnanswered = of_.every_ > 0 && call == of_.every_ / 2;
      of_.broken_ += of_.isDown || isLost || isUnanswered;
      if (of_.isDown)
        return done(absl::UnavailableError("nobody listens"));
      if (isLost)
        return done(absl::UnavailableError("the connection broke"));
      if (isUnanswered)
        done = [done = std::move(done)](const absl::StatusOr<IncomingMessage> &) {
          done(absl::UnavailableError("the connection broke"));
        };
      if (of_.isOn && place && method == of_.method_)
        return startCut(method, std::move(request), timeout, std::move(done), std::move(place));
      connection_->start(method, std::move(request), timeout, std::move(done), std::move(place));
    }
    void cancelCalls(const absl::Status &why) override { connection_->cancelCalls(why); }

  private:
    void startCut(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
                  PlaceFunction place) {
      auto isCut = std::make_shared<bool>(false);
      auto placeLess = [this, isCut, place = std::move(place)](const std::string &control,
                                                               int64_t size) -> absl::StatusOr<Placement> {
        absl::StatusOr<Placement> placement = place(control, size);
        if (!placement.ok() || size < kLeastCut)
          return placement;
        *isCut = true;
        ++of_.cut_;
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
          [isCut, done = std::move(done)](absl::StatusOr<IncomingMessage> reply) {
            done(*isCut ? absl::UnavailableError("the connection broke") : std::move(reply));
          },
          placeLess);
    }

    FlakyTransport &of_;
    const std::unique_ptr<Connection> connection_;
  };

  Transport &transport_;
  const int every_ = 0;
  const std::string method_;
  std::atomic<int> calls_{0}, broken_{0}, cut_{0};
};

} // namespace mlcrt

#endif // MLCRT_TEST_FLAKYTRANSPORT_H
