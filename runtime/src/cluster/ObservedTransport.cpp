// Counting calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ObservedTransport.h"

#include "runtime/src/core/RunObservation.h"

#include <algorithm>
#include <array>
#include <optional>

namespace mlcrt {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kCounter = MetricRegistry::Kind::Counter;

/// Methods by name, so that nobody outside makes new numbers. The last stands for all others.
constexpr std::array<const char *, 18> kMethods = {"hello",    "join",  "load",  "pull",     "rows",   "fetch",
                                                   "progress", "step",  "push",  "exchange", "hold",   "release",
                                                   "end",      "lease", "leave", "ping",     "credit", "other"};

size_t methodIndex(std::string_view method) {
  const auto found = std::find(kMethods.begin(), kMethods.end() - 1, method);
  return static_cast<size_t>(found - kMethods.begin());
}

/// A call on its way.
struct PeerCall {
  std::string method;
  int64_t step;
  Clock::time_point begin = Clock::now();
  int64_t sentBytes = 0; ///< without the rest
  std::shared_ptr<PayloadStream> rest;
  // Of a reply that has a place.
  std::optional<Clock::time_point> replied = std::nullopt; ///< when it began to come
  int64_t placedBytes = 0;
};

/// Lasts as long as the run: its time is none that anyone spends.
bool isObserved(std::string_view method) { return method != "watch"; }

using SharedRun = std::shared_ptr<RunObservation>;

/// What a task is told by it, and counts, of its calls to one peer.
class PeerCalls {
public:
  PeerCalls(SharedRun run, const std::string &peer)
      : run_(std::move(run)), track_("to " + peer), sent_(value("mlc_peer_bytes_total", kBytes, peer, "sent")),
        received_(value("mlc_peer_bytes_total", kBytes, peer, "received")),
        push_(value("mlc_peer_transfer_seconds_total", kTransfer, peer, "sent", 1e-9)),
        pull_(value("mlc_peer_transfer_seconds_total", kTransfer, peer, "received", 1e-9)),
        wait_(registry().value(kCounter, "mlc_peer_wait_seconds_total",
                               "Time that a peer had calls of this task: waited, computed.", {{"peer", peer}}, 1e-9)),
        calls_(registry().value(kCounter, "mlc_peer_calls_total", "Calls to a peer.", {{"peer", peer}})),
        errors_(registry().value(kCounter, "mlc_peer_call_errors_total", "Calls to a peer that failed.",
                                 {{"peer", peer}})) {}

  /// The step that a call which begins now is of.
  int64_t step() const {
    const Timeline *timeline = run_->timeline();
    return timeline ? timeline->step() : 0;
  }

  void done(const PeerCall &call, const absl::StatusOr<IncomingMessage> &reply) const {
    const std::string &method = call.method;
    const Clock::time_point begin = call.begin, end = Clock::now();
    const int64_t sentBytes = call.sentBytes + (call.rest ? call.rest->size() : 0);
    const int64_t receivedBytes =
        reply.ok() ? static_cast<int64_t>(reply->control().size()) + reply->remaining() + call.placedBytes : 0;
    calls_.add(1);
    sent_.add(sentBytes);
    received_.add(receivedBytes);
    run_->metrics().exchangedBytes.add(sentBytes + receivedBytes);
    if (!reply.ok()) {
      errors_.add(1);
      return;
    }
    const Clock::duration held = std::min<Clock::duration>(reply->heldFor(), call.replied.value_or(end) - begin),
                          way = end - begin - held;
    const double share = static_cast<double>(sentBytes) / std::max<int64_t>(1, sentBytes + receivedBytes);
    const auto push =
        call.replied ? *call.replied - begin - held : std::chrono::duration_cast<Clock::duration>(way * share);
    push_.add(std::chrono::nanoseconds(push).count());
    wait_.add(std::chrono::nanoseconds(held).count());
    pull_.add(std::chrono::nanoseconds(way - push).count());
    Timeline *timeline = run_->timeline();
    if (!timeline)
      return;
    const bool tensors = method == "step" || method == "push" || method == "pull" || method == "fetch";
    if (tensors)
      timeline->addToTrack(
          track_, begin,
          {{"push", begin + push, sentBytes}, {"wait", begin + push + held}, {"pull", end, receivedBytes}}, call.step);
    else
      timeline->addToTrack(track_ + ", control", begin, {{kMethods[methodIndex(method)], end}}, call.step);
  }

private:
  static constexpr char kBytes[] = "Bytes of calls to a peer and of their replies.";
  static constexpr char kTransfer[] = "Time that requests and replies were on the way.";
  MetricRegistry &registry() const { return run_->metrics().registry; }
  MetricValue &value(const char *name, const char *help, const std::string &peer, const char *direction,
                     double scale = 1) const {
    return registry().value(kCounter, name, help, {{"peer", peer}, {"direction", direction}}, scale);
  }

  const SharedRun run_;
  const std::string track_;
  MetricValue &sent_, &received_, &push_, &pull_, &wait_, &calls_, &errors_;
};

class ObservedConnection : public Connection {
public:
  ObservedConnection(std::unique_ptr<Connection> connection, SharedRun run, const std::string &peer)
      : calls_(std::make_shared<PeerCalls>(std::move(run), peer)), connection_(std::move(connection)) {}

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
             PlaceFunction place) override {
    if (!isObserved(method))
      return connection_->start(method, std::move(request), timeout, std::move(done), std::move(place));
    auto call = std::make_shared<PeerCall>(PeerCall{std::string(method), calls_->step()});
    call->sentBytes = static_cast<int64_t>(request.control.size()) + request.payloadSize();
    call->rest = request.rest;
    PlaceFunction observed;
    if (place)
      observed = [call, place = std::move(place)](const std::string &control, int64_t size) {
        call->replied = Clock::now();
        absl::StatusOr<Placement> placement = place(control, size);
        call->placedBytes = placement.ok() && !placement->spans.empty() ? size : 0;
        return placement;
      };
    connection_->start(
        method, std::move(request), timeout,
        [calls = calls_, call, done = std::move(done)](absl::StatusOr<IncomingMessage> reply) {
          calls->done(*call, reply);
          done(std::move(reply));
        },
        std::move(observed));
  }
  void cancelCalls(const absl::Status &why) override { connection_->cancelCalls(why); }

private:
  const std::shared_ptr<PeerCalls> calls_;
  const std::unique_ptr<Connection> connection_;
};

/// Counts what another service answers.
class ObservedService : public Service {
public:
  ObservedService(Service &service, SharedRun run) : service_(service), run_(std::move(run)) {
    MetricRegistry &registry = run_->metrics().registry;
    for (size_t i = 0; i < kMethods.size(); ++i) {
      const MetricLabels labels = {{"method", kMethods[i]}};
      numbers_[i] = {&registry.value(kCounter, "mlc_served_calls_total", "Calls of other tasks.", labels),
                     &registry.value(kCounter, "mlc_served_seconds_total",
                                     "Time from their arrival to their answer, waiting included.", labels, 1e-9),
                     &registry.value(kCounter, "mlc_served_request_bytes_total", "Bytes of their requests.", labels),
                     &registry.value(kCounter, "mlc_served_reply_bytes_total", "Bytes of their replies.", labels)};
    }
  }

  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t size) override {
    return service_.place(method, control, size);
  }
  void handle(std::string_view method, IncomingMessage request, Reply reply) override {
    if (!isObserved(method))
      return service_.handle(method, std::move(request), std::move(reply));
    const size_t index = methodIndex(method);
    const Numbers numbers = numbers_[index];
    numbers.calls->add(1);
    numbers.requestBytes->add(static_cast<int64_t>(request.control().size()) + request.remaining());
    service_.handle(method, std::move(request),
                    [run = run_, numbers, index, begin = Clock::now(),
                     reply = std::move(reply)](absl::StatusOr<OutgoingMessage> message) {
                      const Clock::time_point end = Clock::now();
                      numbers.time->add(std::chrono::nanoseconds(end - begin).count());
                      if (message.ok())
                        numbers.replyBytes->add(static_cast<int64_t>(message->control.size()) + message->payloadSize());
                      if (Timeline *timeline = run->timeline())
                        timeline->addToTrack("calls of other tasks", begin, {{kMethods[index], end}}, timeline->step());
                      reply(std::move(message));
                    });
  }

private:
  struct Numbers {
    MetricValue *calls, *time, *requestBytes, *replyBytes;
  };
  Service &service_;
  const SharedRun run_;
  std::array<Numbers, kMethods.size()> numbers_;
};

class ObservedListener : public Listener {
public:
  ObservedListener(Service &service, SharedRun run) : service_(service, std::move(run)) {}
  absl::Status listen(Transport &transport, const std::string &address) {
    absl::StatusOr<std::unique_ptr<Listener>> listener = transport.listen(address, service_);
    if (!listener.ok())
      return listener.status();
    listener_ = *std::move(listener);
    return absl::OkStatus();
  }
  const std::string &address() const override { return listener_->address(); }

private:
  ObservedService service_;
  std::unique_ptr<Listener> listener_; // after what it calls
};

class ObservedTransport : public Transport {
public:
  ObservedTransport(std::unique_ptr<Transport> transport, SharedRun run)
      : transport_(std::move(transport)), run_(std::move(run)) {}

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    auto listener = std::make_unique<ObservedListener>(service, run_);
    if (absl::Status status = listener->listen(*transport_, address); !status.ok())
      return status;
    return listener;
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    absl::StatusOr<std::unique_ptr<Connection>> connection = transport_->connect(address, peer);
    if (!connection.ok())
      return connection.status();
    return std::make_unique<ObservedConnection>(*std::move(connection), run_, peer);
  }

private:
  const std::unique_ptr<Transport> transport_;
  const SharedRun run_;
};

} // namespace

std::unique_ptr<Transport> observeTransport(std::unique_ptr<Transport> transport, std::shared_ptr<RunObservation> run) {
  return std::make_unique<ObservedTransport>(std::move(transport), std::move(run));
}

} // namespace mlcrt
