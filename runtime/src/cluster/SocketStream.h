// Frames of messages over a connected socket. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection begins with a greeting (SocketGreeting.h). Then both sides write frames: a head of 16 bytes, little
// endian, and a body.
//
//   u32 size of the body, u8 kind, u8[3] zero, u64 number of the call
//
//   Begin   a call: u64 bytes of its payload, u32 flags (1: they are the most that it may have, and it ends when it
//           ends), u32 bytes of the method, the method, the control part
//   Reply   u64 bytes of its payload, u64 nanoseconds for which the call was here, the control part
//   Error   u32 code of a status, its message
//   Part    bytes of the payload of the call, or of the reply
//   End     of the payload, if there is one
//   Cancel  no more comes of this payload, and nobody waits for the call
//
// Frames of several calls may lie between each other. Who is through with a call skips what still comes of it.
#ifndef MLCRT_CLUSTER_SOCKETSTREAM_H
#define MLCRT_CLUSTER_SOCKETSTREAM_H

#include "runtime/src/cluster/MessageReceiver.h"
#include "runtime/src/cluster/SocketLoop.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <string_view>
#include <sys/epoll.h>

namespace mlcrt {

enum class FrameKind : uint8_t { Begin = 1, Reply, Error, Part, End, Cancel };

/// Bodies of frames, and what is in them. Views are of the body.
struct BeginFrame {
  std::string_view method, control;
  uint64_t payload = 0;
  bool isOpen = false;
};
struct ReplyFrame {
  std::string_view control;
  uint64_t payload = 0, held = 0;
};
std::string makeBegin(std::string_view method, const OutgoingMessage &message);
std::string makeReply(const OutgoingMessage &message, std::chrono::nanoseconds held);
std::string makeError(const absl::Status &status);
/// False if the body is not what a sender makes.
bool parseBegin(std::string_view body, BeginFrame &frame);
bool parseReply(std::string_view body, ReplyFrame &frame);
bool parseError(std::string_view body, absl::Status &status);

/// What is done with frames, on the thread of the loop.
class FrameSink {
public:
  virtual ~FrameSink() = default;
  /// Any but a part. False: it is nothing that a peer sends, and the connection ends.
  virtual bool frame(FrameKind kind, uint64_t call, std::string_view body) = 0;
  /// Who takes a part of so many bytes that begins, or, of 0, one that goes on; null: nobody does. Then bytes of it are
  /// there.
  virtual MessageReceiver *receiver(uint64_t call, int64_t size) = 0;
  virtual void partRead(uint64_t call) = 0;
  /// Who made the payload of the call gave it up.
  virtual void abandoned(uint64_t call) = 0;
  /// The last call: the connection is over.
  virtual void broken(const absl::Status &why) = 0;
};

/// What a stream holds for its peer at most.
struct StreamBounds {
  size_t body;   ///< bytes of a frame that is no part; a larger one ends the connection
  size_t buffer; ///< bytes that are read at once
  size_t unsent; ///< bytes of frames that the peer does not read, without payloads: beyond, nothing more is read of it
};
/// Of a peer that is known.
inline constexpr StreamBounds kPeerBounds = {static_cast<size_t>(kMostControlBytes) + 4096, 1 << 16, 16 << 20};
/// Of one that this task calls: what is unsent are its own requests.
inline constexpr StreamBounds kCalledBounds = {kPeerBounds.body, kPeerBounds.buffer, SIZE_MAX};
/// Of one that has not said who it is.
inline constexpr StreamBounds kStrangerBounds = {static_cast<size_t>(kStrangerControlBytes) + 4096, 1 << 12, 1 << 20};

/// Writes messages and reads frames. Who sends writes as much as the socket takes; the thread of the loop goes on.
class SocketStream : public std::enable_shared_from_this<SocketStream> {
public:
  /// `sink` is not used after `close`. Bounds are constants.
  SocketStream(std::shared_ptr<SocketLoop> loop, FileDescriptor socket, FrameSink &sink, const StreamBounds &bounds);
  /// From any thread.
  void setBounds(const StreamBounds &bounds) { bounds_ = &bounds; }
  /// Begins to read.
  void open();
  /// On the thread of the loop: no call of the sink comes any more, and no more is sent.
  void close();

  /// A frame to send, and its payload after it: with the next `flush`, if not before. From any thread.
  void add(FrameKind kind, uint64_t call, std::string body, std::vector<Slice> payload = {},
           std::shared_ptr<PayloadStream> rest = nullptr);
  void flush();
  /// What was not sent of a call is not sent, and its bytes are not read any more. Whether there was some.
  bool drop(uint64_t call);
  /// Waits until all is sent, or the connection is over.
  void awaitSent(SocketLoop::Clock::time_point until);

private:
  /// What is to be sent of a call.
  struct Outgoing {
    uint64_t call;
    FrameKind kind;
    std::string body;
    bool isBegun = false;
    std::deque<Slice> payload;
    bool hasEnd = false; ///< whether the payload has an end that is told
    std::shared_ptr<PayloadStream> rest;
  };
  /// Bytes that are next.
  struct Piece {
    const char *data;
    size_t size;
    size_t cost; ///< of unsent_; of what is no payload
    uint64_t call;
    bool isHead; ///< of a frame, its own bytes
    std::shared_ptr<const void> owner;
  };

  // Reading, on the thread of the loop.
  void ready(uint32_t events);
  void read();
  /// Begins or goes on to read; what is in the buffer first.
  void readOn();
  /// Whether so much is unsent that nothing more is read; then `readOn` comes when half of it is gone.
  bool mustPause();
  /// Takes what is in the buffer, as far as may be; false if it is nothing that a peer sends.
  bool parse();
  /// Who takes the part that is being read.
  MessageReceiver *receiver() { return isSkipped_ ? nullptr : sink_->receiver(part_, 0); }
  void takePart(const char *data, int64_t size);
  void breakOff(const absl::Status &why);

  // Writing, under the lock.
  void resume(uint64_t call);
  void write();
  bool fillBatch();
  enum class More { Now, Later, None };
  /// Adds the next frames of a call; whether there is more of it.
  More addFrames(Outgoing &next);
  void addHead(FrameKind kind, uint64_t call, int64_t size, std::string_view body = {});
  void addPart(uint64_t call, std::vector<Slice> part);
  void setBlocked(bool isBlocked);
  /// The events that the socket is watched for.
  void watchFor() {
    loop_->change(socket_.get(), (isPaused_ ? 0 : uint32_t{EPOLLIN}) | (isBlocked_ ? uint32_t{EPOLLOUT} : 0));
  }
  /// Counts bytes of frames that are gone, in one way or another.
  void unload(size_t bytes);
  void stopWriting();

  const std::shared_ptr<SocketLoop> loop_;
  const FileDescriptor socket_;
  FrameSink *sink_;

  std::atomic<const StreamBounds *> bounds_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0; ///< bytes of it that are to be parsed
  int64_t partLeft_ = 0;
  uint64_t part_ = 0; ///< the call of the part that is being read
  bool isSkipped_ = false;
  std::vector<Placement::Span> room_; ///< kept for its memory

  std::mutex mutex_;
  std::condition_variable sent_;
  bool isClosed_ = false, isBlocked_ = false, isPaused_ = false;
  size_t unsent_ = 0; ///< bytes of queue_, parked_ and batch_, without payloads
  std::deque<Outgoing> queue_;
  std::map<uint64_t, Outgoing> parked_; ///< those whose payload is being made
  std::deque<Piece> batch_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETSTREAM_H
