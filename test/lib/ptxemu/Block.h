// A block that runs: its warps, its shared memory and its barriers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_BLOCK_H
#define MLC_TEST_LIB_PTXEMU_BLOCK_H

#include "test/lib/ptxemu/Async.h"
#include "test/lib/ptxemu/Clocks.h"
#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Launch.h"
#include "test/lib/ptxemu/Warp.h"

#include <array>
#include <random>
#include <set>

namespace ptxemu {

/// What all blocks of a launch have in common.
struct Grid {
  const Kernel &kernel;
  const LaunchShape &shape;
  const std::vector<uint8_t> &parameters;
  DeviceMemory &memory;
  const RunOptions &options;
  LaunchResult &result;
  uint32_t generation = 0; ///< of shadows of global memory
  std::mt19937_64 random;
  std::unordered_map<uint64_t, SyncPoint> words; ///< of global memory, that atomics write
  std::set<std::pair<int, int>> told;            ///< lines, and kinds, of findings so far
  bool stopped = false;

  /// Keeps a finding unless one of its kind and line is known. False if the launch ends with it.
  bool report(Finding finding, bool fatal);
};

/// A barrier of a block (bar.sync and its kin).
struct BlockBarrier {
  struct Waiter {
    Warp *warp;
    uint32_t lanes, pc;
  };
  uint32_t expected = 0; ///< threads; 0: all that live
  uint32_t arrived = 0;
  std::vector<Waiter> waiters;
  SyncPoint point;
  uint32_t trueCount = 0, votes = 0; ///< of a reduction
};

/// An mbarrier, by its address in shared memory.
struct MemoryBarrier {
  uint32_t count = 0, pending = 0;
  int64_t bytes = 0; ///< that are expected and not yet there
  uint32_t phase = 0;
  SyncPoint arriving, done;
};

/// One block.
class Block {
public:
  enum class Status : uint8_t { Done, Running, Failed };

  Block(Grid &grid, uint32_t number);
  ~Block();

  /// Runs for about `budget` instructions of warps.
  Status run(uint64_t budget);

  // For warps and instructions.
  uint32_t thread(const Warp &warp, unsigned lane) const { return warp.first() + lane; }
  void fillFinding(Finding &finding, uint32_t thread) const;
  /// A group of lanes arrives at a barrier; false if the launch ends.
  bool arrive(Warp &warp, WarpGroup &group, const Inst &inst, uint32_t active);
  void exited(Warp &warp, uint32_t lanes);
  /// An arrival at, or bytes for, an mbarrier may complete its phase.
  void update(MemoryBarrier &barrier);

  Grid &grid;
  const Kernel &kernel;
  const uint32_t number; ///< in the grid
  uint32_t index[3];
  uint32_t threads, live;
  Clocks clocks;
  std::vector<uint8_t> shared;
  InitBits sharedInit;
  Shadow sharedShadow;
  std::vector<uint8_t> local; ///< of all threads, kernel.localBytes each
  InitBits localInit;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<BlockBarrier, 16> barriers;
  std::map<uint32_t, MemoryBarrier> memoryBarriers;
  std::unordered_map<uint64_t, SyncPoint> words; ///< of shared memory, that atomics write
  AsyncState async;
  uint64_t effects = 0; ///< grows with whatever another thread may wait for
  uint64_t budget = 0;

private:
  bool complete(BlockBarrier &barrier);
  void reportDeadlock();

  unsigned stalledRounds_ = 0;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_BLOCK_H
