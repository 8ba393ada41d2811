// Buffers of a batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Batch.h"

#include <algorithm>
#include <cstdlib>

namespace mlcrt {

char *StringArena::allocate(int64_t size) {
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < size) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    constexpr int64_t kLeast = 1 << 14;
    const int64_t bytes = std::max(size, kLeast);
    blocks_.push_back({std::unique_ptr<char[]>(new char[static_cast<size_t>(bytes)]), bytes});
    used_ = 0;
  }
  char *result = blocks_[block_].data.get() + used_;
  used_ += size;
  return result;
}

void Batch::Free::operator()(void *data) const { std::free(data); }

} // namespace mlcrt
