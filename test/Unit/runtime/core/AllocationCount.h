//===- AllocationCount.h - Counts the allocations of a test binary -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_ALLOCATIONCOUNT_H
#define MLCRT_TEST_ALLOCATIONCOUNT_H

#include <cstdint>

namespace mlcrt {

/// Whether allocationCount works in this build (sanitizers bring their own allocator).
bool countsAllocations();
/// Number of calls of malloc, calloc, realloc, aligned_alloc and operator new so far, on all threads.
int64_t allocationCount();

} // namespace mlcrt

#endif // MLCRT_TEST_ALLOCATIONCOUNT_H
