// The metrics server against clients of all kinds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/MetricsServer.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace mlcrt;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class MetricsServerTest : public testing::Test {
protected:
  void start(MetricsServerOptions options = {}) {
    auto made = MetricsServer::start(options, {[this] { return page; }, [this] { return problem; }});
    ASSERT_TRUE(made.ok()) << made.status();
    server = *std::move(made);
  }
  int connect() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(server->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
    return socket;
  }
  static void write(int socket, const std::string &text) {
    size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t size = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (size <= 0)
        return; // the server has had enough
      sent += static_cast<size_t>(size);
    }
  }
  /// What the server sends until it ends the connection.
  static std::string readAll(int socket) {
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = ::recv(socket, buffer, sizeof(buffer), 0)) > 0;)
      text.append(buffer, static_cast<size_t>(size));
    ::close(socket);
    return text;
  }
  std::string ask(const std::string &request) const {
    const int socket = connect();
    write(socket, request);
    return readAll(socket);
  }

  std::string page = "mlc_steps_total 7\n", problem;
  std::unique_ptr<MetricsServer> server;
};

} // namespace

TEST_F(MetricsServerTest, AnswersGetAndHead) {
  start();
  const std::string reply = ask("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                                "Content-Length: 18\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nmlc_steps_total 7\n"));
  EXPECT_THAT(ask("HEAD /metrics?a=b HTTP/1.0\r\n\r\n"), AllOf(HasSubstr("Content-Length: 18"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(ask("GET /healthz HTTP/1.1\n\n"), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("\r\n\r\nok\n")));
}

TEST_F(MetricsServerTest, SaysWhatIsWrong) {
  problem = "chief 0 waits";
  start();
  EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 503"), EndsWith("chief 0 waits\n")));
}

TEST_F(MetricsServerTest, RefusesOtherRequests) {
  start();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("GET /metrics/../x HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"),
              AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD")));
  EXPECT_THAT(ask("GET /metrics HTTP/2.0\r\n\r\n"), StartsWith("HTTP/1.1 505"));
  EXPECT_THAT(ask("GET /metrics\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(" GET /metrics HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(std::string("GET /met\0rics HTTP/1.1\r\n\r\n", 26)), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nX: " + std::string(20000, 'x')), StartsWith("HTTP/1.1 431"));
}

TEST_F(MetricsServerTest, RandomRequestsDoNoHarm) {
  start();
  std::mt19937 random(7);
  const std::string good = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n";
  for (int i = 0; i < 500; ++i) {
    std::string request = good;
    for (int changes = 1 + random() % 8; changes > 0 && !request.empty(); --changes) {
      const size_t at = random() % request.size();
      switch (random() % 4) {
      case 0:
        request[at] = static_cast<char>(random());
        break;
      case 1:
        request.erase(at, random() % 9);
        break;
      case 2:
        request.insert(at, random() % 5, static_cast<char>(random()));
        break;
      default:
        request = request.substr(0, at);
      }
    }
    const int socket = connect();
    write(socket, request);
    ::shutdown(socket, SHUT_WR);
    const std::string reply = readAll(socket);
    EXPECT_TRUE(reply.empty() || reply.rfind("HTTP/1.1 ", 0) == 0) << reply;
  }
  EXPECT_THAT(ask(good), EndsWith(page));
}

TEST_F(MetricsServerTest, SlowClientsHoldNobodyUp) {
  MetricsServerOptions options;
  options.maxConnections = 4;
  // Clients that say half a line, others that take no answer, and more than there is room for.
  page = std::string(8 << 20, 'x');
  start(options);
  std::vector<int> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(connect());
    write(slow.back(), i % 2 ? "GET /met" : "GET /metrics HTTP/1.1\r\n\r\n");
  }
  EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\n\r\n"), EndsWith("ok\n"));
  for (int socket : slow)
    ::close(socket);
}

TEST_F(MetricsServerTest, CutsOffWhoIsTooSlow) {
  MetricsServerOptions options;
  options.timeLimit = std::chrono::milliseconds(50);
  start(options);
  const int socket = connect();
  write(socket, "GET /metrics HTTP/1.1\r\n");
  EXPECT_EQ(readAll(socket), "");
}

TEST_F(MetricsServerTest, EndsWithClientsThere) {
  start();
  const int socket = connect();
  server.reset();
  EXPECT_EQ(readAll(socket), "");
}

TEST_F(MetricsServerTest, NamesAPortInUse) {
  start();
  MetricsServerOptions options;
  options.port = server->port();
  auto second = MetricsServer::start(options, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(
      std::string(second.status().message()),
      HasSubstr("cannot listen on port " + std::to_string(options.port) + " for metrics: Address already in use"));
}
