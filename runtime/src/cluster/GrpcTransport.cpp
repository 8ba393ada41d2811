// Messages over gRPC: addresses, TLS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"

#include "runtime/src/cluster/GrpcConnection.h"
#include "runtime/src/cluster/GrpcListener.h"
#include "runtime/src/cluster/TlsCheck.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

namespace mlcrt {

namespace {

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
    return security_.hasTls() ? checkOwnCertificate(security_, /*listensAt=*/"") : absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    absl::StatusOr<std::string> bound = boundAddress(address, security_);
    if (!bound.ok())
      return bound.status();
    // A peer that acknowledges no settings opens streams without end, which no quota of gRPC counts.
    if (!security_.hasTls() && !security_.insecure && !isLocalAddress(address))
      return absl::FailedPreconditionError(absl::StrCat("cannot listen on ", address,
                                                        " by gRPC without TLS: gRPC does "
                                                        "not bound what any host could make it keep before the token"));
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (security_.hasTls()) {
      if (absl::Status status = checkOwnCertificate(security_, address); !status.ok())
        return status;
      grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      options.pem_root_certs = authority_;
      options.pem_key_cert_pairs.push_back(pair_);
      credentials = grpc::SslServerCredentials(options);
    }
    return makeGrpcListener(address, *bound, service, credentials, security_, maxMessageBytes_);
  }

  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(maxMessageBytes_, INT32_MAX)));
    arguments.SetMaxSendMessageSize(-1);
    setChannelArguments([&](const char *name, int value) { arguments.SetInt(name, value); });
    // Peers come and go within a second, not within two minutes.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
    // In spite of its name the time that an attempt has: a handshake of TLS on a busy or distant host takes long.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // As of sockets of frames (prepareSocket); gRPC sets TCP_USER_TIMEOUT of the socket to the second.
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 1000 * kDeadConnectionSeconds / 2);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 1000 * kDeadConnectionSeconds / 2);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    // One connection for each peer: those to one address would share one.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    static constexpr std::chrono::seconds kPatience{3};
    Diagnose diagnose = [address] { return diagnosePlain(address, kPatience); };
    if (security_.hasTls()) {
      credentials = grpc::SslCredentials({authority_, pair_.private_key, pair_.cert_chain});
      diagnose = [security = security_, address] { return diagnoseTls(security, address, kPatience); };
    }
    return makeGrpcConnection(grpc::CreateCustomChannel(address, credentials, arguments), events_,
                              absl::StrCat(peer, " at ", address), security_.token, maxMessageBytes_,
                              std::move(diagnose));
  }

private:
  const TransportSecurity security_;
  const int64_t maxMessageBytes_;
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair_;
  std::string authority_;
  const std::shared_ptr<EventQueue> events_ = std::make_shared<EventQueue>(); ///< of connections
};

} // namespace

/// Who is told of them, of all transports of the process.
static std::mutex handshakeMutex;
static std::weak_ptr<Refusals> handshakeRefusals;

/// Gets the lines that gRPC would log.
static void noteHandshake(gpr_log_func_args *line) {
  constexpr absl::string_view kFailed = "Handshake failed with fatal error ";
  const absl::string_view text = line->message;
  if (!absl::StartsWith(text, kFailed))
    return;
  std::shared_ptr<Refusals> refusals;
  {
    std::lock_guard<std::mutex> lock(handshakeMutex);
    refusals = handshakeRefusals.lock();
  }
  // "SSL_ERROR_SSL: error:0A000086:SSL routines::certificate verify failed."
  absl::string_view reason = absl::StripSuffix(text.substr(text.rfind(':') + 1), ".");
  if (!refusals)
    return;
  if (absl::EndsWith(reason, "wrong version number") || absl::EndsWith(reason, "http request"))
    refusals->note("no TLS", "a peer called without TLS: all tasks of a cluster need --tls_certificate, --tls_key and "
                             "--tls_authority");
  else
    refusals->note("TLS", absl::StrCat("a TLS handshake with a peer failed: '", reason,
                                       "'; certificates of both sides must be of the authority that the other one "
                                       "trusts, for its host, and their time must have come and not be over"));
}

absl::StatusOr<std::unique_ptr<Transport>> makeGrpcTransport(const TransportSecurity &security,
                                                             int64_t maxMessageBytes) {
  // What goes wrong is in statuses; a library prints nothing. Of handshakes that fail at a listener there are none.
  gpr_set_log_function(&noteHandshake);
  google::protobuf::SetLogHandler(nullptr);
  // gRPC stays until the process ends: its shutdown with the last object may wait for its own threads for seconds.
  static const bool isKept = (keepFreedMemory(), grpc_init(), true);
  (void)isKept;
  auto transport = std::make_unique<GrpcTransport>(security, maxMessageBytes);
  if (absl::Status status = transport->readFiles(); !status.ok())
    return status;
  if (security.refusals) {
    std::lock_guard<std::mutex> lock(handshakeMutex);
    handshakeRefusals = security.refusals;
  }
  return transport;
}

} // namespace mlcrt
