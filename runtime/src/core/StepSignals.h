//===- StepSignals.h - What a segment says while it runs ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_STEPSIGNALS_H
#define MLCRT_CORE_STEPSIGNALS_H

#include "absl/status/status.h"

#include <cstdint>

namespace mlcrt {

/// Who brings the variables of a call, and takes its sums (abi.h, MLCRT_OPERAND_SIGNALLED). Called by the thread that
/// runs the call.
class StepSignals {
public:
  virtual ~StepSignals() = default;
  /// Returns when a variable is there; it stays as it is until the call is over. An error ends the call, with it.
  virtual absl::Status await(int32_t variable) = 0;
  /// A sum that the call writes is final.
  virtual void done(int32_t sum) = 0;
};

} // namespace mlcrt

#endif // MLCRT_CORE_STEPSIGNALS_H
