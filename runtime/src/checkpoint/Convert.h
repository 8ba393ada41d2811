// A checkpoint as the files of other programs. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_CONVERT_H
#define MLCRT_CHECKPOINT_CONVERT_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// What is written.
enum class WeightFormat { Safetensors, TensorFlow };

/// What was written.
struct ConvertedCheckpoint {
  std::string source;               ///< the directory of the checkpoint, the file or the prefix
  std::vector<std::string> leftOut; ///< tensors of TensorFlow's that are no numbers
};

/// Writes the tensors that `source` and `step` mean (WeightSource::open) to the file `destination`: one tensor per
/// variable and optimizer slot under its name, nothing else: equal values give equal bytes. As TensorFlow's checkpoint
/// `destination` is its prefix; slots have the names there, `global_step` is the step, and the directory's file
/// "checkpoint" tells it as the newest. kNotFound (E0401): there is none; kDataLoss: damaged; kInvalidArgument: a file
/// that is read would be replaced; else as AtomicFile.
absl::StatusOr<ConvertedCheckpoint> convertCheckpoint(const std::string &source, const std::string &destination,
                                                      std::optional<int64_t> step = {},
                                                      WeightFormat format = WeightFormat::Safetensors);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CONVERT_H
