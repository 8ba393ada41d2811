//===- Arena.h - Memory for the temporaries of a call whose size only the call knows ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ARENA_H
#define MLCRT_CORE_ARENA_H

#include "runtime/src/core/Tensor.h"

#include <cstdint>
#include <vector>

namespace mlcrt {

/// Hands out memory piece by piece and takes it back all at once or back to a mark. Chunks are kept; after a call that
/// needed several they become one, so that calls of one size soon allocate nothing. For one thread.
class Arena {
public:
  /// `bytes` bytes at a multiple of MLCRT_ALIGNMENT, their contents undefined; null if `bytes` is negative or there is
  /// no memory.
  void *allocate(int64_t bytes);
  /// Where the arena stands: for release.
  int64_t mark() const { return start_ + used_; }
  /// Takes back what was handed out since mark() was `mark`.
  void release(int64_t mark);
  /// Takes back everything.
  void reset();
  /// Bytes of all chunks.
  int64_t capacity() const;

private:
  std::vector<AlignedBytes> chunks_;
  size_t chunk_ = 0;  ///< the chunk that is being handed out
  int64_t start_ = 0; ///< bytes of the chunks before it
  int64_t used_ = 0;  ///< bytes handed out of it
};

} // namespace mlcrt

#endif // MLCRT_CORE_ARENA_H
