// Calls over all transports: what arrives, when, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/InProcessTransport.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "gmock/gmock.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

class Transports : public testing::TestWithParam<TransportKind> {
protected:
  void SetUp() override {
    auto made = GetParam().make({}, int64_t(1) << 30);
    ASSERT_TRUE(made.ok()) << made.status();
    transport = *std::move(made);
  }
  std::string place(int number = 0) const {
    if (GetParam().isTcp)
      return "127.0.0.1:0";
    return "unix:" + testing::TempDir() + "/transport-" + std::to_string(::getpid()) + "-" + std::to_string(number);
  }
  void listen() {
    auto made = transport->listen(place(), service);
    ASSERT_TRUE(made.ok()) << made.status();
    listener = *std::move(made);
    auto reached = transport->connect(listener->address(), "ps 0");
    ASSERT_TRUE(reached.ok());
    connection = *std::move(reached);
  }

  EchoService service;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Connection> connection;
};

/// Those that reach other hosts.
class Networks : public testing::TestWithParam<TransportKind> {};

const bool added = addTransports({{"InProcess", false, false, [](const TransportSecurity &, int64_t) {
                                     return absl::StatusOr<std::unique_ptr<Transport>>(makeInProcessTransport());
                                   }}});

} // namespace

INSTANTIATE_TEST_SUITE_P(Kinds, Transports, testing::ValuesIn(transportKinds()), kindName);

static std::vector<TransportKind> networks() {
  std::vector<TransportKind> kinds;
  for (const TransportKind &kind : transportKinds())
    if (kind.isTcp)
      kinds.push_back(kind);
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Networks, testing::ValuesIn(networks()), kindName);

TEST_P(Transports, CarryControlAndPayload) {
  listen();
  for (size_t size : {size_t(0), size_t(1), size_t(100), size_t(70000), size_t(9) << 20}) {
    const std::string text = pattern(size);
    OutgoingMessage message;
    message.control = "control";
    // Several slices, one of them empty.
    const auto half = static_cast<int64_t>(size / 2);
    message.payload = {{text.data(), half, nullptr},
                       {nullptr, 0, nullptr},
                       {text.data() + half, static_cast<int64_t>(size) - half, nullptr}};
    auto reply = connection->call("echo", std::move(message), milliseconds(20000));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->control(), "control!");
    EXPECT_TRUE(contentOf(*reply) == text) << size;
  }
}

TEST_P(Transports, PutPayloadsWhereTheyBelong) {
  listen();
  constexpr size_t kMiB = 1 << 20;
  for (size_t size : {size_t(0), size_t(1), size_t(2), size_t(70000), kMiB, kMiB + 1, 9 * kMiB, 20 * kMiB + 12345}) {
    const std::string text = pattern(size);
    std::string there(size, '\0');
    OutgoingMessage message;
    message.control = "control";
    // Slices across the bounds of parts.
    for (size_t at = 0; at < size; at += kMiB / 2 + 77)
      message.payload.push_back({text.data() + at, static_cast<int64_t>(std::min(size - at, kMiB / 2 + 77)), nullptr});
    int asked = 0;
    auto reply =
        connection->call("placed", message, milliseconds(20000), [&](const std::string &control, int64_t bytes) {
          ++asked;
          EXPECT_EQ(control, "control 0");
          Placement placement;
          placement.spans = {{there.data(), bytes / 2}, {there.data() + bytes / 2, bytes - bytes / 2}};
          return placement;
        });
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(asked, size > 0);
    EXPECT_EQ(reply->remaining(), 0);
    EXPECT_TRUE(there == text) << size;
    // The sender cannot tell who places what.
    auto kept = connection->call("placed", message, milliseconds(20000));
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_TRUE(contentOf(*kept) == text) << size;
    auto half = connection->call("echo", message, milliseconds(20000),
                                 [](const std::string &, int64_t) { return Placement(); });
    ASSERT_TRUE(half.ok()) << half.status();
    EXPECT_TRUE(contentOf(*half) == text) << size;
  }
}

TEST_P(Transports, PutTheFrontOfPayloadsInItsPlace) {
  listen();
  for (size_t size : {size_t(1000), size_t(1001), size_t(70000), size_t(3) << 20})
    for (bool isStreamed : {false, true}) {
      const std::string text = pattern(size);
      OutgoingMessage message;
      message.control = "front";
      const Slice all = {text.data(), static_cast<int64_t>(size), nullptr};
      if (isStreamed) {
        message.rest = std::make_shared<PayloadStream>(static_cast<int64_t>(size) + 5);
        message.rest->add(all);
        message.rest->finish();
      } else {
        message.payload = {all};
      }
      auto reply = connection->call("placed", std::move(message), milliseconds(20000));
      ASSERT_TRUE(reply.ok()) << reply.status();
      EXPECT_EQ(reply->control(), "front " + std::to_string(size - 1000));
      EXPECT_TRUE(contentOf(*reply) == text.substr(0, 1000)) << size;
    }
  // Fewer bytes than have a place.
  const std::string text = pattern(999);
  OutgoingMessage message;
  message.control = "front";
  message.payload = {{text.data(), 999, nullptr}};
  EXPECT_TRUE(absl::IsInvalidArgument(connection->call("placed", message, milliseconds(20000)).status()));
  message.rest = std::make_shared<PayloadStream>(5000);
  message.rest->finish();
  EXPECT_TRUE(absl::IsInvalidArgument(connection->call("placed", std::move(message), milliseconds(20000)).status()));
}

TEST_P(Transports, TellWhatHasArrived) {
  listen();
  const std::string text = pattern(size_t(5) << 20);
  std::string there(text.size(), '\0');
  OutgoingMessage message;
  for (size_t at = 0; at < text.size(); at += 1 << 20)
    message.payload.push_back({text.data() + at, 1 << 20, nullptr});
  for (const char *control : {"", "ahead"}) {
    message.control = control;
    std::vector<int64_t> arrived;
    auto reply = connection->call("placed", message, milliseconds(20000), [&](const std::string &, int64_t bytes) {
      Placement placement;
      placement.spans = {{there.data(), bytes}};
      placement.arrived = [&](int64_t bytes) {
        arrived.push_back(bytes);
        EXPECT_TRUE(there.compare(0, static_cast<size_t>(bytes), text, 0, static_cast<size_t>(bytes)) == 0);
      };
      return placement;
    });
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_GT(arrived.size(), 1u);
    EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
    EXPECT_EQ(arrived.back(), static_cast<int64_t>(text.size()));
    // What is waited for alone comes by itself, where bytes take their time.
    if (*control && GetParam().hasFront) {
      EXPECT_EQ(arrived.front(), 1000);
    }
  }
}

TEST_P(Transports, SendPayloadsWhileTheyAreMade) {
  listen();
  for (size_t size : {size_t(0), size_t(1), size_t(70000), size_t(9) << 20})
    for (size_t first : {size_t(0), size / 2}) {
      const std::string text = pattern(size);
      OutgoingMessage message;
      message.control = "control";
      message.payload = {{text.data(), static_cast<int64_t>(first), nullptr}};
      auto rest = message.rest = std::make_shared<PayloadStream>(static_cast<int64_t>(size - first));
      std::thread maker([&] {
        constexpr size_t kPiece = 123457;
        for (size_t at = first; at < size; at += kPiece) {
          if (at % 5 == 0)
            std::this_thread::sleep_for(milliseconds(1));
          rest->add({text.data() + at, static_cast<int64_t>(std::min(kPiece, size - at)), nullptr});
        }
        rest->finish();
      });
      auto reply = connection->call("echo", std::move(message), milliseconds(20000));
      maker.join();
      ASSERT_TRUE(reply.ok()) << reply.status();
      EXPECT_EQ(reply->control(), "control!");
      EXPECT_TRUE(contentOf(*reply) == text) << size;
      EXPECT_EQ(rest->size(), static_cast<int64_t>(size - first));
    }
}

TEST_P(Transports, PayloadsHaveNoMoreThanTheyAnnounced) {
  listen();
  const std::string text = pattern(size_t(3) << 20);
  OutgoingMessage message;
  message.rest = std::make_shared<PayloadStream>(static_cast<int64_t>(text.size()) - 1);
  message.rest->add({text.data(), static_cast<int64_t>(text.size()), nullptr});
  message.rest->finish();
  absl::Status refused = connection->call("echo", std::move(message), milliseconds(20000)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("announced"));
}

TEST_P(Transports, PayloadsThatAreNotCompletedReachNobody) {
  listen();
  const std::string text = pattern(size_t(3) << 20);
  const Slice slice = {text.data(), static_cast<int64_t>(text.size()), nullptr};
  auto start = [&](milliseconds timeout, absl::StatusOr<IncomingMessage> &reply, std::atomic<bool> &done) {
    OutgoingMessage message;
    message.rest = std::make_shared<PayloadStream>(int64_t(64) << 20);
    auto rest = message.rest;
    rest->add(slice);
    connection->start("wait", std::move(message), timeout, [&](absl::StatusOr<IncomingMessage> got) {
      reply = std::move(got);
      done = true;
    });
    return rest;
  };
  auto wait = [](const std::atomic<bool> &done) {
    while (!done)
      std::this_thread::sleep_for(milliseconds(1));
  };
  // Given up, late, and of a connection that goes.
  absl::StatusOr<IncomingMessage> reply;
  std::atomic<bool> done{false};
  auto rest = start(milliseconds(20000), reply, done);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(done);
  rest->abandon();
  wait(done);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kCancelled) << reply.status();
  done = false;
  rest = start(milliseconds(50), reply, done);
  wait(done);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kDeadlineExceeded) << reply.status();
  rest->add(slice);
  rest->finish();
  done = false;
  rest = start(milliseconds(20000), reply, done);
  connection->cancelCalls(absl::UnavailableError("it is gone"));
  wait(done);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable) << reply.status();
  done = false;
  rest = start(milliseconds(20000), reply, done);
  connection.reset();
  EXPECT_TRUE(done);
  rest->finish();
  EXPECT_EQ(service.numWaiting(), 0u);
}

TEST_P(Transports, RefuseWhatHasNoPlace) {
  listen();
  for (size_t size : {size_t(10), size_t(30) << 20}) {
    const std::string text(size, 'x');
    OutgoingMessage message;
    message.payload = {{text.data(), static_cast<int64_t>(size), nullptr}};
    message.control = "refused";
    absl::Status refused = connection->call("placed", message, milliseconds(20000)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("no place"));
    message.control = "short";
    refused = connection->call("placed", message, milliseconds(20000)).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("were expected"));
    // The same at this end.
    message.control = "";
    refused = connection
                  ->call("placed", message, milliseconds(20000),
                         [](const std::string &, int64_t) { return absl::NotFoundError("nowhere"); })
                  .status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("ps 0 at "));
    EXPECT_TRUE(connection->call("placed", message, milliseconds(20000)).ok());
  }
}

TEST_P(Transports, PartsEndWithTheirCallAndConnection) {
  listen();
  const std::string text(size_t(30) << 20, 'x');
  OutgoingMessage message;
  message.payload = {{text.data(), static_cast<int64_t>(text.size()), nullptr}};
  EXPECT_EQ(connection->call("wait", message, milliseconds(300)).status().code(), absl::StatusCode::kDeadlineExceeded);
  service.release();
  std::atomic<int> ended{0};
  for (int i = 0; i < 4; ++i)
    connection->start(
        "placed", message, milliseconds(20000), [&](absl::StatusOr<IncomingMessage>) { ended += 1; }, nullptr);
  connection.reset();
  EXPECT_EQ(ended, 4);
}

TEST_P(Transports, ErrorsKeepTheirCodeAndNameThePeer) {
  listen();
  auto reply = connection->call("nothing", {}, milliseconds(20000));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(reply.status().message()), HasSubstr("ps 0 at "));
  EXPECT_THAT(std::string(reply.status().message()), HasSubstr("no method nothing"));
}

TEST_P(Transports, NoCallWaitsLongerThanItsTimeout) {
  listen();
  EXPECT_EQ(connection->call("wait", {}, milliseconds(50)).status().code(), absl::StatusCode::kDeadlineExceeded);
  // The late answer reaches nobody.
  service.release();
  EXPECT_TRUE(connection->call("echo", {}, milliseconds(20000)).ok());
}

TEST_P(Transports, SayAtOnceThatNobodyListens) {
  listen();
  const std::string address = listener->address();
  connection.reset();
  listener.reset();
  auto reached = transport->connect(address, "ps 0");
  ASSERT_TRUE(reached.ok());
  absl::Status status = (*reached)->call("echo", {}, milliseconds(60000)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ps 0 at " + address));
  // Another call finds who came since.
  listener = *transport->listen(address, service);
  while (status.code() == absl::StatusCode::kUnavailable) {
    std::this_thread::sleep_for(milliseconds(10));
    status = (*reached)->call("echo", {}, milliseconds(60000)).status();
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(Transports, AnswersMayComeInAnyOrder) {
  listen();
  std::atomic<int> answered{0}, failed{0};
  for (int i = 0; i < 20; ++i)
    connection->start("wait", {}, milliseconds(20000),
                      [&](absl::StatusOr<IncomingMessage> reply) { (reply.ok() ? answered : failed) += 1; });
  EXPECT_TRUE(connection->call("echo", {}, milliseconds(20000)).ok());
  while (service.numWaiting() < 20)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(answered, 0);
  service.release();
  while (answered + failed < 20)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(failed, 0);
}

TEST_P(Transports, AListenerThatGoesFailsWhatWaits) {
  listen();
  std::atomic<bool> done{false};
  absl::Status status;
  connection->start("wait", {}, milliseconds(20000), [&](absl::StatusOr<IncomingMessage> reply) {
    status = reply.status();
    done = true;
  });
  while (service.numWaiting() < 1)
    std::this_thread::sleep_for(milliseconds(1));
  listener.reset();
  while (!done)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  // Its last word arrives.
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(GetParam().name == "InProcess" ? "the connection was closed" : "the task ends"));
  service.release();
}

TEST_P(Transports, AConnectionThatGoesEndsItsCalls) {
  listen();
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i)
    connection->start("wait", {}, milliseconds(20000), [&](absl::StatusOr<IncomingMessage> reply) {
      EXPECT_FALSE(reply.ok());
      ended += 1;
    });
  while (service.numWaiting() < 3)
    std::this_thread::sleep_for(milliseconds(1));
  connection.reset();
  EXPECT_EQ(ended, 3);
  service.release();
}

TEST_P(Transports, NoOtherUserReachesAUnixSocket) {
  listen();
  struct stat found = {};
  if (::stat(listener->address().substr(strlen("unix:")).c_str(), &found) != 0)
    return; // it is none
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_P(Networks, OpenToOthersOnlyIfToldOrProtected) {
  EchoService service;
  auto plain = GetParam().make({}, 1 << 20);
  ASSERT_TRUE(plain.ok());
  auto refused = (*plain)->listen("example.org:0", service);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("example.org:0"));
  TransportSecurity open;
  open.insecure = true;
  EXPECT_TRUE((*GetParam().make(open, 1 << 20))->listen("example.org:0", service).ok());
  TransportSecurity secret;
  secret.token = "secret";
  // Before the token gRPC keeps what others send, without a bound.
  EXPECT_EQ((*GetParam().make(secret, 1 << 20))->listen("example.org:0", service).ok(), GetParam().name == "Tcp");
  // A name may begin as an address of the loopback interface does.
  EXPECT_TRUE(absl::IsFailedPrecondition((*plain)->listen("127.example.org:0", service).status()));
}

TEST_P(Networks, RefuseAPortInUse) {
  EchoService service;
  auto transport = GetParam().make({}, 1 << 20);
  auto first = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(first.ok());
  auto second = (*transport)->listen((*first)->address(), service);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr((*first)->address()));
}

TEST_P(Networks, AnHostThatDoesNotResolveIsNamed) {
  auto connection = (*GetParam().make({}, 1 << 20))->connect("no-such-host.invalid:1", "ps 0");
  ASSERT_TRUE(connection.ok());
  absl::Status status = (*connection)->call("echo", {}, milliseconds(20000)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("ps 0 at no-such-host.invalid:1: "));
}

TEST_P(Networks, RefuseOtherTokensAndLargeMessages) {
  EchoService service;
  TransportSecurity security;
  security.token = "secret";
  auto transport = GetParam().make(security, 1 << 16);
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(listener.ok());
  auto friendly = (*transport)->connect((*listener)->address(), "ps 0");
  EXPECT_TRUE((*friendly)->call("echo", {}, milliseconds(20000)).ok());
  std::string large(1 << 17, 'x');
  OutgoingMessage message;
  message.payload = {{large.data(), static_cast<int64_t>(large.size()), nullptr}};
  EXPECT_EQ((*friendly)->call("echo", std::move(message), milliseconds(20000)).status().code(),
            absl::StatusCode::kResourceExhausted);
  // In parts, which are small each.
  std::string parts(size_t(3) << 20, 'x');
  message.payload = {{parts.data(), static_cast<int64_t>(parts.size()), nullptr}};
  absl::Status refused = (*friendly)->call("echo", std::move(message), milliseconds(20000)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  // And where nobody knows how long it becomes.
  message = OutgoingMessage();
  message.rest = std::make_shared<PayloadStream>(int64_t(64) << 20);
  message.rest->add({parts.data(), static_cast<int64_t>(parts.size()), nullptr});
  refused = (*friendly)->call("echo", message, milliseconds(20000)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  for (const char *token : {"", "secreT", "secret2", "s"}) {
    security.token = token;
    auto stranger = (*GetParam().make(security, 1 << 16))->connect((*listener)->address(), "ps 0");
    EXPECT_EQ((*stranger)->call("echo", {}, milliseconds(20000)).status().code(), absl::StatusCode::kUnauthenticated)
        << token;
  }
}

TEST_P(Networks, WhoIsNotKnownSendsLittle) {
  EchoService service;
  auto transport = GetParam().make({}, 1 << 20);
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(listener.ok());
  auto connection = (*transport)->connect((*listener)->address(), "ps 0");
  // The service answers this with an error, if it hears of it: then it does not know who calls.
  auto call = [&](size_t control) {
    OutgoingMessage message;
    message.control = std::string(control, 'x');
    return (*connection)->call("nothing", std::move(message), milliseconds(20000)).status();
  };
  EXPECT_EQ(call(60 << 10).code(), absl::StatusCode::kNotFound);
  absl::Status refused = call(100 << 10);
  EXPECT_TRUE(absl::IsResourceExhausted(refused) || absl::IsUnavailable(refused)) << refused;
  EXPECT_TRUE((*connection)->call("echo", {}, milliseconds(20000)).ok());
  EXPECT_EQ(call(100 << 10).code(), absl::StatusCode::kNotFound);
}

TEST(Messages, AreReadAsFarAsTheyGo) {
  const std::string text = "abcdef";
  IncomingMessage message("", {{text.data(), 4, nullptr}, {text.data() + 4, 2, nullptr}});
  char out[8] = {};
  EXPECT_EQ(message.read(out, 7).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(message.read(out, -1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(message.read(out, 5).ok());
  EXPECT_EQ(std::string(out), "abcde");
  EXPECT_THAT(std::string(message.finish().message()), HasSubstr("1 bytes more"));
  EXPECT_TRUE(message.read(out, 1).ok());
  EXPECT_TRUE(message.finish().ok());
}
