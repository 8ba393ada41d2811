// How a connection over sockets begins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketGreeting.h"

#include "runtime/src/cluster/BlockingCalls.h"
#include "runtime/src/cluster/TlsCheck.h"
#include "runtime/src/cluster/WireNumber.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace mlcrt {

static constexpr std::string_view kAsks = "mlcask1\n", kAnswers = "mlcans1\n";
enum Verdict : char { LetIn, OtherToken, Full };

void prepareSocket(int fd, int family) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  const int one = 1, bytes = 4 << 20;
  if (family == AF_UNIX) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)); // it does not grow by itself
    return;
  }
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  // A peer whose packets vanish, or whose address moves: the connection breaks, and is made anew with the address of
  // then, before the peer has missed three heartbeats.
  const int idle = kDeadConnectionSeconds / 2, interval = 1, probes = kDeadConnectionSeconds - idle,
            unanswered = 1000 * kDeadConnectionSeconds;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof(unanswered));
}

//===----------------------------------------------------------------------===//
// Who connects
//===----------------------------------------------------------------------===//

SocketDial::SocketDial(std::shared_ptr<SocketLoop> loop, std::string address, std::string token, Done done)
    : loop_(std::move(loop)), address_(std::move(address)), token_(std::move(token)), done_(std::move(done)) {}

void SocketDial::start() {
  timer_ = loop_->at(SocketLoop::Clock::now() + kPatience, [self = shared_from_this()] {
    self->end(absl::UnavailableError(
        absl::StrCat("no connection within ", SocketDial::kPatience.count(), " s, or no answer to it")));
  });
  absl::StatusOr<std::vector<SocketAddress>> found = resolve(address_, /*numericOnly=*/true);
  if (!found.ok()) {
    // A caller is not called back.
    loop_->post([self = shared_from_this(), why = found.status()] { self->end(why); });
    return;
  }
  if (!found->empty()) {
    addresses_ = *std::move(found);
    return loop_->post([self = shared_from_this()] { self->tryNext(absl::OkStatus()); });
  }
  // Finding a name may take longer than anybody waits: it then ends on its own.
  BlockingCalls::start([self = shared_from_this()] {
    absl::StatusOr<std::vector<SocketAddress>> found = resolve(self->address_, /*numericOnly=*/false);
    self->loop_->post([self, found = std::move(found)] {
      if (!found.ok())
        return self->end(found.status());
      self->addresses_ = *found;
      self->tryNext(absl::UnavailableError("the host has no address"));
    });
  });
}

void SocketDial::await(uint32_t events, void (SocketDial::*then)()) {
  loop_->watch(socket_.get(), events, [self = shared_from_this(), then](uint32_t) {
    self->loop_->forget(self->socket_.get());
    (self.get()->*then)();
  });
}

void SocketDial::tryNext(absl::Status last) {
  if (!done_)
    return;
  if (next_ == addresses_.size())
    return end(last);
  const SocketAddress &address = addresses_[next_++];
  socket_ = FileDescriptor(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket_.isOpen())
    return tryNext(absl::UnavailableError(absl::StrCat("no socket: ", std::strerror(errno))));
  prepareSocket(socket_.get(), address.family());
  if (::connect(socket_.get(), address.get(), address.size) == 0)
    return connected();
  // A Unix socket that has no room for who waits says so with EAGAIN.
  if (errno != EINPROGRESS)
    return tryNext(absl::UnavailableError(absl::StrCat("cannot connect: ", std::strerror(errno))));
  await(EPOLLOUT, &SocketDial::connected);
}

void SocketDial::connected() {
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0)
    return tryNext(absl::UnavailableError(absl::StrCat("cannot connect: ", std::strerror(error))));
  // A socket may reach itself where nobody listens, if its own port is the one that it calls; so the port is not free
  // for who would listen there.
  SocketAddress own, peer;
  own.size = peer.size = sizeof(own.storage);
  if (::getsockname(socket_.get(), own.get(), &own.size) == 0 &&
      ::getpeername(socket_.get(), peer.get(), &peer.size) == 0 && own.family() != AF_UNIX && own.size == peer.size &&
      std::memcmp(&own.storage, &peer.storage, own.size) == 0) {
    const linger reset = {1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    socket_ = FileDescriptor();
    return tryNext(absl::UnavailableError("cannot connect: nobody listens there"));
  }
  std::string hello(kAsks);
  appendNumber(hello, token_.size(), 4);
  hello += token_;
  if (::send(socket_.get(), hello.data(), hello.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(hello.size()))
    return tryNext(absl::UnavailableError(absl::StrCat("cannot connect: ", std::strerror(errno))));
  await(EPOLLIN, &SocketDial::answered);
}

void SocketDial::answered() {
  char answer[kAnswers.size() + 1];
  const ssize_t got = ::recv(socket_.get(), answer, sizeof(answer), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return await(EPOLLIN, &SocketDial::answered);
  // So few bytes come at once.
  if (got <= 0)
    return diagnose();
  if (got != static_cast<ssize_t>(sizeof(answer)) || std::string_view(answer, kAnswers.size()) != kAnswers)
    return tryNext(absl::UnavailableError(
        "it speaks another protocol: does it expect gRPC, or is it another program or version?"));
  if (answer[kAnswers.size()] == OtherToken)
    return end(absl::UnauthenticatedError("the token is not that of this cluster"));
  if (answer[kAnswers.size()] != LetIn)
    return end(absl::UnavailableError("it has as many connections as it takes; others may end soon"));
  end(std::move(socket_));
}

void SocketDial::diagnose() {
  // It blocks, which others of this thread do not wait for.
  BlockingCalls::start([self = shared_from_this()] {
    constexpr std::chrono::seconds kPatience{2};
    const absl::Status why = diagnosePlain(self->address_, kPatience);
    self->loop_->post([self, why] {
      if (!self->done_)
        return;
      if (!why.ok())
        return self->end(why);
      self->tryNext(absl::UnavailableError("it closed the connection without an answer: is it another program?"));
    });
  });
}

void SocketDial::end(absl::StatusOr<FileDescriptor> result) {
  if (!done_)
    return;
  Done done = std::move(done_);
  cancel();
  done(std::move(result));
}

void SocketDial::cancel() {
  done_ = nullptr;
  loop_->cancel(timer_);
  if (socket_.isOpen())
    loop_->forget(socket_.get());
  socket_ = FileDescriptor();
}

//===----------------------------------------------------------------------===//
// Who listens
//===----------------------------------------------------------------------===//

SocketWelcome::SocketWelcome(std::shared_ptr<SocketLoop> loop, FileDescriptor socket, std::string token, bool isFull,
                             Done done, Refused refused)
    : loop_(std::move(loop)), socket_(std::move(socket)), token_(std::move(token)), isFull_(isFull),
      done_(std::move(done)), refused_(std::move(refused)) {}

void SocketWelcome::start() {
  static constexpr std::chrono::seconds kPatience{10};
  timer_ = loop_->at(SocketLoop::Clock::now() + kPatience, [self = shared_from_this()] {
    self->refused_("late", absl::StrCat("it did not greet within ", kPatience.count(), " s"));
    self->end(false);
  });
  loop_->watch(socket_.get(), EPOLLIN, [self = shared_from_this()](uint32_t) { self->read(); });
}

void SocketWelcome::refuseTls() {
  refused_("TLS", "it called with TLS, which this task was started without");
  // What is closed with bytes that nobody has read takes back what was sent.
  char bytes[512];
  for (int i = 0; i < 32 && ::recv(socket_.get(), bytes, sizeof(bytes), MSG_DONTWAIT) > 0; ++i)
    continue;
  const std::string_view alert = noTlsAlert();
  (void)::send(socket_.get(), alert.data(), alert.size(), MSG_NOSIGNAL);
  end(false);
}

void SocketWelcome::read() {
  constexpr size_t kFixed = kAsks.size() + 4;
  // Frames may follow at once: they are not for this.
  while (true) {
    size_t all = kFixed;
    if (got_.size() >= kFixed) {
      const size_t size = readNumber(got_.data() + kAsks.size(), 4);
      constexpr std::string_view kHandshake("\x16\x03", 2); // of each record of it
      if (std::string_view(got_).substr(0, kHandshake.size()) == kHandshake)
        return refuseTls();
      if (std::string_view(got_).substr(0, kAsks.size()) != kAsks || size > kMostTokenBytes) {
        refused_("other", "it speaks another protocol: it is another program or version, or expects gRPC here");
        return end(false);
      }
      all += size;
    }
    if (got_.size() >= kFixed && got_.size() == all)
      break;
    char bytes[512];
    const ssize_t got = ::recv(socket_.get(), bytes, std::min(sizeof(bytes), all - got_.size()), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (got <= 0)
      return end(false);
    got_.append(bytes, static_cast<size_t>(got));
  }
  const bool isSame = token_.empty() || isSameSecret(token_, std::string_view(got_).substr(kFixed));
  const Verdict verdict = !isSame ? OtherToken : isFull_ ? Full : LetIn;
  if (verdict == OtherToken)
    refused_("token", "its token is not that of this cluster");
  else if (verdict == Full)
    refused_("full", "there are as many connections as this task takes");
  end(answer(verdict) && verdict == LetIn);
}

bool SocketWelcome::answer(char verdict) {
  const std::string text = std::string(kAnswers) + verdict;
  return ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

void SocketWelcome::giveWay() {
  if (!done_)
    return;
  refused_("crowd", "too many connected at once that did not greet");
  answer(Full);
  end(false);
}

void SocketWelcome::end(bool isLetIn) {
  if (!done_)
    return;
  Done done = std::move(done_);
  done_ = nullptr;
  loop_->cancel(timer_);
  loop_->forget(socket_.get());
  if (!isLetIn)
    socket_ = FileDescriptor();
  done(std::move(socket_));
}

void SocketWelcome::cancel() { end(false); }

} // namespace mlcrt
