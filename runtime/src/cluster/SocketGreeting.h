// How a connection over sockets begins. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who connects writes 8 bytes that say what it speaks, u32 bytes of its token (little endian), the token. Who listens
// answers with 8 bytes and one more: whether it lets it in. Then there are frames (SocketStream.h).
#ifndef MLCRT_CLUSTER_SOCKETGREETING_H
#define MLCRT_CLUSTER_SOCKETGREETING_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/SocketLoop.h"

namespace mlcrt {

/// Of the token; more is of another program.
inline constexpr size_t kMostTokenBytes = 4096;

/// Reaches out to a peer. On the thread of the loop.
class SocketDial : public std::enable_shared_from_this<SocketDial> {
public:
  using Done = std::function<void(absl::StatusOr<FileDescriptor>)>;
  /// How long an attempt takes at most.
  static constexpr std::chrono::seconds kPatience{5};

  SocketDial(std::shared_ptr<SocketLoop> loop, std::string address, std::string token, Done done);
  /// `done` gets a socket whose frames may begin, or kUnavailable and why, or kUnauthenticated, or
  /// kFailedPrecondition if TLS is expected there; not from this call.
  void start();
  /// `done` is not called.
  void cancel();

private:
  void tryNext(absl::Status last);
  void connected();
  void answered();
  /// The connection was closed without an answer: looks for TLS there.
  void diagnose();
  void end(absl::StatusOr<FileDescriptor> result);
  /// Waits for the socket.
  void await(uint32_t events, void (SocketDial::*then)());

  const std::shared_ptr<SocketLoop> loop_;
  const std::string address_, token_;
  Done done_;
  std::vector<SocketAddress> addresses_;
  size_t next_ = 0;
  FileDescriptor socket_;
  uint64_t timer_ = 0;
};

/// Lets in who connects. On the thread of the loop.
class SocketWelcome : public std::enable_shared_from_this<SocketWelcome> {
public:
  using Done = std::function<void(FileDescriptor)>;
  /// Told of who does not come in: a kind, and what to say of it.
  using Refused = std::function<void(const char *kind, const std::string &what)>;
  /// `done` gets the socket of who may come in, or a closed one. With `isFull` nobody may.
  SocketWelcome(std::shared_ptr<SocketLoop> loop, FileDescriptor socket, std::string token, bool isFull, Done done,
                Refused refused);
  void start();
  void cancel();
  /// Others need the room: it may come again.
  void giveWay();

private:
  void read();
  /// Tells who called with TLS that there is none here.
  void refuseTls();
  bool answer(char verdict);
  void end(bool isLetIn);

  const std::shared_ptr<SocketLoop> loop_;
  FileDescriptor socket_;
  const std::string token_;
  const bool isFull_;
  Done done_;
  const Refused refused_;
  std::string got_;
  uint64_t timer_ = 0;
};

/// Options of a socket of a connection: it does not block, and small messages are not held back.
void prepareSocket(int fd, int family);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETGREETING_H
