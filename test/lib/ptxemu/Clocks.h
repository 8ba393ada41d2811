// What each thread of a block knows of the others: vector clocks, shared among threads that know the same.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_CLOCKS_H
#define MLC_TEST_LIB_PTXEMU_CLOCKS_H

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ptxemu {

/// Clocks of the threads of a block, by their numbers in it.
using ThreadClocks = std::vector<uint32_t>;
using SharedClocks = std::shared_ptr<const ThreadClocks>;
/// Clocks of threads of other blocks.
using ForeignClocks = std::map<uint32_t, SharedClocks>;

/// What came before: of the own block and of others.
struct Knowledge {
  SharedClocks own;
  std::shared_ptr<const ForeignClocks> foreign;
};

/// A thing that threads release into and acquire from: a barrier, or a word that atomics work on.
class SyncPoint {
public:
  bool empty() const { return clocks_.empty() && foreign_.empty(); }
  void clear() {
    clocks_.clear();
    foreign_.clear();
    last_.reset();
  }

private:
  friend class Clocks;
  ThreadClocks clocks_;   ///< of the block that releases into it
  ForeignClocks foreign_; ///< of others
  SharedClocks last_;     ///< what was joined last: most threads know the same
};

/// The clocks of a block of `threads` threads, the first of which has the number `first` in the grid.
class Clocks {
public:
  Clocks(uint32_t block, uint32_t threads);

  uint32_t now(uint32_t thread) const { return now_[thread]; }
  /// Whether `thread` knows of what thread `other` of the grid did at `clock`.
  bool ordered(uint32_t thread, uint32_t other, uint32_t clock) const {
    const uint32_t local = other - block_ * threads_;
    if (local < threads_)
      return (*knows_[thread].own)[local] >= clock;
    return orderedForeign(thread, other, clock);
  }

  /// What `thread` did until now is known to who acquires from `point`.
  void release(uint32_t thread, SyncPoint &point);
  /// Threads that all released into `point` know what it knows.
  void acquireAll(const std::vector<uint32_t> &threads, SyncPoint &point);
  void acquire(uint32_t thread, const SyncPoint &point);
  /// Threads of a warp meet: all know what each does.
  void meet(uint32_t firstThread, uint32_t lanes);

  // Words of memory: a strong write after a fence releases, a strong read before a fence acquires.
  void fence(uint32_t thread);
  void strongWrite(uint32_t thread, uint64_t address, bool releases, std::unordered_map<uint64_t, SyncPoint> &words);
  void strongRead(uint32_t thread, uint64_t address, bool acquires, std::unordered_map<uint64_t, SyncPoint> &words);
  bool hasFences() const { return hasFences_; }

  // Another proxy reads what threads wrote: a fence between proxies stands in between.
  void fenceProxies(uint32_t thread);
  /// Whether what `writer` of the block did at `clock` is before such a fence, and the fence before what `reader` does.
  bool crossesProxies(uint32_t reader, uint32_t writer, uint32_t clock) const;

private:
  bool orderedForeign(uint32_t thread, uint32_t other, uint32_t clock) const;
  void joinInto(SyncPoint &point, const Knowledge &knowledge, uint32_t thread, uint32_t clock);
  void learn(uint32_t thread, const ThreadClocks &clocks, const ForeignClocks &foreign);

  uint32_t block_, threads_;
  std::vector<uint32_t> now_;
  std::vector<Knowledge> knows_;
  /// Of threads that executed a fence: what they knew then, and their clock.
  struct Fence {
    Knowledge knew;
    uint32_t clock = 0;
  };
  std::unordered_map<uint32_t, Fence> fences_;
  /// Fences between proxies, by thread, in its order.
  struct ProxyFence {
    uint32_t clock;
    SharedClocks knew;
  };
  std::map<uint32_t, std::vector<ProxyFence>> proxyFences_;
  std::unordered_map<uint32_t, SyncPoint> pending_; ///< read by strong reads, known after the next fence
  bool hasFences_ = false;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_CLOCKS_H
