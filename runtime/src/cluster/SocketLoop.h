// A thread that waits for sockets and timers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SOCKETLOOP_H
#define MLCRT_CLUSTER_SOCKETLOOP_H

#include "absl/status/statusor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace mlcrt {

/// A file descriptor, closed with its owner.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  bool isOpen() const { return fd_ >= 0; }
  int release();

private:
  int fd_ = -1;
};

/// Calls who waits, one after the other, on a thread of its own (SocketThread). All members may be called from any
/// thread.
class SocketLoop {
public:
  using Clock = std::chrono::steady_clock;
  using Task = std::function<void()>;
  /// Gets the events (EPOLLIN, ...) of its socket.
  using Handler = std::function<void(uint32_t events)>;

  SocketLoop(const SocketLoop &) = delete;
  SocketLoop &operator=(const SocketLoop &) = delete;

  bool isHere() const { return std::this_thread::get_id() == thread_.get_id(); }
  /// Does it soon, in the order of these calls; never if the thread has ended.
  void post(Task task);
  /// Posts and waits until it is done; on this thread it is done at once.
  void run(const Task &task);

  /// Watches a socket for events, until it is closed or `forget`. Another event set is for a descriptor that is
  /// watched.
  void watch(int fd, uint32_t events, Handler handler);
  void change(int fd, uint32_t events);
  /// On this thread: the handler is not called any more.
  void forget(int fd);

  /// Does it at that time; the number is for `cancel`, and never 0.
  uint64_t at(Clock::time_point time, Task task);
  /// On this thread it is not done any more; on another one it may be under way. A number that is done or 0: nothing.
  void cancel(uint64_t timer);

private:
  friend class SocketThread;
  SocketLoop() = default;
  absl::Status begin();
  /// Tasks that were posted are done; timers and sockets are forgotten.
  void end();
  void work();
  void wake();
  /// Milliseconds until the next timer, or -1; notes that the thread sleeps so long.
  int sleepTime();
  void doTimers();
  void doTasks();

  FileDescriptor epoll_, wakeup_;
  std::mutex mutex_;
  bool isEnding_ = false, hasEnded_ = false, isAwake_ = true;
  Clock::time_point sleepsUntil_ = Clock::time_point::min();
  std::vector<Task> tasks_;
  uint64_t next_ = 1;
  std::map<std::pair<Clock::time_point, uint64_t>, Task> timers_;
  std::unordered_map<uint64_t, Clock::time_point> times_; ///< of timers
  struct Watched {
    int fd;
    std::shared_ptr<Handler> handler;
  };
  std::unordered_map<uint64_t, Watched> watched_;
  std::unordered_map<int, uint64_t> keys_;
  std::thread thread_;
};

/// The owner of a loop and its thread; others may keep the loop for longer.
class SocketThread {
public:
  /// kResourceExhausted if the process has no more descriptors.
  static absl::StatusOr<std::shared_ptr<SocketThread>> create();
  /// On another thread.
  ~SocketThread() { loop_->end(); }
  SocketThread(const SocketThread &) = delete;
  SocketThread &operator=(const SocketThread &) = delete;
  const std::shared_ptr<SocketLoop> &loop() const { return loop_; }

private:
  explicit SocketThread(std::shared_ptr<SocketLoop> loop) : loop_(std::move(loop)) {}
  const std::shared_ptr<SocketLoop> loop_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETLOOP_H
