// What comes over a socket: frames of a peer that may be anything, at both ends of a connection.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first byte says who is attacked, a listener or who has called, whether a listener gets the rest again and again
// from one who reads nothing, and whether the rest are bytes as they are or make frames, which random bytes seldom are.
// Whatever comes, every call ends, an honest connection goes on, and memory stays within what a peer may take.
#include "MemoryBound.h"
#include "runtime/src/cluster/SocketTransport.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace mlcrt;

static constexpr int64_t kMostBytes = 1 << 20;
static constexpr std::chrono::milliseconds kTimeout{20000};

static void expect(bool holds) {
  if (!holds)
    std::abort();
}

namespace {
struct World {
  World()
      : base("/tmp/mlc-socket-fuzzer-" + std::to_string(::getpid())), transport(*makeSocketTransport({}, kMostBytes)) {
    listener = *transport->listen("unix:" + base, service);
    honest = *transport->connect("unix:" + base, "listener");
    fake = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un place = addressOf(base + "-fake");
    ::unlink(place.sun_path);
    expect(::bind(fake, reinterpret_cast<const sockaddr *>(&place), sizeof(place)) == 0 && ::listen(fake, 16) == 0);
  }
  static sockaddr_un addressOf(const std::string &path) {
    sockaddr_un place = {};
    place.sun_family = AF_UNIX;
    std::strncpy(place.sun_path, path.c_str(), sizeof(place.sun_path) - 1);
    return place;
  }
  std::string base;
  EchoService service;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Connection> honest;
  int fake;
};
} // namespace

/// Frames of the input: a byte for the kind (and whether the size is a lie), one for the call, two for the size, bytes.
static std::string makeFrames(const uint8_t *data, size_t size) {
  std::string bytes;
  while (size >= 4) {
    const size_t body = std::min<size_t>(size - 4, data[2] % 48);
    const uint32_t says = data[0] & 0x80 ? data[2] | static_cast<uint32_t>(data[3]) << 13 : static_cast<uint32_t>(body);
    char head[16] = {};
    std::memcpy(head, &says, 4);
    head[4] = static_cast<char>(data[0] & 7);
    head[8] = static_cast<char>(data[1] & 3);
    bytes.append(head, sizeof(head)).append(reinterpret_cast<const char *>(data) + 4, body);
    data += 4 + body;
    size -= 4 + body;
  }
  return bytes;
}

static void sendAll(int fd, const std::string &bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0)
      return; // the other side has seen enough
    at += static_cast<size_t>(sent);
  }
}

static void drain(int fd) {
  char bytes[4096];
  while (::recv(fd, bytes, sizeof(bytes), 0) > 0) {
  }
  ::close(fd);
}

/// Sends `bytes` again and again until the other side has had enough, or 2 MiB.
static void flood(int fd, const std::string &bytes) {
  constexpr size_t kMost = 2 << 20;
  pollfd wait = {fd, POLLOUT, 0};
  for (size_t at = 0; at < kMost && ::poll(&wait, 1, /*milliseconds=*/20) > 0;) {
    const size_t begin = at % bytes.size();
    const ssize_t sent = ::send(fd, bytes.data() + begin, bytes.size() - begin, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
      return;
    at += static_cast<size_t>(sent);
  }
}

static void attackListener(World &world, const std::string &bytes, bool isFlood) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un place = World::addressOf(world.base);
  expect(::connect(fd, reinterpret_cast<const sockaddr *>(&place), sizeof(place)) == 0);
  sendAll(fd, std::string("mlcask1\n\0\0\0\0", 12) + bytes);
  if (isFlood && !bytes.empty())
    flood(fd, bytes);
  ::shutdown(fd, SHUT_WR);
  drain(fd);
}

static void attackCaller(World &world, const std::string &bytes) {
  std::unique_ptr<Connection> connection = *world.transport->connect("unix:" + world.base + "-fake", "fake");
  std::atomic<int> ended{0};
  char memory[64];
  const std::string text(100, 'x');
  for (int i = 0; i < 3; ++i) {
    OutgoingMessage message;
    if (i == 1)
      message.payload.push_back({text.data(), static_cast<int64_t>(text.size()), nullptr});
    PlaceFunction place = [&](const std::string &, int64_t payloadSize) {
      Placement placement;
      placement.spans = {{memory, std::min<int64_t>(payloadSize, 64)}};
      return placement;
    };
    connection->start(
        "m", std::move(message), kTimeout, [&](absl::StatusOr<IncomingMessage>) { ++ended; }, i == 2 ? place : nullptr);
  }
  const int fd = ::accept(world.fake, nullptr, nullptr);
  sendAll(fd, std::string("mlcans1\n\0", 9) + bytes);
  ::shutdown(fd, SHUT_WR);
  drain(fd);
  connection.reset();
  expect(ended == 3);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static World *const world = new World;
  if (size == 0)
    return 0;
  // Answers that are not read, and what a message may have.
  const bool isFlood = (data[0] & 0x7c) == 0x1c;
  const MemoryBound bound((isFlood ? 18 << 20 : 2 << 20) + 2 * kMostBytes);
  const std::string bytes =
      data[0] & 2 ? makeFrames(data + 1, size - 1) : std::string(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] & 1)
    attackCaller(*world, bytes);
  else
    attackListener(*world, bytes, isFlood);
  OutgoingMessage message;
  message.control = "still here";
  absl::StatusOr<IncomingMessage> reply = world->honest->call("echo", std::move(message), kTimeout);
  expect(reply.ok() && reply->control() == "still here!");
  return 0;
}
