// A peer that writes bytes as it likes, for tests of what listens. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_CLUSTER_RAWPEER_H
#define MLC_TEST_UNIT_RUNTIME_CLUSTER_RAWPEER_H

#include "gtest/gtest.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <malloc.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace mlcrt {

/// What a connection of frames begins with, without a token, and the answer that lets it in.
inline const std::string kGreeting("mlcask1\n\0\0\0\0", 12), kLetIn("mlcans1\n\0", 9), kIsFull("mlcans1\n\2", 9);

/// A frame whose head says `size`.
inline std::string makeFrame(uint32_t size, char kind, uint64_t call, const std::string &body) {
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), &size, 4);
  bytes[4] = kind;
  std::memcpy(bytes.data() + 8, &call, 8);
  return bytes + body;
}

/// The beginning of a call of "echo" with so many bytes of payload. With `flags` 1 it may have fewer.
inline std::string makeBeginFrame(uint64_t call, uint64_t payload, uint32_t flags = 0, uint32_t methodSize = 4,
                                  const std::string &control = "", const std::string &method = "echo") {
  std::string body(16, '\0');
  std::memcpy(body.data(), &payload, 8);
  std::memcpy(body.data() + 8, &flags, 4);
  std::memcpy(body.data() + 12, &methodSize, 4);
  body += method + control;
  return makeFrame(static_cast<uint32_t>(body.size()), 1, call, body);
}

/// Bytes of the heap that are in use.
inline size_t heapBytes() { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; }

/// A connection to a port of this host.
class RawPeer {
public:
  explicit RawPeer(const std::string &address) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    isConnected_ = ::connect(fd_, reinterpret_cast<sockaddr *>(&place), sizeof(place)) == 0;
    // Nothing waits for ever.
    const timeval patience = {60, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  RawPeer(RawPeer &&other) noexcept : fd_(std::exchange(other.fd_, -1)), isConnected_(other.isConnected_) {}
  ~RawPeer() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int fd() const { return fd_; }
  bool isConnected() const { return isConnected_; }

  void send(const std::string &bytes) {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  /// All of it, or as many as go until nothing more is taken for two seconds; how many did.
  size_t sendSome(const char *bytes, size_t size) const {
    size_t sent = 0;
    for (int idle = 0; idle < 20 && sent < size && !isClosed();) {
      const ssize_t some = ::send(fd_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (some > 0) {
        sent += static_cast<size_t>(some);
        idle = 0;
        continue;
      }
      pollfd wait = {fd_, POLLOUT, 0};
      idle += ::poll(&wait, 1, 100) > 0 && (wait.revents & POLLOUT) ? 0 : 1;
    }
    return sent;
  }
  size_t sendSome(const std::string &bytes) const { return sendSome(bytes.data(), bytes.size()); }
  /// Bytes that come back until the other side closes the connection, or `most`.
  std::string receive(size_t most = SIZE_MAX) {
    std::string all;
    char bytes[4096];
    for (ssize_t got;
         all.size() < most && (got = ::recv(fd_, bytes, std::min(sizeof(bytes), most - all.size()), 0)) > 0;)
      all.append(bytes, static_cast<size_t>(got));
    return all;
  }
  /// Whether the other side has closed the connection, and nothing is left to read.
  bool isClosed() const {
    char byte;
    const ssize_t got = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }

private:
  int fd_;
  bool isConnected_ = false;
};

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_CLUSTER_RAWPEER_H
