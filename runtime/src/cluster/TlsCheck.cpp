// What is wrong with certificates, in words.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TlsCheck.h"

#include "runtime/src/cluster/BlockingCalls.h"
#include "runtime/src/cluster/SocketLoop.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <arpa/inet.h>
#include <cerrno>
#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <thread>

namespace mlcrt {

namespace {

using Clock = std::chrono::steady_clock;

template <auto Free> struct Freer {
  template <typename T> void operator()(T *object) const { Free(object); }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freer<SSL_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX_free>>;

std::string textOf(const ASN1_TIME *time) {
  std::unique_ptr<BIO, Freer<BIO_free>> out(BIO_new(BIO_s_mem()));
  char *text = nullptr;
  if (!out || !time || ASN1_TIME_print(out.get(), time) != 1)
    return "a time that cannot be read";
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

std::string textOf(const X509_NAME *name) {
  std::unique_ptr<BIO, Freer<BIO_free>> out(BIO_new(BIO_s_mem()));
  char *text = nullptr;
  if (!out || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) < 0)
    return "";
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

/// "host" of "host:port" or "[host]:port".
std::string hostOf(const std::string &address) {
  std::string host = address.substr(0, address.rfind(':'));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return host;
}

bool isNumber(const std::string &host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

/// Whether a certificate has a number of an address as a name, which gRPC takes for the address.
bool hasAsName(X509 *certificate, const std::string &host) {
  return isNumber(host) && X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1;
}

/// What OpenSSL found wrong with a certificate.
std::string describe(int error, X509 *certificate, const std::string &host) {
  switch (error) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return absl::StrCat("it has expired: it was valid until ", textOf(X509_get0_notAfter(certificate)));
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return absl::StrCat("it is not valid yet: it is from ", textOf(X509_get0_notBefore(certificate)),
                        " on (or the clock of this host is wrong)");
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH:
    return absl::StrCat("it is not for ", host, ": that is not among its subject alternative names");
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    return absl::StrCat("it is of another authority, ", textOf(X509_get_issuer_name(certificate)));
  default:
    return X509_verify_cert_error_string(error);
  }
}

/// What the first of OpenSSL's errors says; the others are forgotten.
std::string firstError() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char *reason = ERR_reason_error_string(error);
  return reason ? reason : "an error without a name";
}

/// Loads the files. kInvalidArgument names the one that cannot be.
absl::StatusOr<ContextPtr> makeContext(const TransportSecurity &security) {
  ERR_clear_error();
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context)
    return absl::InternalError(absl::StrCat("no TLS: ", firstError()));
  auto refused = [&](const std::string &file, const char *what) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is no ", what, " in PEM: ", firstError()));
  };
  if (SSL_CTX_use_certificate_chain_file(context.get(), security.certificate.c_str()) != 1)
    return refused(security.certificate, "certificate");
  if (SSL_CTX_load_verify_locations(context.get(), security.authority.c_str(), nullptr) != 1)
    return refused(security.authority, "authority's certificate");
  // As gRPC has it: what the file has is trusted, whoever signed it.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context.get()), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  // It looks at once whether the two belong together.
  if (SSL_CTX_use_PrivateKey_file(context.get(), security.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH) {
      ERR_clear_error();
      return absl::InvalidArgumentError(
          absl::StrCat(security.key, " is not the key of the certificate ", security.certificate));
    }
    return refused(security.key, "key");
  }
  return context;
}

/// Verifies this task's certificate as peers will: as that of a server, or of a client.
absl::Status verifyOwn(SSL_CTX *context, const TransportSecurity &security, bool isServer, const std::string &host) {
  StoreContextPtr store(X509_STORE_CTX_new());
  X509 *const certificate = SSL_CTX_get0_certificate(context);
  STACK_OF(X509) *chain = nullptr;
  SSL_CTX_get0_chain_certs(context, &chain);
  if (!store || X509_STORE_CTX_init(store.get(), SSL_CTX_get_cert_store(context), certificate, chain) != 1)
    return absl::InternalError(absl::StrCat("no TLS: ", firstError()));
  X509_STORE_CTX_set_default(store.get(), isServer ? "ssl_server" : "ssl_client");
  X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(store.get());
  if (isServer && isNumber(host) && !hasAsName(certificate, host))
    X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str());
  else if (isServer && !host.empty() && !isNumber(host))
    X509_VERIFY_PARAM_set1_host(parameters, host.c_str(), 0);
  if (X509_verify_cert(store.get()) == 1)
    return absl::OkStatus();
  ERR_clear_error();
  const int error = X509_STORE_CTX_get_error(store.get());
  X509 *of = X509_STORE_CTX_get_current_cert(store.get());
  return absl::InvalidArgumentError(absl::StrCat("peers will not trust the certificate ", security.certificate, ": ",
                                                 describe(error, of ? of : certificate, host),
                                                 " (authority: ", security.authority, ")"));
}

/// A handshake over a socket, until a time.
class Attempt {
public:
  Attempt(SSL_CTX *context, const TransportSecurity &security, const std::string &address, Clock::time_point until)
      : security_(security), host_(hostOf(address)), until_(until), ssl_(SSL_new(context)) {}

  /// Whether the peer takes part in a handshake, whatever it thinks of this side.
  bool isAnswered(const std::vector<SocketAddress> &places) {
    if (!open(places))
      return false;
    SSL_set_verify(ssl_.get(), SSL_VERIFY_NONE, nullptr);
    const bool isDone = await([this] { return SSL_connect(ssl_.get()); });
    ERR_clear_error();
    return isDone || SSL_get0_peer_certificate(ssl_.get()) != nullptr;
  }

  absl::Status run(const std::vector<SocketAddress> &places) {
    if (!open(places))
      return absl::OkStatus(); // whoever calls there finds out
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_verify(ssl_.get(), SSL_VERIFY_PEER, &Attempt::verify);
    if (isNumber(host_)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host_.c_str());
    } else {
      SSL_set1_host(ssl_.get(), host_.c_str());
      SSL_set_tlsext_host_name(ssl_.get(), host_.c_str());
    }
    if (!await([this] { return SSL_connect(ssl_.get()); }))
      return judge();
    // With TLS 1.3 a server looks at the certificate when the handshake is over here. If it has nothing against it, it
    // speaks first; else it sends an alert, or, as gRPC, goes without a word.
    char byte;
    if (await([&] { return SSL_read(ssl_.get(), &byte, 1); }))
      return absl::OkStatus();
    isLeft_ = error_ == SSL_ERROR_SYSCALL || error_ == SSL_ERROR_ZERO_RETURN ||
              ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    return judge();
  }
  /// Whether the peer went away when it had seen the certificate.
  bool isLeft() const { return isLeft_; }

private:
  /// Begins, as gRPC does, over a connection; false: nobody listens.
  bool open(const std::vector<SocketAddress> &places) {
    if (!ssl_ || !connect(places))
      return false;
    static const unsigned char kProtocols[] = {2, 'h', '2'};
    SSL_set_alpn_protos(ssl_.get(), kProtocols, sizeof(kProtocols));
    SSL_set_fd(ssl_.get(), socket_.get());
    ERR_clear_error();
    return true;
  }
  bool connect(const std::vector<SocketAddress> &places) {
    for (const SocketAddress &place : places) {
      socket_ = FileDescriptor(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!socket_.isOpen())
        continue;
      if (::connect(socket_.get(), place.get(), place.size) == 0)
        return true;
      int error = errno;
      socklen_t size = sizeof(error);
      if (error == EINPROGRESS && poll(POLLOUT) &&
          ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
        return true;
    }
    return false;
  }
  bool poll(short events) const {
    constexpr std::chrono::milliseconds kLook{50}; // for the end of the process
    pollfd wait = {socket_.get(), events, 0};
    while (!BlockingCalls::isEnding()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
      if (left.count() <= 0)
        return false;
      if (::poll(&wait, 1, static_cast<int>(std::min(left, kLook).count())) > 0)
        return true;
    }
    return false;
  }
  template <typename Step> bool await(Step step) {
    while (true) {
      const int done = step();
      if (done > 0)
        return true;
      error_ = SSL_get_error(ssl_.get(), done);
      const bool waits = error_ == SSL_ERROR_WANT_READ || error_ == SSL_ERROR_WANT_WRITE;
      if (!waits || !poll(error_ == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT))
        return false;
    }
  }

  /// Gets each certificate of the peer's chain, and whether there is something wrong with it.
  static int verify(int isGood, X509_STORE_CTX *store) {
    auto *ssl = static_cast<SSL *>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto *self = static_cast<Attempt *>(SSL_get_app_data(ssl));
    X509 *const certificate = X509_STORE_CTX_get_current_cert(store);
    const int error = X509_STORE_CTX_get_error(store);
    if (isGood || (error == X509_V_ERR_IP_ADDRESS_MISMATCH && certificate && hasAsName(certificate, self->host_)))
      return 1;
    if (self->distrust_.empty())
      self->distrust_ = certificate ? describe(error, certificate, self->host_) : X509_verify_cert_error_string(error);
    return 0;
  }

  absl::Status judge() const {
    if (error_ != SSL_ERROR_SSL)
      return absl::OkStatus(); // no time is left, or it went away
    const int reason = ERR_GET_REASON(ERR_peek_error());
    const std::string text = firstError();
    if (!distrust_.empty())
      return absl::FailedPreconditionError(absl::StrCat("this task does not trust its certificate: ", distrust_,
                                                        " (authority: ", security_.authority, ")"));
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION)
      return absl::FailedPreconditionError("it does not speak TLS: was it started without --tls_certificate, --tls_key "
                                           "and --tls_authority?");
    // Alerts have a range of their own.
    if (reason < SSL_AD_REASON_OFFSET)
      return absl::OkStatus();
    const std::string alert(absl::StrContains(text, "alert ") ? text.substr(text.find("alert ") + 6) : text);
    return absl::FailedPreconditionError(
        absl::StrCat("it does not trust the certificate ", security_.certificate, " of this task: '", alert, "'"));
  }

  const TransportSecurity &security_;
  const std::string host_;
  const Clock::time_point until_;
  SslPtr ssl_;
  FileDescriptor socket_;
  std::string distrust_; ///< what is wrong with the peer's certificate
  int error_ = SSL_ERROR_NONE;
  bool isLeft_ = false;
};

} // namespace

absl::Status checkOwnCertificate(const TransportSecurity &security, const std::string &listensAt) {
  absl::StatusOr<ContextPtr> context = makeContext(security);
  if (!context.ok())
    return context.status();
  const bool hasName = !listensAt.empty() && !absl::StartsWith(listensAt, "unix:");
  absl::Status status = verifyOwn(context->get(), security, /*isServer=*/false, "");
  if (status.ok() && !listensAt.empty())
    status = verifyOwn(context->get(), security, /*isServer=*/true, hasName ? hostOf(listensAt) : "");
  return status;
}

std::string_view noTlsAlert() {
  // A record of type alert (21) of TLS 1.0, as versions are not agreed on yet, of two bytes: fatal, protocol_version.
  static constexpr char kAlert[] = {21, 3, 1, 0, 2, SSL3_AL_FATAL, TLS1_AD_PROTOCOL_VERSION};
  return {kAlert, sizeof(kAlert)};
}

absl::Status diagnosePlain(const std::string &address, std::chrono::milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  absl::StatusOr<std::vector<SocketAddress>> places = resolve(address, /*numericOnly=*/false);
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  const TransportSecurity none;
  if (!places.ok() || !context || !Attempt(context.get(), none, address, until).isAnswered(*places))
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      "it expects TLS, which this task was started without: --tls_certificate, --tls_key and --tls_authority");
}

absl::Status diagnoseTls(const TransportSecurity &security, const std::string &address,
                         std::chrono::milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  absl::StatusOr<std::vector<SocketAddress>> places = resolve(address, /*numericOnly=*/false);
  absl::StatusOr<ContextPtr> context = makeContext(security);
  if (!places.ok() || !context.ok())
    return absl::OkStatus();
  // One that goes twice has not ended.
  for (int i = 0; i < 2; ++i) {
    Attempt attempt(context->get(), security, address, until);
    if (absl::Status status = attempt.run(*places); !status.ok() || !attempt.isLeft())
      return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  X509 *const own = SSL_CTX_get0_certificate(context->get());
  return absl::FailedPreconditionError(absl::StrCat(
      "it does not trust the certificate ", security.certificate, " of this task, of the authority ",
      textOf(X509_get_issuer_name(own)), ": it ends each connection when it has seen it, and its log says why"));
}

} // namespace mlcrt
