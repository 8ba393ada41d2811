// The order of examples as a function of (seed, epoch, position). -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition. The n records of a data set (files in list order) form blocks of kBlock records; the last may be shorter.
// Epoch e visits the blocks in the order given by a keyed permutation of the block numbers, cuts that sequence into
// windows of kWindow blocks and, within a window, visits its records in the order given by a keyed permutation of them.
// So a window's records lie in kWindow contiguous pieces of the files, and any position is computed alone.
//
// Keyed permutation of [0, m): an alternating Feistel network of 8 rounds on the a + b bits of x (a + b = bits of m -
// 1, at least 8; b = ceil((a + b) / 2) low bits): even rounds xor F(low, k) into the high part, odd rounds F(high, k)
// into the low part; a result >= m goes through the network again (cycle walking), which stays a bijection of [0, m).
// F(x, k) is the finalizer of MurmurHash3 (fmix64) of x + k. Round keys 2i and 2i + 1 are the halves of the
// Philox4x32-10 block with key = the seed and counter = {i, purpose, low and high half of the epoch}; purpose is 0 for
// the order of blocks and 1 + w for the order in window w. The definition is part of the format of runs: a golden test
// pins it.
#ifndef MLCRT_INPUT_EXAMPLEORDER_H
#define MLCRT_INPUT_EXAMPLEORDER_H

#include <array>
#include <cstdint>

namespace mlcrt {

/// A bijection of [0, size) that keys choose.
class KeyedPermutation {
public:
  static constexpr int kRounds = 8;
  using Keys = std::array<uint64_t, kRounds>;

  KeyedPermutation() = default;
  /// `size` >= 0.
  KeyedPermutation(int64_t size, const Keys &keys);

  int64_t size() const { return size_; }
  /// The image of `x`, 0 <= x < size().
  int64_t operator()(int64_t x) const;
  /// The x with (*this)(x) == y, 0 <= y < size().
  int64_t inverse(int64_t y) const;

private:
  int64_t size_ = 0;
  int lowBits_ = 0, highBits_ = 0;
  Keys keys_{};
};

/// The order of one data set. Value type; one object per thread (it keeps the keys and blocks of the window it was last
/// asked for).
class ExampleOrder {
public:
  /// Records per block.
  static constexpr int64_t kBlock = 1024;
  /// Blocks per window.
  static constexpr int64_t kWindow = 256;

  /// `records` >= 0. Without `shuffle` the order is that of the files, in every epoch.
  ExampleOrder(int64_t records, uint64_t seed, bool shuffle);

  int64_t records() const { return records_; }
  /// The record at `position` of `epoch`, 0 <= position < records().
  int64_t record(int64_t epoch, int64_t position);

private:
  /// Position at which slot `slot` of the block sequence begins.
  int64_t slotStart(int64_t slot) const;
  void selectEpoch(int64_t epoch);
  void selectWindow(int64_t window);

  int64_t records_ = 0, blocks_ = 0;
  uint64_t seed_ = 0;
  bool shuffle_ = false;
  int64_t epoch_ = -1, window_ = -1;
  /// Slot and size of the block that is shorter than the others, if there is one.
  int64_t shortSlot_ = 0, shortSize_ = 0;
  int64_t windowStart_ = 0, windowEnd_ = 0, firstSlot_ = 0;
  /// The blocks in the slots of the window.
  std::array<int64_t, kWindow> windowBlocks_{};
  KeyedPermutation blockOrder_, windowOrder_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_EXAMPLEORDER_H
