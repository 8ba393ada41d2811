//===- MemoryPool.cpp - Memory of a device, handed out in parts of few large pieces -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/MemoryPool.h"

#include "common/machine/MachineLimits.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/core/Devices.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace mlcrt {

using mlc::common::bytesText;

/// Pieces are multiples of this.
static constexpr int64_t kPieceGrain = int64_t{2} << 20;

static int64_t roundUp(int64_t bytes, int64_t grain) { return (bytes + grain - 1) / grain * grain; }

MemoryPool::~MemoryPool() {
  for (const auto &[begin, piece] : pieces_)
    source_.give(piece.first);
}

void MemoryPool::setFree(Parts::iterator part, bool isFree) {
  const std::pair<int64_t, uint64_t> key = {part->second.bytes, part->first};
  part->second.isFree = isFree;
  isFree ? static_cast<void>(free_.insert(key)) : static_cast<void>(free_.erase(key));
}

MemoryPool::Parts::iterator MemoryPool::cut(Parts::iterator part, int64_t bytes) {
  const int64_t rest = part->second.bytes - bytes;
  part->second.bytes = bytes;
  return parts_.emplace(part->first + static_cast<uint64_t>(bytes), Part{rest, false, false}).first;
}

uint64_t MemoryPool::find(int64_t bytes, int64_t alignment) {
  for (auto it = free_.lower_bound({bytes, 0}); it != free_.end(); ++it) {
    const auto [size, address] = *it;
    const uint64_t mask = static_cast<uint64_t>(alignment) - 1;
    const int64_t before = static_cast<int64_t>(((address + mask) & ~mask) - address);
    if (before + bytes > size)
      continue;
    auto part = parts_.find(address);
    setFree(part, false);
    if (before > 0) {
      auto begin = part;
      part = cut(begin, before);
      setFree(begin, true);
    }
    if (part->second.bytes > bytes)
      setFree(cut(part, bytes), true);
    used_ += bytes;
    return part->first;
  }
  return 0;
}

absl::StatusOr<bool> MemoryPool::takePiece(int64_t bytes) {
  if (bytes > limit_ - held_)
    return false;
  absl::StatusOr<uint64_t> taken = source_.take(bytes);
  if (!taken.ok())
    return taken.status();
  if (*taken == 0)
    return false;
  // Parts have whole grains, whatever the source's alignment.
  const uint64_t begin = roundUp(static_cast<int64_t>(*taken), kGrain);
  const int64_t size = (bytes - static_cast<int64_t>(begin - *taken)) / kGrain * kGrain;
  pieces_[begin] = {*taken, bytes};
  setFree(parts_.emplace(begin, Part{size, false, true}).first, true);
  held_ += bytes;
  return true;
}

absl::StatusOr<bool> MemoryPool::grow(int64_t bytes) {
  // A large piece now spares many small ones later; where it is not to be had, one that is just enough.
  const int64_t enough = roundUp(bytes, kPieceGrain);
  const int64_t wanted = std::max(enough, std::min(std::max(held_, kFirstPiece), kLargestPiece));
  const int64_t allowed = std::min(wanted, limit_ - held_);
  if (allowed >= bytes) {
    absl::StatusOr<bool> taken = takePiece(allowed);
    if (!taken.ok() || *taken)
      return taken;
  }
  giveUnused();
  absl::StatusOr<bool> taken = false;
  if (bytes <= limit_ - held_)
    taken = takePiece(std::min(enough, limit_ - held_));
  return taken;
}

void MemoryPool::giveUnused() {
  for (auto it = pieces_.begin(); it != pieces_.end();) {
    auto part = parts_.find(it->first);
    const auto next = std::next(part);
    const bool isWhole = part->second.isFree && (next == parts_.end() || next->second.beginsPiece);
    if (!isWhole) {
      ++it;
      continue;
    }
    setFree(part, false);
    parts_.erase(part);
    source_.give(it->second.first);
    held_ -= it->second.second;
    it = pieces_.erase(it);
  }
}

absl::Status MemoryPool::ranOut(int64_t bytes) {
  const auto [free, total] = source_.freeAndTotal();
  std::string text = absl::StrCat("memory ran out: asked for ", bytesText(bytes), "; ", bytesText(held_),
                                  " are held, of which ", bytesText(used_), " are in use");
  if (total >= 0)
    absl::StrAppend(&text, "; ", bytesText(free), " of ", bytesText(total), " are free");
  absl::StrAppend(&text, "; the limit is ", bytesText(limit_), " (", limitName_, ")");
  return deviceMemoryError(text);
}

absl::StatusOr<void *> MemoryPool::allocate(int64_t bytes, int64_t alignment) {
  if (bytes < 0 || bytes > std::numeric_limits<int64_t>::max() / 4 || alignment <= 0 || (alignment & (alignment - 1)))
    return absl::InternalError(absl::StrCat("asked for ", bytes, " bytes of memory aligned to ", alignment));
  const int64_t size = std::max(roundUp(bytes, kGrain), kGrain);
  uint64_t address = find(size, alignment);
  if (!address) {
    // What aligns the part, and the piece's own begin, comes on top.
    absl::StatusOr<bool> grown = grow(size + (alignment > kGrain ? alignment : 0) + kGrain);
    if (!grown.ok())
      return grown.status();
    if (!*grown)
      return ranOut(bytes);
    address = find(size, alignment);
  }
  return reinterpret_cast<void *>(address);
}

bool MemoryPool::free(void *memory) {
  if (!memory)
    return true;
  auto part = parts_.find(reinterpret_cast<uint64_t>(memory));
  if (part == parts_.end() || part->second.isFree)
    return false;
  used_ -= part->second.bytes;
  if (const auto next = std::next(part); next != parts_.end() && next->second.isFree && !next->second.beginsPiece) {
    setFree(next, false);
    part->second.bytes += next->second.bytes;
    parts_.erase(next);
  }
  if (part != parts_.begin() && !part->second.beginsPiece)
    if (const auto before = std::prev(part); before->second.isFree) {
      setFree(before, false);
      before->second.bytes += part->second.bytes;
      parts_.erase(part);
      part = before;
    }
  setFree(part, true);
  return true;
}

} // namespace mlcrt
