// The serving side of sockets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketListener.h"

#include "runtime/src/cluster/SocketGreeting.h"
#include "runtime/src/cluster/SocketStream.h"
#include "runtime/src/cluster/Transients.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <set>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace mlcrt {

namespace {

/// Connections that were let in, of all tasks: some for each, which come and go.
constexpr int kMostPeers = 4096;

class SocketListener;

/// A connection that has greeted, on the thread of its loop but for answers. It is let in when the service answers a
/// call without an error, or takes a payload: then it knows who calls.
class SocketPeer : public FrameSink, public std::enable_shared_from_this<SocketPeer> {
public:
  SocketPeer(SocketListener &listener, std::shared_ptr<SocketLoop> loop, FileDescriptor socket)
      : listener_(listener), loop_(loop),
        stream_(std::make_shared<SocketStream>(std::move(loop), std::move(socket), *this, kStrangerBounds)) {}
  /// Begins; it is among those who may have to go for others, until it is let in.
  void open();
  const std::shared_ptr<SocketLoop> &loop() const { return loop_; }
  SocketStream &stream() { return *stream_; }
  /// Answers a call, once; from any thread.
  void answer(uint64_t id, absl::StatusOr<OutgoingMessage> reply);
  /// Answers all calls, and those that come, with an error.
  void refuseAll(const absl::Status &why);

private:
  struct Call {
    explicit Call(int64_t maxBytes) : receiver(maxBytes) {}
    std::string method;
    int64_t controlSize = 0;
    MessageReceiver receiver; ///< of the request
    /// Set when all of it is there: from then on any thread may answer, before that the loop's alone.
    std::chrono::steady_clock::time_point arrived;
    bool hasArrived() const { return arrived != std::chrono::steady_clock::time_point(); }
  };

  bool frame(FrameKind kind, uint64_t id, std::string_view body) override;
  bool begin(uint64_t id, std::string_view body);
  /// Takes the call out, if it is open; under the lock.
  std::shared_ptr<Call> take(uint64_t id);
  void letIn();
  void handle(uint64_t id, const std::shared_ptr<Call> &call);
  std::shared_ptr<Call> find(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second;
  }
  MessageReceiver *receiver(uint64_t id, int64_t size) override;
  void partRead(uint64_t id) override {
    if (std::shared_ptr<Call> call = find(id))
      call->receiver.tell();
  }
  void abandoned(uint64_t) override {} // no reply is made while it is sent
  void broken(const absl::Status &why) override;

  SocketListener &listener_;
  const std::shared_ptr<SocketLoop> loop_;
  const std::shared_ptr<SocketStream> stream_;
  std::atomic<bool> isLetIn_{false};
  uint64_t stranger_ = 0; ///< its name while it is not
  std::mutex mutex_;
  absl::Status refusal_;
  std::map<uint64_t, std::shared_ptr<Call>> calls_; ///< that are not answered
  int64_t openControl_ = 0;                         ///< bytes of their control parts
};

class SocketListener : public Listener {
public:
  SocketListener(Service &service, const TransportSecurity &security, int64_t maxMessageBytes,
                 std::vector<std::shared_ptr<SocketThread>> threads)
      : service_(service), token_(security.token), refusals_(security.refusals), maxMessageBytes_(maxMessageBytes),
        threads_(std::move(threads)) {}
  ~SocketListener() override {
    SocketLoop &accepting = *threads_.front()->loop();
    accepting.run([this, &accepting] {
      for (const FileDescriptor &socket : sockets_)
        accepting.forget(socket.get());
    });
    if (absl::StartsWith(address_, "unix:"))
      ::unlink(address_.c_str() + std::strlen("unix:"));
    // What was answered arrives, unless its receiver does not read it.
    const auto farewell = SocketLoop::Clock::now() + std::chrono::seconds(2);
    std::set<std::shared_ptr<SocketPeer>> peers;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      isEnding_ = true;
      peers = peers_;
    }
    for (const auto &peer : peers)
      peer->refuseAll(absl::UnavailableError("the task ends"));
    for (const auto &peer : peers)
      peer->stream().awaitSent(farewell);
    for (const auto &peer : peers)
      peer->loop()->run([&] { peer->stream().close(); });
    for (const auto &thread : threads_)
      thread->loop()->run([this, loop = thread->loop().get()] {
        for (const auto &welcome : std::set<std::shared_ptr<SocketWelcome>>(welcomes_[loop]))
          welcome->cancel();
      });
  }
  const std::string &address() const override { return address_; }

  absl::Status bind(const std::string &address, const std::string &bound);

private:
  friend class SocketPeer;
  /// kAlreadyExists if the address is in use. A port that is not 0 is that of the address before.
  absl::Status bindOne(SocketAddress place, int &port);
  void accept(int listening);
  void welcome(const std::shared_ptr<SocketLoop> &loop, FileDescriptor socket, const SocketAddress &from);
  void add(const std::shared_ptr<SocketLoop> &loop, FileDescriptor socket);
  void remove(const std::shared_ptr<SocketPeer> &peer) {
    std::lock_guard<std::mutex> lock(mutex_);
    peers_.erase(peer);
  }

  Service &service_;
  const std::string token_;
  const std::shared_ptr<Refusals> refusals_;
  const int64_t maxMessageBytes_;
  const std::vector<std::shared_ptr<SocketThread>> threads_;
  std::string address_;
  std::vector<FileDescriptor> sockets_;
  size_t next_ = 0; ///< of threads_, for the next connection
  std::atomic<int> numLetIn_{0};
  Transients greetings_{kMostGreetings}, strangers_{kMostStrangers};
  /// By loop, on the thread of each.
  std::map<SocketLoop *, std::set<std::shared_ptr<SocketWelcome>>> welcomes_;
  std::mutex mutex_;
  bool isEnding_ = false;
  std::set<std::shared_ptr<SocketPeer>> peers_;
};

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

absl::Status SocketListener::bindOne(SocketAddress place, int &port) {
  FileDescriptor socket(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1, zero = 0;
  if (place.family() != AF_UNIX) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (port > 0)
      place.setPort(port);
  } else
    ::fchmod(socket.get(), S_IRUSR | S_IWUSR); // of the file that `bind` makes: no other user connects
  if (place.family() == AF_INET6)
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
  if (!socket.isOpen() || ::bind(socket.get(), place.get(), place.size) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    const int error = errno;
    return error == EADDRINUSE ? absl::AlreadyExistsError(std::strerror(error))
                               : absl::UnavailableError(std::strerror(error));
  }
  SocketAddress found;
  found.size = sizeof(found.storage);
  if (place.family() != AF_UNIX && ::getsockname(socket.get(), found.get(), &found.size) == 0)
    port = found.port();
  sockets_.push_back(std::move(socket));
  return absl::OkStatus();
}

absl::Status SocketListener::bind(const std::string &address, const std::string &bound) {
  address_ = address;
  absl::StatusOr<std::vector<SocketAddress>> places = resolve(bound, /*numericOnly=*/false);
  if (!places.ok())
    return absl::Status(places.status().code(),
                        absl::StrCat("cannot listen on ", address, ": ", places.status().message()));
  int port = 0;
  absl::Status last;
  // "localhost" has two addresses; a host may be without IPv6. One that is taken is somebody else's.
  for (const SocketAddress &place : *places) {
    absl::Status status = bindOne(place, port);
    if (absl::IsAlreadyExists(status))
      return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", status.message()));
    if (!status.ok())
      last = status;
  }
  if (sockets_.empty() && absl::StartsWith(bound, "[::]"))
    if (absl::StatusOr<std::vector<SocketAddress>> any = resolve("0.0.0.0" + bound.substr(4), true); any.ok())
      last = bindOne(any->front(), port);
  if (sockets_.empty())
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", last.message()));
  if (absl::EndsWith(address, ":0"))
    address_ = absl::StrCat(address.substr(0, address.size() - 1), port);
  for (const auto &thread : threads_)
    welcomes_[thread->loop().get()];
  for (const FileDescriptor &socket : sockets_)
    threads_.front()->loop()->watch(socket.get(), EPOLLIN, [this, fd = socket.get()](uint32_t) { accept(fd); });
  return absl::OkStatus();
}

void SocketListener::accept(int listening) {
  // Those that have come may greet before others come.
  constexpr int kMostAtOnce = 64;
  for (int i = 0; i < kMostAtOnce; ++i) {
    SocketAddress from;
    from.size = sizeof(from.storage);
    FileDescriptor socket(::accept4(listening, from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.isOpen()) {
      // Without descriptors it would be called again and again.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        constexpr std::chrono::milliseconds kPause{100};
        SocketLoop &loop = *threads_.front()->loop();
        loop.change(listening, 0);
        loop.at(SocketLoop::Clock::now() + kPause, [&loop, listening] { loop.change(listening, EPOLLIN); });
      }
      return;
    }
    prepareSocket(socket.get(), from.family());
    const std::shared_ptr<SocketLoop> &loop = threads_[next_++ % threads_.size()]->loop();
    welcome(loop, std::move(socket), from);
  }
}

void SocketListener::welcome(const std::shared_ptr<SocketLoop> &loop, FileDescriptor socket,
                             const SocketAddress &from) {
  struct Self {
    std::weak_ptr<SocketWelcome> welcome;
    uint64_t name = 0;
  };
  auto self = std::make_shared<Self>();
  auto made = std::make_shared<SocketWelcome>(
      loop, std::move(socket), token_, numLetIn_ >= kMostPeers,
      [this, loop, self](FileDescriptor socket) {
        greetings_.remove(self->name);
        welcomes_.at(loop.get()).erase(self->welcome.lock());
        if (socket.isOpen())
          add(loop, std::move(socket));
      },
      [refusals = refusals_, from](const char *kind, const std::string &what) {
        if (refusals)
          refusals->note(kind, absl::StrCat("refused a connection of ", from.text(), ": ", what));
      });
  self->welcome = made;
  self->name = greetings_.add([loop, weak = self->welcome] {
    loop->post([weak] {
      if (std::shared_ptr<SocketWelcome> oldest = weak.lock())
        oldest->giveWay();
    });
  });
  loop->post([this, loop, made] {
    welcomes_.at(loop.get()).insert(made);
    made->start();
  });
}

void SocketListener::add(const std::shared_ptr<SocketLoop> &loop, FileDescriptor socket) {
  auto peer = std::make_shared<SocketPeer>(*this, loop, std::move(socket));
  std::lock_guard<std::mutex> lock(mutex_);
  if (isEnding_)
    return;
  peers_.insert(peer);
  peer->open();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void SocketPeer::open() {
  stranger_ = listener_.strangers_.add([weak = weak_from_this(), loop = loop_] {
    loop->post([weak] {
      std::shared_ptr<SocketPeer> oldest = weak.lock();
      if (!oldest || oldest->isLetIn_)
        return;
      oldest->stream_->close();
      oldest->broken(absl::OkStatus());
    });
  });
  stream_->open();
}

void SocketPeer::letIn() {
  if (isLetIn_.exchange(true))
    return;
  listener_.strangers_.remove(stranger_);
  ++listener_.numLetIn_;
  stream_->setBounds(kPeerBounds);
}

std::shared_ptr<SocketPeer::Call> SocketPeer::take(uint64_t id) {
  auto found = calls_.find(id);
  if (found == calls_.end())
    return nullptr;
  std::shared_ptr<Call> call = std::move(found->second);
  openControl_ -= call->controlSize;
  calls_.erase(found);
  return call;
}

void SocketPeer::answer(uint64_t id, absl::StatusOr<OutgoingMessage> reply) {
  std::shared_ptr<Call> call;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    call = take(id);
    if (!call)
      return; // nobody waits for it any more
    if (reply.ok()) {
      letIn();
      std::string body = makeReply(*reply, std::chrono::steady_clock::now() - call->arrived);
      stream_->add(FrameKind::Reply, id, std::move(body), std::move(reply->payload));
    } else {
      stream_->add(FrameKind::Error, id, makeError(reply.status()));
    }
  }
  stream_->flush();
}

void SocketPeer::refuseAll(const absl::Status &why) {
  std::vector<uint64_t> ids;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    refusal_ = why;
    for (const auto &[id, call] : calls_)
      ids.push_back(id);
  }
  for (uint64_t id : ids)
    loop_->run([&] { answer(id, absl::Status(why.code(), std::string(why.message()))); });
}

bool SocketPeer::begin(uint64_t id, std::string_view body) {
  BeginFrame begin;
  if (!parseBegin(body, begin))
    return false;
  auto call = std::make_shared<Call>(listener_.maxMessageBytes_);
  call->method = begin.method;
  call->controlSize = static_cast<int64_t>(begin.control.size());
  absl::Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = refusal_;
    if (status.ok() && calls_.size() >= size_t{kMostCalls})
      status = absl::ResourceExhaustedError(absl::StrCat("more than ", kMostCalls, " calls at once"));
    const int64_t most = isLetIn_ ? kOpenControlBytes : kStrangerControlBytes;
    if (status.ok() && openControl_ + call->controlSize > most)
      status = absl::ResourceExhaustedError(absl::StrCat("calls whose control parts have more than ", most, " bytes",
                                                         isLetIn_ ? "" : " from a task that did not say hello"));
    if (!calls_.emplace(id, call).second)
      return false;
    openControl_ += call->controlSize;
  }
  status.Update(status.ok() ? call->receiver.check(begin.control.size(), begin.payload) : status);
  if (status.ok())
    status = call->receiver.begin(std::string(begin.control), static_cast<int64_t>(begin.payload), begin.isOpen,
                                  [&](const std::string &control, int64_t payloadSize) {
                                    return listener_.service_.place(call->method, control, payloadSize);
                                  });
  if (!status.ok())
    answer(id, status);
  else if (begin.payload > 0)
    letIn();
  else if (!begin.isOpen)
    handle(id, call);
  return true;
}

bool SocketPeer::frame(FrameKind kind, uint64_t id, std::string_view body) {
  if (kind == FrameKind::Begin)
    return begin(id, body);
  if (kind == FrameKind::Reply || kind == FrameKind::Error)
    return false;
  if (kind == FrameKind::Cancel) {
    std::shared_ptr<Call> call;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      call = take(id);
    }
    stream_->drop(id);
    return true;
  }
  const std::shared_ptr<Call> call = find(id);
  if (!call)
    return true; // it was answered before all of it was here
  if (call->hasArrived())
    return false;
  if (absl::Status status = call->receiver.end(); !status.ok())
    answer(id, status);
  else
    handle(id, call);
  return true;
}

void SocketPeer::handle(uint64_t id, const std::shared_ptr<Call> &call) {
  call->arrived = std::chrono::steady_clock::now();
  listener_.service_.handle(call->method, call->receiver.take(),
                            // Who keeps this does not keep a connection that is over.
                            [weak = weak_from_this(), id](absl::StatusOr<OutgoingMessage> reply) {
                              if (std::shared_ptr<SocketPeer> peer = weak.lock())
                                peer->answer(id, std::move(reply));
                            });
}

MessageReceiver *SocketPeer::receiver(uint64_t id, int64_t size) {
  const std::shared_ptr<Call> call = find(id);
  if (!call)
    return nullptr;
  absl::Status status =
      call->hasArrived() ? absl::InvalidArgumentError("a message goes on after its end") : call->receiver.expect(size);
  if (status.ok())
    return &call->receiver; // this thread alone ends the call
  answer(id, status);
  return nullptr;
}

void SocketPeer::broken(const absl::Status &) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.clear();
    openControl_ = 0;
  }
  if (isLetIn_)
    --listener_.numLetIn_;
  else
    listener_.strangers_.remove(stranger_);
  listener_.remove(shared_from_this());
}

} // namespace

absl::StatusOr<std::unique_ptr<Listener>> makeSocketListener(const std::string &address, const std::string &bound,
                                                             Service &service, const TransportSecurity &security,
                                                             int64_t maxMessageBytes,
                                                             std::vector<std::shared_ptr<SocketThread>> threads) {
  auto listener = std::make_unique<SocketListener>(service, security, maxMessageBytes, std::move(threads));
  if (absl::Status status = listener->bind(address, bound); !status.ok())
    return status;
  return listener;
}

} // namespace mlcrt
