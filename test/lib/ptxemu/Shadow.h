// Who accessed memory last: finds accesses of two threads that nothing orders.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_SHADOW_H
#define MLC_TEST_LIB_PTXEMU_SHADOW_H

#include <cstdint>
#include <memory>
#include <vector>

namespace ptxemu {

/// An access of one thread, as the shadow sees it.
struct Access {
  uint32_t thread = 0; ///< number in the grid
  uint32_t clock = 0;  ///< of the thread
  int line = 0;
  bool write = false;
  bool strong = false;   ///< an atomic, volatile, relaxed or stronger one: two of these do not race
  bool readOnly = false; ///< through the non-coherent path, which no write of the same kernel may touch
  bool noted = true;     ///< false: it is only compared with what is known
};

/// The earlier access that an access conflicts with.
struct Conflict {
  uint32_t thread = 0;
  int line = 0;
  bool write = false;
  bool readOnly = false;
  uint64_t offset = 0; ///< of the first byte that both touch
};

/// The last write and two reads of a few bytes.
struct ShadowCell {
  uint32_t generation = 0; ///< what it tells is void in another generation
  uint32_t writer, writeClock;
  uint32_t readers[2], readClocks[2];
  int writeLine, readLines[2];
  uint8_t numReaders;
  bool written, writeStrong, readStrong[2], readOnly;
};

/// The shadow of a range of memory. A page holds a cell per 4 bytes until something smaller is accessed in it.
class Shadow {
public:
  static constexpr uint64_t kPage = 1024;

  explicit Shadow(uint64_t size) : pages_((size + kPage - 1) / kPage) {}

  /// Notes an access to bytes [offset, offset + size). `ordered(thread, clock)` says whether what that thread did at
  /// that clock comes before the access. True if there is a conflict, which `conflict` gets.
  template <typename Ordered>
  bool note(uint32_t generation, const Access &access, uint64_t offset, unsigned size, const Ordered &ordered,
            Conflict &conflict) {
    bool found = false;
    while (size) {
      Page &page = pages_[offset / kPage];
      const uint64_t within = offset % kPage;
      const unsigned here = static_cast<unsigned>(within + size > kPage ? kPage - within : size);
      const unsigned wanted = (here | within) & 1 ? 0 : (here | within) & 2 ? 1 : 2;
      if (!page.cells || page.shift > wanted)
        split(page, wanted);
      const uint64_t end = (within + here) >> page.shift;
      for (uint64_t i = within >> page.shift; i < end; ++i)
        if (touch(page.cells[i], generation, access, ordered, conflict) && !found) {
          found = true;
          conflict.offset = offset - within + (i << page.shift);
        }
      offset += here;
      size -= here;
    }
    return found;
  }

private:
  struct Page {
    std::unique_ptr<ShadowCell[]> cells;
    unsigned shift = 2;
  };

  static void split(Page &page, unsigned shift);

  template <typename Ordered>
  static bool touch(ShadowCell &cell, uint32_t generation, const Access &access, const Ordered &ordered,
                    Conflict &conflict) {
    if (cell.generation != generation) {
      cell = ShadowCell();
      cell.generation = generation;
    }
    bool found = false;
    if (cell.written && cell.writer != access.thread && !(cell.writeStrong && access.strong) &&
        !ordered(cell.writer, cell.writeClock)) {
      conflict = {cell.writer, cell.writeLine, true, false, 0};
      found = true;
    } else if (cell.written && access.readOnly) {
      conflict = {cell.writer, cell.writeLine, true, true, 0};
      found = true;
    }
    if (access.write) {
      for (unsigned i = 0; i < cell.numReaders && !found; ++i) {
        if (cell.readers[i] != access.thread && !(cell.readStrong[i] && access.strong) &&
            !ordered(cell.readers[i], cell.readClocks[i])) {
          conflict = {cell.readers[i], cell.readLines[i], false, false, 0};
          found = true;
        }
      }
      if (cell.readOnly && !found) {
        conflict = {cell.readers[0], cell.readLines[0], false, true, 0};
        found = true;
      }
      cell.written = true;
      cell.writer = access.thread;
      cell.writeClock = access.clock;
      cell.writeLine = access.line;
      cell.writeStrong = access.strong;
      cell.numReaders = 0;
      return found;
    }
    if (!access.noted)
      return found;
    // A read takes the place of the thread's own, or of one that comes before it; else the last.
    unsigned at = 0;
    for (; at < cell.numReaders; ++at)
      if (cell.readers[at] == access.thread || ordered(cell.readers[at], cell.readClocks[at]))
        break;
    if (at == cell.numReaders && at == 2)
      at = 1;
    if (at == cell.numReaders)
      ++cell.numReaders;
    cell.readers[at] = access.thread;
    cell.readClocks[at] = access.clock;
    cell.readLines[at] = access.line;
    cell.readStrong[at] = access.strong;
    cell.readOnly |= access.readOnly;
    return found;
  }

  std::vector<Page> pages_;
};

/// A bit for each byte of memory: whether something was written there.
class InitBits {
public:
  explicit InitBits(uint64_t size = 0) { reset(size); }
  void reset(uint64_t size) { bits_.assign((size + 63) / 64 + 1, 0); }
  void set(uint64_t offset, uint64_t size, bool value = true);
  /// Whether all bytes are written; `size` is at most 64.
  bool test(uint64_t offset, unsigned size) const {
    const uint64_t mask = size == 64 ? ~0ull : (1ull << size) - 1;
    const unsigned shift = offset % 64;
    uint64_t word = bits_[offset / 64] >> shift;
    if (shift + size > 64)
      word |= bits_[offset / 64 + 1] << (64 - shift);
    return (word & mask) == mask;
  }
  bool testRange(uint64_t offset, uint64_t size) const;
  void copyFrom(const InitBits &from, uint64_t fromOffset, uint64_t offset, uint64_t size);

private:
  std::vector<uint64_t> bits_;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_SHADOW_H
