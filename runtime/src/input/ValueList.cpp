// The values of a multi-valued column, row after row.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ValueList.h"

#include "mlcrt/abi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace mlcrt {

void ValueList::Free::operator()(char *data) const { std::free(data); }

void ValueList::regrow(Memory &memory, int64_t used, int64_t bytes) {
  bytes = (std::max<int64_t>(bytes, 1) + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
  Memory grown(static_cast<char *>(std::aligned_alloc(MLCRT_ALIGNMENT, static_cast<size_t>(bytes))));
  if (!grown)
    throw std::bad_alloc();
  if (used > 0)
    std::memcpy(grown.get(), memory.get(), static_cast<size_t>(used));
  memory = std::move(grown);
}

void ValueList::reserve(int64_t count) {
  if (count <= capacity_ && values_)
    return;
  regrow(values_, size_ * valueBytes_, count * valueBytes_);
  if (weighted_)
    regrow(weights_, size_ * static_cast<int64_t>(sizeof(float)), count * static_cast<int64_t>(sizeof(float)));
  capacity_ = count;
}

void ValueList::grow(int64_t least) {
  constexpr int64_t kLeast = 64;
  reserve(std::max({least, 2 * capacity_, kLeast}));
}

void ValueList::append(const ValueList &from, int64_t begin, int64_t end) {
  const int64_t count = end - begin;
  if (count <= 0)
    return;
  if (size_ + count > capacity_)
    grow(size_ + count);
  std::memcpy(data() + size_ * valueBytes_, from.data() + begin * valueBytes_,
              static_cast<size_t>(count * valueBytes_));
  if (weighted_)
    std::memcpy(weights() + size_, from.weights() + begin, static_cast<size_t>(count) * sizeof(float));
  size_ += count;
}

} // namespace mlcrt
