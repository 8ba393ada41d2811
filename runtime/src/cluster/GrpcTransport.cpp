// Messages over gRPC: addresses, TLS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"

#include "runtime/src/cluster/GrpcConnection.h"
#include "runtime/src/cluster/GrpcListener.h"

#include "absl/strings/str_cat.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
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
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    absl::StatusOr<std::string> bound = boundAddress(address, security_);
    if (!bound.ok())
      return bound.status();
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (security_.hasTls()) {
      grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      options.pem_root_certs = authority_;
      options.pem_key_cert_pairs.push_back(pair_);
      credentials = grpc::SslServerCredentials(options);
    }
    return makeGrpcListener(address, *bound, service, credentials, security_.token, maxMessageBytes_);
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
    // One connection for each peer: those to one address would share one.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (security_.hasTls())
      credentials = grpc::SslCredentials({authority_, pair_.private_key, pair_.cert_chain});
    return makeGrpcConnection(grpc::CreateCustomChannel(address, credentials, arguments), events_,
                              absl::StrCat(peer, " at ", address), security_.token, maxMessageBytes_);
  }

private:
  const TransportSecurity security_;
  const int64_t maxMessageBytes_;
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair_;
  std::string authority_;
  const std::shared_ptr<EventQueue> events_ = std::make_shared<EventQueue>(); ///< of connections
};

} // namespace

absl::StatusOr<std::unique_ptr<Transport>> makeGrpcTransport(const TransportSecurity &security,
                                                             int64_t maxMessageBytes) {
  // What goes wrong is in statuses; a library prints nothing.
  gpr_set_log_function([](gpr_log_func_args *) {});
  google::protobuf::SetLogHandler(nullptr);
  // gRPC stays until the process ends: its shutdown with the last object may wait for its own threads for seconds.
  static const bool isKept = (keepFreedMemory(), grpc_init(), true);
  (void)isKept;
  auto transport = std::make_unique<GrpcTransport>(security, maxMessageBytes);
  if (absl::Status status = transport->readFiles(); !status.ok())
    return status;
  return transport;
}

} // namespace mlcrt
