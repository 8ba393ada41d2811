// A bound of memory as an oracle of fuzzers: operators new and delete that count.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryBound.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

static std::atomic<size_t> live{0}, limit{SIZE_MAX};

static void *counted(void *block) {
  if (!block)
    std::abort(); // more than there is
  if (live += ::malloc_usable_size(block); live > limit)
    std::abort();
  return block;
}

static void uncounted(void *block) {
  live -= ::malloc_usable_size(block);
  std::free(block);
}

MemoryBound::MemoryBound(size_t most) { limit = live + most; }
MemoryBound::~MemoryBound() { limit = SIZE_MAX; }

void *operator new(size_t size) { return counted(std::malloc(size ? size : 1)); }
void *operator new[](size_t size) { return counted(std::malloc(size ? size : 1)); }
void *operator new(size_t size, std::align_val_t align) {
  const auto unit = static_cast<size_t>(align);
  return counted(std::aligned_alloc(unit, (size + unit) / unit * unit));
}
void *operator new[](size_t size, std::align_val_t align) { return operator new(size, align); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return operator new(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return operator new(size); }
void operator delete(void *block) noexcept { uncounted(block); }
void operator delete[](void *block) noexcept { uncounted(block); }
void operator delete(void *block, size_t) noexcept { uncounted(block); }
void operator delete[](void *block, size_t) noexcept { uncounted(block); }
void operator delete(void *block, std::align_val_t) noexcept { uncounted(block); }
void operator delete[](void *block, std::align_val_t) noexcept { uncounted(block); }
void operator delete(void *block, size_t, std::align_val_t) noexcept { uncounted(block); }
void operator delete[](void *block, size_t, std::align_val_t) noexcept { uncounted(block); }
