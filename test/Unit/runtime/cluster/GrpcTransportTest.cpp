// gRPC: TLS, and peers that speak otherwise.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/SocketTransport.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <unistd.h>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

static const bool added =
    addTransports({{"GrpcTcp", true, true, makeGrpcTransport}, {"GrpcUnix", false, true, makeGrpcTransport}});

/// An authority and a certificate of it for 127.0.0.1, made by the command line of OpenSSL.
static TransportSecurity makeCertificate(const std::string &name) {
  const std::string base = testing::TempDir() + "/" + std::to_string(::getpid()) + "-" + name;
  const std::string key = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch -keyout ";
  const std::string commands[] = {key + base + "-ca.key -x509 -days 2 -subj /CN=" + name + " -out " + base + "-ca.pem",
                                  key + base + ".key -subj /CN=task -addext subjectAltName=IP:127.0.0.1 -out " + base +
                                      ".csr",
                                  "openssl x509 -req -days 2 -in " + base + ".csr -CA " + base + "-ca.pem -CAkey " +
                                      base + "-ca.key -CAcreateserial -copy_extensions copy -out " + base + ".pem"};
  for (const std::string &command : commands)
    EXPECT_EQ(std::system((command + " >" + base + ".log 2>&1").c_str()), 0) << command;
  TransportSecurity security;
  security.certificate = base + ".pem";
  security.key = base + ".key";
  security.authority = base + "-ca.pem";
  return security;
}

TEST(GrpcTransport, TlsLetsInWhoHasACertificate) {
  EchoService service;
  const TransportSecurity ours = makeCertificate("ours"), theirs = makeCertificate("theirs");
  auto transport = makeGrpcTransport(ours, 1 << 20);
  ASSERT_TRUE(transport.ok()) << transport.status();
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(listener.ok()) << listener.status();
  auto friendly = (*transport)->connect((*listener)->address(), "ps 0");
  absl::StatusOr<IncomingMessage> reply = (*friendly)->call("echo", {}, milliseconds(20000));
  EXPECT_TRUE(reply.ok()) << reply.status();
  // Without TLS, with a certificate of another authority, and with ours while trusting another one.
  TransportSecurity mixed = theirs;
  mixed.authority = ours.authority;
  TransportSecurity distrustful = ours;
  distrustful.authority = theirs.authority;
  for (const TransportSecurity &security : {TransportSecurity(), theirs, mixed, distrustful}) {
    auto stranger = (*makeGrpcTransport(security, 1 << 20))->connect((*listener)->address(), "ps 0");
    absl::Status refused = (*stranger)->call("echo", {}, milliseconds(1500)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("ps 0 at 127.0.0.1"));
  }
  auto stranger = (*makeSocketTransport({}, 1 << 20))->connect((*listener)->address(), "ps 0");
  EXPECT_THAT(std::string((*stranger)->call("echo", {}, milliseconds(20000)).status().message()),
              HasSubstr("does it expect TLS"));
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
