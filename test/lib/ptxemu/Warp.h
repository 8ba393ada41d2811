// A warp that runs: registers of its lanes, and which of them are where.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_WARP_H
#define MLC_TEST_LIB_PTXEMU_WARP_H

#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Program.h"
#include "test/lib/ptxemu/Report.h"

namespace ptxemu {

class Block;

/// Lanes at the same instruction.
struct WarpGroup {
  enum State : uint8_t {
    Ready,
    Polled,  ///< its last instruction waits for something that is not yet there
    Syncing, ///< waits for lanes of its warp
    Blocked, ///< waits at a barrier
  } state = Ready;
  uint32_t pc = 0, lanes = 0;
};

/// What an access to memory does.
enum class Use : uint8_t { Load, Store, Atomic };

/// One warp of a block.
class Warp {
public:
  Warp(Block &block, uint32_t index);

  /// The lanes of a register that has the place `at`.
  template <typename T> T *lanes(uint32_t at) { return reinterpret_cast<T *>(registers_.get() + at); }
  uint32_t &predicate(uint32_t at) { return *reinterpret_cast<uint32_t *>(registers_.get() + at); }
  /// The value of an address register of 32 or 64 bits, as Decoder::address gives its place.
  uint64_t addressAt(uint32_t place, unsigned lane) {
    return place & 1 ? lanes<uint32_t>(place & ~1u)[lane] : lanes<uint64_t>(place)[lane];
  }

  Block &block() { return block_; }
  uint32_t index() const { return index_; }
  uint32_t first() const { return index_ * 32; } ///< its first thread in the block
  uint32_t live() const { return live_; }
  uint32_t definedLanes(uint32_t number) const { return defined_[number]; }
  void setDefined(uint32_t number, uint32_t lanes, bool defined) {
    defined_[number] = defined ? defined_[number] | lanes : defined_[number] & ~lanes;
  }

  /// Runs until its groups wait, have polled in vain, or `quantum` instructions are done. False if the launch ends.
  bool run(uint64_t quantum);
  /// Whether no group is ready.
  bool waits() const;
  bool finished() const { return groups_.empty(); }
  /// What has polled may poll again.
  void wake();
  /// Lanes that wait at a barrier go on after it.
  void release(uint32_t lanes);
  const std::vector<WarpGroup> &groups() const { return groups_; }
  /// The lanes in which something has written the carried register `which` of an instruction.
  uint32_t carriedLanes(const Inst &inst, unsigned which) const;
  /// Lanes whose result is undefined since an operand is: set by handlers of Inst::ownCarry.
  uint32_t poison = 0;
  /// Set by the handler of a Control::Yield instruction: its time has not come, it is executed again.
  bool retry = false;

  /// A finding at an instruction; false if the launch ends with it.
  bool report(Mistake mistake, const Inst &inst, unsigned lane, const std::string &what, bool fatal = true);

  /// The bytes at an address, after all checks; nullptr after a finding that ends the launch. A store is noted as done.
  uint8_t *access(const Inst &inst, unsigned lane, Space space, uint64_t address, unsigned size, unsigned align,
                  Use use, bool strong = false, bool readOnly = false);

  /// Whether `size` bytes of shared memory may be read now: like access, but nothing is noted.
  bool glance(const Inst &inst, unsigned lane, uint64_t address, unsigned size);
  /// Finds bytes of shared memory that a thread wrote, where the async proxy reads them past no fence between proxies.
  void crossProxies(const Inst &inst, unsigned lane, uint64_t address, unsigned size);

  // Counts a request of all lanes in `active` with these addresses.
  void countGlobal(const uint64_t *addresses, uint32_t active, unsigned size);
  void countShared(const uint64_t *addresses, uint32_t active, unsigned size);

private:
  bool step(WarpGroup &group);
  bool control(size_t &at, const Inst &inst, uint32_t active);
  bool sync(size_t &at, const Inst &inst, uint32_t active);
  bool warpBarrier(size_t &at, const Inst &inst, uint32_t active);
  bool checkUses(const Inst &inst, uint32_t active);
  void noteDefinitions(const Inst &inst, uint32_t active);
  size_t pick();
  void merge();
  void fillSpecials();
  uint8_t *sharedBytes(const Inst &inst, unsigned lane, uint64_t address, unsigned size, Use use, bool strong);
  uint8_t *globalBytes(const Inst &inst, unsigned lane, uint64_t address, unsigned size, Use use, bool strong,
                       bool readOnly);

  Block &block_;
  const uint32_t index_;
  uint32_t live_ = 0;
  uint64_t instructions_ = 0; ///< done so far
  std::unique_ptr<uint8_t[]> registers_;
  std::vector<uint32_t> defined_;
  std::vector<WarpGroup> groups_;
  Allocation *last_ = nullptr; ///< the allocation that was accessed last
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_WARP_H
