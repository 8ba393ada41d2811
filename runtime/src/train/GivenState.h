// Values of variables that the caller of a run gives. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_GIVENSTATE_H
#define MLCRT_TRAIN_GIVENSTATE_H

#include "absl/status/status.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/input/BatchSource.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace mlcrt {

/// Of a run that evaluates.
struct GivenState {
  /// By the names of the state's tensors; what the artifact does not have is passed over.
  std::shared_ptr<const MemoryArrays> values;
  /// The number of steps in the model: the values are all of it, and no checkpoint is read. None: they are those of
  /// metrics alone, from which the evaluation goes on.
  std::optional<int64_t> step;
};

/// Gives the variables of lifetime eval that are there their values, or those of lifetime train, all of which have to
/// be there. kInvalidArgument (E0401): one is not there, or has another dtype or shape.
absl::Status writeGivenState(const GivenState &given, bool isEval, Program &program);

} // namespace mlcrt

#endif // MLCRT_TRAIN_GIVENSTATE_H
