// What a model needs of memory and disk, in one form for compiler and trainer. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_MEMORYNEED_H
#define MLC_COMMON_MEMORYNEED_H

#include <cstdint>
#include <string>

namespace mlc::common {

/// Bytes; INT64_MAX stands for all that is more.
struct MemoryNeed {
  int64_t state = 0;      ///< variables with their slots and those of evaluation
  int64_t checkpoint = 0; ///< what is saved of them
  int64_t workspace = -1; ///< temporaries of a training step; -1: not known
  int64_t rows = 0;       ///< of the batch that `workspace` is of
  /// Of a GPU: variables that lie there, and temporaries of a step; -1: there is none.
  int64_t deviceState = -1, deviceWorkspace = -1;
};

/// "state 19.1 GB, workspace 12.0 MB at 128 rows, checkpoint 19.1 GB"; with a GPU then "; on the GPU: variables 19.1
/// GB, workspace 40.0 MB".
std::string memoryText(const MemoryNeed &need);

/// Sum and product of sizes >= 0; INT64_MAX where they overflow.
int64_t addSizes(int64_t a, int64_t b);
int64_t multiplySizes(int64_t a, int64_t b);

} // namespace mlc::common

#endif // MLC_COMMON_MEMORYNEED_H
