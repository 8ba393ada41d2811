// The order of examples as a function of (seed, epoch, position).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ExampleOrder.h"

#include "common/data/Philox.h"

#include <algorithm>

namespace mlcrt {

/// The finalizer of MurmurHash3 for 64 bits.
static uint64_t fmix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  x ^= x >> 33;
  return x;
}

KeyedPermutation::KeyedPermutation(int64_t size, const Keys &keys) : size_(size), keys_(keys) {
  int bits = 8;
  while (bits < 63 && (int64_t{1} << bits) < size)
    ++bits;
  lowBits_ = (bits + 1) / 2;
  highBits_ = bits / 2;
}

int64_t KeyedPermutation::operator()(int64_t x) const {
  if (size_ <= 1)
    return x;
  const uint64_t lowMask = (uint64_t{1} << lowBits_) - 1, highMask = (uint64_t{1} << highBits_) - 1;
  do {
    uint64_t low = static_cast<uint64_t>(x) & lowMask, high = static_cast<uint64_t>(x) >> lowBits_;
    for (int round = 0; round < kRounds; round += 2) {
      high ^= fmix64(low + keys_[round]) & highMask;
      low ^= fmix64(high + keys_[round + 1]) & lowMask;
    }
    x = static_cast<int64_t>(high << lowBits_ | low);
  } while (x >= size_);
  return x;
}

int64_t KeyedPermutation::inverse(int64_t y) const {
  if (size_ <= 1)
    return y;
  const uint64_t lowMask = (uint64_t{1} << lowBits_) - 1, highMask = (uint64_t{1} << highBits_) - 1;
  do {
    uint64_t low = static_cast<uint64_t>(y) & lowMask, high = static_cast<uint64_t>(y) >> lowBits_;
    for (int round = kRounds - 2; round >= 0; round -= 2) {
      low ^= fmix64(high + keys_[round + 1]) & lowMask;
      high ^= fmix64(low + keys_[round]) & highMask;
    }
    y = static_cast<int64_t>(high << lowBits_ | low);
  } while (y >= size_);
  return y;
}

/// Round keys for purpose 0 (order of blocks) or 1 + w (order in window w).
static KeyedPermutation::Keys keysFor(uint64_t seed, int64_t epoch, int64_t purpose) {
  KeyedPermutation::Keys keys;
  for (uint32_t i = 0; i < KeyedPermutation::kRounds / 2; ++i) {
    const uint64_t e = static_cast<uint64_t>(epoch);
    const std::array<uint32_t, 4> words = mlc::common::philox4x32(
        {i, static_cast<uint32_t>(purpose), static_cast<uint32_t>(e), static_cast<uint32_t>(e >> 32)}, seed);
    keys[2 * i] = uint64_t{words[1]} << 32 | words[0];
    keys[2 * i + 1] = uint64_t{words[3]} << 32 | words[2];
  }
  return keys;
}

ExampleOrder::ExampleOrder(int64_t records, uint64_t seed, bool shuffle)
    : records_(records), blocks_((records + kBlock - 1) / kBlock), seed_(seed), shuffle_(shuffle) {}

int64_t ExampleOrder::slotStart(int64_t slot) const {
  return slot * kBlock - (slot > shortSlot_ ? kBlock - shortSize_ : 0);
}

void ExampleOrder::selectEpoch(int64_t epoch) {
  epoch_ = epoch;
  window_ = -1;
  blockOrder_ = KeyedPermutation(blocks_, keysFor(seed_, epoch, 0));
  shortSlot_ = blockOrder_.inverse(blocks_ - 1);
  shortSize_ = records_ - (blocks_ - 1) * kBlock;
}

void ExampleOrder::selectWindow(int64_t window) {
  window_ = window;
  windowStart_ = slotStart(window * kWindow);
  windowEnd_ = slotStart(std::min((window + 1) * kWindow, blocks_));
  windowOrder_ = KeyedPermutation(windowEnd_ - windowStart_, keysFor(seed_, epoch_, 1 + window));
  // Every record asks for its block, and few blocks go through the network again and again.
  firstSlot_ = window * kWindow;
  for (int64_t slot = firstSlot_; slot < std::min(firstSlot_ + kWindow, blocks_); ++slot)
    windowBlocks_[static_cast<size_t>(slot - firstSlot_)] = blockOrder_(slot);
}

int64_t ExampleOrder::record(int64_t epoch, int64_t position) {
  if (!shuffle_)
    return position;
  if (epoch != epoch_)
    selectEpoch(epoch);
  if (window_ < 0 || position < windowStart_ || position >= windowEnd_) {
    // After the short block, windows begin up to one block earlier than their number says.
    int64_t window = position / (kBlock * kWindow);
    if ((window + 1) * kWindow < blocks_ && position >= slotStart((window + 1) * kWindow))
      ++window;
    selectWindow(window);
  }
  // The record's place in the window in block order: its slot and the offset in the block.
  const int64_t place = windowStart_ + windowOrder_(position - windowStart_);
  int64_t slot = place / kBlock;
  if (place >= slotStart(slot + 1))
    ++slot;
  return windowBlocks_[static_cast<size_t>(slot - firstSlot_)] * kBlock + (place - slotStart(slot));
}

} // namespace mlcrt
