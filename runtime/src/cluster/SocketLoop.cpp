// A thread that waits for sockets and timers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketLoop.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace mlcrt {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  if (this != &other) {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

absl::StatusOr<std::shared_ptr<SocketThread>> SocketThread::create() {
  std::shared_ptr<SocketLoop> loop(new SocketLoop());
  if (absl::Status status = loop->begin(); !status.ok())
    return status;
  return std::shared_ptr<SocketThread>(new SocketThread(std::move(loop)));
}

absl::Status SocketLoop::begin() {
  epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  wakeup_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = 0; // of no socket
  if (!epoll_.isOpen() || !wakeup_.isOpen() || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) != 0)
    return absl::ResourceExhaustedError(absl::StrCat("cannot wait for sockets: ", std::strerror(errno)));
  // Signals are for the thread that trains.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return absl::OkStatus();
}

void SocketLoop::end() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnding_ = true;
  }
  wake();
  thread_.join();
  // What they keep may keep this.
  decltype(timers_) timers;
  decltype(watched_) watched;
  std::lock_guard<std::mutex> lock(mutex_);
  timers.swap(timers_);
  times_.clear();
  watched.swap(watched_);
  keys_.clear();
}

void SocketLoop::wake() {
  const uint64_t one = 1;
  // It fails when the counter is full: then it wakes anyway.
  [[maybe_unused]] const ssize_t written = ::write(wakeup_.get(), &one, sizeof(one));
}

void SocketLoop::post(Task task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (hasEnded_)
      return;
    tasks_.push_back(std::move(task));
    if (isAwake_)
      return; // it looks before it sleeps
    isAwake_ = true;
  }
  wake();
}

void SocketLoop::run(const Task &task) {
  if (isHere())
    return task();
  std::promise<void> done;
  post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void SocketLoop::watch(int fd, uint32_t events, Handler handler) {
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t key = next_++;
  keys_[fd] = key;
  watched_.emplace(key, Watched{fd, std::make_shared<Handler>(std::move(handler))});
  epoll_event event = {};
  event.events = events;
  event.data.u64 = key;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void SocketLoop::change(int fd, uint32_t events) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = keys_.find(fd);
  if (found == keys_.end())
    return;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = found->second;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void SocketLoop::forget(int fd) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = keys_.find(fd);
  if (found == keys_.end())
    return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(found->second);
  keys_.erase(found);
}

uint64_t SocketLoop::at(Clock::time_point time, Task task) {
  bool isEarlier;
  uint64_t timer;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    timer = next_++;
    if (hasEnded_)
      return timer;
    timers_.emplace(std::make_pair(time, timer), std::move(task));
    times_.emplace(timer, time);
    isEarlier = !isAwake_ && time < sleepsUntil_;
    if (isEarlier)
      isAwake_ = true;
  }
  if (isEarlier)
    wake();
  return timer;
}

void SocketLoop::cancel(uint64_t timer) {
  Task task; // goes without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = times_.find(timer);
  if (found == times_.end())
    return;
  auto entry = timers_.find({found->second, timer});
  task = std::move(entry->second);
  timers_.erase(entry);
  times_.erase(found);
}

int SocketLoop::sleepTime() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!tasks_.empty())
    return 0;
  isAwake_ = false;
  const Clock::time_point now = Clock::now();
  Clock::time_point until = timers_.empty() ? Clock::time_point::max() : timers_.begin()->first.first;
  // A time that it slept until before stays, though its timer is gone: most calls are answered long before they are
  // late, and the timer of the next one then wakes nobody.
  if (sleepsUntil_ > now)
    until = std::min(until, sleepsUntil_);
  sleepsUntil_ = until;
  if (until == Clock::time_point::max())
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 3600 * 1000));
}

void SocketLoop::doTimers() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!timers_.empty() && timers_.begin()->first.first <= Clock::now()) {
    Task task = std::move(timers_.begin()->second);
    times_.erase(timers_.begin()->first.second);
    timers_.erase(timers_.begin());
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

void SocketLoop::doTasks() {
  std::vector<Task> tasks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks.swap(tasks_);
  }
  for (Task &task : tasks) {
    task();
    task = nullptr;
  }
}

void SocketLoop::work() {
  constexpr int kMostEvents = 64;
  epoll_event events[kMostEvents];
  while (true) {
    const int count = ::epoll_wait(epoll_.get(), events, kMostEvents, sleepTime());
    {
      std::lock_guard<std::mutex> lock(mutex_);
      isAwake_ = true;
    }
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == 0) {
        uint64_t times;
        [[maybe_unused]] const ssize_t read = ::read(wakeup_.get(), &times, sizeof(times));
        continue;
      }
      std::shared_ptr<Handler> handler;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (auto found = watched_.find(events[i].data.u64); found != watched_.end())
          handler = found->second.handler;
      }
      if (handler)
        (*handler)(events[i].events);
    }
    doTimers();
    doTasks();
    std::lock_guard<std::mutex> lock(mutex_);
    hasEnded_ = isEnding_ && tasks_.empty();
    if (hasEnded_)
      return;
  }
}

} // namespace mlcrt
