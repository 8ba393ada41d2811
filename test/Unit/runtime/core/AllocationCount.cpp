//===- AllocationCount.cpp - Counts the allocations of a test binary ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary's definitions of the malloc family come before glibc's, for every library it loads; operator new calls
// malloc. Memory is still glibc's, so free needs no definition.
#include "AllocationCount.h"

#include <atomic>
#include <cstddef>

// GCC says by macros, Clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MLCRT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MLCRT_SANITIZED 1
#endif
#endif

static std::atomic<int64_t> allocations{0};

namespace mlcrt {
bool countsAllocations() {
#ifdef MLCRT_SANITIZED
  return false;
#else
  return true;
#endif
}
int64_t allocationCount() { return allocations.load(); }
} // namespace mlcrt

#ifndef MLCRT_SANITIZED
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}
#endif
