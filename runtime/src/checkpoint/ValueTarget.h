// Where values go piece by piece. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_VALUETARGET_H
#define MLCRT_CHECKPOINT_VALUETARGET_H

#include "absl/status/status.h"

#include <cstdint>

namespace mlcrt {

/// Takes bytes of variables, row-major, over what they were: a state here, or on servers.
class ValueTarget {
public:
  virtual ~ValueTarget() = default;
  /// `bytes` bytes of a variable from `offset` on, which are in it.
  virtual absl::Status write(int32_t variable, int64_t offset, const void *data, int64_t bytes) = 0;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_VALUETARGET_H
