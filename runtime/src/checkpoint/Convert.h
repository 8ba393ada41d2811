// A checkpoint as one safetensors file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_CONVERT_H
#define MLCRT_CHECKPOINT_CONVERT_H

#include "absl/status/statusor.h"

#include <string>

namespace mlcrt {

/// `source` is a model_dir (its newest checkpoint is taken) or the directory of one checkpoint; `destination` the file
/// to write. One tensor per variable and optimizer slot under its name, nothing else: equal values give equal bytes.
/// Returns the directory of the checkpoint taken. kNotFound (E0401): there is none; kDataLoss: damaged.
absl::StatusOr<std::string> convertCheckpoint(const std::string &source, const std::string &destination);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CONVERT_H
