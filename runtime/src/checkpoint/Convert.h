// A checkpoint as one safetensors file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_CONVERT_H
#define MLCRT_CHECKPOINT_CONVERT_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlcrt {

/// Writes the checkpoint that `source` and `step` mean (findCheckpoint) to the file `destination`: one tensor per
/// variable and optimizer slot under its name, nothing else: equal values give equal bytes. Returns the directory of
/// the checkpoint. kNotFound (E0401): there is none; kDataLoss: damaged; else as AtomicFile.
absl::StatusOr<std::string> convertCheckpoint(const std::string &source, const std::string &destination,
                                              std::optional<int64_t> step = {});

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CONVERT_H
