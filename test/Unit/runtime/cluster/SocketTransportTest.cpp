// Frames over sockets: what a peer that is none of ours sends, and many calls at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketTransport.h"
#include "test/Unit/runtime/cluster/RawPeer.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "gmock/gmock.h"

#include <cstring>
#include <netinet/tcp.h>
#include <thread>

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::HasSubstr;

static const bool added =
    addTransports({{"Tcp", true, false, makeSocketTransport}, {"Unix", false, false, makeSocketTransport}});

TEST(SocketTransport, EndsConnectionsThatSpeakOtherwise) {
  EchoService service;
  auto transport = makeSocketTransport({}, 1 << 20);
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(listener.ok());
  const std::string &hello = kGreeting, &let = kLetIn;
  const auto &frame = makeFrame;
  auto begin = [](uint64_t call, uint64_t payload, uint32_t method = 4) {
    return makeBeginFrame(call, payload, 0, method);
  };
  for (const std::string &bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("mlcask1\n\xff\xff\xff\xff", 12)}) {
    RawPeer peer((*listener)->address());
    peer.send(bytes);
    EXPECT_EQ(peer.receive(), "") << bytes;
  }
  // TLS has words for it: a fatal alert, protocol_version.
  RawPeer secret((*listener)->address());
  secret.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00", 12));
  EXPECT_EQ(secret.receive(), std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  for (const std::string &bytes :
       {frame(0, 0, 1, ""), frame(0, 7, 1, ""), frame(0xffffffff, 1, 1, ""), frame(0, 4, 1, ""),
        frame(0xffffffff, 4, 1, ""), frame(3, 1, 1, "abc"), begin(1, 0, 5), frame(16, 2, 1, std::string(16, 'x')),
        frame(4, 3, 1, "abcd"), begin(1, 10) + begin(1, 10)}) {
    RawPeer peer((*listener)->address());
    peer.send(hello + bytes);
    EXPECT_EQ(peer.receive(), let) << static_cast<int>(bytes[4]);
  }
  // Errors of one call leave others alone; what comes of a call after its end is skipped. All in one piece, and byte
  // by byte.
  const std::string calls = hello + begin(1, 5) + frame(6, 4, 1, "abcdef") + frame(0, 5, 1, "") + // more than announced
                            begin(2, 5) + frame(2, 4, 2, "ab") + frame(0, 5, 2, "") +             // less
                            begin(3, uint64_t(1) << 40) +                                         // too much
                            begin(4, 6) + frame(2, 4, 4, "ab") + begin(5, 4) + frame(4, 4, 4, "cdef") + // two at once
                            frame(0, 5, 4, "") + frame(4, 4, 5, "0123") + frame(0, 6, 5, "") +          // one given up
                            frame(3, 4, 99, "abc") + frame(0, 5, 99, "") + begin(6, 0) + begin(7, 2) +
                            frame(2, 4, 7, "zz") + frame(0, 5, 7, "");
  for (size_t step : {calls.size(), size_t(1)}) {
    RawPeer peer((*listener)->address());
    const int one = 1;
    ::setsockopt(peer.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    for (size_t at = 0; at < calls.size(); at += step)
      peer.send(calls.substr(at, step));
    ::shutdown(peer.fd(), SHUT_WR);
    const std::string all = peer.receive();
    ASSERT_EQ(all.substr(0, let.size()), let);
    std::string seen;
    for (size_t at = let.size(); at + 16 <= all.size();) {
      uint32_t size;
      std::memcpy(&size, all.data() + at, 4);
      const char kind = all[at + 4];
      seen += std::to_string(all[at + 8]) + (kind == 2   ? "r"
                                             : kind == 3 ? "e"
                                             : kind == 4 ? "p"
                                             : kind == 5 ? "."
                                                         : "?");
      if (kind == 4)
        seen += all.substr(at + 16, size);
      seen += " ";
      at += 16 + size;
    }
    EXPECT_EQ(seen, "1e 2e 3e 4r 4pabcdef 4. 6r 7r 7pzz 7. ");
  }
}

TEST(SocketTransport, APortIsThatOfAllAddressesOfAHost) {
  EchoService service;
  auto transport = makeSocketTransport({}, 1 << 20);
  auto one = (*transport)->listen("127.0.0.1:0", service);
  ASSERT_TRUE(one.ok());
  const std::string port = (*one)->address().substr((*one)->address().rfind(':'));
  // The other address of this host may be free.
  absl::Status taken = (*transport)->listen("localhost" + port, service).status();
  EXPECT_THAT(std::string(taken.message()),
              HasSubstr("cannot listen on localhost" + port + ": Address already in use"));
  one->reset();
  auto all = (*transport)->listen("localhost" + port, service);
  ASSERT_TRUE(all.ok()) << all.status();
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    auto connection = (*transport)->connect(host + port, "ps 0");
    EXPECT_TRUE((*connection)->call("echo", {}, milliseconds(20000)).ok()) << host;
  }
}

TEST(SocketTransport, TokensHaveABound) {
  TransportSecurity security;
  security.token = std::string(4096, 'x');
  EXPECT_TRUE(makeSocketTransport(security, 1 << 20).ok());
  security.token += 'x';
  absl::Status refused = makeSocketTransport(security, 1 << 20).status();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("a token of 4097 bytes"));
}

TEST(SocketTransport, SocketsHavePathsOfTheirLength) {
  EchoService service;
  auto transport = makeSocketTransport({}, 1 << 20);
  const std::string address = "unix:/" + std::string(200, 'x');
  absl::Status status = (*transport)->listen(address, service).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("has 201 bytes"));
  auto connection = (*transport)->connect(address, "ps 0");
  status = (*connection)->call("echo", {}, milliseconds(20000)).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("has 201 bytes"));
}

TEST(SocketTransport, ManyCallsOfManyThreadsAtOnce) {
  EchoService service;
  auto transport = makeSocketTransport({}, 1 << 30);
  auto listener = (*transport)->listen("127.0.0.1:0", service);
  auto connection = *(*transport)->connect((*listener)->address(), "ps 0");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = pattern(size_t(1) << (i % 5 * 5)) + std::to_string(t);
        std::string there(text.size(), '\0');
        OutgoingMessage message;
        message.payload = {{text.data(), static_cast<int64_t>(text.size()), nullptr}};
        // Some are given up on their way.
        const milliseconds timeout(i % 7 == 3 ? 1 : 20000);
        absl::StatusOr<IncomingMessage> reply =
            connection->call("placed", message, timeout, [&](const std::string &, int64_t bytes) {
              Placement placement;
              placement.spans = {{there.data(), bytes}};
              return placement;
            });
        if (timeout > milliseconds(1)) {
          ASSERT_TRUE(reply.ok()) << reply.status();
        }
        if (reply.ok()) {
          EXPECT_TRUE(there == text) << i;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
