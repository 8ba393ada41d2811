// A bound of memory as an oracle of fuzzers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_FUZZ_MEMORYBOUND_H
#define MLC_TEST_FUZZ_MEMORYBOUND_H

#include <cstddef>

/// Ends the process if what all threads get by `new` while this lives ever exceeds what there was before by more than
/// `most` bytes. One at a time.
class MemoryBound {
public:
  explicit MemoryBound(size_t most);
  ~MemoryBound();
  MemoryBound(const MemoryBound &) = delete;
  MemoryBound &operator=(const MemoryBound &) = delete;
};

#endif // MLC_TEST_FUZZ_MEMORYBOUND_H
