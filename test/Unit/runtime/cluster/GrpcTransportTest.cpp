// gRPC: TLS, and peers that speak otherwise.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/GrpcListener.h"
#include "runtime/src/cluster/SocketTransport.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <unistd.h>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

static const bool added =
    addTransports({{"GrpcTcp", true, true, makeGrpcTransport}, {"GrpcUnix", false, true, makeGrpcTransport}});

static std::string contentsOf(const std::string &name) {
  std::ifstream file(name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Those of a server, which nobody has checked.
static std::shared_ptr<grpc::ServerCredentials> serverCredentials(const TransportSecurity &security) {
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = contentsOf(security.authority);
  options.pem_key_cert_pairs.push_back({contentsOf(security.key), contentsOf(security.certificate)});
  return grpc::SslServerCredentials(options);
}

/// An authority and a certificate of it for 127.0.0.1 (test/Inputs/certificates.py says what else).
namespace {
/// A directory that goes away with the process.
struct ProcessDirectory {
  ProcessDirectory() : path((std::filesystem::temp_directory_path() / "mlc-certificates-XXXXXX").string()) {
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
  }
  ~ProcessDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};
} // namespace

static TransportSecurity makeCertificate(const std::string &name, const std::string &more = "") {
  static const ProcessDirectory directory;
  const std::string base = directory.path + "/" + name;
  const char *source = std::getenv("MLC_SOURCE_DIR");
  const std::string command =
      std::string("python3 ") + (source ? source : ".") + "/test/Inputs/certificates.py " + base + " " + more;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  TransportSecurity security;
  security.certificate = base + "/task.pem";
  security.key = base + "/task.key";
  security.authority = base + "/authority.pem";
  return security;
}

static std::string directoryOf(const TransportSecurity &security) {
  return security.authority.substr(0, security.authority.rfind('/'));
}

TEST(GrpcTransport, TlsLetsInWhoHasACertificate) {
  EchoService service;
  TransportSecurity ours = makeCertificate("ours");
  const TransportSecurity theirs = makeCertificate("theirs");
  // One that trusts our authority, too, which does not trust it.
  const TransportSecurity foreign = makeCertificate("foreign", "--trust " + ours.authority);
  std::mutex mutex;
  std::vector<std::string> told;
  ours.refusals = std::make_shared<Refusals>([&](const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    told.push_back(text);
  });
  auto transport = makeGrpcTransport(ours, 1 << 20);
  ASSERT_TRUE(transport.ok()) << transport.status();
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(listener.ok()) << listener.status();
  auto friendly = (*transport)->connect((*listener)->address(), "ps 0");
  absl::StatusOr<IncomingMessage> reply = (*friendly)->call("echo", {}, milliseconds(20000));
  EXPECT_TRUE(reply.ok()) << reply.status();
  struct Case {
    TransportSecurity security;
    absl::StatusCode code;
    const char *said;
  };
  for (const Case &each :
       {Case{TransportSecurity(), absl::StatusCode::kFailedPrecondition, "it expects TLS, which this task"},
        Case{theirs, absl::StatusCode::kFailedPrecondition, "another authority, CN = authority"},
        Case{foreign, absl::StatusCode::kFailedPrecondition, "it does not trust the certificate"}}) {
    auto stranger = (*makeGrpcTransport(each.security, 1 << 20))->connect((*listener)->address(), "ps 0");
    absl::Status refused = (*stranger)->call("echo", {}, milliseconds(20000)).status();
    EXPECT_EQ(refused.code(), each.code) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("ps 0 at 127.0.0.1"));
    EXPECT_THAT(std::string(refused.message()), HasSubstr(each.said));
  }
  // Whoever listens is told, once.
  {
    std::lock_guard<std::mutex> lock(mutex);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_THAT(told[0], HasSubstr("a peer called without TLS"));
    EXPECT_THAT(told[1], HasSubstr("a TLS handshake with a peer failed: '"));
  }
  auto stranger = (*makeSocketTransport({}, 1 << 20))->connect((*listener)->address(), "ps 0");
  const absl::Status refused = (*stranger)->call("echo", {}, milliseconds(20000)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("it expects TLS, which this task"));
}

TEST(GrpcTransport, WhoCallsWithTlsIsToldThatThereIsNone) {
  EchoService service;
  std::mutex mutex;
  std::vector<std::string> told;
  TransportSecurity plain;
  plain.refusals = std::make_shared<Refusals>([&](const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    told.push_back(text);
  });
  auto caller = *makeGrpcTransport(makeCertificate("alone"), 1 << 20);
  auto sockets = *makeSocketTransport(plain, 1 << 20), grpc = *makeGrpcTransport(plain, 1 << 20);
  for (Transport *serving : {sockets.get(), grpc.get()}) {
    auto listener = *serving->listen("127.0.0.1:0", service);
    auto connection = *caller->connect(listener->address(), "ps 0");
    const absl::Status refused = connection->call("echo", {}, milliseconds(20000)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("it does not speak TLS"));
  }
  std::lock_guard<std::mutex> lock(mutex);
  ASSERT_FALSE(told.empty());
  EXPECT_THAT(told.front(), HasSubstr("it called with TLS, which this task was started without"));
}

TEST(GrpcTransport, CertificatesAreCheckedWhereTheyAre) {
  EchoService service;
  const TransportSecurity ours = makeCertificate("mine");
  const std::string ofOurs = "--authority " + directoryOf(ours) + " ";
  const TransportSecurity expired = makeCertificate("expired", ofOurs + "--begin 2020 --end 2021"),
                          early = makeCertificate("early", ofOurs + "--begin 2048 --end 2049"),
                          elsewhere = makeCertificate("elsewhere", ofOurs + "--name DNS:example.org"),
                          other = makeCertificate("other");
  TransportSecurity mixed = other, keyless = ours, noKey = ours;
  mixed.authority = ours.authority;
  keyless.key = other.key;
  noKey.key = ours.certificate;
  struct Case {
    TransportSecurity security;
    std::string said;
  };
  for (const Case &each : {Case{expired, "it has expired: it was valid until Jan  1 00:00:00 2021 GMT"},
                           Case{early, "it is not valid yet: it is from Jan  1 00:00:00 2048 GMT on"},
                           Case{mixed, "it is of another authority, CN = authority"},
                           Case{keyless, other.key + " is not the key of the certificate " + ours.certificate},
                           Case{noKey, ours.certificate + " is no key in PEM"}}) {
    absl::Status refused = makeGrpcTransport(each.security, 1 << 20).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(each.said));
  }
  // Who calls needs no name.
  auto transport = makeGrpcTransport(elsewhere, 1 << 20);
  ASSERT_TRUE(transport.ok()) << transport.status();
  absl::Status refused = (*transport)->listen("127.0.0.1:0", service).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("it is not for 127.0.0.1"));
  // A server whose certificate was good when it began.
  auto caller = *makeGrpcTransport(ours, 1 << 20);
  for (const auto &[security, said] :
       {std::pair(expired, "it has expired: it was valid until Jan"), std::pair(early, "it is not valid yet"),
        std::pair(elsewhere, "it is not for")}) {
    auto listener =
        makeGrpcListener("127.0.0.1:0", "127.0.0.1:0", service, serverCredentials(security), security, 1 << 20);
    ASSERT_TRUE(listener.ok()) << listener.status();
    auto connection = caller->connect((*listener)->address(), "ps 0");
    refused = (*connection)->call("echo", {}, milliseconds(20000)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(said));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("this task does not trust its certificate"));
  }
}

TEST(GrpcTransport, NeedsAllFilesOfTls) {
  TransportSecurity security;
  security.certificate = "/nowhere/certificate.pem";
  EXPECT_EQ(makeGrpcTransport(security, 1 << 20).status().code(), absl::StatusCode::kInvalidArgument);
  security.key = security.authority = security.certificate;
  EXPECT_THAT(std::string(makeGrpcTransport(security, 1 << 20).status().message()),
              HasSubstr("/nowhere/certificate.pem: No such file"));
}

TEST(GrpcTransport, SocketsSayWhatAnswersOtherwise) {
  EchoService service;
  auto grpc = makeGrpcTransport({}, 1 << 20);
  auto plain = makeSocketTransport({}, 1 << 20);
  auto of = [&](Transport &serving, Transport &calling) {
    auto listener = serving.listen("127.0.0.1:0", service);
    auto connection = calling.connect((*listener)->address(), "ps 0");
    absl::Status status = (*connection)->call("echo", {}, milliseconds(20000)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(of(**grpc, **plain), HasSubstr("does it expect gRPC"));
  EXPECT_THAT(of(**plain, **grpc), HasSubstr("ps 0 at "));
}
