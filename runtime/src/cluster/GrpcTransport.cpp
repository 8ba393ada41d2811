// Messages over gRPC.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace mlcrt {

static constexpr char kMethodPrefix[] = "/mlc.Task/";
static constexpr char kTokenKey[] = "mlc-token";

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static grpc::ByteBuffer toBuffer(OutgoingMessage message) {
  std::vector<grpc::Slice> slices;
  const auto size = static_cast<uint32_t>(message.control.size());
  std::string head(sizeof(size), '\0');
  for (unsigned i = 0; i < sizeof(size); ++i)
    head[i] = static_cast<char>(size >> (8 * i) & 0xff);
  slices.emplace_back(head + message.control);
  for (Slice &slice : message.payload) {
    if (slice.size == 0)
      continue;
    // The owner lives as long as gRPC needs the bytes; without one the caller keeps them until the reply.
    auto *owner = new std::shared_ptr<const void>(std::move(slice.owner));
    slices.emplace_back(
        const_cast<void *>(slice.data), static_cast<size_t>(slice.size),
        [](void *kept) { delete static_cast<std::shared_ptr<const void> *>(kept); }, owner);
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

/// Takes `size` bytes off the front of `slices` from (slice, offset) on; false if there are fewer.
static bool takeFront(const std::vector<grpc::Slice> &slices, size_t &slice, size_t &offset, char *to, size_t size) {
  while (size > 0) {
    if (slice == slices.size())
      return false;
    const size_t some = std::min(size, slices[slice].size() - offset);
    std::memcpy(to, slices[slice].begin() + offset, some);
    to += some;
    size -= some;
    offset += some;
    if (offset == slices[slice].size())
      ++slice, offset = 0;
  }
  return true;
}

static absl::StatusOr<IncomingMessage> fromBuffer(const grpc::ByteBuffer &buffer) {
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  if (!buffer.Dump(slices.get()).ok())
    return absl::InvalidArgumentError("a message that gRPC cannot unpack");
  size_t slice = 0, offset = 0;
  unsigned char head[4];
  if (!takeFront(*slices, slice, offset, reinterpret_cast<char *>(head), sizeof(head)))
    return absl::InvalidArgumentError("a message of fewer bytes than its head");
  const size_t size = head[0] | head[1] << 8 | head[2] << 16 | static_cast<size_t>(head[3]) << 24;
  if (size > buffer.Length() - sizeof(head))
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", buffer.Length(), " bytes whose control part would have ", size));
  std::string control(size, '\0');
  takeFront(*slices, slice, offset, control.data(), size);
  std::vector<Slice> payload;
  for (; slice < slices->size(); ++slice, offset = 0)
    if (const int64_t left = static_cast<int64_t>((*slices)[slice].size() - offset); left > 0)
      payload.push_back({(*slices)[slice].begin() + offset, left, slices});
  return IncomingMessage(std::move(control), std::move(payload));
}

/// The two have the same codes.
static grpc::Status toGrpc(const absl::Status &status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}
static absl::Status fromGrpc(const grpc::Status &status, const std::string &peer) {
  if (status.ok())
    return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      absl::StrCat(peer, ": ", status.error_message()));
}

/// For messages of megabytes between hosts of one network: large reads, frames and windows.
template <typename SetArgument> static void setChannelArguments(SetArgument set) {
  set(GRPC_ARG_TCP_READ_CHUNK_SIZE, 1 << 20);
  set(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, 1 << 16);
  set(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 1 << 22);
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (1 << 24) - 1);
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 26);
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
}

//===----------------------------------------------------------------------===//
// Listener
//===----------------------------------------------------------------------===//

namespace {

/// Of the same length in time, wherever they differ.
bool sameSecret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() != b.size();
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return difference == 0;
}

/// What a completion queue gives back.
class Event {
public:
  virtual ~Event() = default;
  /// `ok` as the operation defines it. The event may be gone behind this.
  virtual void complete(bool ok) = 0;
};

/// A completion queue with threads that take events from it.
class EventQueue {
public:
  EventQueue() = default;
  /// Nothing is begun any more when this is called.
  ~EventQueue() {
    queue_->Shutdown();
    for (std::thread &thread : threads_)
      thread.join();
  }
  void run(std::unique_ptr<grpc::CompletionQueue> queue, int threads) {
    queue_ = std::move(queue);
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        void *event;
        for (bool ok; queue_->Next(&event, &ok);)
          static_cast<Event *>(event)->complete(ok);
      });
  }
  grpc::CompletionQueue *queue() const { return queue_.get(); }

private:
  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::vector<std::thread> threads_;
};

class GrpcListener;

/// One call to this task. It goes when gRPC gave all of its events back.
class ServerCall : public std::enable_shared_from_this<ServerCall> {
public:
  explicit ServerCall(GrpcListener &listener) : listener_(listener), stream_(&context_) {}
  ~ServerCall();
  /// Waits for a call.
  void begin();

private:
  /// An event of this call.
  class Step : public Event {
  public:
    Step(ServerCall &call, void (ServerCall::*then)(bool)) : call_(call), then_(then) {}
    void complete(bool ok) override {
      std::shared_ptr<ServerCall> keep = call_.shared_from_this();
      (call_.*then_)(ok);
      call_.release();
    }

  private:
    ServerCall &call_;
    void (ServerCall::*const then_)(bool);
  };

  void begun(bool ok);
  void read(bool ok);
  void finished(bool) {}
  /// The call is over, for whatever reason.
  void over(bool) { isAnswered_.exchange(true); }
  void answer(absl::StatusOr<OutgoingMessage> reply);
  void refuse(const absl::Status &status) {
    isAnswered_ = true;
    hold();
    stream_.Finish(toGrpc(status), &finished_);
  }
  bool isAllowed() const;

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
  std::atomic<bool> isAnswered_{false};
  Step begun_{*this, &ServerCall::begun}, read_{*this, &ServerCall::read}, finished_{*this, &ServerCall::finished},
      over_{*this, &ServerCall::over};
  std::mutex mutex_;
  int pending_ = 0;
  std::shared_ptr<ServerCall> self_;
};

class GrpcListener : public Listener {
public:
  GrpcListener(Service &service, std::string token) : service_(service), token_(std::move(token)) {}
  ~GrpcListener() override {
    if (!server_)
      return;
    server_->Shutdown(std::chrono::system_clock::now());
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [this] { return numCalls_ == 0; });
  }
  const std::string &address() const override { return address_; }

  absl::Status bind(const std::string &address, const std::string &bound,
                    const std::shared_ptr<grpc::ServerCredentials> &credentials, int64_t maxMessageBytes) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(bound, credentials, &port);
    builder.RegisterAsyncGenericService(&generic_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(maxMessageBytes, INT32_MAX)));
    // Two trainers never share a port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
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
  void await() { std::make_shared<ServerCall>(*this)->begin(); }

  Service &service_;
  const std::string token_;
  grpc::AsyncGenericService generic_;
  grpc::ServerCompletionQueue *queue_ = nullptr;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int numCalls_ = 0;
  std::optional<EventQueue> events_; // last: its threads use the members above
};

ServerCall::~ServerCall() {
  std::lock_guard<std::mutex> lock(listener_.mutex_);
  if (--listener_.numCalls_ == 0)
    listener_.idle_.notify_all();
}

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
  if (!absl::StartsWith(context_.method(), kMethodPrefix))
    return refuse(absl::UnimplementedError(absl::StrCat("no method ", context_.method())));
  if (!isAllowed())
    return refuse(absl::UnauthenticatedError("the token is not that of this cluster"));
  hold();
  stream_.Read(&request_, &read_);
}

bool ServerCall::isAllowed() const {
  if (listener_.token_.empty())
    return true;
  auto found = context_.client_metadata().find(kTokenKey);
  return found != context_.client_metadata().end() &&
         sameSecret(listener_.token_, {found->second.data(), found->second.size()});
}

void ServerCall::read(bool ok) {
  if (!ok)
    return answer(absl::InvalidArgumentError("a call without a message"));
  absl::StatusOr<IncomingMessage> message = fromBuffer(request_);
  request_.Clear();
  if (!message.ok())
    return answer(message.status());
  listener_.service_.handle(context_.method().substr(std::strlen(kMethodPrefix)), *std::move(message),
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
  stream_.WriteAndFinish(toBuffer(*std::move(reply)), grpc::WriteOptions(), grpc::Status::OK, &finished_);
}

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

class GrpcConnection : public Connection {
public:
  GrpcConnection(const std::shared_ptr<grpc::Channel> &channel, std::shared_ptr<EventQueue> events, std::string peer,
                 std::string token)
      : events_(std::move(events)), stub_(channel), peer_(std::move(peer)), token_(std::move(token)) {}
  /// No callback comes after this.
  ~GrpcConnection() override {
    std::unique_lock<std::mutex> lock(mutex_);
    for (grpc::ClientContext *context : contexts_)
      context->TryCancel();
    idle_.wait(lock, [this] { return contexts_.empty(); });
  }

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done) override {
    auto *call = new ClientCall(*this, std::move(done));
    call->context.set_deadline(std::chrono::system_clock::now() + timeout);
    if (!token_.empty())
      call->context.AddMetadata(kTokenKey, token_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      contexts_.insert(&call->context);
    }
    call->reader = stub_.PrepareUnaryCall(&call->context, kMethodPrefix + std::string(method),
                                          toBuffer(std::move(request)), events_->queue());
    call->reader->StartCall();
    call->reader->Finish(&call->reply, &call->status, call);
  }

private:
  /// One call to the peer.
  struct ClientCall : public Event {
    ClientCall(GrpcConnection &connection, Done done) : connection(connection), done(std::move(done)) {}
    void complete(bool) override {
      if (status.ok())
        done(fromBuffer(reply));
      else
        done(fromGrpc(status, connection.peer_));
      done = nullptr;
      GrpcConnection &of = connection;
      grpc::ClientContext *const ended = &context;
      std::lock_guard<std::mutex> lock(of.mutex_);
      of.contexts_.erase(ended);
      of.idle_.notify_all();
      delete this;
    }

    GrpcConnection &connection;
    Done done;
    grpc::ClientContext context;
    grpc::ByteBuffer reply;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  };

  const std::shared_ptr<EventQueue> events_;
  grpc::GenericStub stub_;
  const std::string peer_, token_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::set<grpc::ClientContext *> contexts_;
};

//===----------------------------------------------------------------------===//
// Transport
//===----------------------------------------------------------------------===//

class GrpcTransport : public Transport {
public:
  GrpcTransport(TransportSecurity security, int64_t maxMessageBytes)
      : security_(std::move(security)), maxMessageBytes_(maxMessageBytes) {
    constexpr int kThreads = 2;
    events_->run(std::make_unique<grpc::CompletionQueue>(), kThreads);
  }

  absl::Status readFiles() {
    const std::string *names[] = {&security_.certificate, &security_.key, &security_.authority};
    std::string *contents[] = {&pair_.cert_chain, &pair_.private_key, &authority_};
    if (names[0]->empty() != names[1]->empty() || names[0]->empty() != names[2]->empty())
      return absl::InvalidArgumentError("TLS needs a certificate, its key and the authority of the peers' "
                                        "certificates; some of them are not given");
    for (int i = 0; i < 3 && security_.hasTls(); ++i) {
      std::ifstream file(*names[i]);
      std::stringstream text;
      if (!file || !(text << file.rdbuf()))
        return absl::InvalidArgumentError(absl::StrCat("cannot read ", *names[i], ": ", std::strerror(errno)));
      *contents[i] = text.str();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    const bool isLocal = isLocalAddress(address);
    if (!isLocal && !security_.hasTls() && !security_.insecure)
      return absl::FailedPreconditionError(
          absl::StrCat("cannot listen on ", address, ": other hosts could connect without TLS"));
    // What other hosts call this one may be a name of a proxy or of another interface.
    std::string bound = address;
    if (!isLocal)
      bound = "[::]" + address.substr(address.rfind(':'));
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (security_.hasTls()) {
      grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      options.pem_root_certs = authority_;
      options.pem_key_cert_pairs.push_back(pair_);
      credentials = grpc::SslServerCredentials(options);
    }
    if (absl::StartsWith(address, "unix:"))
      ::unlink(address.c_str() + std::strlen("unix:"));
    auto listener = std::make_unique<GrpcListener>(service, security_.token);
    if (absl::Status status = listener->bind(address, bound, credentials, maxMessageBytes_); !status.ok())
      return status;
    return listener;
  }

  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(maxMessageBytes_, INT32_MAX)));
    arguments.SetMaxSendMessageSize(-1);
    setChannelArguments([&](const char *name, int value) { arguments.SetInt(name, value); });
    // Peers come and go within a second, not within two minutes.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // One connection for each peer: those to one address would share one.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (security_.hasTls())
      credentials = grpc::SslCredentials({authority_, pair_.private_key, pair_.cert_chain});
    return std::make_unique<GrpcConnection>(grpc::CreateCustomChannel(address, credentials, arguments), events_,
                                            absl::StrCat(peer, " at ", address), security_.token);
  }

private:
  const TransportSecurity security_;
  const int64_t maxMessageBytes_;
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair_;
  std::string authority_;
  const std::shared_ptr<EventQueue> events_ = std::make_shared<EventQueue>(); ///< of connections
};

} // namespace

bool isLocalAddress(const std::string &address) {
  if (absl::StartsWith(address, "unix:"))
    return true;
  const std::string host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host == "[::1]" || absl::StartsWith(host, "127.");
}

absl::StatusOr<std::unique_ptr<Transport>> makeGrpcTransport(const TransportSecurity &security,
                                                             int64_t maxMessageBytes) {
  // What goes wrong is in statuses; a library prints nothing.
  gpr_set_log_function([](gpr_log_func_args *) {});
  google::protobuf::SetLogHandler(nullptr);
  // gRPC stays until the process ends: its shutdown with the last object may wait for its own threads for seconds.
  static const bool isKept = (grpc_init(), true);
  (void)isKept;
  auto transport = std::make_unique<GrpcTransport>(security, maxMessageBytes);
  if (absl::Status status = transport->readFiles(); !status.ok())
    return status;
  return transport;
}

} // namespace mlcrt
