// What the transport of a cluster reaches of a raw stream between two processes on one host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forked process answers; this one measures, raw and over the transport by turns. Push: a message of S bytes into
// memory of the receiver, acknowledged; pull: the same backwards. The receiver says where a payload belongs ("placed"),
// or reads it from the message ("kept"). Raw: S bytes in writes of 1 MiB through one connection into memory of the
// receiver, acknowledged by one byte. Latency: 64 bytes there and back.
#include "benchmarks/cluster/Times.h"
#include "runtime/src/cluster/GrpcTransport.h"
#include "runtime/src/cluster/SocketTransport.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlcrt;

[[noreturn]] static void fail(const char *what) {
  std::perror(what);
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Raw sockets
//===----------------------------------------------------------------------===//

static constexpr size_t kWrite = 1 << 20;

static void sendAll(int fd, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(fd, data, std::min(size, kWrite), 0);
    if (sent <= 0)
      fail("send");
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}
static bool receiveAll(int fd, char *data, size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(fd, data, size, 0);
    if (got <= 0)
      return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}
static int listenRaw(bool isUnix, std::string &address) {
  const int fd = ::socket(isUnix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
  if (isUnix) {
    sockaddr_un place = {};
    place.sun_family = AF_UNIX;
    address = "/tmp/mlc-raw-" + std::to_string(::getpid());
    ::unlink(address.c_str());
    std::strncpy(place.sun_path, address.c_str(), sizeof(place.sun_path) - 1);
    if (::bind(fd, reinterpret_cast<sockaddr *>(&place), sizeof(place)) != 0)
      fail("bind");
  } else {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(place);
    if (::bind(fd, reinterpret_cast<sockaddr *>(&place), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr *>(&place), &size) != 0)
      fail("bind");
    address = std::to_string(ntohs(place.sin_port));
  }
  ::listen(fd, 4);
  return fd;
}
static int connectRaw(bool isUnix, const std::string &address) {
  const int fd = ::socket(isUnix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
  int status;
  if (isUnix) {
    sockaddr_un place = {};
    place.sun_family = AF_UNIX;
    std::strncpy(place.sun_path, address.c_str(), sizeof(place.sun_path) - 1);
    status = ::connect(fd, reinterpret_cast<sockaddr *>(&place), sizeof(place));
  } else {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(static_cast<uint16_t>(std::stoi(address)));
    status = ::connect(fd, reinterpret_cast<sockaddr *>(&place), sizeof(place));
    int one = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  if (status != 0)
    fail("connect");
  return fd;
}

/// What a client asks for: 'P' take `size` bytes and answer one; 'G' send `size` bytes; 'E' send 64 bytes back.
struct RawHead {
  char what = 0;
  int64_t size = 0;
};

static void serveRaw(int listener, std::vector<char> &memory) {
  const int fd = ::accept(listener, nullptr, nullptr);
  int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  RawHead head;
  while (receiveAll(fd, reinterpret_cast<char *>(&head), sizeof(head))) {
    const auto size = static_cast<size_t>(head.size);
    if (head.what == 'G') {
      sendAll(fd, memory.data(), size);
      continue;
    }
    receiveAll(fd, memory.data(), size);
    sendAll(fd, memory.data(), head.what == 'E' ? size : 1);
  }
}
static void callRaw(int fd, char what, std::vector<char> &memory, int64_t size) {
  const RawHead head{what, size};
  sendAll(fd, reinterpret_cast<const char *>(&head), sizeof(head));
  if (what != 'G')
    sendAll(fd, memory.data(), static_cast<size_t>(size));
  if (!receiveAll(fd, memory.data(), what == 'P' ? 1 : static_cast<size_t>(size)))
    fail("recv");
}

//===----------------------------------------------------------------------===//
// Transport
//===----------------------------------------------------------------------===//

namespace {
/// "push" takes the payload into memory, "keep" reads it there from the message; "pull" sends as many bytes as the
/// control part says.
class MemoryService : public Service {
public:
  explicit MemoryService(std::vector<char> &memory) : memory_(memory) {}
  void handle(std::string_view method, IncomingMessage request, Reply reply) override {
    OutgoingMessage answer;
    if (method != "pull") {
      if (absl::Status status = request.read(memory_.data(), request.remaining()); !status.ok())
        return reply(status);
    } else {
      answer.payload.push_back({memory_.data(), std::stoll(request.control()), nullptr});
    }
    reply(std::move(answer));
  }

  absl::StatusOr<Placement> place(std::string_view method, const std::string &, int64_t payloadSize) override {
    Placement placement;
    if (method == "push")
      placement.spans.push_back({memory_.data(), payloadSize});
    return placement;
  }

private:
  std::vector<char> &memory_;
};
} // namespace

static std::unique_ptr<Transport> makeTransport(bool isGrpc) {
  absl::StatusOr<std::unique_ptr<Transport>> made =
      isGrpc ? makeGrpcTransport({}, INT32_MAX) : makeSocketTransport({}, INT32_MAX);
  if (made.ok())
    return *std::move(made);
  std::fprintf(stderr, "%s\n", std::string(made.status().message()).c_str());
  std::exit(1);
}

static void callTransport(Connection &connection, bool isPush, bool isPlaced, std::vector<char> &memory, int64_t size) {
  OutgoingMessage message;
  message.control = std::to_string(size);
  if (isPush)
    message.payload.push_back({memory.data(), size, nullptr});
  PlaceFunction place;
  if (!isPush && isPlaced)
    place = [&](const std::string &, int64_t payloadSize) {
      Placement placement;
      placement.spans.push_back({memory.data(), payloadSize});
      return placement;
    };
  absl::StatusOr<IncomingMessage> reply = connection.call(!isPush    ? "pull"
                                                          : isPlaced ? "push"
                                                                     : "keep",
                                                          std::move(message), std::chrono::seconds(60), place);
  absl::Status status = reply.status();
  if (status.ok() && !isPush && !isPlaced)
    status = reply->read(memory.data(), size);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    std::exit(1);
  }
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

namespace {
/// The process at the other end.
struct Peer {
  pid_t process;
  int listener;
  std::string address, rawAddress;
};
} // namespace

/// Before this process has a transport, whose threads a fork would not take along.
static Peer startPeer(bool isUnix, bool isGrpc, int64_t size) {
  Peer peer;
  peer.listener = listenRaw(isUnix, peer.rawAddress);
  int addressPipe[2];
  if (::pipe(addressPipe) != 0)
    fail("pipe");
  peer.process = ::fork();
  if (peer.process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<char> memory(static_cast<size_t>(size), 1);
    MemoryService service(memory);
    auto transport = makeTransport(isGrpc);
    auto bound =
        transport->listen(isUnix ? "unix:/tmp/mlc-peer-" + std::to_string(::getpid()) : "127.0.0.1:0", service);
    if (!bound.ok())
      std::exit(1);
    std::string address = (*bound)->address() + "\n";
    if (::write(addressPipe[1], address.data(), address.size()) < 0)
      fail("write");
    serveRaw(peer.listener, memory);
    std::_Exit(0);
  }
  char text[256] = {};
  if (::read(addressPipe[0], text, sizeof(text) - 1) <= 0)
    fail("read");
  peer.address.assign(text, std::strcspn(text, "\n"));
  return peer;
}

static void measure(bool isUnix, bool isGrpc, const Peer &peer, int64_t size, int rounds) {
  std::vector<char> memory(static_cast<size_t>(size), 2);
  auto transport = makeTransport(isGrpc);
  auto connection = *transport->connect(peer.address, "peer");
  const int raw = connectRaw(isUnix, peer.rawAddress);
  enum { RawPush, Push, PushKept, RawPull, Pull, PullKept, RawCall, Call, kKinds };
  std::vector<double> times[kKinds];
  constexpr int kCalls = 200;
  auto repeated = [&](const auto &call) {
    return seconds([&] {
             for (int i = 0; i < kCalls; ++i)
               call();
           }) /
           kCalls;
  };
  for (int round = 0; round < rounds + 1; ++round) {
    double found[kKinds];
    found[RawPush] = seconds([&] { callRaw(raw, 'P', memory, size); });
    found[Push] = seconds([&] { callTransport(*connection, true, true, memory, size); });
    found[PushKept] = seconds([&] { callTransport(*connection, true, false, memory, size); });
    found[RawPull] = seconds([&] { callRaw(raw, 'G', memory, size); });
    found[Pull] = seconds([&] { callTransport(*connection, false, true, memory, size); });
    found[PullKept] = seconds([&] { callTransport(*connection, false, false, memory, size); });
    found[RawCall] = repeated([&] { callRaw(raw, 'E', memory, 64); });
    found[Call] = repeated([&] { callTransport(*connection, true, true, memory, 64); });
    // The first round warms up.
    for (int k = 0; round > 0 && k < kKinds; ++k)
      times[k].push_back(found[k]);
  }
  auto ratio = [&](int ours, int theirs) {
    std::vector<double> ratios;
    for (size_t i = 0; i < times[ours].size(); ++i)
      ratios.push_back(times[theirs][i] / times[ours][i]);
    return median(ratios);
  };
  auto line = [&](const char *what, int placed, int kept, int theirs) {
    auto speed = [&](int kind) { return static_cast<double>(size) / median(times[kind]) / 1e9; };
    std::printf("%-4s %s: raw %.2f GB/s   placed %.2f GB/s: %.2f   kept %.2f GB/s: %.2f\n", isUnix ? "unix" : "tcp",
                what, speed(theirs), speed(placed), ratio(placed, theirs), speed(kept), ratio(kept, theirs));
  };
  line("push", Push, PushKept, RawPush);
  line("pull", Pull, PullKept, RawPull);
  std::printf("%-4s call of 64 bytes: raw %.1f us   %.1f us: %.1f\n", isUnix ? "unix" : "tcp",
              median(times[RawCall]) * 1e6, median(times[Call]) * 1e6, 1 / ratio(Call, RawCall));
  std::fflush(stdout);
  connection.reset();
  ::close(raw);
  ::close(peer.listener);
  ::waitpid(peer.process, nullptr, 0);
  if (isUnix)
    ::unlink(peer.rawAddress.c_str());
}

int main(int argc, char **argv) {
  int64_t mib = 64;
  int rounds = 15;
  CLI::App app{"The transport of a cluster against raw sockets, between two processes of this host"};
  app.add_option("--mib", mib, "MiB of a message");
  bool isGrpc = false;
  app.add_flag("--grpc", isGrpc, "gRPC, as connections with TLS use it, but without TLS");
  app.add_option("--rounds", rounds, "rounds; medians are shown");
  CLI11_PARSE(app, argc, argv);
  double load = 0;
  if (::getloadavg(&load, 1) == 1)
    std::printf("load %.2f, messages of %lld MiB, medians of %d rounds\n", load, static_cast<long long>(mib), rounds);
  std::fflush(stdout);
  const Peer peers[] = {startPeer(false, isGrpc, mib << 20), startPeer(true, isGrpc, mib << 20)};
  for (bool isUnix : {false, true})
    measure(isUnix, isGrpc, peers[isUnix], mib << 20, rounds);
  return 0;
}
