// Who may be sent away to make room for others. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TRANSIENTS_H
#define MLCRT_CLUSTER_TRANSIENTS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace mlcrt {

/// Connections that greet, and those that have greeted and were not let in yet, of a listener.
inline constexpr size_t kMostGreetings = 512, kMostStrangers = 256;

/// A bounded number of those who have not shown who they are: one more, and the oldest goes. So whoever shows it soon
/// gets in, however many others come and show nothing. Thread-safe.
class Transients {
public:
  using Evict = std::function<void()>;
  explicit Transients(size_t most) : most_(most) {}

  /// Adds one; its name. `evict` is called, by whoever adds others, when it has to go.
  uint64_t add(Evict evict) {
    Evict oldest;
    uint64_t name;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      name = next_++;
      entries_.emplace(name, std::move(evict));
      if (entries_.size() > most_) {
        oldest = std::move(entries_.begin()->second);
        entries_.erase(entries_.begin());
        ++evicted_;
      }
    }
    if (oldest)
      oldest();
    return name;
  }
  /// It has shown who it is, or is gone.
  void remove(uint64_t name) {
    std::lock_guard<std::mutex> lock(mutex_);
    entries_.erase(name);
  }
  /// How many had to go so far.
  int64_t evicted() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return evicted_;
  }

private:
  const size_t most_;
  mutable std::mutex mutex_;
  uint64_t next_ = 1;
  int64_t evicted_ = 0;
  std::map<uint64_t, Evict> entries_; ///< by age
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TRANSIENTS_H
