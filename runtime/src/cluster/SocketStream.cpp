// Frames of messages over a connected socket.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketStream.h"

#include "runtime/src/cluster/WireNumber.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace mlcrt {

static constexpr size_t kHeadBytes = 16;
/// What a frame that is to be sent takes beside its bytes, its queues included.
static constexpr size_t kFrameBytes = 1024;
static constexpr uint32_t kIsOpen = 1;

//===----------------------------------------------------------------------===//
// Bodies of frames
//===----------------------------------------------------------------------===//

std::string makeBegin(std::string_view method, const OutgoingMessage &message) {
  std::string body;
  body.reserve(16 + method.size() + message.control.size());
  appendNumber(body, static_cast<uint64_t>(message.payloadSize() + (message.rest ? message.rest->most() : 0)), 8);
  appendNumber(body, message.rest ? kIsOpen : 0, 4);
  appendNumber(body, method.size(), 4);
  return body.append(method).append(message.control);
}

bool parseBegin(std::string_view body, BeginFrame &frame) {
  if (body.size() < 16)
    return false;
  frame.payload = readNumber(body.data(), 8);
  frame.isOpen = readNumber(body.data() + 8, 4) & kIsOpen;
  const uint64_t method = readNumber(body.data() + 12, 4);
  if (method > body.size() - 16)
    return false;
  frame.method = body.substr(16, method);
  frame.control = body.substr(16 + method);
  return true;
}

std::string makeReply(const OutgoingMessage &message, std::chrono::nanoseconds held) {
  std::string body;
  body.reserve(16 + message.control.size());
  appendNumber(body, static_cast<uint64_t>(message.payloadSize()), 8);
  appendNumber(body, static_cast<uint64_t>(held.count()), 8);
  return body.append(message.control);
}

bool parseReply(std::string_view body, ReplyFrame &frame) {
  if (body.size() < 16)
    return false;
  frame.payload = readNumber(body.data(), 8);
  frame.held = readNumber(body.data() + 8, 8);
  frame.control = body.substr(16);
  return true;
}

std::string makeError(const absl::Status &status) {
  constexpr size_t kMostText = 1 << 16;
  std::string body;
  appendNumber(body, static_cast<uint64_t>(status.raw_code()), 4);
  return body.append(status.message().data(), std::min(status.message().size(), kMostText));
}

bool parseError(std::string_view body, absl::Status &status) {
  if (body.size() < 4 || readNumber(body.data(), 4) == 0)
    return false;
  status = absl::Status(static_cast<absl::StatusCode>(readNumber(body.data(), 4)),
                        absl::string_view(body.data() + 4, body.size() - 4));
  return true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

SocketStream::SocketStream(std::shared_ptr<SocketLoop> loop, FileDescriptor socket, FrameSink &sink,
                           const StreamBounds &bounds)
    : loop_(std::move(loop)), socket_(std::move(socket)), sink_(&sink), bounds_(&bounds), buffer_(bounds.buffer) {}

void SocketStream::open() {
  loop_->watch(socket_.get(), EPOLLIN, [self = shared_from_this()](uint32_t events) { self->ready(events); });
}

void SocketStream::close() {
  sink_ = nullptr;
  loop_->forget(socket_.get());
  ::shutdown(socket_.get(), SHUT_RDWR);
  std::lock_guard<std::mutex> lock(mutex_);
  stopWriting();
}

void SocketStream::ready(uint32_t events) {
  std::shared_ptr<SocketStream> keep = shared_from_this();
  if (events & EPOLLOUT) {
    std::lock_guard<std::mutex> lock(mutex_);
    write();
  }
  bool isPaused;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isPaused = isPaused_;
  }
  if (!isPaused && (events & ~uint32_t{EPOLLOUT}))
    return read();
  // Nobody reads what would be answered, and this event comes again and again.
  if (isPaused && (events & (EPOLLERR | EPOLLHUP)))
    breakOff(absl::UnavailableError("the connection was closed"));
}

bool SocketStream::mustPause() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!isPaused_ && unsent_ > bounds_.load()->unsent && !isClosed_) {
    isPaused_ = true;
    watchFor();
  }
  return isPaused_;
}

void SocketStream::readOn() {
  if (!sink_)
    return;
  if (!parse())
    return breakOff(absl::UnavailableError("the peer sends what is no message: it is another program or version"));
  read();
}

void SocketStream::breakOff(const absl::Status &why) {
  FrameSink *const sink = sink_;
  close();
  if (sink)
    sink->broken(why);
}

void SocketStream::takePart(const char *data, int64_t size) {
  partLeft_ -= size;
  MessageReceiver *to = receiver();
  for (int64_t at = 0; to && at < size;) {
    room_.clear();
    to->room(size - at, room_);
    for (const Placement::Span &span : room_) {
      std::memcpy(span.data, data + at, static_cast<size_t>(span.size));
      to->written(span.size);
      at += span.size;
    }
  }
  if (to)
    sink_->partRead(part_);
}

bool SocketStream::parse() {
  while (sink_ && !mustPause()) {
    const size_t there = end_ - begin_;
    if (partLeft_ > 0) {
      const int64_t some = std::min(partLeft_, static_cast<int64_t>(there));
      if (some == 0)
        return true;
      takePart(buffer_.data() + begin_, some);
      begin_ += static_cast<size_t>(some);
      continue;
    }
    if (there < kHeadBytes)
      return true;
    const char *head = buffer_.data() + begin_;
    const size_t size = readNumber(head, 4);
    const auto kind = static_cast<FrameKind>(head[4]);
    const uint64_t call = readNumber(head + 8, 8);
    if (kind < FrameKind::Begin || kind > FrameKind::Cancel || head[5] || head[6] || head[7])
      return false;
    if (kind == FrameKind::Part) {
      if (size == 0 || size > static_cast<size_t>(kPartBytes))
        return false;
      begin_ += kHeadBytes;
      part_ = call;
      partLeft_ = static_cast<int64_t>(size);
      isSkipped_ = sink_->receiver(call, partLeft_) == nullptr;
      continue;
    }
    if (size > bounds_.load()->body)
      return false;
    if (there < kHeadBytes + size)
      return true;
    begin_ += kHeadBytes + size;
    if (!sink_->frame(kind, call, {head + kHeadBytes, size}))
      return false;
  }
  return true;
}

void SocketStream::read() {
  // Others wait meanwhile.
  constexpr int kMostReads = 16;
  for (int i = 0; i < kMostReads && sink_ && !mustPause(); ++i) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    // A frame that is no part is parsed as a whole: the buffer grows with what comes, not with what is announced.
    if (end_ == buffer_.size())
      buffer_.resize(2 * buffer_.size());
    else if (const size_t enough = bounds_.load()->buffer; buffer_.size() < enough || end_ == 0)
      buffer_.resize(enough);
    room_.clear();
    MessageReceiver *to = partLeft_ > 0 ? receiver() : nullptr;
    if (to)
      to->room(partLeft_, room_);
    iovec places[65];
    int count = 0;
    int64_t placed = 0, asked = 0;
    for (const Placement::Span &span : room_) {
      places[count++] = {span.data, static_cast<size_t>(span.size)};
      placed += span.size;
    }
    // After the part there is a frame.
    if (placed == partLeft_ || !to)
      places[count++] = {buffer_.data() + end_, buffer_.size() - end_};
    for (int k = 0; k < count; ++k)
      asked += static_cast<int64_t>(places[k].iov_len);
    const ssize_t got = ::readv(socket_.get(), places, count);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (got <= 0)
      return breakOff(absl::UnavailableError(got == 0 ? "the connection was closed"
                                                      : absl::StrCat("the connection broke: ", std::strerror(errno))));
    const int64_t direct = std::min<int64_t>(got, placed);
    if (direct > 0) {
      to->written(direct);
      partLeft_ -= direct;
      sink_->partRead(part_);
    }
    end_ += static_cast<size_t>(got - direct);
    if (!parse())
      return breakOff(absl::UnavailableError("the peer sends what is no message: it is another program or version"));
    if (got < asked)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void SocketStream::add(FrameKind kind, uint64_t call, std::string body, std::vector<Slice> payload,
                       std::shared_ptr<PayloadStream> rest) {
  Outgoing next{call, kind, std::move(body), false, {}, rest != nullptr, std::move(rest)};
  const size_t bytes = next.body.size() + kFrameBytes;
  for (Slice &slice : payload)
    if (slice.size > 0) {
      next.hasEnd = true;
      next.payload.push_back(std::move(slice));
    }
  std::lock_guard<std::mutex> lock(mutex_);
  if (isClosed_)
    return;
  unsent_ += bytes;
  queue_.push_back(std::move(next));
}

void SocketStream::unload(size_t bytes) {
  unsent_ -= std::min(unsent_, bytes);
  if (!isPaused_ || isClosed_ || unsent_ > bounds_.load()->unsent / 2)
    return;
  isPaused_ = false;
  watchFor();
  loop_->post([self = shared_from_this()] { self->readOn(); });
}

void SocketStream::flush() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!isBlocked_)
    write();
}

void SocketStream::addHead(FrameKind kind, uint64_t call, int64_t size, std::string_view body) {
  auto own = std::make_shared<std::string>();
  own->reserve(kHeadBytes + body.size());
  appendNumber(*own, static_cast<uint64_t>(size), 4);
  appendNumber(*own, static_cast<uint64_t>(kind), 4);
  appendNumber(*own, call, 8);
  own->append(body);
  unsent_ += own->size() + kFrameBytes;
  batch_.push_back({own->data(), own->size(), own->size() + kFrameBytes, call, /*isHead=*/true, own});
}

void SocketStream::addPart(uint64_t call, std::vector<Slice> part) {
  int64_t size = 0;
  for (const Slice &slice : part)
    size += slice.size;
  addHead(FrameKind::Part, call, size);
  for (Slice &slice : part)
    batch_.push_back({static_cast<const char *>(slice.data), static_cast<size_t>(slice.size), /*cost=*/0, call,
                      /*isHead=*/false, std::move(slice.owner)});
}

SocketStream::More SocketStream::addFrames(Outgoing &next) {
  if (!next.isBegun) {
    addHead(next.kind, next.call, static_cast<int64_t>(next.body.size()), next.body);
    unload(next.body.size() + kFrameBytes);
    next.body = std::string();
  }
  next.isBegun = true;
  std::vector<Slice> part;
  for (int64_t left = kPartBytes; left > 0 && !next.payload.empty();) {
    Slice &slice = next.payload.front();
    const int64_t size = std::min(left, slice.size);
    part.push_back({slice.data, size, slice.owner});
    left -= size;
    slice.data = static_cast<const char *>(slice.data) + size;
    slice.size -= size;
    if (slice.size == 0)
      next.payload.pop_front();
  }
  if (part.empty() && next.rest) {
    // Who makes the payload goes on with that.
    auto ready = [weak = weak_from_this(), call = next.call] {
      if (std::shared_ptr<SocketStream> self = weak.lock())
        self->loop_->post([self, call] { self->resume(call); });
    };
    switch (next.rest->take(kLeastPartBytes, kPartBytes, part, ready)) {
    case PayloadStream::Next::Wait:
      return More::Later;
    case PayloadStream::Next::Abandoned:
      loop_->post([self = shared_from_this(), call = next.call] {
        if (self->sink_)
          self->sink_->abandoned(call);
      });
      return More::None;
    case PayloadStream::Next::Part:
      break;
    case PayloadStream::Next::End:
      next.rest = nullptr;
      break;
    }
  }
  if (!part.empty())
    addPart(next.call, std::move(part));
  if (!next.payload.empty() || next.rest)
    return More::Now;
  if (next.hasEnd)
    addHead(FrameKind::End, next.call, 0);
  return More::None;
}

bool SocketStream::fillBatch() {
  // Small messages go together.
  constexpr size_t kMostPieces = 512;
  constexpr size_t kEnough = 1 << 16;
  size_t size = 0;
  while (!queue_.empty() && size < kEnough && batch_.size() < kMostPieces) {
    Outgoing next = std::move(queue_.front());
    queue_.pop_front();
    const size_t before = batch_.size();
    const More more = addFrames(next);
    for (size_t i = before; i < batch_.size(); ++i)
      size += batch_[i].size;
    // Calls take turns.
    if (more == More::Now)
      queue_.push_back(std::move(next));
    else if (more == More::Later)
      parked_.emplace(next.call, std::move(next));
  }
  return !batch_.empty();
}

void SocketStream::resume(uint64_t call) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = parked_.find(call);
  if (found == parked_.end())
    return;
  queue_.push_back(std::move(found->second));
  parked_.erase(found);
  if (!isBlocked_)
    write();
}

void SocketStream::write() {
  constexpr size_t kMostPlaces = 256;
  iovec places[kMostPlaces];
  while (!isClosed_ && (!batch_.empty() || fillBatch())) {
    const size_t count = std::min(batch_.size(), kMostPlaces);
    for (size_t i = 0; i < count; ++i)
      places[i] = {const_cast<char *>(batch_[i].data), batch_[i].size};
    msghdr message = {};
    message.msg_iov = places;
    message.msg_iovlen = count;
    const ssize_t done = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 && errno == EAGAIN)
      return setBlocked(true);
    if (done < 0) {
      // Reading tells it: what the peer has sent before comes first.
      ::shutdown(socket_.get(), SHUT_WR);
      return stopWriting();
    }
    auto left = static_cast<size_t>(done);
    size_t sent = 0;
    while (!batch_.empty() && left >= batch_.front().size) {
      left -= batch_.front().size;
      sent += batch_.front().cost;
      batch_.pop_front();
    }
    unload(sent);
    if (left > 0) {
      batch_.front().data += left;
      batch_.front().size -= left;
    }
  }
  setBlocked(false);
  if (parked_.empty())
    sent_.notify_all();
}

void SocketStream::setBlocked(bool isBlocked) {
  if (isBlocked_ == isBlocked)
    return;
  isBlocked_ = isBlocked;
  watchFor();
}

void SocketStream::stopWriting() {
  isClosed_ = true;
  if (isPaused_) {
    isPaused_ = false;
    watchFor();
    loop_->post([self = shared_from_this()] { self->readOn(); });
  }
  for (auto &[call, parked] : parked_)
    parked.rest->forget();
  parked_.clear();
  queue_.clear();
  batch_.clear();
  sent_.notify_all();
}

bool SocketStream::drop(uint64_t call) {
  // Sent in place of bytes that may be gone; the receiver is told that they are nothing.
  static char zeros[kPartBytes];
  std::lock_guard<std::mutex> lock(mutex_);
  bool isUnsent = false;
  if (auto found = parked_.find(call); found != parked_.end()) {
    found->second.rest->forget();
    parked_.erase(found);
    isUnsent = true;
  }
  auto of = std::find_if(queue_.begin(), queue_.end(), [&](const Outgoing &next) { return next.call == call; });
  if (of != queue_.end()) {
    if (!of->isBegun)
      unload(of->body.size() + kFrameBytes);
    queue_.erase(of);
    isUnsent = true;
  }
  for (Piece &piece : batch_) {
    if (piece.call != call)
      continue;
    isUnsent = true;
    if (!piece.isHead) {
      piece.data = zeros;
      piece.owner.reset();
    } else if (piece.size == kHeadBytes && piece.data[4] == static_cast<char>(FrameKind::End)) {
      const_cast<char *>(piece.data)[4] = static_cast<char>(FrameKind::Cancel);
    }
  }
  return isUnsent;
}

void SocketStream::awaitSent(SocketLoop::Clock::time_point until) {
  std::unique_lock<std::mutex> lock(mutex_);
  sent_.wait_until(lock, until, [this] { return isClosed_ || (queue_.empty() && batch_.empty() && parked_.empty()); });
}

} // namespace mlcrt
