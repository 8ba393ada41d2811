//===- Arena.cpp - Memory for the temporaries of a call whose size only the call knows --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Arena.h"

#include <algorithm>
#include <limits>
#include <new>

namespace mlcrt {

/// The first chunk: temporaries of small calls.
static constexpr int64_t kSmallestChunk = 1 << 16;

void *Arena::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > std::numeric_limits<int64_t>::max() / 4)
    return nullptr;
  const int64_t size = (std::max<int64_t>(bytes, 1) + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
  for (; chunk_ < chunks_.size(); ++chunk_) {
    if (size <= chunks_[chunk_].size() - used_) {
      void *memory = static_cast<char *>(chunks_[chunk_].data()) + used_;
      used_ += size;
      return memory;
    }
    start_ += chunks_[chunk_].size();
    used_ = 0;
  }
  // As much again as there is: the number of chunks grows with the logarithm of what is needed.
  try {
    chunks_.emplace_back(std::max({size, capacity(), kSmallestChunk}));
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  used_ = size;
  return chunks_.back().data();
}

void Arena::release(int64_t mark) {
  chunk_ = 0;
  start_ = 0;
  while (chunk_ + 1 < chunks_.size() && mark - start_ > chunks_[chunk_].size())
    start_ += chunks_[chunk_++].size();
  used_ = mark - start_;
}

void Arena::reset() {
  if (chunks_.size() > 1) {
    const int64_t bytes = capacity();
    chunks_.clear();
    try {
      chunks_.emplace_back(bytes);
    } catch (const std::bad_alloc &) {
      // Pieces may still be found where the whole is not.
    }
  }
  chunk_ = 0;
  start_ = used_ = 0;
}

int64_t Arena::capacity() const {
  int64_t bytes = 0;
  for (const AlignedBytes &chunk : chunks_)
    bytes += chunk.size();
  return bytes;
}

} // namespace mlcrt
