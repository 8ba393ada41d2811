// Messages over gRPC.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

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
#include <set>
#include <sstream>
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

/// One call. Freed when both gRPC and whoever may still answer are done with it.
class CallReactor : public grpc::ServerGenericBidiReactor {
public:
  CallReactor(Service &service, std::string method) : service_(service), method_(std::move(method)) {}

  /// Called once, by gRPC's thread that has the call.
  void begin() {
    self_ = std::shared_ptr<CallReactor>(this);
    StartRead(&request_);
  }
  void refuse(const absl::Status &status) {
    self_ = std::shared_ptr<CallReactor>(this);
    Finish(toGrpc(status));
  }

  void OnReadDone(bool ok) override {
    if (!ok)
      return answer(absl::InvalidArgumentError("a call without a message"));
    absl::StatusOr<IncomingMessage> message = fromBuffer(request_);
    request_.Clear();
    if (!message.ok())
      return answer(message.status());
    service_.handle(method_, *std::move(message),
                    [call = self_](absl::StatusOr<OutgoingMessage> reply) { call->answer(std::move(reply)); });
  }
  void OnCancel() override { answer(absl::CancelledError("the caller has gone")); }
  void OnDone() override {
    std::shared_ptr<CallReactor> last;
    std::lock_guard<std::mutex> lock(mutex_);
    last.swap(self_);
  }

private:
  void answer(absl::StatusOr<OutgoingMessage> reply) {
    if (answered_.exchange(true))
      return;
    if (!reply.ok())
      return Finish(toGrpc(reply.status()));
    reply_ = toBuffer(*std::move(reply));
    StartWriteAndFinish(&reply_, grpc::WriteOptions(), grpc::Status::OK);
  }

  Service &service_;
  const std::string method_;
  grpc::ByteBuffer request_, reply_;
  std::atomic<bool> answered_{false};
  std::mutex mutex_;
  std::shared_ptr<CallReactor> self_;
};

class GenericService : public grpc::CallbackGenericService {
public:
  GenericService(Service &service, std::string token) : service_(service), token_(std::move(token)) {}

  grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *context) override {
    const bool isKnown = absl::StartsWith(context->method(), kMethodPrefix);
    auto *call =
        new CallReactor(service_, isKnown ? context->method().substr(std::strlen(kMethodPrefix)) : std::string());
    if (!isKnown)
      call->refuse(absl::UnimplementedError(absl::StrCat("no method ", context->method())));
    else if (!isAllowed(*context))
      call->refuse(absl::UnauthenticatedError("the token is not that of this cluster"));
    else
      call->begin();
    return call;
  }

private:
  bool isAllowed(const grpc::GenericCallbackServerContext &context) const {
    if (token_.empty())
      return true;
    auto found = context.client_metadata().find(kTokenKey);
    return found != context.client_metadata().end() && sameSecret(token_, {found->second.data(), found->second.size()});
  }

  Service &service_;
  const std::string token_;
};

class GrpcListener : public Listener {
public:
  GrpcListener(Service &service, const std::string &token) : generic_(service, token) {}
  ~GrpcListener() override {
    if (server_) {
      server_->Shutdown(std::chrono::system_clock::now());
      server_->Wait();
    }
  }
  const std::string &address() const override { return address_; }

  absl::Status bind(const std::string &address, const std::string &bound,
                    const std::shared_ptr<grpc::ServerCredentials> &credentials, int64_t maxMessageBytes) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(bound, credentials, &port);
    builder.RegisterCallbackGenericService(&generic_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(maxMessageBytes, INT32_MAX)));
    // Two trainers never share a port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    server_ = builder.BuildAndStart();
    if (!server_ || (port == 0 && !absl::StartsWith(address, "unix:"))) {
      server_.reset();
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", address, ": the address is in use or is not one of this host"));
    }
    address_ = address;
    if (absl::EndsWith(address, ":0"))
      address_ = absl::StrCat(address.substr(0, address.size() - 1), port);
    return absl::OkStatus();
  }

private:
  GenericService generic_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

class GrpcConnection : public Connection {
public:
  GrpcConnection(const std::shared_ptr<grpc::Channel> &channel, std::string peer, std::string token)
      : stub_(channel), peer_(std::move(peer)), token_(std::move(token)) {}
  /// No callback comes after this.
  ~GrpcConnection() override {
    std::unique_lock<std::mutex> lock(mutex_);
    for (grpc::ClientContext *context : contexts_)
      context->TryCancel();
    idle_.wait(lock, [this] { return contexts_.empty(); });
  }

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done) override {
    struct Call {
      grpc::ClientContext context;
      grpc::ByteBuffer request, reply;
      Done done;
    };
    auto call = std::make_shared<Call>();
    call->context.set_deadline(std::chrono::system_clock::now() + timeout);
    if (!token_.empty())
      call->context.AddMetadata(kTokenKey, token_);
    call->request = toBuffer(std::move(request));
    call->done = std::move(done);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      contexts_.insert(&call->context);
    }
    stub_.UnaryCall(&call->context, kMethodPrefix + std::string(method), grpc::StubOptions(), &call->request,
                    &call->reply, [this, call](const grpc::Status &status) {
                      call->request.Clear();
                      if (status.ok())
                        call->done(fromBuffer(call->reply));
                      else
                        call->done(fromGrpc(status, peer_));
                      call->done = nullptr;
                      std::lock_guard<std::mutex> lock(mutex_);
                      contexts_.erase(&call->context);
                      idle_.notify_all();
                    });
  }

private:
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
      : security_(std::move(security)), maxMessageBytes_(maxMessageBytes) {}

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
    return std::make_unique<GrpcConnection>(grpc::CreateCustomChannel(address, credentials, arguments),
                                            absl::StrCat(peer, " at ", address), security_.token);
  }

private:
  const TransportSecurity security_;
  const int64_t maxMessageBytes_;
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair_;
  std::string authority_;
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
  auto transport = std::make_unique<GrpcTransport>(security, maxMessageBytes);
  if (absl::Status status = transport->readFiles(); !status.ok())
    return status;
  return transport;
}

} // namespace mlcrt
