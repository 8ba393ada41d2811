// The calling side of sockets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketConnection.h"

#include "runtime/src/cluster/SocketGreeting.h"
#include "runtime/src/cluster/SocketStream.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

namespace {

class SocketConnection : public Connection, public FrameSink {
public:
  SocketConnection(std::shared_ptr<SocketThread> thread, std::string address, const std::string &peer,
                   std::string token, int64_t maxMessageBytes)
      : thread_(std::move(thread)), loop_(thread_->loop()), address_(std::move(address)),
        peer_(absl::StrCat(peer, " at ", address_)), token_(std::move(token)), maxMessageBytes_(maxMessageBytes) {}
  /// No callback comes after this.
  ~SocketConnection() override {
    loop_->run([this] {
      if (dial_)
        dial_->cancel();
      failAll(absl::CancelledError(absl::StrCat(peer_, ": the connection was closed")), UINT64_MAX);
      std::lock_guard<std::mutex> lock(mutex_);
      if (stream_)
        stream_->close();
    });
  }

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
             PlaceFunction place) override {
    std::string body = makeBegin(method, request);
    std::shared_ptr<SocketStream> stream;
    uint64_t id;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      id = next_++;
      auto call = std::make_unique<Call>(std::move(done), std::move(place), maxMessageBytes_);
      call->timer = loop_->at(SocketLoop::Clock::now() + timeout,
                              [this, id] { fail(id, absl::DeadlineExceededError("no reply in time")); });
      stream = stream_;
      // Under the lock: the call cannot end before its bytes are known to the stream, which forgets them then.
      if (stream) {
        stream->add(FrameKind::Begin, id, std::move(body), std::move(request.payload), std::move(request.rest));
      } else {
        call->waiting = std::move(request);
        call->waitingBody = std::move(body);
      }
      calls_.emplace(id, std::move(call));
    }
    if (stream)
      stream->flush();
    else
      loop_->post([this] { reach(); });
  }

  void cancelCalls(const absl::Status &why) override {
    std::lock_guard<std::mutex> lock(mutex_);
    // Those that come later go on.
    loop_->post([this, why, before = next_] { failAll(why, before); });
  }

private:
  struct Call {
    Call(Done done, PlaceFunction place, int64_t maxBytes)
        : done(std::move(done)), place(std::move(place)), receiver(maxBytes) {}
    Done done;
    PlaceFunction place;
    MessageReceiver receiver; ///< of the reply
    std::chrono::nanoseconds held{0};
    uint64_t timer = 0;
    /// Until there is a connection.
    OutgoingMessage waiting;
    std::string waitingBody;
  };

  // The rest on the thread of the loop.
  /// Connects, unless that is under way or done.
  void reach() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (stream_ || dial_ || calls_.empty())
      return;
    dial_ = std::make_shared<SocketDial>(loop_, address_, token_, [this](absl::StatusOr<FileDescriptor> socket) {
      dial_ = nullptr;
      if (socket.ok())
        return open(*std::move(socket));
      failAll(absl::Status(socket.status().code(), absl::StrCat(peer_, ": ", socket.status().message())), UINT64_MAX);
    });
    dial_->start();
  }

  void open(FileDescriptor socket) {
    std::lock_guard<std::mutex> lock(mutex_);
    stream_ = std::make_shared<SocketStream>(loop_, std::move(socket), *this, kCalledBounds);
    stream_->open();
    for (auto &[id, call] : calls_)
      stream_->add(FrameKind::Begin, id, std::move(call->waitingBody), std::move(call->waiting.payload),
                   std::move(call->waiting.rest));
    stream_->flush();
  }

  Call *find(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second.get();
  }

  void end(uint64_t id, absl::StatusOr<IncomingMessage> result) {
    std::unique_ptr<Call> call;
    std::shared_ptr<SocketStream> stream;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto found = calls_.find(id);
      if (found == calls_.end())
        return;
      call = std::move(found->second);
      calls_.erase(found);
      stream = stream_;
    }
    loop_->cancel(call->timer);
    // After this nobody keeps the bytes of the request. The peer learns it unless it has answered all of it.
    if (stream && (stream->drop(id) || !result.ok())) {
      stream->add(FrameKind::Cancel, id, {});
      stream->flush();
    }
    call->waiting = OutgoingMessage();
    call->done(std::move(result));
  }
  void fail(uint64_t id, const absl::Status &why) {
    end(id, absl::Status(why.code(), absl::StrCat(peer_, ": ", why.message())));
  }
  /// Calls with smaller numbers.
  void failAll(const absl::Status &why, uint64_t before) {
    std::vector<uint64_t> ids;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto &[id, call] : calls_)
        if (id < before)
          ids.push_back(id);
    }
    for (uint64_t id : ids)
      // Each its own: they go to other threads.
      end(id, absl::Status(why.code(), std::string(why.message())));
  }

  bool frame(FrameKind kind, uint64_t id, std::string_view body) override {
    absl::Status status;
    ReplyFrame reply;
    if (kind == FrameKind::Begin || (kind == FrameKind::Reply && !parseReply(body, reply)) ||
        (kind == FrameKind::Error && !parseError(body, status)))
      return false;
    Call *call = find(id);
    if (!call)
      return true; // it ended before this came
    if (kind == FrameKind::Error) {
      fail(id, status);
      return true;
    }
    if (kind == FrameKind::Cancel) {
      fail(id, absl::UnavailableError("it gave up its reply"));
      return true;
    }
    if ((kind == FrameKind::Reply) == call->receiver.hasBegun())
      return false;
    if (kind == FrameKind::End) {
      status = call->receiver.end();
    } else {
      call->held = std::chrono::nanoseconds(std::min<uint64_t>(reply.held, INT64_MAX));
      status = call->receiver.check(reply.control.size(), reply.payload);
      if (status.ok())
        status = call->receiver.begin(std::string(reply.control), static_cast<int64_t>(reply.payload),
                                      /*isOpen=*/false, call->place);
    }
    if (!status.ok())
      fail(id, status);
    else if (kind == FrameKind::End || reply.payload == 0)
      received(id, *call);
    return true;
  }

  void received(uint64_t id, Call &call) {
    IncomingMessage message = call.receiver.take();
    message.setHeldFor(call.held);
    end(id, std::move(message));
  }

  MessageReceiver *receiver(uint64_t id, int64_t size) override {
    Call *call = find(id);
    if (!call || !call->receiver.hasBegun())
      return nullptr;
    if (absl::Status status = call->receiver.expect(size); !status.ok()) {
      fail(id, status);
      return nullptr;
    }
    return &call->receiver;
  }
  void partRead(uint64_t id) override {
    if (Call *call = find(id))
      call->receiver.tell();
  }
  void abandoned(uint64_t id) override { fail(id, absl::CancelledError("the request was given up")); }

  void broken(const absl::Status &why) override {
    uint64_t before;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stream_ = nullptr;
      before = next_;
    }
    failAll(absl::Status(why.code(), absl::StrCat(peer_, ": ", why.message())), before);
    // A call that began meanwhile has asked for another connection.
  }

  const std::shared_ptr<SocketThread> thread_;
  const std::shared_ptr<SocketLoop> loop_;
  const std::string address_, peer_, token_;
  const int64_t maxMessageBytes_;
  std::mutex mutex_;
  uint64_t next_ = 1;
  std::map<uint64_t, std::unique_ptr<Call>> calls_;
  std::shared_ptr<SocketStream> stream_;
  std::shared_ptr<SocketDial> dial_; ///< on the thread of the loop
};

} // namespace

std::unique_ptr<Connection> makeSocketConnection(std::shared_ptr<SocketThread> thread, const std::string &address,
                                                 const std::string &peer, const std::string &token,
                                                 int64_t maxMessageBytes) {
  return std::make_unique<SocketConnection>(std::move(thread), address, peer, token, maxMessageBytes);
}

} // namespace mlcrt
