// Operations that a block has started and that are not yet done. They happen as late as a program allows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_ASYNC_H
#define MLC_TEST_LIB_PTXEMU_ASYNC_H

#include "test/lib/ptxemu/Program.h"

#include <deque>
#include <functional>
#include <map>

namespace ptxemu {

class Warp;

/// A copy of a few bytes from global to shared memory (cp.async).
struct CopyPiece {
  const Inst *inst;
  uint32_t to;
  uint64_t from;
  unsigned bytes, fromBytes; ///< what lies beyond fromBytes becomes zero
};

/// Who wrote shared memory as threads do, by the generic proxy: what bulk copies and wgmma read past a fence alone.
struct GenericWrites {
  struct Write {
    uint32_t thread = ~0u; ///< in the block; ~0u: nobody, or a bulk copy did after it
    uint32_t clock = 0;
    int line = 0;
  };
  std::vector<Write> words; ///< of 4 bytes each; empty until there is one

  void note(uint64_t sharedSize, uint64_t address, unsigned bytes, const Write &write) {
    if (words.empty())
      words.resize(sharedSize / 4 + 4);
    for (uint64_t i = address / 4; i <= (address + bytes - 1) / 4; ++i)
      words[i] = write;
  }
};

/// What is in flight in a block.
struct AsyncState {
  GenericWrites generic;

  /// Copies of a thread: those of no group yet, and the groups, the oldest first.
  struct Copies {
    std::vector<CopyPiece> open;
    std::deque<std::vector<CopyPiece>> groups;
  };
  std::map<uint32_t, Copies> copies; ///< by thread
  /// For each 4 bytes of shared memory how many operations will write them; empty until there is one.
  std::vector<uint16_t> writes;
  uint64_t writesTotal = 0;

  /// What lands on its own at some time: false if the launch ends with it.
  using Landing = std::function<bool()>;
  std::deque<Landing> landings;

  /// Bulk copies to global memory, of a thread, by group.
  struct Stores {
    std::vector<Landing> open;
    std::deque<std::vector<Landing>> groups;
  };
  std::map<uint32_t, Stores> stores;

  /// wgmma of a warp: those of no group yet, and the groups.
  struct Products {
    std::vector<Landing> open;
    std::deque<std::vector<Landing>> groups;
    uint64_t committed = 0, landed = 0;     ///< groups
    std::map<uint32_t, unsigned> registers; ///< how many products will write a register, by its number
    bool fenced = false;
  };
  std::map<uint32_t, Products> products; ///< by warp

  /// For each 16 bytes of shared memory how many products will read them; empty until there is one.
  std::vector<uint16_t> reads;
  uint64_t readsTotal = 0;

  void addReads(uint64_t sharedSize, uint32_t address) {
    if (reads.empty())
      reads.resize(sharedSize / 16 + 2, 0);
    ++reads[address / 16];
    ++readsTotal;
  }
  void removeReads(uint32_t address) {
    --reads[address / 16];
    --readsTotal;
  }
  bool isRead(uint64_t address, unsigned bytes) const {
    for (uint64_t i = address / 16; i <= (address + bytes - 1) / 16; ++i)
      if (reads[i])
        return true;
    return false;
  }

  void addWrites(uint64_t sharedSize, uint32_t address, unsigned bytes) {
    if (writes.empty())
      writes.resize(sharedSize / 4 + 4, 0);
    for (uint32_t i = address / 4; i < (address + bytes + 3) / 4; ++i)
      ++writes[i];
    writesTotal += 1;
  }
  void removeWrites(uint32_t address, unsigned bytes) {
    for (uint32_t i = address / 4; i < (address + bytes + 3) / 4; ++i)
      --writes[i];
    writesTotal -= 1;
  }
  bool isWritten(uint64_t address, unsigned bytes) const {
    for (uint64_t i = address / 4; i < (address + bytes + 3) / 4; ++i)
      if (writes[i])
        return true;
    return false;
  }
};

/// Does what groups of a thread's copies must have done when at most `keep` groups may be in flight.
bool landCopies(Warp &warp, const Inst &inst, unsigned lane, size_t keep, bool openToo);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_ASYNC_H
