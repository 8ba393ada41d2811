// Messages between tasks of one process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/InProcessTransport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace mlcrt {

namespace {

using Clock = std::chrono::steady_clock;

/// One call on its way. Answered once.
struct Call {
  std::string address, peer, method;
  OutgoingMessage request;
  Clock::time_point deadline;
  const void *connection;
  /// Null once it is answered.
  Connection::Done done;
  PlaceFunction place;
  Clock::time_point handled = {};
};

/// The message as its receiver gets it.
absl::StatusOr<IncomingMessage> arrive(std::string control, std::vector<Slice> payload, const PlaceFunction &place) {
  int64_t size = 0;
  for (const Slice &slice : payload)
    size += slice.size;
  if (!place || size == 0)
    return IncomingMessage(std::move(control), std::move(payload));
  absl::StatusOr<Placement> placement = place(control, size);
  PlacementFiller filler;
  absl::Status status = placement.status();
  status.Update(status.ok() ? filler.begin(*std::move(placement), size) : status);
  if (!status.ok())
    return status;
  constexpr int64_t kPart = 1 << 20; // as over a network
  std::vector<Slice> kept;
  for (const Slice &slice : payload)
    for (int64_t at = 0, placed; at < slice.size; at += placed) {
      const auto *data = static_cast<const char *>(slice.data) + at;
      placed = filler.fill(data, std::min(kPart, slice.size - at));
      if (placed > 0) {
        filler.tell();
        continue;
      }
      kept.push_back({data, slice.size - at, slice.owner});
      break;
    }
  IncomingMessage message(std::move(control), filler.take(), std::move(kept));
  message.setCharge(filler.takeCharge());
  return message;
}

/// Bytes that nobody keeps may go with the call, while a service still reads them: a network would have copied them.
void keepBytes(std::vector<Slice> &slices) {
  for (Slice &slice : slices)
    if (!slice.owner && slice.size > 0) {
      auto copy = std::make_shared<std::string>(static_cast<const char *>(slice.data), static_cast<size_t>(slice.size));
      slice = {copy->data(), slice.size, copy};
    }
}

/// Who listens, and what is to be done. Threads take calls as they come.
class Hub {
public:
  Hub() {
    for (int i = 0; i < 4; ++i)
      threads_.emplace_back([this] { work(); });
  }
  ~Hub() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      isEnding_ = true;
    }
    changed_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  absl::Status add(const std::string &address, Service &service) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!services_.emplace(address, Entry{&service, 0}).second)
      return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": the address is in use"));
    changed_.notify_all();
    return absl::OkStatus();
  }
  void remove(const std::string &address) {
    std::unique_lock<std::mutex> lock(mutex_);
    Entry &entry = services_.at(address);
    Service *service = entry.service;
    entry.service = nullptr;
    changed_.wait(lock, [&] { return entry.handling == 0; });
    services_.erase(address);
    // What it has not answered it never will.
    for (const std::shared_ptr<Call> &call : std::set<std::shared_ptr<Call>>(inFlight_))
      if (inFlight_.count(call) && handlers_[call.get()] == service)
        answer(lock, call, absl::UnavailableError("the connection was closed"));
  }

  void start(std::shared_ptr<Call> call) {
    std::unique_lock<std::mutex> lock(mutex_);
    inFlight_.insert(call);
    changed_.notify_all(); // it has a deadline
    if (call->request.rest) {
      lock.unlock();
      return drain(call);
    }
    waiting_.push_back(std::move(call));
  }
  /// Ends the calls of a connection: none of their callbacks runs afterwards.
  void cancel(const void *connection, const absl::Status &why) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (const std::shared_ptr<Call> &call : std::set<std::shared_ptr<Call>>(inFlight_))
      if (call->connection == connection && inFlight_.count(call))
        // Each its own: they go to other threads.
        answer(lock, call, absl::Status(why.code(), std::string(why.message())));
    changed_.wait(lock, [&] { return calling_.count(connection) == 0; });
  }

private:
  /// Takes what there is of the rest of a request; it goes to its service when that is all.
  void drain(const std::shared_ptr<Call> &call) {
    std::vector<Slice> part;
    PayloadStream::Next next;
    while ((next = call->request.rest->take(/*least=*/1, INT64_MAX, part, [this, call] { drain(call); })) ==
           PayloadStream::Next::Part) {
      keepBytes(part);
      for (Slice &slice : part)
        call->request.payload.push_back(std::move(slice));
      part.clear();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (next == PayloadStream::Next::Wait) {
      if (!inFlight_.count(call))
        call->request.rest->forget(); // it was answered meanwhile
      return;
    }
    if (next == PayloadStream::Next::Abandoned)
      return answer(lock, call, absl::CancelledError("the request was given up"));
    if (call->request.rest->size() > call->request.rest->most())
      return answer(lock, call, absl::InvalidArgumentError("a message has more than the bytes it announced"));
    if (inFlight_.count(call))
      waiting_.push_back(call);
    changed_.notify_all();
  }

  struct Entry {
    Service *service;
    int handling;
  };

  void answer(std::unique_lock<std::mutex> &lock, const std::shared_ptr<Call> &call,
              absl::StatusOr<OutgoingMessage> reply) {
    if (!inFlight_.erase(call))
      return;
    handlers_.erase(call.get());
    waiting_.remove(call);
    if (call->request.rest)
      call->request.rest->forget();
    Connection::Done done = std::move(call->done);
    auto calling = calling_.insert(call->connection);
    lock.unlock();
    absl::StatusOr<IncomingMessage> message =
        reply.ok() ? arrive(std::move(reply->control), std::move(reply->payload), call->place)
                   : absl::StatusOr<IncomingMessage>(reply.status());
    if (!message.ok())
      message = absl::Status(message.status().code(), absl::StrCat(call->peer, ": ", message.status().message()));
    if (message.ok())
      message->setHeldFor(Clock::now() - call->handled);
    done(std::move(message));
    done = nullptr;
    lock.lock();
    calling_.erase(calling);
    changed_.notify_all();
  }

  /// Under the lock: hands the call over to its service.
  void handle(std::unique_lock<std::mutex> &lock, const std::shared_ptr<Call> &call) {
    auto found = services_.find(call->address);
    if (found == services_.end() || !found->second.service) {
      answer(lock, call, absl::UnavailableError("nobody listens there"));
      return;
    }
    Entry &entry = found->second;
    ++entry.handling;
    handlers_[call.get()] = entry.service;
    waiting_.remove(call);
    call->handled = Clock::now();
    Service *service = entry.service;
    lock.unlock();
    Reply reply = [this, call](absl::StatusOr<OutgoingMessage> reply) {
      std::unique_lock<std::mutex> own(mutex_);
      answer(own, call, std::move(reply));
    };
    absl::StatusOr<IncomingMessage> message =
        arrive(call->request.control, call->request.payload,
               [&](const std::string &control, int64_t size) { return service->place(call->method, control, size); });
    if (message.ok())
      service->handle(call->method, *std::move(message), std::move(reply));
    else
      reply(message.status());
    lock.lock();
    --entry.handling;
    changed_.notify_all();
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!isEnding_) {
      bool moved = false;
      for (const std::shared_ptr<Call> &call : std::list<std::shared_ptr<Call>>(waiting_))
        if (inFlight_.count(call) && !handlers_.count(call.get())) {
          handle(lock, call);
          moved = true;
          break;
        }
      if (moved)
        continue;
      Clock::time_point next = Clock::time_point::max();
      std::shared_ptr<Call> late;
      for (const std::shared_ptr<Call> &call : inFlight_) {
        if (call->deadline <= Clock::now())
          late = call;
        next = std::min(next, call->deadline);
      }
      if (late)
        answer(lock, late, absl::DeadlineExceededError("no reply in time"));
      else if (next == Clock::time_point::max())
        changed_.wait(lock);
      else
        changed_.wait_until(lock, next);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool isEnding_ = false;
  std::map<std::string, Entry> services_;
  std::set<std::shared_ptr<Call>> inFlight_;
  std::list<std::shared_ptr<Call>> waiting_;
  std::map<const Call *, Service *> handlers_;
  std::multiset<const void *> calling_;
  std::vector<std::thread> threads_;
};

class InProcessListener : public Listener {
public:
  InProcessListener(Hub &hub, std::string address) : hub_(hub), address_(std::move(address)) {}
  ~InProcessListener() override { hub_.remove(address_); }
  const std::string &address() const override { return address_; }

private:
  Hub &hub_;
  const std::string address_;
};

class InProcessConnection : public Connection {
public:
  InProcessConnection(Hub &hub, std::string address, std::string peer)
      : hub_(hub), address_(std::move(address)), peer_(std::move(peer)) {}
  ~InProcessConnection() override { hub_.cancel(this, absl::CancelledError("the connection was closed")); }

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
             PlaceFunction place) override {
    keepBytes(request.payload);
    hub_.start(std::make_shared<Call>(Call{address_, peer_, std::string(method), std::move(request),
                                           Clock::now() + timeout, this, std::move(done), std::move(place)}));
  }
  void cancelCalls(const absl::Status &why) override { hub_.cancel(this, why); }

private:
  Hub &hub_;
  const std::string address_, peer_;
};

class InProcessTransport : public Transport {
public:
  absl::StatusOr<std::unique_ptr<Listener>> listen(const std::string &address, Service &service) override {
    if (absl::Status status = hub_.add(address, service); !status.ok())
      return status;
    return std::make_unique<InProcessListener>(hub_, address);
  }
  absl::StatusOr<std::unique_ptr<Connection>> connect(const std::string &address, const std::string &peer) override {
    return std::make_unique<InProcessConnection>(hub_, address, absl::StrCat(peer, " at ", address));
  }

private:
  Hub hub_;
};

} // namespace

std::unique_ptr<Transport> makeInProcessTransport() { return std::make_unique<InProcessTransport>(); }

} // namespace mlcrt
