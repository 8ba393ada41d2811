// The serving side of gRPC.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcListener.h"

#include "runtime/src/cluster/GrpcEvents.h"
#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/Transients.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <grpcpp/generic/async_generic_service.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/stat.h>

namespace mlcrt {

namespace {

/// The two have the same codes.
grpc::Status toGrpc(const absl::Status &status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

class GrpcListener;

/// One call to this task. It goes when gRPC gave all of its events back.
class ServerCall : public std::enable_shared_from_this<ServerCall> {
public:
  explicit ServerCall(GrpcListener &listener);
  ~ServerCall();
  /// Waits for a call.
  void begin();

  void complete(void (ServerCall::*then)(bool), bool ok) {
    std::shared_ptr<ServerCall> keep = shared_from_this();
    (this->*then)(ok);
    release();
  }

private:
  friend class GrpcListener;
  void begun(bool ok);
  void read(bool ok);
  void written(bool ok);
  void finished(bool) {}
  /// The call is over, for whatever reason.
  void over(bool) { isAnswered_.exchange(true); }
  void answer(absl::StatusOr<OutgoingMessage> reply);
  void writePart();
  void refuse(const absl::Status &status) {
    isAnswered_ = true;
    hold();
    stream_.Finish(toGrpc(status), &finished_);
  }
  bool isAllowed() const;
  /// Notes whether the caller is known.
  void meet();

  /// Counts events that gRPC has.
  void hold() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (pending_++ == 0)
      self_ = shared_from_this();
  }
  void release() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--pending_ == 0)
      self_.reset(); // whoever completes the event holds another one
  }

  GrpcListener &listener_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer request_;
  MessageAssembly assembly_;
  std::optional<MessageParts> parts_; ///< of the reply
  std::string peer_;
  uint64_t stranger_ = 0; ///< its name among those who are not known, or 0
  std::atomic<bool> isAnswered_{false};
  CallEvent<ServerCall> begun_{*this, &ServerCall::begun}, read_{*this, &ServerCall::read},
      written_{*this, &ServerCall::written}, finished_{*this, &ServerCall::finished}, over_{*this, &ServerCall::over};
  std::mutex mutex_;
  int pending_ = 0;
  std::shared_ptr<ServerCall> self_;
  std::chrono::steady_clock::time_point arrived_;
};

class GrpcListener : public Listener {
public:
  GrpcListener(Service &service, const TransportSecurity &security, int64_t maxMessageBytes)
      : service_(service), token_(security.token), refusals_(security.refusals), maxMessageBytes_(maxMessageBytes) {}
  ~GrpcListener() override {
    if (!server_)
      return;
    // What was answered arrives, unless its receiver does not read it.
    constexpr std::chrono::seconds kFarewell{2};
    for (const std::shared_ptr<ServerCall> &call : refuseCalls())
      giveUp(*call);
    server_->Shutdown(std::chrono::system_clock::now() + kFarewell);
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [this] { return numCalls_ == 0; });
  }
  const std::string &address() const override { return address_; }

  absl::Status bind(const std::string &address, const std::string &bound,
                    const std::shared_ptr<grpc::ServerCredentials> &credentials) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(bound, credentials, &port);
    builder.RegisterAsyncGenericService(&generic_);
    // Requests come in parts: gRPC itself holds no more of one that nobody has looked at.
    builder.SetMaxReceiveMessageSize(kPartBytes + 2 * kMostControlBytes);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCalls);
    // Those that connect and do not go on do not stay.
    constexpr int kHandshakeMilliseconds = 10000;
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMilliseconds);
    // What gRPC holds of bytes that nobody has looked at: beyond, it takes less at once, and then gives streams up.
    constexpr size_t kUnreadBytes = size_t{1} << 30;
    builder.SetResourceQuota(grpc::ResourceQuota("mlc").Resize(kUnreadBytes));
    // Two trainers never share a port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    // Signs of life of connections (GrpcTransport) are no attack.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    setChannelArguments([&](const char *name, int value) { builder.AddChannelArgument(name, value); });
    std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
    queue_ = queue.get();
    server_ = builder.BuildAndStart();
    if (!server_ || (port == 0 && !absl::StartsWith(address, "unix:"))) {
      server_.reset();
      queue->Shutdown();
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", address, ": the address is in use or is not one of this host"));
    }
    // No other user connects.
    constexpr absl::string_view kUnix = "unix:";
    if (absl::StartsWith(bound, kUnix))
      ::chmod(bound.c_str() + kUnix.size(), S_IRUSR | S_IWUSR);
    constexpr int kThreads = 2;
    events_.emplace();
    events_->run(std::move(queue), kThreads);
    for (int i = 0; i < kThreads; ++i)
      await();
    address_ = address;
    if (absl::EndsWith(address, ":0"))
      address_ = absl::StrCat(address.substr(0, address.size() - 1), port);
    return absl::OkStatus();
  }

private:
  friend class ServerCall;
  /// Whether a call that was answered without an error came from there: whoever calls from there is known.
  bool knows(const std::string &peer) {
    std::lock_guard<std::mutex> lock(mutex_);
    return known_.count(peer) > 0;
  }
  void letIn(const std::string &peer) {
    // Ports of connections that are gone count for others that have them then.
    constexpr size_t kMostKnown = 8192;
    std::lock_guard<std::mutex> lock(mutex_);
    if (known_.size() >= kMostKnown)
      known_.erase(known_.begin());
    known_.insert(peer);
  }
  void await() { std::make_shared<ServerCall>(*this)->begin(); }
  /// From now on there are no new calls; those that there are.
  std::vector<std::shared_ptr<ServerCall>> refuseCalls() {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnding_ = true;
    std::vector<std::shared_ptr<ServerCall>> calls;
    for (const auto &[key, open] : open_)
      if (std::shared_ptr<ServerCall> call = open.lock())
        calls.push_back(std::move(call));
    return calls;
  }
  static void giveUp(ServerCall &call);

  Service &service_;
  const std::string token_;
  const std::shared_ptr<Refusals> refusals_;
  const int64_t maxMessageBytes_;
  grpc::AsyncGenericService generic_;
  grpc::ServerCompletionQueue *queue_ = nullptr;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int numCalls_ = 0;
  std::set<std::string> known_;
  Transients strangers_{kMostGreetings}; ///< calls of those who are not known
  bool isEnding_ = false;
  std::map<const ServerCall *, std::weak_ptr<ServerCall>> open_; ///< those that were let in
  std::optional<EventQueue> events_;                             // last: its threads use the members above
};

ServerCall::ServerCall(GrpcListener &listener)
    : listener_(listener), stream_(&context_), assembly_(listener.maxMessageBytes_) {}

ServerCall::~ServerCall() {
  if (stranger_)
    listener_.strangers_.remove(stranger_);
  std::lock_guard<std::mutex> lock(listener_.mutex_);
  listener_.open_.erase(this);
  if (--listener_.numCalls_ == 0)
    listener_.idle_.notify_all();
}

void GrpcListener::giveUp(ServerCall &call) { call.answer(absl::UnavailableError("the task ends")); }

void ServerCall::begin() {
  {
    std::lock_guard<std::mutex> lock(listener_.mutex_);
    ++listener_.numCalls_;
  }
  context_.AsyncNotifyWhenDone(&over_);
  hold();
  hold(); // of `over`, which may come first
  listener_.generic_.RequestCall(&context_, &stream_, listener_.queue_, listener_.queue_, &begun_);
}

void ServerCall::begun(bool ok) {
  // The server ends: nobody calls any more, and `over` does not come either.
  if (!ok)
    return release();
  listener_.await();
  if (!isAllowed()) {
    if (listener_.refusals_)
      listener_.refusals_->note(
          "token", absl::StrCat("refused a call of ", context_.peer(), ": its token is not that of this cluster"));
    return refuse(absl::UnauthenticatedError("the token is not that of this cluster"));
  }
  if (!absl::StartsWith(context_.method(), kMethodPrefix))
    return refuse(absl::UnimplementedError(absl::StrCat("no method ", context_.method())));
  bool isEnding;
  {
    std::lock_guard<std::mutex> lock(listener_.mutex_);
    isEnding = listener_.isEnding_;
    listener_.open_.emplace(this, weak_from_this());
  }
  if (isEnding)
    return refuse(absl::UnavailableError("the task ends"));
  meet();
  hold();
  stream_.Read(&request_, &read_);
}

void ServerCall::meet() {
  peer_ = context_.peer();
  if (listener_.knows(peer_))
    return;
  assembly_.boundControl(kStrangerControlBytes);
  stranger_ = listener_.strangers_.add([weak = weak_from_this()] {
    if (std::shared_ptr<ServerCall> oldest = weak.lock())
      oldest->answer(absl::UnavailableError("too many others call that did not say hello"));
  });
}

bool ServerCall::isAllowed() const {
  if (listener_.token_.empty())
    return true;
  auto found = context_.client_metadata().find(kTokenKey);
  return found != context_.client_metadata().end() &&
         isSameSecret(listener_.token_, {found->second.data(), found->second.size()});
}

void ServerCall::read(bool ok) {
  if (!ok)
    return answer(absl::InvalidArgumentError("a call that ends before its message"));
  const std::string_view method(context_.method());
  const std::string_view name = method.substr(std::strlen(kMethodPrefix));
  absl::Status status = assembly_.add(request_, [&](const std::string &control, int64_t payloadSize) {
    return listener_.service_.place(name, control, payloadSize);
  });
  request_.Clear();
  if (!status.ok())
    return answer(status);
  if (!assembly_.isComplete()) {
    hold();
    return stream_.Read(&request_, &read_);
  }
  arrived_ = std::chrono::steady_clock::now();
  listener_.service_.handle(name, assembly_.take(),
                            // Who keeps this does not keep a call that is over.
                            [weak = weak_from_this()](absl::StatusOr<OutgoingMessage> reply) {
                              if (std::shared_ptr<ServerCall> call = weak.lock())
                                call->answer(std::move(reply));
                            });
}

void ServerCall::answer(absl::StatusOr<OutgoingMessage> reply) {
  if (isAnswered_.exchange(true))
    return;
  // `over` has not come, so the queue is there.
  hold();
  if (!reply.ok())
    return stream_.Finish(toGrpc(reply.status()), &finished_);
  if (stranger_)
    listener_.letIn(peer_);
  const std::chrono::nanoseconds held = std::chrono::steady_clock::now() - arrived_;
  context_.AddTrailingMetadata(kHeldKey, std::to_string(held.count()));
  parts_.emplace(*std::move(reply), assembly_.takesParts());
  writePart();
}

void ServerCall::writePart() {
  grpc::ByteBuffer part = parts_->next();
  if (parts_->isDone())
    stream_.WriteAndFinish(part, grpc::WriteOptions(), grpc::Status::OK, &finished_);
  else
    stream_.Write(part, &written_);
}

void ServerCall::written(bool ok) {
  // Else the call has ended, and `over` comes or came.
  if (!ok)
    return;
  hold();
  writePart();
}

} // namespace

absl::StatusOr<std::unique_ptr<Listener>> makeGrpcListener(const std::string &address, const std::string &bound,
                                                           Service &service,
                                                           const std::shared_ptr<grpc::ServerCredentials> &credentials,
                                                           const TransportSecurity &security, int64_t maxMessageBytes) {
  auto listener = std::make_unique<GrpcListener>(service, security, maxMessageBytes);
  if (absl::Status status = listener->bind(address, bound, credentials); !status.ok())
    return status;
  return listener;
}

} // namespace mlcrt
