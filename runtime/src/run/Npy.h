// The .npy format of numpy: one array in one file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is described in runtime/src/input/NpyHeader.h. Arrays of texts are read in both forms and written as '|S'.
#ifndef MLCRT_RUN_NPY_H
#define MLCRT_RUN_NPY_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"

#include <string>
#include <vector>

namespace mlcrt {

/// An array that was read. Texts of a string array point into `texts`.
struct NpyArray {
  Tensor tensor;
  std::vector<char> texts; ///< stays where it is when the array moves
};

/// kNotFound: no such file; kDataLoss names what is wrong with it and what was expected: magic, version, header, dtype,
/// order, number of bytes.
absl::StatusOr<NpyArray> readNpy(const std::string &path);

/// Writes `path` atomically. kInvalidArgument: a text with a zero byte at its end, which would not read back; else as
/// AtomicFile.
absl::Status writeNpy(const std::string &path, const TensorView &buffer);

} // namespace mlcrt

#endif // MLCRT_RUN_NPY_H
