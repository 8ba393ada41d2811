//===- MeasureTiles.h - Which tile of products is the fastest on a GPU --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_MEASURETILES_H
#define MLCRT_DEVICE_CUDA_MEASURETILES_H

#include "absl/status/statusor.h"
#include "common/kernels/KernelCandidates.h"
#include "runtime/src/device/cuda/CudaDevice.h"

#include <functional>
#include <string>

namespace mlcrt {

struct MeasureOptions {
  CudaOptions device;  ///< how the GPU is used
  int ordinal = 0;     ///< which one
  int64_t rounds = 15; ///< readings of each candidate, of which the median counts; at least 1
};

/// Launches the candidates on a GPU, those of a shape by turns, and makes a table of the fastest ones, of the GPU's
/// class of chips, and of the others of the candidates. `told` gets a line for each shape. Errors of the device, as
/// CudaDevice has them.
absl::StatusOr<mlc::common::KernelTable> measureTiles(const mlc::common::KernelCandidates &candidates,
                                                      const MeasureOptions &options,
                                                      const std::function<void(const std::string &)> &told);

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_MEASURETILES_H
